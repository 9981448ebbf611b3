//! Small charts in SVG: rendered on the server, printed, in the page's colours, read by screen readers.

#[cfg(feature = "planner")]
mod areas;
#[cfg(any(feature = "answers", feature = "stories"))]
mod axis;
mod bars;
#[cfg(feature = "stories")]
mod curve;
#[cfg(feature = "sheets")]
mod histogram;
#[cfg(any(feature = "answers", feature = "stories"))]
mod plot;
mod stack;

#[cfg(feature = "ssr")]
mod roadmap;

#[cfg(feature = "planner")]
pub use areas::{areas, hand, objects};
pub use bars::Bars;
#[cfg(feature = "stories")]
pub use curve::Curve;
#[cfg(feature = "sheets")]
pub use histogram::{Ladder, Pair};
#[cfg(feature = "answers")]
pub use plot::plot;
pub use stack::{Part, Stack, stack};

#[cfg(feature = "ssr")]
pub use roadmap::Roadmap;
