//! How long to wait before trying again: doubling, capped, and spread so that many runners do not come back at once.

use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Backoff {
    first: Duration,
    most: Duration,
    next: Duration,
}

impl Backoff {
    pub fn new(first: Duration, most: Duration) -> Self {
        Self { first, most, next: first.min(most) }
    }

    pub fn reset(&mut self) {
        self.next = self.first.min(self.most);
    }

    /// Between half of the step and the step.
    pub fn delay(&mut self) -> Duration {
        let step = self.next;
        self.next = step.saturating_mul(2).min(self.most);
        step / 2 + (step / 2).mul_f64(random_fraction())
    }
}

fn random_fraction() -> f64 {
    // Without random bytes the spread is lost, not the wait.
    getrandom::u32().map_or(0.5, |bits| f64::from(bits) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_double_up_to_the_cap_and_stay_within_their_half() {
        let mut backoff = Backoff::new(Duration::from_millis(100), Duration::from_millis(500));
        for step in [100, 200, 400, 500, 500].map(Duration::from_millis) {
            let delay = backoff.delay();
            assert!(delay >= step / 2 && delay <= step, "{delay:?} for a step of {step:?}");
        }
        backoff.reset();
        assert!(backoff.delay() <= Duration::from_millis(100));
    }
}
