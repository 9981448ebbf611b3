//! The CPU as a device: buffers on the heap, kernels as plain Rust on all threads of the pool, bytes counted.

mod machine;

use std::cell::Cell;
use std::collections::HashMap;
use std::time::Instant;

use evidence::{Backend, DeviceFacts, DeviceKind};
use labs::run::{Arg, Buffer, Device, DeviceError, HostArg, HostKernel, In, Kernel, Memory, Out, Timing, Traffic};

pub use machine::{cpu_name, memory_bytes};

const BACKEND: &str = "cpu";

pub struct Cpu {
    buffers: HashMap<Buffer, Vec<f32>>,
    next: u32,
    kernels: HashMap<&'static str, HostKernel>,
    memory: Memory,
    capacity_bytes: u64,
    read_bytes: Cell<u64>,
    written_bytes: Cell<u64>,
    /// Written over before each timed run; empty when there is nothing to flush.
    eviction: Vec<u8>,
    evictions: u8,
    timer: Option<Instant>,
}

impl Cpu {
    /// With the machine's memory as capacity and twice its last cache to flush.
    pub fn open() -> Self {
        Self::with(machine::memory_bytes().unwrap_or(u64::MAX), machine::last_cache_bytes().saturating_mul(2))
    }

    /// With a capacity of its own, so that the edge of the memory can be met without filling the machine.
    pub fn with(capacity_bytes: u64, flush_bytes: u64) -> Self {
        let flush = usize::try_from(flush_bytes.min(machine::MOST_FLUSH_BYTES)).unwrap_or(0);
        Self {
            buffers: HashMap::new(),
            next: 0,
            kernels: HashMap::new(),
            memory: Memory::default(),
            capacity_bytes,
            read_bytes: Cell::new(0),
            written_bytes: Cell::new(0),
            eviction: vec![0; flush],
            evictions: 0,
            timer: None,
        }
    }

    pub fn contents(&self, buffer: Buffer) -> Result<&[f32], DeviceError> {
        self.buffer(buffer).map(Vec::as_slice)
    }

    fn buffer(&self, buffer: Buffer) -> Result<&Vec<f32>, DeviceError> {
        self.buffers.get(&buffer).ok_or(DeviceError::NoSuchBuffer(buffer))
    }

    fn buffer_mut(&mut self, buffer: Buffer) -> Result<&mut Vec<f32>, DeviceError> {
        self.buffers.get_mut(&buffer).ok_or(DeviceError::NoSuchBuffer(buffer))
    }

    /// Runs a kernel over its arguments. The written buffers are taken out of the table meanwhile, so that they can be borrowed
    /// beside the read ones; `taken` gets them in the order of the arguments.
    fn call(&self, kernel: &'static str, args: &[Arg], taken: &mut [Vec<f32>]) -> Result<(), DeviceError> {
        let run = self.kernels.get(kernel).ok_or_else(|| DeviceError::NotCompiled { kernel: kernel.to_owned() })?;
        let mut written = taken.iter_mut();
        let mut views = Vec::with_capacity(args.len());
        for arg in args {
            views.push(match arg {
                Arg::In(buffer) => HostArg::In(In::new(self.buffer(*buffer)?, &self.read_bytes)),
                Arg::Out(buffer) => {
                    let data = written.next().ok_or(DeviceError::NoSuchBuffer(*buffer))?;
                    HostArg::Out(Out::new(data, &self.written_bytes))
                }
                Arg::U32(value) => HostArg::U32(*value),
                Arg::F32(value) => HostArg::F32(*value),
            });
        }
        run(&mut views).map_err(|fault| DeviceError::Kernel { kernel: kernel.to_owned(), fault })
    }
}

/// What the counter adds for a buffer: what its allocation holds, which may be more than was asked for.
fn held(data: &Vec<f32>) -> u64 {
    (data.capacity() as u64).saturating_mul(4)
}

impl Device for Cpu {
    fn facts(&self) -> DeviceFacts {
        DeviceFacts {
            backend: Backend::Cpu,
            name: machine::cpu_name(),
            kind: DeviceKind::Cpu,
            uuid: None,
            driver: None,
            memory_bytes: machine::memory_bytes(),
            compute_capability: None,
            runtime: Some(format!(
                "gpu_runner {} cpu, {} threads, {}",
                env!("CARGO_PKG_VERSION"),
                labs::run::operators::threads(),
                std::env::consts::ARCH
            )),
        }
    }

