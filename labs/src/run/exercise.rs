//! Labs that let a learner replace a kernel.

use evidence::Report;

use super::program::EXERCISES;
use super::{Device, DeviceError, Params, RunError, Watch};

/// Where the numbers come from that nobody knows beforehand.
pub type Draw<'a> = dyn FnMut() -> Result<u64, DeviceError> + 'a;

/// As a lab's program, with numbers drawn on the way.
pub type Judge = fn(&Params, &mut dyn Device, &mut dyn Watch, &mut Draw<'_>) -> Result<Report, RunError>;

/// A kernel that a learner may write, and how the lab judges it: right or wrong, on shapes and contents of the lab's choice.
pub struct Exercise {
    pub kernel: &'static str,
    /// Of a block on a card.
    pub block_threads: u32,
    pub run: Judge,
}

/// `None` for a lab without such a kernel. A lab that has one says so in an `exercise.rs` beside its `program.rs`.
pub fn exercise(lab: &str) -> Option<&'static Exercise> {
    EXERCISES.iter().find(|(known, _)| *known == lab).map(|(_, exercise)| *exercise)
}
