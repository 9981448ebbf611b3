//! How long each stage of a job took.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use protocol::{Stage, StageTime};

/// Shared between the job and the thread that keeps its lease.
#[derive(Debug, Clone)]
pub struct Times(Arc<Mutex<Vec<(Stage, Instant)>>>);

impl Times {
    pub fn start(stage: Stage) -> Self {
        Self(Arc::new(Mutex::new(vec![(stage, Instant::now())])))
    }

    /// A stage that is entered again goes on where it stood: every stage has one time.
    pub fn enter(&self, stage: Stage) {
        let mut entered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if entered.iter().all(|(known, _)| *known != stage) {
            entered.push((stage, Instant::now()));
        }
    }

    pub fn current(&self) -> Stage {
        let entered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entered.last().map_or(Stage::Claimed, |(stage, _)| *stage)
    }

    /// In order, the running one last.
    pub fn all(&self) -> Vec<StageTime> {
        let entered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ends = entered.iter().skip(1).map(|(_, at)| *at).chain([Instant::now()]);
        let line = |((stage, from), to): (&(Stage, Instant), Instant)| StageTime {
            stage: *stage,
            elapsed_ms: millis(to - *from),
        };
        entered.iter().zip(ends).map(line).collect()
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_listed_once_in_the_order_they_began() {
        let times = Times::start(Stage::Claimed);
        for stage in [Stage::Compiling, Stage::Checking, Stage::Compiling, Stage::Measuring] {
            times.enter(stage);
        }
        let stages: Vec<Stage> = times.all().iter().map(|time| time.stage).collect();
        assert_eq!(stages, [Stage::Claimed, Stage::Compiling, Stage::Checking, Stage::Measuring]);
        assert_eq!(times.current(), Stage::Measuring);
    }
}
