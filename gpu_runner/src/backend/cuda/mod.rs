//! NVIDIA's GPUs, through the driver's library, which is looked for when a run begins: one build serves machines with
//! and without it.
//!
//! Kernels ship as PTX, which the driver compiles for its device; a source without PTX, and a device older than the PTX
//! is for, need NVIDIA's compiler.

mod driver;
mod facts;
mod monitor;
pub mod nvrtc;
mod pool;
pub mod resources;
mod signature;
mod trouble;

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use cudarc::driver::CudaEvent;
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use evidence::{Conditions, DeviceFacts, Timer};
use labs::run::{Arg, Buffer, Device, DeviceError, Kernel, Memory, Timing, Traffic};

use driver::{Allocation, Driver, Function, Module, Value};
use monitor::Monitor;
use trouble::{Trouble, failed};

const BACKEND: &str = "cuda";
/// The oldest device that the PTX of the kernels runs on.
const PTX_CAPABILITY: u32 = 80;
/// More is not written between two runs, whatever the driver says of its cache.
const MOST_FLUSH_BYTES: u64 = 1 << 30;

/// Every CUDA device of this machine.
///
/// # Errors
/// [`DeviceError::Backend`] by name: no driver, no device, a driver that is too old or does not work.
pub fn devices() -> Result<Vec<DeviceFacts>, DeviceError> {
    Ok(driver::devices()?.iter().map(|said| facts::facts(said, Path::new(facts::MODULE))).collect())
}

struct Held {
    allocation: Allocation,
    elements: usize,
}

struct Ready {
    function: Function,
    block: u32,
    items_of_block: u32,
}

/// The first device that the driver shows; CUDA_VISIBLE_DEVICES says which that is.
pub struct Cuda {
    facts: DeviceFacts,
    /// `89` for 8.9
    capability: u32,
    buffers: HashMap<Buffer, Held>,
    next: u32,
    kernels: HashMap<&'static str, Ready>,
    /// What an error that shows later most likely comes from.
    launched: Option<&'static str>,
    memory: Memory,
    /// Twice the last cache; `None` where there is none.
    flush: Option<Allocation>,
    has_persisting_cache: bool,
    events: [CudaEvent; 2],
    begun: Option<Instant>,
    monitor: Option<Monitor>,
    /// Dropped last: the context outlives what lies in it.
    driver: Driver,
}

impl Cuda {
    /// # Errors
    /// [`DeviceError::Backend`] by name, or [`DeviceError::OutOfMemory`] when the device is full already.
    pub fn open() -> Result<Self, DeviceError> {
        let (driver, said) = Driver::open(0)?;
        let (major, minor) = said.capability;
        let cache = u64::try_from(driver.attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?).unwrap_or(0);
        let has_persisting_cache = has_persisting_cache(&driver)?;
        let events = [driver.event()?, driver.event()?];
        let facts = facts::facts(&said, Path::new(facts::MODULE));
        let mut cuda = Self {
            monitor: facts.uuid.as_deref().and_then(Monitor::open),
            facts,
            capability: u32::try_from(major * 10 + minor).unwrap_or(0),
            buffers: HashMap::new(),
            next: 0,
            kernels: HashMap::new(),
            launched: None,
            memory: Memory::default(),
            flush: None,
            has_persisting_cache,
            events,
            begun: None,
            driver,
        };
        if cache > 0 {
            // Not of the pool: it is no part of any run's memory.
            let size = cache.saturating_mul(2).min(MOST_FLUSH_BYTES);
            cuda.flush = Some(cuda.take("flush", size, Driver::allocate_whole)?);
        }
        Ok(cuda)
    }

    fn held(&self, buffer: Buffer) -> Result<&Held, DeviceError> {
        self.buffers.get(&buffer).ok_or(DeviceError::NoSuchBuffer(buffer))
    }

    fn take(
        &self,
        label: &str,
        bytes: u64,
        from: fn(&Driver, usize) -> Result<Allocation, Trouble>,
    ) -> Result<Allocation, DeviceError> {
        let size = usize::try_from(bytes).map_err(|_| failed("more bytes than this machine can count"))?;
        from(&self.driver, size).map_err(|trouble| {
            if trouble.is_out_of_memory() {
                let allocated = self.memory.allocated_bytes;
                DeviceError::OutOfMemory { label: label.to_owned(), wanted: bytes, allocated }
            } else {
                trouble.after(self.launched)
            }
        })
    }

