//! What a lab program may ask of the machine. Small on purpose: a backend that cannot do one of these honestly says so in its answer.

use evidence::{Conditions, DeviceFacts, Timer};

use super::host::{HostKernel, KernelFault};

/// How a kernel shares its items among the invocations of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// Each invocation takes one item; a workgroup is so wide.
    ItemOfInvocation { width: u32 },
    /// A whole workgroup takes one item, a row for instance.
    ItemOfGroup,
}

/// A kernel in WGSL. Its buffers are at the bindings 0, 1, … of group 0 in the order of the arguments, its numbers in one
/// uniform structure at the binding behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wgsl {
    pub source: &'static str,
    pub share: Share,
}

/// A kernel in CUDA C++: an `extern "C" __global__ void` whose parameters are the arguments of the launch in their order,
/// a buffer as `const float *` or `float *`, a number as `unsigned` or `float`.
///
/// It is declared as `include_str!("kernel.cu")` with `include_str!("kernel.ptx")` beside it; `cargo xtask ptx` makes the
/// second of the first. The grid has one dimension: a kernel numbers its block by `blockIdx.x`, and the last block may have
/// more threads than items are left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cuda {
    pub source: &'static str,
    /// What a machine runs that has a driver and no compiler. `None` where the source is not the one that ships.
    pub ptx: Option<&'static str>,
    /// Threads of a block.
    pub block: u32,
    /// Items that a block takes: `block` where each thread takes one, 1 where a whole block takes a row.
    pub items_of_block: u32,
}

/// One kernel, with its source for every backend that can run it. A backend without a source refuses it in [`Device::compile`].
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    /// Also the entry point's name in `cuda` and `wgsl`.
    pub name: &'static str,
    pub host: HostKernel,
    pub cuda: Option<Cuda>,
    pub wgsl: Option<Wgsl>,
}

/// An allocation of 32-bit words on the device: floats, or codes packed several to a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Buffer(pub u32);

/// An argument of a launch. Reading and writing are said apart, so that a backend can count, bind and check.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arg {
    In(Buffer),
    Out(Buffer),
    U32(u32),
    F32(f32),
}

/// Bytes of this process's buffers on the device, as the backend accounts for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Memory {
    pub allocated_bytes: u64,
    /// Highest `allocated_bytes` since [`Device::reset_peak`].
    pub peak_bytes: u64,
    /// What the allocator holds from the driver, where the backend can ask it.
    pub reserved_bytes: Option<u64>,
    /// What the driver says the whole device has in use, of whatever process.
    pub device_used_bytes: Option<u64>,
}

impl Memory {
    /// A buffer of so many bytes is there from now on.
    pub fn took(&mut self, bytes: u64) {
        self.allocated_bytes = self.allocated_bytes.saturating_add(bytes);
        self.peak_bytes = self.peak_bytes.max(self.allocated_bytes);
    }

    pub fn gave_back(&mut self, bytes: u64) {
        self.allocated_bytes = self.allocated_bytes.saturating_sub(bytes);
    }

    /// The peak becomes what is allocated now.
    pub fn reset_peak(&mut self) {
        self.peak_bytes = self.allocated_bytes;
    }
}

/// Bytes that kernels asked of device memory since the device was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    pub read_bytes: u64,
    pub written_bytes: u64,
}

/// Time between [`Device::start_timer`] and [`Device::stop_timer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// By the device's own clock.
    pub device_ns: u64,
    /// By the host's clock, around a device-wide synchronise: a cross-check of the line above.
    pub wall_ns: u64,
}

