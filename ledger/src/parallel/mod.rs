//! What one device of several holds.

mod layout;
mod sequence;
mod zero;

pub use layout::{Layout, shard_state_bytes};
pub use sequence::{Recompute, TensorParallel, layer_activation_bytes, score_share};
pub(crate) use zero::zero_term;
pub use zero::{StateBytes, ZeroStage, zero_state_bytes};
