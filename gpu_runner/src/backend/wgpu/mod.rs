//! Any GPU that speaks Vulkan, through WGSL. On a machine without one Mesa's lavapipe computes on the processor: it is
//! taken as what it is, CPU evidence.
//!
//! A kernel finds its buffers at the bindings 0, 1, … of group 0, in the order of the arguments, and all its numbers in
//! one uniform structure at the binding behind them, in their order.

mod adapter;
mod clock;
mod pipeline;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use evidence::{DeviceFacts, Timer};
use labs::run::{Arg, Buffer, Device, DeviceError, Kernel, Memory, Timing, Traffic};
use wgpu::util::DeviceExt as _;
use wgpu::{BufferUsages, ErrorFilter, Features, MapMode, PollType};

pub use adapter::{adapters, facts};
use clock::Clock;
use pipeline::Pipeline;

const BACKEND: &str = "wgpu";
/// Written over before each timed run: more than twice the last cache of most cards, which the API does not tell.
const MOST_FLUSH_BYTES: u64 = 128 << 20;

fn failed(message: impl Into<String>) -> DeviceError {
    DeviceError::Backend { backend: BACKEND, message: message.into() }
}

struct Held {
    buffer: wgpu::Buffer,
    elements: usize,
}

pub struct Wgpu {
    facts: DeviceFacts,
    device: wgpu::Device,
    queue: wgpu::Queue,
    buffers: HashMap<Buffer, Held>,
    next: u32,
    pipelines: HashMap<&'static str, Pipeline>,
    /// A learner's text in the place of the source that ships.
    replaced: Option<(&'static str, String)>,
    memory: Memory,
    flush: wgpu::Buffer,
    clock: Clock,
    /// What went wrong outside of a call that could say so: a lost device, an error of the driver.
    trouble: Arc<Mutex<Option<String>>>,
}

impl Wgpu {
    /// The best adapter of this machine.
    ///
    /// # Errors
    /// [`DeviceError::Backend`] when there is none, or when it gives no device.
    pub fn open() -> Result<Self, DeviceError> {
        let adapter = adapter::best()?;
        let timestamps = adapter.features().contains(Features::TIMESTAMP_QUERY);
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("gpu_runner"),
            required_features: if timestamps { Features::TIMESTAMP_QUERY } else { Features::empty() },
            required_limits: adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        };
        let asked = pollster::block_on(adapter.request_device(&descriptor));
        let (device, queue) = asked.map_err(|error| failed(format!("no device: {error}")))?;
        let trouble = Arc::new(Mutex::new(None));
        let (uncaptured, lost) = (trouble.clone(), trouble.clone());
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| note(&uncaptured, &error.to_string())));
        device.set_device_lost_callback(move |reason, message| {
            if reason != wgpu::DeviceLostReason::Destroyed {
                note(&lost, &format!("the device was lost: {message}"));
            }
        });
        let flush = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("flush"),
            size: MOST_FLUSH_BYTES.min(device.limits().max_buffer_size),
            usage: BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let clock = Clock::new(&device, &queue, timestamps);
        let facts = adapter::facts(&adapter.get_info());
        Ok(Self {
            facts,
            device,
            queue,
            buffers: HashMap::new(),
            next: 0,
            pipelines: HashMap::new(),
            replaced: None,
            memory: Memory::default(),
            flush,
            clock,
            trouble,
        })
    }

    /// The kernel of that name is compiled from another text from now on, with the entry point and the bindings of its own.
    pub fn replace(&mut self, kernel: &'static str, text: &str) {
        self.replaced = Some((kernel, text.to_owned()));
    }

    fn held(&self, buffer: Buffer) -> Result<&Held, DeviceError> {
        self.buffers.get(&buffer).ok_or(DeviceError::NoSuchBuffer(buffer))
    }

    /// Runs a call whose errors are asked for and not thrown.
    fn scoped<T>(&self, call: impl FnOnce() -> T) -> Result<T, wgpu::Error> {
        let memory = self.device.push_error_scope(ErrorFilter::OutOfMemory);
        let internal = self.device.push_error_scope(ErrorFilter::Internal);
        let validation = self.device.push_error_scope(ErrorFilter::Validation);
        let made = call();
        let errors = [validation.pop(), internal.pop(), memory.pop()].map(pollster::block_on);
        errors.into_iter().flatten().next().map_or(Ok(made), Err)
    }

    fn wait(&self) -> Result<(), DeviceError> {
        let waited = self.device.poll(PollType::Wait { submission_index: None, timeout: None });
        waited.map_err(|error| failed(error.to_string()))?;
        match self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(message) => Err(failed(message)),
            None => Ok(()),
        }
    }

    fn submit(&self, write: impl FnOnce(&mut wgpu::CommandEncoder)) -> Result<(), DeviceError> {
        let sent = self.scoped(|| {
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            write(&mut encoder);
            self.queue.submit([encoder.finish()]);
        });
        sent.map_err(|error| failed(error.to_string()))
    }
}

