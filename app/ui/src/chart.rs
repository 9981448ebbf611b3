//! Small charts in SVG: rendered on the server, printed, in the page's colours, read by screen readers.

#[cfg(feature = "answers")]
mod areas;
mod bars;
#[cfg(any(feature = "answers", feature = "stories"))]
mod curve;
mod stack;

#[cfg(feature = "ssr")]
mod roadmap;

#[cfg(feature = "answers")]
pub use areas::{Areas, objects};
pub use bars::Bars;
#[cfg(any(feature = "answers", feature = "stories"))]
pub use curve::Curve;
pub use stack::{Part, Stack};

#[cfg(feature = "ssr")]
pub use roadmap::Roadmap;
