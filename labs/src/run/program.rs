//! The lab programs that exist, by the name of their folder. The build script finds them.

use evidence::Report;

use super::{Device, DeviceError, Exercise, ParamError, Params, Timing, Watch};
use crate::{CostError, Lab};

type Program = fn(&Params, &mut dyn Device, &mut dyn Watch) -> Result<Report, RunError>;

// One module and one line of `PROGRAMS` for every folder with a `program.rs`, and a line of `EXERCISES` where an `exercise.rs` stands
// beside it, written by the build script.
include!(concat!(env!("OUT_DIR"), "/programs.rs"));

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RunError {
    #[error("no program for the lab {lab:?}; there are: {known}")]
    NoProgram { lab: String, known: String },
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error("predicted bytes overflow: {what}")]
    Overflow { what: &'static str },
    #[error(transparent)]
    Cost(#[from] CostError),
    #[error("the device's clock says {} ns where the host waited {} ns", timing.device_ns, timing.wall_ns)]
    Clock { timing: Timing },
    #[error("the roofline cannot be measured: {what}")]
    Roofline { what: &'static str },
    #[error("the baseline is wrong, so nothing can be compared with it: {why}")]
    WrongBaseline { why: String },
}

impl RunError {
    /// Whether the same parameters would be refused again anywhere.
    pub fn is_parameters(&self) -> bool {
        matches!(self, Self::Param(_))
    }
}

pub fn programs() -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().map(|(lab, _)| *lab)
}

pub fn has_program(lab: &str) -> bool {
    programs().any(|known| known == lab)
}

/// The catalogue's entry of a program.
pub fn this_lab(id: &'static str) -> Result<&'static Lab, RunError> {
    let known = || programs().collect::<Vec<_>>().join(", ");
    crate::lab(id).ok_or_else(|| RunError::NoProgram { lab: id.to_owned(), known: known() })
}

/// Runs a lab on a device and gives its report. What the report is evidence of follows from the device's facts.
pub fn run(lab: &str, params: &Params, device: &mut dyn Device, watch: &mut dyn Watch) -> Result<Report, RunError> {
    match PROGRAMS.iter().find(|(known, _)| *known == lab) {
        Some((_, program)) => program(params, device, watch),
        None => Err(RunError::NoProgram { lab: lab.to_owned(), known: programs().collect::<Vec<_>>().join(", ") }),
    }
}
