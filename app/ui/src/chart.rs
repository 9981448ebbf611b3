//! Small charts in SVG: rendered on the server, printed, in the page's colours, read by screen readers.

#[cfg(feature = "tools")]
mod axis;
mod bars;
#[cfg(feature = "tools")]
mod curve;
#[cfg(feature = "tools")]
mod plot;
mod stack;

#[cfg(feature = "ssr")]
mod roadmap;

pub use bars::Bars;
#[cfg(feature = "tools")]
pub use curve::Curve;
#[cfg(feature = "tools")]
pub use plot::PlotView;
pub use stack::{Part, Stack};

#[cfg(feature = "ssr")]
pub use roadmap::Roadmap;
