//! Small charts in SVG: rendered on the server, printed, in the page's colours, read by screen readers.

#[cfg(feature = "answers")]
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

#[cfg(feature = "answers")]
pub use areas::{Areas, objects};
pub use bars::Bars;
#[cfg(feature = "stories")]
pub use curve::Curve;
#[cfg(feature = "sheets")]
pub use histogram::{Ladder, Pair};
#[cfg(feature = "answers")]
pub use plot::PlotView;
pub use stack::{Part, Stack};

#[cfg(feature = "ssr")]
pub use roadmap::Roadmap;
