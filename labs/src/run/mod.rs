//! Running labs. A lab's program is written once over the trait [`Device`]; a backend implements the trait.
//!
//! Nothing here loads a GPU library or opens a file: the backend does what it must, in the runner's child process.

mod device;
mod exercise;
pub mod formats;
mod host;
pub mod operators;
mod params;
mod program;
mod random;
mod roofline;
mod samples;
pub mod study;
mod tracker;
mod watch;

pub use device::{Arg, Buffer, Cuda, Device, DeviceError, Kernel, Memory, Share, Timing, Traffic, Wgsl};
pub use exercise::{Draw, Exercise, exercise};
pub use host::{HostArg, HostKernel, In, KernelFault, Out, arguments, copy};
pub use params::{ParamError, Params, Reader, Value};
pub use program::{RunError, has_program, programs, run, this_lab};
pub use random::Random;
pub use samples::{Samples, StopRule, Summary};
pub use tracker::{Tag, Tracker};
pub use watch::{Silent, Stage, Watch};
