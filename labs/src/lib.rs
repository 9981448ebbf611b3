//! The labs of the course: what each one is, how it is graded, and (feature `run`) what it runs.
//!
//! A lab is a folder with a `lab.toml`, a `README.zh.md` and a `README.en.md`; the build script finds it.

mod catalogue;
#[cfg(feature = "run")]
pub mod run;

pub use catalogue::{Chain, Cost, CostError, KernelExercise, Lab, LabKind, Param, Presets, catalogue, grade, lab};