    fn compile(&mut self, kernels: &[Kernel]) -> Result<(), DeviceError> {
        self.kernels.extend(kernels.iter().map(|kernel| (kernel.name, kernel.host)));
        Ok(())
    }

    fn allocate(&mut self, label: &str, elements: usize) -> Result<Buffer, DeviceError> {
        let wanted = (elements as u64).checked_mul(4).ok_or(DeviceError::TooLarge { elements })?;
        let full = DeviceError::OutOfMemory { label: label.to_owned(), wanted, allocated: self.memory.allocated_bytes };
        if self.memory.allocated_bytes.saturating_add(wanted) > self.capacity_bytes {
            return Err(full);
        }
        let next = self.next.checked_add(1).ok_or(DeviceError::TooLarge { elements })?;
        let mut data = Vec::new();
        if data.try_reserve_exact(elements).is_err() {
            return Err(full);
        }
        data.resize(elements, 0.0);
        self.memory.took(held(&data));
        let buffer = Buffer(self.next);
        self.next = next;
        self.buffers.insert(buffer, data);
        Ok(buffer)
    }

    fn free(&mut self, buffer: Buffer) -> Result<(), DeviceError> {
        let data = self.buffers.remove(&buffer).ok_or(DeviceError::NoSuchBuffer(buffer))?;
        self.memory.gave_back(held(&data));
        Ok(())
    }

    fn upload(&mut self, buffer: Buffer, data: &[f32]) -> Result<(), DeviceError> {
        let target = self.buffer_mut(buffer)?;
        if target.len() != data.len() {
            return Err(DeviceError::Length { expected: target.len(), found: data.len() });
        }
        target.copy_from_slice(data);
        Ok(())
    }

    fn download(&mut self, buffer: Buffer, into: &mut [f32]) -> Result<(), DeviceError> {
        let source = self.buffer(buffer)?;
        if source.len() != into.len() {
            return Err(DeviceError::Length { expected: source.len(), found: into.len() });
        }
        into.copy_from_slice(source);
        Ok(())
    }

    fn fill(&mut self, buffer: Buffer, value: f32) -> Result<(), DeviceError> {
        self.buffer_mut(buffer)?.fill(value);
        Ok(())
    }

    fn launch(&mut self, kernel: &'static str, _threads: u32, args: &[Arg]) -> Result<(), DeviceError> {
        let outs: Vec<Buffer> =
            args.iter().filter_map(|arg| if let Arg::Out(buffer) = arg { Some(*buffer) } else { None }).collect();
        for (index, out) in outs.iter().enumerate() {
            self.buffer(*out)?;
            if outs[..index].contains(out) || args.contains(&Arg::In(*out)) {
                return Err(DeviceError::Aliased { kernel: kernel.to_owned() });
            }
        }
        let mut taken: Vec<Vec<f32>> = outs.iter().filter_map(|out| self.buffers.remove(out)).collect();
        let result = self.call(kernel, args, &mut taken);
        self.buffers.extend(outs.into_iter().zip(taken));
        result
    }

    fn synchronise(&mut self) -> Result<(), DeviceError> {
        // A launch returns when it is done.
        Ok(())
    }

    fn flush_cache(&mut self) -> Result<(), DeviceError> {
        self.evictions = self.evictions.wrapping_add(1);
        self.eviction.fill(self.evictions);
        std::hint::black_box(&self.eviction);
        Ok(())
    }

    fn start_timer(&mut self) -> Result<(), DeviceError> {
        self.timer = Some(Instant::now());
        Ok(())
    }

    fn stop_timer(&mut self) -> Result<Timing, DeviceError> {
        let started = self.timer.take().ok_or(DeviceError::TimerNotStarted)?;
        // The host's clock is the device's clock here.
        let ns = u64::try_from(started.elapsed().as_nanos())
            .map_err(|_| DeviceError::Backend { backend: BACKEND, message: "a run took centuries".to_owned() })?;
        Ok(Timing { device_ns: ns, wall_ns: ns })
    }

    fn memory(&self) -> Memory {
        self.memory
    }

    fn reset_peak(&mut self) {
        self.memory.reset_peak();
    }

    fn traffic(&self) -> Option<Traffic> {
        Some(Traffic { read_bytes: self.read_bytes.get(), written_bytes: self.written_bytes.get() })
    }
}
