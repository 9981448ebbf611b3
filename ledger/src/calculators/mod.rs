//! Small calculators that lessons use: each exact for the assumptions that it names.
//!
//! [`all`] lists them with their inputs; [`run`] answers with a [`Sheet`]. The functions beside them are the same
//! arithmetic for callers that hold numbers already.

mod attention;
mod catalogue;
mod checkpoints;
mod input;
mod links;
mod plot;
mod privacy;
mod sheet;
mod sheets;
mod tiers;
mod vision;

pub use attention::{Tiles, flash_traffic, score_bytes, standard_traffic};
pub use catalogue::{Calculator, CalculatorError, all, find, mechanisms, run, workloads};
pub use checkpoints::{Segmented, segment_curve};
pub use input::{Choice, Input, Kind};
pub use links::{LINKS, Link};
pub use plot::{Axis, Mark, Measure, Plot, Series};
pub use privacy::per_sample_gradients;
pub use sheet::{Line, Quantity, Sheet};
pub use sheets::{Ridge, ridge_points};
pub use tiers::{Prefix, load_seconds, recompute_seconds};
pub use vision::{image_tokens, video_tokens};

pub(crate) use attention::score_term;
pub(crate) use vision::image_term;
