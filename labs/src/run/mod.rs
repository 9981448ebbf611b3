//! Running labs. A lab's program is written once over the trait [`Device`]; a backend implements the trait.
//!
//! Nothing here loads a GPU library or opens a file: the backend does what it must, in the runner's child process.

mod device;
mod exercise;
mod host;
mod params;
mod program;
mod random;
mod samples;
mod watch;

pub use device::{Arg, Buffer, Cuda, Device, DeviceError, Kernel, Memory, Share, Timing, Traffic, Wgsl};
pub use exercise::{Draw, Exercise, exercise};
pub use host::{HostArg, HostKernel, In, KernelFault, Out, arguments};
pub use params::{ParamError, Params, Reader, Value};
pub use program::{RunError, has_program, programs, run};
pub use random::Random;
pub use samples::{Samples, StopRule, Summary};
pub use watch::{Silent, Stage, Watch};
