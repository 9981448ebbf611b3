//! How much an attempt counts: from when it was handed in, the dates of its lab, and what was set by hand. Pure: read
//! anew each time, so that moved dates move every credit with them.

mod standing;
mod timeline;

pub use standing::{Attempt, Chosen, Credited, SetByHand, Standing};
pub use timeline::{Field, Step, Timeline, TimelineError};

/// Credit is counted in hundredths of a point: points times percent are whole then.
pub const HUNDREDTHS: i64 = 100;
