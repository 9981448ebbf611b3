//! What quantisation does to an array: the error by code and granularity, and the bytes it takes.

use serde::{Deserialize, Serialize};

use super::codes::Code;
use super::loss::{Loss, Sums};
use super::scales::{Array, Fitted};
use crate::{Text, random::Random};

/// Numbers of one array; a 4,096 × 4,096 matrix just fits.
pub const MAX_VALUES: usize = 1 << 24;
/// Bins of the histograms.
const BINS: usize = 64;

/// Which numbers share a scale. Rows are tokens, columns channels.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Granularity {
    /// No scale at all, as FP8 caches default to: what is too large saturates.
    Unscaled,
    Tensor,
    /// One scale per row.
    Token,
    /// One scale per column.
    Channel,
    /// One scale per `width` neighbouring columns, over all rows.
    Head {
        width: u64,
    },
    /// One scale per `size` neighbouring columns of one row; the last may be shorter.
    Group {
        size: u64,
    },
}

impl Granularity {
    /// The choice in words.
    pub fn name(self) -> Text {
        match self {
            Granularity::Unscaled => Text::new("不缩放", "No scale"),
            Granularity::Tensor => Text::new("逐张量", "Per tensor"),
            Granularity::Token => Text::new("逐 token（行）", "Per token (row)"),
            Granularity::Channel => Text::new("逐通道（列）", "Per channel (column)"),
            Granularity::Head { .. } => Text::new("逐头", "Per head"),
            Granularity::Group { .. } => Text::new("逐组", "Per group"),
        }
    }
}

/// Why an array is not quantised.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QuantiseError {
    #[error("{values} values do not fill {rows} rows of {columns} columns")]
    Shape { rows: u64, columns: u64, values: usize },
    #[error("{values} values: expected 1 to {MAX_VALUES}")]
    Count { values: usize },
    #[error("row {row}, column {column} is {found}: expected a finite number")]
    NotFinite { row: usize, column: usize, found: &'static str },
    #[error("{columns} columns do not divide into heads of {width}")]
    Heads { columns: u64, width: u64 },
    #[error("{field} is 0: it must be at least 1")]
    Zero { field: &'static str },
}

/// How often values fall into each of equal bins.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    pub low: f64,
    pub high: f64,
    pub counts: Vec<u64>,
}

/// The array as it is read back, and how far that is from the original.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Quantised {
    #[serde(flatten)]
    pub loss: Loss,
    /// Different numbers that are read back.
    pub levels: u64,
    /// Both histograms have the bins of the original's range.
    pub before: Histogram,
    pub after: Histogram,
    /// What the group with the largest scale can hold, rising.
    pub coarsest: Vec<f64>,
    /// What the group with the smallest scale can hold; the same where all share one.
    pub finest: Vec<f64>,
    /// What is read back, row by row.
    pub values: Vec<f32>,
}

/// Quantises `rows × columns` numbers, given row by row, and reads them back.
///
/// ```
/// use ledger::formats::{Code, Granularity, quantise};
/// // One outlier stretches the range: the small value is lost per tensor, and kept per channel.
/// let values = [0.3, 100.0, -0.2, 90.0];
/// let tensor = quantise(&values, 2, 2, Code::Int8, Granularity::Tensor)?;
/// let channel = quantise(&values, 2, 2, Code::Int8, Granularity::Channel)?;
/// assert_eq!((tensor.values[0], tensor.loss.scales), (0.0, 1));
/// assert!((channel.values[0] - 0.3).abs() < 0.002 && channel.loss.scales == 2);
/// # Ok::<(), ledger::formats::QuantiseError>(())
/// ```
///
/// # Errors
/// [`QuantiseError`]: a shape that does not fit the values, too many of them, or one that is not finite.
pub fn quantise(
    values: &[f32],
    rows: u64,
    columns: u64,
    code: Code,
    granularity: Granularity,
) -> Result<Quantised, QuantiseError> {
    let array = Array::check(values, rows, columns)?;
    let scaled = Fitted::fit(array, code, granularity)?;
    let (mut sums, mut back) = (Sums::default(), Vec::with_capacity(values.len()));
    scaled.each(|value, read| {
        sums.add(value, read);
        back.push(read);
    });
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    let values = array.values().iter().map(|value| f64::from(*value));
    let (low, high) = values.fold(start, |(low, high), value| (low.min(value), high.max(value)));
    let (coarsest, finest) = scaled.ladders();
    Ok(Quantised {
        loss: sums.loss(&scaled, code),
        levels: different(back.iter().copied()),
        before: histogram(array.values(), low, high),
        after: histogram(&back, low, high),
        coarsest,
        finest,
        values: back,
    })
}

/// How many different numbers there are; 0 and −0 are one.
///
/// ```
/// assert_eq!(ledger::formats::different([1.0, 0.0, -0.0, 1.0].into_iter()), 2);
/// ```
pub fn different(values: impl Iterator<Item = f32>) -> u64 {
    /// Places of a table that forgets: most repetitions are dropped before anything is sorted.
    const PLACES: usize = 1 << 10;
    let mut seen = [None; PLACES];
    let mut kept = Vec::new();
    for value in values {
        let bits = (value + 0.0).to_bits();
        let place = &mut seen[(bits.wrapping_mul(0x9e37_79b9) >> 22) as usize % PLACES];
        if *place != Some(bits) {
            *place = Some(bits);
            kept.push(bits);
        }
    }
    kept.sort_unstable();
    kept.dedup();
    kept.len() as u64
}

/// Counts in equal bins; what lies outside counts in the bin at that end.
fn histogram(values: &[f32], low: f64, high: f64) -> Histogram {
    let mut counts = vec![0; BINS];
    let width = (high - low) / BINS as f64;
    for value in values {
        let at = if width > 0.0 { (f64::from(*value) - low) / width } else { 0.0 };
        counts[(at.max(0.0) as usize).min(BINS - 1)] += 1;
    }
    Histogram { low, high, counts }
}

/// An array for lessons: normal numbers of deviation 1, and `outlier_channels` evenly spread columns larger by `factor`. The same
/// seed gives the same array on every machine.
///
/// # Errors
/// More values than are quantised, or none.
pub fn with_outliers(
    rows: u64,
    columns: u64,
    outlier_channels: u64,
    factor: f32,
    seed: u64,
) -> Result<Vec<f32>, QuantiseError> {
    let count = rows.checked_mul(columns).and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
    if count == 0 || count > MAX_VALUES {
        return Err(QuantiseError::Count { values: count });
    }
    let mut random = Random::new(seed);
    let mut uniform = || (random.next() >> 40) as f32 / (1u32 << 24) as f32;
    let spread = (columns / outlier_channels.clamp(1, columns)).max(1);
    let is_outlier = |column: u64| column.is_multiple_of(spread) && column / spread < outlier_channels;
    Ok((0..count as u64)
        .map(|at| {
            // Twelve uniform numbers: mean 6, variance 1.
            let normal = (0..12).map(|_| uniform()).sum::<f32>() - 6.0;
            if is_outlier(at % columns) { normal * factor } else { normal }
        })
        .collect())
}

/// Makes one column of an array of rows larger by a factor, counted from 0. A column that is not there changes nothing.
pub fn scale_channel(values: &mut [f32], columns: usize, channel: usize, factor: f32) {
    for row in values.chunks_mut(columns.max(1)) {
        if let Some(value) = row.get_mut(channel) {
            *value *= factor;
        }
    }
}