    /// The code of a kernel's file, compiled where the PTX beside it does not serve this device.
    fn module(&self, kernel: &Kernel, source: &labs::run::Cuda) -> Result<Rc<Module>, DeviceError> {
        let ptx = match source.ptx {
            Some(ptx) if self.capability >= PTX_CAPABILITY => ptx.to_owned(),
            _ => nvrtc::compile(source.source, "kernel.cu", self.capability)?.ptx,
        };
        self.driver.load(ptx).map_err(|(trouble, log)| {
            if log.trim().is_empty() {
                return trouble.after(None);
            }
            DeviceError::Compile { kernel: kernel.name.to_owned(), log: format!("{trouble}: {log}") }
        })
    }

    fn values(&self, kernel: &'static str, args: &[Arg]) -> Result<Vec<Value>, DeviceError> {
        let mut written = Vec::new();
        args.iter()
            .map(|arg| {
                Ok(match arg {
                    Arg::In(buffer) => self.held(*buffer)?.allocation.value(),
                    Arg::Out(buffer) => {
                        if written.contains(buffer) || args.contains(&Arg::In(*buffer)) {
                            return Err(DeviceError::Aliased { kernel: kernel.to_owned() });
                        }
                        written.push(*buffer);
                        self.held(*buffer)?.allocation.value()
                    }
                    Arg::U32(number) => Value::U32(*number),
                    Arg::F32(number) => Value::F32(*number),
                })
            })
            .collect()
    }
}

/// A part of a GPU that is shared out may say that it has such a cache and refuse it.
fn has_persisting_cache(driver: &Driver) -> Result<bool, DeviceError> {
    if driver.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE)? <= 0 {
        return Ok(false);
    }
    match driver.reset_persisting_cache() {
        Err(trouble) if trouble.is_unsupported() => Ok(false),
        other => Ok(other.map(|()| true)?),
    }
}

impl Device for Cuda {
    fn facts(&self) -> DeviceFacts {
        self.facts.clone()
    }

    fn timer(&self) -> Timer {
        Timer::DeviceEvents
    }

    fn compile(&mut self, kernels: &[Kernel]) -> Result<(), DeviceError> {
        let mut modules: Vec<(labs::run::Cuda, Rc<Module>)> = Vec::new();
        for kernel in kernels {
            let name = kernel.name;
            let source =
                kernel.cuda.ok_or_else(|| DeviceError::NoSource { kernel: name.to_owned(), backend: BACKEND })?;
            // Kernels of one file share a module.
            let same = |(other, _): &&(labs::run::Cuda, _)| other.source == source.source && other.ptx == source.ptx;
            let module = match modules.iter().find(same) {
                Some((_, module)) => Rc::clone(module),
                None => {
                    let module = self.module(kernel, &source)?;
                    modules.push((source, Rc::clone(&module)));
                    module
                }
            };
            let function = self.driver.function(&module, name)?.ok_or_else(|| DeviceError::Compile {
                kernel: name.to_owned(),
                log: format!("the source has no function extern \"C\" __global__ void {name}"),
            })?;
            let (block, items_of_block) = (source.block.max(1), source.items_of_block.max(1));
            self.kernels.insert(name, Ready { function, block, items_of_block });
        }
        Ok(())
    }

    fn allocate(&mut self, label: &str, elements: usize) -> Result<Buffer, DeviceError> {
        let wanted = (elements as u64).checked_mul(4).ok_or(DeviceError::TooLarge { elements })?;
        let next = self.next.checked_add(1).ok_or(DeviceError::TooLarge { elements })?;
        // The driver gives no allocation of no bytes.
        let allocation = self.take(label, wanted.max(4), Driver::allocate)?;
        self.memory.took(wanted);
        let id = Buffer(self.next);
        self.next = next;
        self.buffers.insert(id, Held { allocation, elements });
        Ok(id)
    }

    fn free(&mut self, buffer: Buffer) -> Result<(), DeviceError> {
        let held = self.buffers.remove(&buffer).ok_or(DeviceError::NoSuchBuffer(buffer))?;
        self.memory.gave_back(held.elements as u64 * 4);
        Ok(())
    }

