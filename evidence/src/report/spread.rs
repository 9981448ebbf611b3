//! How far single timings of one thing lie apart, and what that leaves of their median.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Half of the median's interval above this share of the median is noise: two runs of one program on one machine differ by
/// about as much.
pub const NOISE_BOUND: f64 = 0.05;
/// The confidence of an interval that a report states.
pub const CONFIDENCE: f64 = 0.95;

/// How an interval was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntervalMethod {
    /// Of the median, from two order statistics whose ranks the binomial distribution gives. It assumes no distribution of
    /// the times, which have a floor and a long tail; it does assume that they do not depend on each other.
    OrderStatistics,
}

/// Between which times the median lies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    pub low_ms: f64,
    pub high_ms: f64,
    /// At least so probable, 0 to 1.
    pub confidence: f64,
    pub method: IntervalMethod,
}

/// The timings of one candidate together. Quantiles interpolate between neighbours (type 7 of Hyndman and Fan).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    pub samples: u64,
    pub median_ms: f64,
    pub p10_ms: f64,
    pub p90_ms: f64,
    /// Standard error of the mean divided by the mean; absent for fewer than two samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_standard_error: Option<f64>,
    /// Absent where there are too few samples for one: six are the fewest at 95%.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// The interval is wider than 5% of the median to either side, or there is none: such times indicate and do not decide.
    pub noisy: bool,
}

impl Spread {
    /// `None` without samples, or where one is no number.
    ///
    /// ```
    /// let spread = evidence::Spread::of(&[5.0, 1.0, 4.0, 2.0, 3.0]).expect("samples");
    /// assert_eq!((spread.median_ms, spread.interval), (3.0, None));
    /// assert!(spread.noisy, "five samples carry no interval");
    /// ```
    pub fn of(times: &[f64]) -> Option<Self> {
        if times.is_empty() || !times.iter().all(|time| time.is_finite()) {
            return None;
        }
        let sorted = ordered(times);
        let median = quantile(&sorted, 0.5);
        let interval = median_interval(&sorted, CONFIDENCE).map(|(low_ms, high_ms)| Interval {
            low_ms,
            high_ms,
            confidence: CONFIDENCE,
            method: IntervalMethod::OrderStatistics,
        });
        let most = NOISE_BOUND * median;
        let quiet = interval.is_some_and(|it| it.high_ms - median <= most && median - it.low_ms <= most);
        Some(Self {
            samples: times.len() as u64,
            median_ms: median,
            p10_ms: quantile(&sorted, 0.1),
            p90_ms: quantile(&sorted, 0.9),
            relative_standard_error: relative_standard_error(times),
            interval,
            noisy: !quiet,
        })
    }
}

/// Rising.
pub fn ordered(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// A quantile of rising values; 0 for none.
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let place = q.clamp(0.0, 1.0) * sorted.len().saturating_sub(1) as f64;
    let at = |index: f64| sorted.get(index as usize).copied().unwrap_or_default();
    let (low, high) = (at(place.floor()), at(place.ceil()));
    low + (high - low) * (place - place.floor())
}

/// `None` for fewer than two values, or a mean of 0.
pub fn relative_standard_error(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    if values.len() < 2 || mean == 0.0 {
        return None;
    }
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0);
    Some((variance / count).sqrt() / mean)
}

/// Two of the rising values between which the median lies with at least this confidence; `None` where even the first and the
/// last do not hold it.
pub fn median_interval(sorted: &[f64], confidence: f64) -> Option<(f64, f64)> {
    let rank = rank(sorted.len(), (1.0 - confidence) / 2.0)?;
    Some((*sorted.get(rank)?, *sorted.get(sorted.len() - 1 - rank)?))
}

/// The largest `r` with P(fewer than `r + 1` of `count` values lie below the median) at most `tail`, counted from 0.
fn rank(count: usize, tail: f64) -> Option<usize> {
    // Beyond this 2⁻ⁿ is no normal number any more, and the normal distribution is near enough.
    const EXACT: usize = 1000;
    if count > EXACT {
        // 2.25 standard deviations are 98.8% on both sides: wider than any interval asked for here.
        let below = (count as f64 - 2.25 * (count as f64).sqrt()) / 2.0;
        return Some(below.floor() as usize);
    }
    let mut term = 0.5f64.powi(count as i32);
    let mut sum = 0.0;
    let mut found = None;
    for below in 0..count / 2 + 1 {
        sum += term;
        if sum > tail {
            break;
        }
        found = Some(below);
        term *= (count - below) as f64 / (below + 1) as f64;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_the_published_tables() {
        // Two-sided 95%: table A.33 of Hollander, Wolfe and Chicken begins at six.
        for (count, rank_from_one) in
            [(5, None), (6, Some(1)), (9, Some(2)), (12, Some(3)), (20, Some(6)), (50, Some(18))]
        {
            assert_eq!(rank(count, 0.025).map(|rank| rank + 1), rank_from_one, "{count}");
        }
        assert_eq!(rank(0, 0.025), None);
    }

    #[test]
    fn the_interval_holds_the_median_as_often_as_it_says() {
        // Exponential times by the inverse of their distribution, from a fixed walk through (0, 1): skewed as timings are.
        let mut state = 1u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 11) as f64 + 0.5) / (1u64 << 53) as f64
        };
        let (mut held, runs) = (0, 2000);
        for _ in 0..runs {
            let sorted = ordered(&(0..25).map(|_| -uniform().ln()).collect::<Vec<_>>());
            let (low, high) = median_interval(&sorted, 0.95).expect("enough");
            held += u32::from(low <= std::f64::consts::LN_2 && std::f64::consts::LN_2 <= high);
        }
        // At least 95%; five standard deviations of a count of 2000 are 2.4%.
        assert!(f64::from(held) / f64::from(runs) > 0.926, "{held} of {runs}");
    }

    #[test]
    fn spread_of_known_samples() {
        let spread = Spread::of(&[5.0, 1.0, 4.0, 2.0, 3.0]).expect("samples");
        assert!((spread.p10_ms - 1.4).abs() < 1e-12 && (spread.p90_ms - 4.6).abs() < 1e-12);
        // s² = 2.5, so the standard error is √0.5 and a third of it is relative to the mean.
        assert!((spread.relative_standard_error.expect("two or more") - 0.5f64.sqrt() / 3.0).abs() < 1e-12);
        assert_eq!(Spread::of(&[7.0]).expect("one").relative_standard_error, None);
        assert_eq!((Spread::of(&[]), Spread::of(&[f64::NAN])), (None, None));
    }

    #[test]
    fn noise_is_marked() {
        let steady: Vec<f64> = (0..20).map(|at| 100.0 + f64::from(at) * 0.1).collect();
        let loud: Vec<f64> = (0..20).map(|at| 100.0 + f64::from(at % 2) * 40.0).collect();
        let noisy = |times: &[f64]| Spread::of(times).expect("samples").noisy;
        assert!(!noisy(&steady) && noisy(&loud) && noisy(&[100.0; 5]) && !noisy(&[100.0; 6]));
        assert!(noisy(&[0.0, 1.0].repeat(20)));
    }
}
