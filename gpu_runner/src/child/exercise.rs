//! A lab whose kernel a learner wrote.
//!
//! CUDA C++ runs on the processor: the CPU device, with that one kernel sent to a process of its own. Everything that judges is
//! here, and the learner's code is not: inputs, seeds and the reference stay in this process, outputs come back through a pipe
//! and are checked like any other. WGSL runs on whatever adapter there is.

use std::collections::HashMap;

use evidence::{DeviceFacts, LearnerCode, Report, Timer};
use labs::run::{Arg, Buffer, Cuda, Device, DeviceError, Exercise, Kernel, Memory, RunError, Timing, Traffic, Watch};

use super::kernel::{Argument, Geometry, KernelProcess, Launch};
use super::spec::{Replaced, Spec};
use crate::backend::cpu::Cpu;
use crate::backend::wgpu::Wgpu;

/// Seeds are drawn here, and are exact in any reader of JSON.
const SEED_BITS: u32 = 53;

/// CUDA C++ on the processor: the kernel runs in a process of its own.
pub fn on_the_processor(
    spec: &Spec,
    replaced: &Replaced,
    process: KernelProcess,
    watch: &mut dyn Watch,
) -> Result<Report, RunError> {
    let exercise = find(spec, replaced)?;
    let mut device = Double::new(exercise, process);
    let result = (exercise.run)(&spec.params, &mut device, watch, &mut draw);
    if let Some(printed) = device.process.printed() {
        watch.note(&format!("the kernel printed: {printed}"));
    }
    Ok(Report { learner_code: Some(said(replaced)), ..result? })
}

/// WGSL on an adapter. The language reaches no memory but the launch's own buffers, checked at every access, so the
/// judge may open the device itself; its inputs and the reference never lie in one of those buffers before it is time.
pub fn in_wgsl(
    spec: &Spec,
    replaced: &Replaced,
    text: &str,
    mut device: Wgpu,
    watch: &mut dyn Watch,
) -> Result<Report, RunError> {
    let exercise = find(spec, replaced)?;
    device.replace(exercise.kernel, text);
    let result = (exercise.run)(&spec.params, &mut device, watch, &mut draw);
    let report = result.map_err(|error| match error {
        // The device worked before this kernel came, and the kernel is all that is new.
        RunError::Device(DeviceError::Backend { message, .. } | DeviceError::Lost { message, .. }) => {
            let why = format!("{} and this device do not go together: {message}", exercise.kernel);
            RunError::Device(DeviceError::Learner { kernel: exercise.kernel.to_owned(), why })
        }
        other => other,
    })?;
    Ok(Report { learner_code: Some(said(replaced)), ..report })
}

fn find(spec: &Spec, replaced: &Replaced) -> Result<&'static Exercise, DeviceError> {
    let exercise = labs::run::exercise(&spec.lab).filter(|exercise| exercise.kernel == replaced.kernel);
    exercise.ok_or_else(|| DeviceError::Compile {
        kernel: replaced.kernel.clone(),
        log: "this lab lets no such kernel be replaced".to_owned(),
    })
}

fn said(replaced: &Replaced) -> LearnerCode {
    LearnerCode {
        kernel: replaced.kernel.clone(),
        language: replaced.language.id().to_owned(),
        sha256: replaced.sha256.clone(),
        resources: replaced.resources.clone(),
    }
}

/// From the system, for every contents of every input.
fn draw() -> Result<u64, DeviceError> {
    let seed = getrandom::u64()
        .map_err(|error| DeviceError::Backend { backend: "cpu", message: format!("no random seed: {error}") })?;
    Ok(seed >> (u64::BITS - SEED_BITS))
}

/// The CPU device, which it asks for everything but one kernel.
struct Double {
    inner: Cpu,
    exercise: &'static Exercise,
    process: KernelProcess,
    shapes: HashMap<&'static str, Cuda>,
    /// Set by the first launch of the learner's kernel: nobody counts what that moves.
    uncounted: bool,
}

