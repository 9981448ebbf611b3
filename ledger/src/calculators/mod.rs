//! Small calculators that lessons use: each exact for the assumptions that it names.

mod attention;
mod checkpoints;
mod privacy;
mod tiers;
mod vision;

pub use attention::{Tiles, flash_traffic, score_bytes, standard_traffic};
pub use checkpoints::{Segmented, segment_curve};
pub use privacy::per_sample_gradients;
pub use tiers::{Prefix, load_seconds, recompute_seconds};
pub use vision::{image_tokens, video_tokens};
