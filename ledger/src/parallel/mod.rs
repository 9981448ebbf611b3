//! What one device of several holds.

mod communication;
mod divide;
mod layout;
mod pipeline;
mod sequence;
mod zero;

pub use communication::{Collective, seconds, tensor_parallel_bytes_sent, zero_bytes_sent};
pub use divide::check_divides;
pub use layout::{Layout, shard_state_bytes};
pub use pipeline::Schedule;
pub use sequence::{Recompute, TensorParallel, layer_activation_bytes, score_share};
pub(crate) use zero::zero_term;
pub use zero::{StateBytes, ZeroStage, zero_state_bytes};
