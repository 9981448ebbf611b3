//! The best few, and those that nothing beats in memory and time at once.

/// What a plan is judged by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Score {
    pub seconds: f64,
    pub bytes: u64,
}

impl Score {
    /// Faster, and of equally fast the smaller.
    fn before(self, other: Score) -> bool {
        self.seconds.total_cmp(&other.seconds).then(self.bytes.cmp(&other.bytes)).is_lt()
    }

    fn dominates(self, other: Score) -> bool {
        self.seconds <= other.seconds && self.bytes <= other.bytes
    }
}

/// At most `keep` plans, best first.
#[derive(Debug, Clone)]
pub(super) struct Best<T> {
    keep: usize,
    plans: Vec<(Score, T)>,
}

impl<T> Best<T> {
    pub(super) fn new(keep: usize) -> Self {
        Self { keep, plans: Vec::with_capacity(keep.saturating_add(1).min(1024)) }
    }

    pub(super) fn offer(&mut self, score: Score, plan: impl FnOnce() -> T) {
        if self.plans.len() >= self.keep && self.plans.last().is_none_or(|(last, _)| !score.before(*last)) {
            return;
        }
        let at = self.plans.partition_point(|(known, _)| !score.before(*known));
        self.plans.insert(at, (score, plan()));
        self.plans.truncate(self.keep);
    }

    pub(super) fn into_plans(self) -> Vec<T> {
        self.plans.into_iter().map(|(_, plan)| plan).collect()
    }
}

/// Plans of which none is both as fast and as small as another, fastest first.
#[derive(Debug, Clone)]
pub(super) struct Front<T> {
    /// Seconds rise, bytes fall.
    plans: Vec<(Score, T)>,
}

impl<T> Front<T> {
    pub(super) fn new() -> Self {
        Self { plans: Vec::new() }
    }

    pub(super) fn offer(&mut self, score: Score, plan: impl FnOnce() -> T) {
        let at = self.plans.partition_point(|(known, _)| known.seconds < score.seconds);
        let beaten = |known: Option<&(Score, T)>| known.is_some_and(|(known, _)| known.dominates(score));
        if beaten(at.checked_sub(1).and_then(|before| self.plans.get(before))) || beaten(self.plans.get(at)) {
            return;
        }
        let slower = self.plans[at..].iter().take_while(|(known, _)| score.dominates(*known)).count();
        self.plans.splice(at..at + slower, [(score, plan())]);
    }

    pub(super) fn into_plans(self) -> Vec<T> {
        self.plans.into_iter().map(|(_, plan)| plan).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the definition, on every order of a few points.
    #[test]
    fn a_front_is_what_nothing_dominates() {
        let points = [(3.0, 1), (1.0, 5), (2.0, 5), (2.0, 3), (4.0, 1), (1.5, 4), (2.0, 3), (5.0, 0), (1.0, 6)];
        for rotation in 0..points.len() {
            let (mut front, mut best) = (Front::new(), Best::new(3));
            for at in 0..points.len() {
                let (seconds, bytes) = points[(at * 2 + rotation) % points.len()];
                front.offer(Score { seconds, bytes }, || (seconds, bytes));
                best.offer(Score { seconds, bytes }, || (seconds, bytes));
            }
            assert_eq!(front.into_plans(), [(1.0, 5), (1.5, 4), (2.0, 3), (3.0, 1), (5.0, 0)]);
            assert_eq!(best.into_plans(), [(1.0, 5), (1.0, 6), (1.5, 4)]);
        }
    }
}
