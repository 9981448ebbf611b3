//! Small charts in SVG: rendered on the server, printed, in the page's colours, read by screen readers.

#[cfg(feature = "answers")]
mod areas;
mod bars;
#[cfg(feature = "answers")]
mod curve;
#[cfg(feature = "stories")]
mod lines;
mod stack;

#[cfg(feature = "ssr")]
mod roadmap;

#[cfg(feature = "answers")]
pub use areas::{Areas, objects};
pub use bars::Bars;
#[cfg(feature = "answers")]
pub use curve::Curve;
#[cfg(feature = "stories")]
pub use lines::{Line, Lines};
pub use stack::{Part, Stack};

#[cfg(feature = "ssr")]
pub use roadmap::Roadmap;