    fn upload(&mut self, buffer: Buffer, data: &[f32]) -> Result<(), DeviceError> {
        let held = self.held(buffer)?;
        if held.elements != data.len() {
            return Err(DeviceError::Length { expected: held.elements, found: data.len() });
        }
        if data.is_empty() {
            return Ok(());
        }
        self.driver.upload(&held.allocation, data).map_err(|trouble| trouble.after(self.launched))
    }

    fn download(&mut self, buffer: Buffer, into: &mut [f32]) -> Result<(), DeviceError> {
        let held = self.held(buffer)?;
        if held.elements != into.len() {
            return Err(DeviceError::Length { expected: held.elements, found: into.len() });
        }
        if into.is_empty() {
            return Ok(());
        }
        self.driver.download(&held.allocation, into).map_err(|trouble| trouble.after(self.launched))
    }

    fn fill(&mut self, buffer: Buffer, value: f32) -> Result<(), DeviceError> {
        let allocation = &self.held(buffer)?.allocation;
        self.driver.fill(allocation, value.to_bits()).map_err(|trouble| trouble.after(self.launched))
    }

    fn launch(&mut self, kernel: &'static str, threads: u32, args: &[Arg]) -> Result<(), DeviceError> {
        let ready = self.kernels.get(kernel).ok_or_else(|| DeviceError::NotCompiled { kernel: kernel.to_owned() })?;
        let values = self.values(kernel, args)?;
        let grid = threads.div_ceil(ready.items_of_block);
        // The driver takes no grid of no blocks.
        if grid == 0 {
            return Ok(());
        }
        self.driver
            .launch(&ready.function, grid, ready.block, &values)
            .map_err(|trouble| failed(format!("{kernel}{}: {trouble}", ready.function.signature)))?;
        self.launched = Some(kernel);
        Ok(())
    }

    fn synchronise(&mut self) -> Result<(), DeviceError> {
        self.driver.synchronise().map_err(|trouble| trouble.after(self.launched))
    }

    fn flush_cache(&mut self) -> Result<(), DeviceError> {
        if self.has_persisting_cache {
            self.driver.reset_persisting_cache().map_err(|trouble| trouble.after(self.launched))?;
        }
        if let Some(flush) = &self.flush {
            self.driver.fill(flush, 0).map_err(|trouble| trouble.after(self.launched))?;
        }
        self.synchronise()
    }

    fn start_timer(&mut self) -> Result<(), DeviceError> {
        self.synchronise()?;
        // The host's clock starts first, so that it never waits for less than the device worked.
        self.begun = Some(Instant::now());
        self.driver.record(&self.events[0]).map_err(|trouble| trouble.after(self.launched))
    }

    fn stop_timer(&mut self) -> Result<Timing, DeviceError> {
        let begun = self.begun.take().ok_or(DeviceError::TimerNotStarted)?;
        let told = |trouble: Trouble| trouble.after(self.launched);
        self.driver.record(&self.events[1]).map_err(told)?;
        // Device-wide: work on any stream counts.
        self.driver.synchronise().map_err(told)?;
        let wall_ns = u64::try_from(begun.elapsed().as_nanos()).map_err(|_| failed("a run took centuries"))?;
        let [start, end] = &self.events;
        let ms = self.driver.elapsed(start, end).map_err(told)?;
        if !ms.is_finite() || ms < 0.0 {
            return Err(failed("the device's clock went back"));
        }
        // Outside of the window, and while the clock is still that of the work.
        if let Some(monitor) = &mut self.monitor {
            monitor.sample();
        }
        Ok(Timing { device_ns: (f64::from(ms) * 1e6) as u64, wall_ns })
    }

    fn conditions(&self) -> Option<Conditions> {
        self.monitor.as_ref()?.conditions()
    }

    fn memory(&self) -> Memory {
        let reserved_bytes = self.driver.reserved_bytes().and_then(Result::ok);
        Memory { reserved_bytes, device_used_bytes: self.driver.used_bytes().ok(), ..self.memory }
    }

    /// What the pool kept of an earlier run goes back too: the next one's reserved bytes are its own. A driver that fails
    /// here says so again at the next call, which has somebody to tell.
    fn reset_peak(&mut self) {
        let _ = self.driver.trim();
        self.memory.reset_peak();
    }

    fn traffic(&self) -> Option<Traffic> {
        None
    }
}
