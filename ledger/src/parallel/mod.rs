//! What one device of several holds.

mod combined;
mod communication;
mod divide;
mod held;
mod layout;
mod links;
mod mesh;
mod pipeline;
mod place;
mod quick;
mod rank;
mod sequence;
mod stage;
mod traffic;
mod zero;

pub use combined::{Distributed, ParallelLedger, RankLedger, ledger};
pub use communication::{Collective, seconds, tensor_parallel_bytes_sent, zero_bytes_sent};
pub use divide::check_divides;
pub use layout::{Layout, shard_state_bytes};
pub use links::Links;
pub use mesh::Mesh;
pub use pipeline::Schedule;
pub use place::{Offload, Place};
pub use quick::{Held, Quick, SavedTable, StateTable};
pub(crate) use rank::Shard;
pub use sequence::{Recompute, TensorParallel, layer_activation_bytes, score_share};
pub use traffic::{Axis, Traffic};
pub(crate) use zero::zero_term;
pub use zero::{StateBytes, ZeroStage, zero_state_bytes};
