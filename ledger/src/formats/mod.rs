//! Weight formats with their scales.

mod ggml;
mod gguf;
mod groups;
mod nf4;

pub use ggml::GgmlType;
pub use gguf::{Mixture, gguf_bits_per_weight, gguf_bytes};
pub use groups::Grouped;
pub use nf4::{Nf4, qlora_base_bytes};
