//! Weight formats with their scales, and what quantisation does to an array.

mod codes;
mod ggml;
mod gguf;
mod groups;
mod nf4;
mod quantise;

pub use codes::Code;
pub use ggml::GgmlType;
pub(crate) use gguf::gguf_term;
pub use gguf::{Mixture, gguf_bits_per_weight, gguf_bytes};
pub use groups::Grouped;
pub use nf4::{Nf4, qlora_base_bytes};
pub use quantise::{Granularity, Histogram, MAX_VALUES, QuantiseError, Quantised, quantise, with_outliers};