fn note(trouble: &Mutex<Option<String>>, message: &str) {
    trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| message.to_owned());
}

/// Bytes of floats as a driver takes them.
fn bytes(data: &[f32]) -> Vec<u8> {
    data.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

impl Device for Wgpu {
    fn facts(&self) -> DeviceFacts {
        self.facts.clone()
    }

    fn timer(&self) -> Timer {
        self.clock.timer()
    }

    fn compile(&mut self, kernels: &[Kernel]) -> Result<(), DeviceError> {
        for kernel in kernels {
            let source = kernel
                .wgsl
                .ok_or_else(|| DeviceError::NoSource { kernel: kernel.name.to_owned(), backend: BACKEND })?;
            let theirs = self.replaced.as_ref().filter(|(name, _)| *name == kernel.name).map(|(_, text)| text.as_str());
            let text = theirs.unwrap_or(source.source);
            let made = self.scoped(|| Pipeline::new(&self.device, kernel.name, text, source.share));
            // A place in the text is named as in the messages of other compilers.
            let log = |error: wgpu::Error| DeviceError::Compile {
                kernel: kernel.name.to_owned(),
                log: error.to_string().replace(" wgsl:", " kernel.wgsl:"),
            };
            self.pipelines.insert(kernel.name, made.map_err(log)?);
        }
        Ok(())
    }

    fn allocate(&mut self, label: &str, elements: usize) -> Result<Buffer, DeviceError> {
        let wanted = (elements as u64).checked_mul(4).ok_or(DeviceError::TooLarge { elements })?;
        let limits = self.device.limits();
        if wanted > limits.max_buffer_size || wanted > limits.max_storage_buffer_binding_size {
            return Err(DeviceError::TooLarge { elements });
        }
        let next = self.next.checked_add(1).ok_or(DeviceError::TooLarge { elements })?;
        let descriptor = wgpu::BufferDescriptor {
            label: Some(label),
            // A binding of no bytes is none.
            size: wanted.max(4),
            usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        };
        let buffer = self.scoped(|| self.device.create_buffer(&descriptor)).map_err(|error| match error {
            wgpu::Error::OutOfMemory { .. } => {
                DeviceError::OutOfMemory { label: label.to_owned(), wanted, allocated: self.memory.allocated_bytes }
            }
            other => failed(other.to_string()),
        })?;
        self.memory.took(wanted);
        let id = Buffer(self.next);
        self.next = next;
        self.buffers.insert(id, Held { buffer, elements });
        Ok(id)
    }

    fn free(&mut self, buffer: Buffer) -> Result<(), DeviceError> {
        let held = self.buffers.remove(&buffer).ok_or(DeviceError::NoSuchBuffer(buffer))?;
        held.buffer.destroy();
        self.memory.gave_back(held.elements as u64 * 4);
        Ok(())
    }

    fn upload(&mut self, buffer: Buffer, data: &[f32]) -> Result<(), DeviceError> {
        let held = self.held(buffer)?;
        if held.elements != data.len() {
            return Err(DeviceError::Length { expected: held.elements, found: data.len() });
        }
        let sent = self.scoped(|| self.queue.write_buffer(&held.buffer, 0, &bytes(data)));
        sent.map_err(|error| failed(error.to_string()))?;
        self.submit(|_| ())
    }

    fn download(&mut self, buffer: Buffer, into: &mut [f32]) -> Result<(), DeviceError> {
        let held = self.held(buffer)?;
        if held.elements != into.len() {
            return Err(DeviceError::Length { expected: held.elements, found: into.len() });
        }
        if into.is_empty() {
            return Ok(());
        }
        let size = into.len() as u64 * 4;
        let descriptor = wgpu::BufferDescriptor {
            label: Some("download"),
            size,
            usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        };
        let staging =
            self.scoped(|| self.device.create_buffer(&descriptor)).map_err(|error| failed(error.to_string()))?;
        self.submit(|encoder| encoder.copy_buffer_to_buffer(&held.buffer, 0, &staging, 0, size))?;
        read(&self.device, &staging, |found| {
            for (value, raw) in into.iter_mut().zip(found.chunks_exact(4)) {
                *value = f32::from_ne_bytes([raw[0], raw[1], raw[2], raw[3]]);
            }
        })?;
        self.wait()
    }

    fn fill(&mut self, buffer: Buffer, value: f32) -> Result<(), DeviceError> {
        let elements = self.held(buffer)?.elements;
        self.upload(buffer, &vec![value; elements])
    }

    fn launch(&mut self, kernel: &'static str, threads: u32, args: &[Arg]) -> Result<(), DeviceError> {
        let pipeline =
            self.pipelines.get(kernel).ok_or_else(|| DeviceError::NotCompiled { kernel: kernel.to_owned() })?;
        let (mut bound, mut written, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for arg in args {
            match arg {
                Arg::In(buffer) => bound.push(*buffer),
                Arg::Out(buffer) => {
                    if written.contains(buffer) || args.contains(&Arg::In(*buffer)) {
                        return Err(DeviceError::Aliased { kernel: kernel.to_owned() });
                    }
                    written.push(*buffer);
                    bound.push(*buffer);
                }
                Arg::U32(number) => numbers.extend(number.to_ne_bytes()),
                Arg::F32(number) => numbers.extend(number.to_ne_bytes()),
            }
        }
        // A uniform structure is a multiple of sixteen bytes.
        numbers.resize(numbers.len().next_multiple_of(16).max(16), 0);
        let buffers: Vec<&wgpu::Buffer> =
            bound.iter().map(|buffer| Ok(&self.held(*buffer)?.buffer)).collect::<Result<_, DeviceError>>()?;
        let sent = self.scoped(|| {
            let uniform = self.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some("numbers"),
                contents: &numbers,
                usage: BufferUsages::UNIFORM,
            });
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            pipeline.dispatch(&self.device, &mut encoder, &buffers, &uniform, threads);
            self.queue.submit([encoder.finish()]);
        });
        sent.map_err(|error| failed(format!("{kernel}: {error}")))
    }

    fn synchronise(&mut self) -> Result<(), DeviceError> {
        self.wait()
    }

    fn flush_cache(&mut self) -> Result<(), DeviceError> {
        self.submit(|encoder| encoder.clear_buffer(&self.flush, 0, None))?;
        self.wait()
    }

    fn start_timer(&mut self) -> Result<(), DeviceError> {
        self.wait()?;
        // Before the device's mark, which may be made before the call returns: the host waits for all that the device measures.
        self.clock.begin();
        self.submit(|encoder| self.clock.mark(encoder, 0))
    }

    fn stop_timer(&mut self) -> Result<Timing, DeviceError> {
        self.submit(|encoder| self.clock.mark(encoder, 1))?;
        self.wait()?;
        let wall_ns = self.clock.end()?;
        self.submit(|encoder| self.clock.resolve(encoder))?;
        self.clock.timing(&self.device, wall_ns)
    }

    fn memory(&self) -> Memory {
        // The buffers of the lab, and what the allocator took from the driver beyond all it has handed out: its own buffers for
        // flushing and timestamps are no part of a lab.
        let beyond =
            |report: wgpu::AllocatorReport| report.total_reserved_bytes.checked_sub(report.total_allocated_bytes);
        let beyond = self.device.generate_allocator_report().and_then(beyond);
        let reserved_bytes = beyond.and_then(|beyond| beyond.checked_add(self.memory.allocated_bytes));
        Memory { reserved_bytes, ..self.memory }
    }

    fn reset_peak(&mut self) {
        self.memory.reset_peak();
    }

    fn traffic(&self) -> Option<Traffic> {
        None
    }
}

/// Maps a buffer, hands over its bytes and gives it back.
fn read(device: &wgpu::Device, buffer: &wgpu::Buffer, take: impl FnOnce(&[u8])) -> Result<(), DeviceError> {
    let (sender, answer) = std::sync::mpsc::channel();
    buffer.map_async(MapMode::Read, .., move |mapped| drop(sender.send(mapped)));
    let waited = device.poll(PollType::Wait { submission_index: None, timeout: None });
    waited.map_err(|error| failed(error.to_string()))?;
    match answer.try_recv() {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(failed(format!("a buffer cannot be read: {error}"))),
        Err(_) => return Err(failed("a buffer was not mapped")),
    }
    let view = buffer.get_mapped_range(..).map_err(|error| failed(error.to_string()))?;
    take(&view);
    drop(view);
    buffer.unmap();
    Ok(())
}
