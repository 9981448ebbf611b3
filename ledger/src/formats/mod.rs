//! Weight formats with their scales, and what quantisation does to an array.

mod choose;
mod codes;
mod ggml;
mod gguf;
mod groups;
mod loss;
mod matrix;
mod mixture;
mod nf4;
mod quantise;
mod scales;

pub use codes::Code;
pub use ggml::GgmlType;
pub use gguf::{gguf_bits_per_weight, gguf_bytes};
pub use groups::{Grouped, Scaled};
pub use loss::{Loss, granularity_sweep};
pub use matrix::{MAX_TEXT, MAX_TYPED, Matrix, MatrixError, parse_matrix};
pub use mixture::Mixture;
pub use nf4::{Nf4, qlora_base_bytes};
pub use quantise::{
    Granularity, Histogram, MAX_VALUES, QuantiseError, Quantised, different, quantise, scale_channel, with_outliers,
};
