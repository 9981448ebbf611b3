//! Small charts in SVG: rendered on the server, printed, in the page's colours, read by screen readers.

#[cfg(feature = "planner")]
mod areas;
#[cfg(any(feature = "answers", feature = "quantisation"))]
mod axis;
mod bars;
#[cfg(feature = "quantisation")]
mod histogram;
#[cfg(feature = "stepped")]
mod lines;
#[cfg(feature = "answers")]
mod plot;
mod stack;
mod whole;

#[cfg(feature = "ssr")]
mod roadmap;
#[cfg(feature = "ssr")]
mod tally;

#[cfg(feature = "planner")]
pub use areas::{Between, areas, hand, objects};
pub use bars::Bars;
#[cfg(feature = "quantisation")]
pub use histogram::{Ladder, histograms};
#[cfg(feature = "stepped")]
pub use lines::{Line, Lines};
#[cfg(feature = "answers")]
pub use plot::plot;
pub use stack::{Part, stack};
#[cfg(feature = "allocator")]
pub use whole::scaled;

#[cfg(feature = "ssr")]
pub use roadmap::Roadmap;
#[cfg(feature = "ssr")]
pub use tally::{Column, Tally};
