//! How far what is read back lies from the original, and the bytes it takes.

use serde::{Deserialize, Serialize};

use super::codes::Code;
use super::quantise::{Granularity, QuantiseError};
use super::scales::{Array, Fitted};

/// Bytes of a scale: FP32.
const SCALE_BYTES: u64 = 4;

/// What one granularity costs, in error and in bytes.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Loss {
    pub granularity: Granularity,
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
}

/// Sums over pairs of a number and what is read back.
#[derive(Default)]
pub(super) struct Sums {
    max_error: f64,
    noise: f64,
    signal: f64,
    count: u64,
}

impl Sums {
    pub fn add(&mut self, value: f32, read: f32) {
        let value = f64::from(value);
        let error = value - f64::from(read);
        self.max_error = self.max_error.max(error.abs());
        self.noise += error * error;
        self.signal += value * value;
        self.count += 1;
    }

    pub fn loss(&self, scaled: &Fitted<'_>, code: Code) -> Loss {
        let Sums { max_error, noise, signal, count } = *self;
        let scales = scaled.stored();
        let zero_points = if code.has_zero_point() { (scales * code.bits()).div_ceil(8) } else { 0 };
        Loss {
            granularity: scaled.granularity,
            max_error,
            mean_square: noise / count as f64,
            relative: if signal > 0.0 { (noise / signal).sqrt() } else { 0.0 },
            signal_to_noise_db: (noise > 0.0).then(|| 10.0 * (signal / noise).log10()),
            bytes: (count * code.bits()).div_ceil(8) + scales * SCALE_BYTES + zero_points,
            scales,
        }
    }
}

/// The same array and code with every granularity, coarse to fine: no scale, per tensor, per token, per head of `width`
/// columns (where they divide into whole heads), per channel, per group of `width` columns of a row. Reads back
/// nothing, so it costs less than [`quantise`](super::quantise()) for each.
///
/// ```
/// use ledger::formats::{Code, Granularity, granularity_sweep};
/// let losses = granularity_sweep(&[0.3, 100.0, -0.2, 90.0], 2, 2, Code::Int8, 2)?;
/// let bytes: Vec<u64> = losses.iter().map(|loss| loss.bytes).collect();
/// // Four codes; no scale, one, one per row, one head, one per column, one group per row.
/// assert_eq!(bytes, [4, 8, 12, 8, 12, 12]);
/// assert!(losses[4].mean_square < losses[1].mean_square, "per channel below per tensor");
/// # Ok::<(), ledger::formats::QuantiseError>(())
/// ```
///
/// # Errors
/// [`QuantiseError`]: a shape that does not fit the values, too many of them, one that is not finite, a width of 0.
pub fn granularity_sweep(
    values: &[f32],
    rows: u64,
    columns: u64,
    code: Code,
    width: u64,
) -> Result<Vec<Loss>, QuantiseError> {
    let array = Array::check(values, rows, columns)?;
    let head = (width > 0 && columns.is_multiple_of(width)).then_some(Granularity::Head { width });
    let coarse = [Granularity::Unscaled, Granularity::Tensor, Granularity::Token];
    let fine = [Granularity::Channel, Granularity::Group { size: width }];
    let all = coarse.into_iter().chain(head).chain(fine);
    all.map(|granularity| {
        let scaled = Fitted::fit(array, code, granularity)?;
        let mut sums = Sums::default();
        scaled.each(|value, read| sums.add(value, read));
        Ok(sums.loss(&scaled, code))
    })
    .collect()
}
