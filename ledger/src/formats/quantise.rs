//! What quantisation does to an array: the error by code and granularity, and the bytes it takes.

use serde::{Deserialize, Serialize};

use super::codes::{Code, Scale};
use crate::{Text, random::Random};

/// Numbers of one array; a 4,096 × 4,096 matrix just fits.
pub const MAX_VALUES: usize = 1 << 24;
/// Bins of the histograms.
const BINS: usize = 64;
/// Bytes of a scale: FP32.
const SCALE_BYTES: u64 = 4;

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
    /// The largest `|x − x̂|`.
    pub max_error: f64,
    /// The mean of `(x − x̂)²`.
    pub mean_square: f64,
    /// `‖x − x̂‖ ÷ ‖x‖` (Frobenius); 0 for an array of zeros.
    pub relative: f64,
    /// `10 · log₁₀(Σx² ÷ Σ(x − x̂)²)`; `None` where nothing is lost.
    pub signal_to_noise_db: Option<f64>,
    /// Codes, FP32 scales and zero points.
    pub bytes: u64,
    pub scales: u64,
    /// Different numbers that are read back.
    pub levels: u64,
    /// Both histograms have the bins of the original's range.
    pub before: Histogram,
    pub after: Histogram,
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
/// assert_eq!((tensor.values[0], tensor.scales), (0.0, 1));
/// assert!((channel.values[0] - 0.3).abs() < 0.002 && channel.scales == 2);
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
    if values.is_empty() || values.len() > MAX_VALUES {
        return Err(QuantiseError::Count { values: values.len() });
    }
    if rows.checked_mul(columns) != Some(values.len() as u64) {
        return Err(QuantiseError::Shape { rows, columns, values: values.len() });
    }
    // Not above MAX_VALUES, as the product is not.
    let width = columns as usize;
    if let Some(at) = values.iter().position(|value| !value.is_finite()) {
        let found = if values[at].is_nan() { "NaN" } else { "infinite" };
        return Err(QuantiseError::NotFinite { row: at / width, column: at % width, found });
    }
    let sharing = Sharing::new(granularity, rows, columns)?;
    let scales = sharing.fit(values, width, code);
    let back: Vec<f32> = values
        .iter()
        .enumerate()
        .map(|(at, value)| code.through(f64::from(*value), scales[sharing.group(at / width, at % width)]) as f32)
        .collect();
    Ok(measure(values, back, code, sharing.stored))
}

/// Which group a number belongs to.
struct Sharing {
    groups: usize,
    /// Scales that are stored: none where the scale is fixed.
    stored: u64,
    /// Rows and columns of numbers that share a scale; 0 for all of them.
    tall: usize,
    wide: usize,
    across: usize,
    fixed: bool,
}

impl Sharing {
    fn new(granularity: Granularity, rows: u64, columns: u64) -> Result<Self, QuantiseError> {
        let (tall, wide) = match granularity {
            Granularity::Unscaled | Granularity::Tensor => (rows, columns),
            Granularity::Token => (1, columns),
            Granularity::Channel => (rows, 1),
            Granularity::Head { width: 0 } => return Err(QuantiseError::Zero { field: "width" }),
            Granularity::Group { size: 0 } => return Err(QuantiseError::Zero { field: "size" }),
            Granularity::Head { width } if !columns.is_multiple_of(width) => {
                return Err(QuantiseError::Heads { columns, width });
            }
            Granularity::Head { width } => (rows, width),
            Granularity::Group { size } => (1, size.min(columns)),
        };
        let across = columns.div_ceil(wide);
        let groups = rows.div_ceil(tall) * across;
        let fixed = granularity == Granularity::Unscaled;
        Ok(Self {
            groups: groups as usize,
            stored: if fixed { 0 } else { groups },
            tall: tall as usize,
            wide: wide as usize,
            across: across as usize,
            fixed,
        })
    }

    fn group(&self, row: usize, column: usize) -> usize {
        row / self.tall * self.across + column / self.wide
    }

    fn fit(&self, values: &[f32], width: usize, code: Code) -> Vec<Scale> {
        if self.fixed {
            return vec![Scale { scale: 1.0, zero: 0.0 }; self.groups];
        }
        let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); self.groups];
        for (at, value) in values.iter().enumerate() {
            let range = &mut ranges[self.group(at / width, at % width)];
            *range = (range.0.min(f64::from(*value)), range.1.max(f64::from(*value)));
        }
        ranges.into_iter().map(|(low, high)| code.fit(low, high)).collect()
    }
}

fn measure(values: &[f32], back: Vec<f32>, code: Code, scales: u64) -> Quantised {
    let (mut max_error, mut noise, mut signal) = (0f64, 0f64, 0f64);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (value, read) in values.iter().zip(&back) {
        let value = f64::from(*value);
        let error = value - f64::from(*read);
        max_error = max_error.max(error.abs());
        noise += error * error;
        signal += value * value;
        (low, high) = (low.min(value), high.max(value));
    }
    let mut levels: Vec<u32> = back.iter().map(|value| (value + 0.0).to_bits()).collect();
    levels.sort_unstable();
    levels.dedup();
    let zero_points = if code.has_zero_point() { (scales * code.bits()).div_ceil(8) } else { 0 };
    Quantised {
        max_error,
        mean_square: noise / values.len() as f64,
        relative: if signal > 0.0 { (noise / signal).sqrt() } else { 0.0 },
        signal_to_noise_db: (noise > 0.0).then(|| 10.0 * (signal / noise).log10()),
        bytes: (values.len() as u64 * code.bits()).div_ceil(8) + scales * SCALE_BYTES + zero_points,
        scales,
        levels: levels.len() as u64,
        before: histogram(values, low, high),
        after: histogram(&back, low, high),
        values: back,
    }
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