impl Timing {
    /// The device cannot have worked longer than the host waited; one per cent is left to the two clocks' rates.
    pub fn is_plausible(self) -> bool {
        self.device_ns <= self.wall_ns.saturating_add(self.wall_ns / 100)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    #[error("out of device memory: {wanted} B wanted for {label}, {allocated} B already allocated")]
    OutOfMemory { label: String, wanted: u64, allocated: u64 },
    #[error("a buffer of {elements} elements is larger than this device can address")]
    TooLarge { elements: usize },
    #[error("buffer {0:?} does not exist on this device")]
    NoSuchBuffer(Buffer),
    #[error("{label} is used before it is allocated")]
    NotAllocated { label: String },
    #[error("{found} elements given for a buffer of {expected}")]
    Length { expected: usize, found: usize },
    #[error("kernel {kernel} was launched before it was compiled")]
    NotCompiled { kernel: String },
    #[error("kernel {kernel} has no source for the backend {backend}")]
    NoSource { kernel: String, backend: &'static str },
    #[error("kernel {kernel} does not compile: {log}")]
    Compile { kernel: String, log: String },
    #[error("kernel {kernel}: the same buffer is read and written")]
    Aliased { kernel: String },
    #[error("kernel {kernel}: {fault}")]
    Kernel { kernel: String, fault: KernelFault },
    /// Theirs to mend: `why` is written for whoever wrote the kernel, and names it.
    #[error("{why}")]
    Learner { kernel: String, why: String },
    #[error("the timer was stopped before it was started")]
    TimerNotStarted,
    /// The backend as a whole cannot do it: no driver, no device, a call that was refused.
    #[error("{backend}: {message}")]
    Backend { backend: &'static str, message: String },
    /// The device answers this process no more, whatever it asks: the process must end.
    #[error("{backend}: {message}")]
    Lost { backend: &'static str, message: String },
}

pub trait Device {
    /// What this device is. The evidence class follows from it and from nothing else.
    fn facts(&self) -> DeviceFacts;

    /// Makes kernels ready. Compiling is never inside a timed window.
    fn compile(&mut self, kernels: &[Kernel]) -> Result<(), DeviceError>;

    fn allocate(&mut self, label: &str, elements: usize) -> Result<Buffer, DeviceError>;

    fn free(&mut self, buffer: Buffer) -> Result<(), DeviceError>;

    fn upload(&mut self, buffer: Buffer, data: &[f32]) -> Result<(), DeviceError>;

    fn download(&mut self, buffer: Buffer, into: &mut [f32]) -> Result<(), DeviceError>;

    /// As [`Device::upload`], bit by bit: no backend may look at the floats.
    fn upload_words(&mut self, buffer: Buffer, data: &[u32]) -> Result<(), DeviceError> {
        self.upload(buffer, bytemuck::cast_slice(data))
    }

    /// As [`Device::download`], bit by bit.
    fn download_words(&mut self, buffer: Buffer, into: &mut [u32]) -> Result<(), DeviceError> {
        self.download(buffer, bytemuck::cast_slice_mut(into))
    }

    /// Sets every element. Used with NaN to poison outputs, so that a kernel that writes nothing cannot pass on old results.
    fn fill(&mut self, buffer: Buffer, value: f32) -> Result<(), DeviceError>;

    /// Queues a kernel over `threads` items. How they are grouped is the backend's choice.
    fn launch(&mut self, kernel: &'static str, threads: u32, args: &[Arg]) -> Result<(), DeviceError>;

    /// Waits until everything queued is done.
    fn synchronise(&mut self) -> Result<(), DeviceError>;

    /// Drives older data out of the device's last cache, so that every timed run starts equally cold.
    fn flush_cache(&mut self) -> Result<(), DeviceError>;

    fn start_timer(&mut self) -> Result<(), DeviceError>;

    fn stop_timer(&mut self) -> Result<Timing, DeviceError>;

    /// Whose clock [`Timing::device_ns`] is.
    fn timer(&self) -> Timer {
        Timer::Host
    }

    fn memory(&self) -> Memory;

    /// The peak becomes what is allocated now.
    fn reset_peak(&mut self);

    /// How the device fared in the timed runs so far. `None` where nobody can be asked.
    fn conditions(&self) -> Option<Conditions> {
        None
    }

    /// `None` where the backend has no counter: a number is measured or absent, never made up.
    fn traffic(&self) -> Option<Traffic>;
}