impl Double {
    fn new(exercise: &'static Exercise, process: KernelProcess) -> Self {
        Self { inner: Cpu::open(), exercise, process, shapes: HashMap::new(), uncounted: false }
    }

    fn launch_theirs(&mut self, kernel: &'static str, items: u32, args: &[Arg]) -> Result<(), DeviceError> {
        let shape = self.shapes.get(kernel).ok_or_else(|| DeviceError::NotCompiled { kernel: kernel.to_owned() })?;
        // A grid without blocks is refused by a card. A launch over nothing is one block, which must write nothing.
        let blocks = items.div_ceil(shape.items_of_block.max(1)).max(1);
        let geometry = Geometry { grid: [blocks, 1, 1], block: [shape.block, 1, 1] };
        let arguments = args.iter().map(|arg| self.argument(*arg)).collect::<Result<Vec<_>, _>>()?;
        let written = self
            .process
            .launch(Launch { geometry, arguments })
            .map_err(|why| DeviceError::Learner { kernel: kernel.to_owned(), why })?;
        self.uncounted = true;
        let outs = args.iter().filter_map(|arg| if let Arg::Out(buffer) = arg { Some(*buffer) } else { None });
        outs.zip(&written).try_for_each(|(buffer, data)| self.inner.upload(buffer, data))
    }

    fn argument(&self, arg: Arg) -> Result<Argument, DeviceError> {
        Ok(match arg {
            Arg::In(buffer) => Argument::In(self.inner.contents(buffer)?.to_vec()),
            Arg::Out(buffer) => Argument::Out(self.inner.contents(buffer)?.to_vec()),
            Arg::U32(value) => Argument::U32(value),
            Arg::F32(value) => Argument::F32(value),
        })
    }
}

impl Device for Double {
    fn facts(&self) -> DeviceFacts {
        let mut facts = self.inner.facts();
        let runtime = facts.runtime.unwrap_or_default();
        facts.runtime = Some(format!("{runtime}; {} as CUDA C++ on the processor", self.exercise.kernel));
        facts
    }

    fn compile(&mut self, kernels: &[Kernel]) -> Result<(), DeviceError> {
        let shapes = kernels.iter().filter_map(|kernel| Some((kernel.name, kernel.cuda?)));
        self.shapes.extend(shapes);
        self.inner.compile(kernels)
    }

    fn allocate(&mut self, label: &str, elements: usize) -> Result<Buffer, DeviceError> {
        self.inner.allocate(label, elements)
    }

    fn free(&mut self, buffer: Buffer) -> Result<(), DeviceError> {
        self.inner.free(buffer)
    }

    fn upload(&mut self, buffer: Buffer, data: &[f32]) -> Result<(), DeviceError> {
        self.inner.upload(buffer, data)
    }

    fn download(&mut self, buffer: Buffer, into: &mut [f32]) -> Result<(), DeviceError> {
        self.inner.download(buffer, into)
    }

    fn fill(&mut self, buffer: Buffer, value: f32) -> Result<(), DeviceError> {
        self.inner.fill(buffer, value)
    }

    fn launch(&mut self, kernel: &'static str, items: u32, args: &[Arg]) -> Result<(), DeviceError> {
        if kernel == self.exercise.kernel {
            self.launch_theirs(kernel, items, args)
        } else {
            self.inner.launch(kernel, items, args)
        }
    }

    fn synchronise(&mut self) -> Result<(), DeviceError> {
        self.inner.synchronise()
    }

    fn flush_cache(&mut self) -> Result<(), DeviceError> {
        self.inner.flush_cache()
    }

    fn start_timer(&mut self) -> Result<(), DeviceError> {
        self.inner.start_timer()
    }

    fn stop_timer(&mut self) -> Result<Timing, DeviceError> {
        self.inner.stop_timer()
    }

    fn timer(&self) -> Timer {
        self.inner.timer()
    }

    fn memory(&self) -> Memory {
        self.inner.memory()
    }

    fn reset_peak(&mut self) {
        self.inner.reset_peak();
    }

    fn traffic(&self) -> Option<Traffic> {
        if self.uncounted { None } else { self.inner.traffic() }
    }
}
