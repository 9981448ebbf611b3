//! Timings of one variant: every sample is kept; the summary is computed from them.

use std::fmt;
use std::time::Duration;

use evidence::statistics::{ordered, quantile, relative_standard_error};

use super::{ParamError, Reader};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Samples(Vec<f64>);

/// All in the samples' unit. Quantiles interpolate linearly between neighbours (type 7 of Hyndman and Fan).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    pub count: usize,
    pub mean: f64,
    pub median: f64,
    pub p10: f64,
    pub p90: f64,
    /// Standard error of the mean divided by the mean. Infinite for fewer than two samples.
    pub relative_standard_error: f64,
}

/// In milliseconds, for a person.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, mean, median, p10, p90, relative_standard_error } = self;
        let error = relative_standard_error * 100.0;
        write!(f, "median {median:.3} ms, p10 {p10:.3}, p90 {p90:.3}, mean {mean:.3} ± {error:.1}% over {count}")
    }
}

/// Measuring ends when the relative standard error is below the target, or at a cap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StopRule {
    pub relative_standard_error: f64,
    pub least_samples: usize,
    pub most_samples: usize,
    pub time_cap: Duration,
}

impl StopRule {
    /// The parameters `samples` and `seconds`, which every lab has: at most so many timed runs of each variant, for so long.
    pub fn parse(reader: &mut Reader<'_>) -> Result<Self, ParamError> {
        let samples = reader.integer("samples", 200, 3..=1000)?;
        let seconds = reader.integer("seconds", 8, 1..=60)?;
        Ok(Self {
            relative_standard_error: 0.005,
            least_samples: 3,
            most_samples: usize::try_from(samples).unwrap_or(usize::MAX),
            time_cap: Duration::from_secs(seconds),
        })
    }

    pub fn is_met(&self, variants: &[&Samples], elapsed: Duration) -> bool {
        let fewest = variants.iter().map(|samples| samples.0.len()).min().unwrap_or(0);
        if fewest < self.least_samples {
            return false;
        }
        let settled = |samples: &&Samples| {
            samples.summary().is_some_and(|s| s.relative_standard_error < self.relative_standard_error)
        };
        fewest >= self.most_samples || elapsed >= self.time_cap || variants.iter().all(settled)
    }
}

impl Samples {
    pub fn push(&mut self, sample: f64) {
        self.0.push(sample);
    }

    pub fn all(&self) -> &[f64] {
        &self.0
    }

    /// `None` without samples.
    pub fn summary(&self) -> Option<Summary> {
        if self.0.is_empty() {
            return None;
        }
        let count = self.0.len();
        let mean = self.0.iter().sum::<f64>() / count as f64;
        let relative_standard_error = relative_standard_error(&self.0).unwrap_or(f64::INFINITY);
        let sorted = ordered(&self.0);
        let at = |q| quantile(&sorted, q);
        Some(Summary { count, mean, median: at(0.5), p10: at(0.1), p90: at(0.9), relative_standard_error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(values: &[f64]) -> Samples {
        Samples(values.to_vec())
    }

    #[test]
    fn summary_of_known_samples() {
        let summary = samples(&[5.0, 1.0, 4.0, 2.0, 3.0]).summary().unwrap();
        assert_eq!((summary.count, summary.mean, summary.median), (5, 3.0, 3.0));
        assert!((summary.p10 - 1.4).abs() < 1e-12 && (summary.p90 - 4.6).abs() < 1e-12);
        // s² = 2.5, so the standard error is √0.5 and a third of it is relative to the mean.
        assert!((summary.relative_standard_error - 0.5f64.sqrt() / 3.0).abs() < 1e-12);
        assert_eq!(samples(&[]).summary(), None);
        assert_eq!(samples(&[7.0]).summary().unwrap().relative_standard_error, f64::INFINITY);
    }

    #[test]
    fn measuring_stops_when_settled_or_capped_but_not_before_the_least() {
        let rule = StopRule {
            relative_standard_error: 0.005,
            least_samples: 3,
            most_samples: 6,
            time_cap: Duration::from_secs(1),
        };
        let (steady, noisy) = (samples(&[1.0; 3]), samples(&[1.0, 2.0, 9.0]));
        let now = Duration::ZERO;
        for (what, variants, elapsed, expected) in [
            ("steady", vec![&steady, &steady], now, true),
            ("one is noisy", vec![&steady, &noisy], now, false),
            ("noisy at the time cap", vec![&noisy], Duration::from_secs(1), true),
            ("too few at the time cap", vec![&samples(&[1.0; 2])], Duration::from_secs(9), false),
            ("noisy at the most", vec![&samples(&[1.0, 9.0, 1.0, 9.0, 1.0, 9.0])], now, true),
            ("nothing measured", vec![], now, false),
        ] {
            assert_eq!(rule.is_met(&variants, elapsed), expected, "{what}");
        }
    }
}
