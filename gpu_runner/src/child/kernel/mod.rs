//! The process that runs a learner's code, and nothing else.
//!
//! It is started by the process that runs the lab, gets the contents of one launch at a time and gives back what the kernel wrote.
//! Seeds, reference, tolerance and verdict are in the other process, which this one cannot reach: whatever the code does here, all
//! it can send are outputs, and each of them is checked over there.

mod main;
mod memory;
mod process;
mod wire;

pub use main::main;
pub use process::{Argument, KernelProcess, Launch, Started};
pub use wire::Geometry;
