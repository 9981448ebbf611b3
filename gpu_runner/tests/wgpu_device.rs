//! The wgpu device keeps the promises of the trait, on whatever adapter this machine has. Without a GPU that is Mesa's
//! lavapipe, which computes on the processor and must never pass for a GPU.

use evidence::{EvidenceClass, EvidenceLevel, Status};
use gpu_runner::backend::wgpu::Wgpu;
use labs::run::{Arg, Device, DeviceError, HostArg, Kernel, KernelFault, Params, Share, Silent, Value, Wgsl, run};

fn host(_: &mut [HostArg<'_>]) -> Result<(), KernelFault> {
    labs::run::arguments("is not run here")
}

const fn kernel(name: &'static str, source: &'static str) -> Kernel {
    Kernel { name, host, cuda: None, wgsl: Some(Wgsl { source, share: Share::ItemOfInvocation { width: 64 } }) }
}

const COPY: &str = "
struct Numbers { elements: u32, factor: f32 }
@group(0) @binding(0) var<storage, read> from_: array<f32>;
@group(0) @binding(1) var<storage, read_write> to_: array<f32>;
@group(0) @binding(2) var<uniform> numbers: Numbers;
@compute @workgroup_size(64)
fn copy(@builtin(global_invocation_id) at: vec3<u32>) {
    if (at.x < numbers.elements) { to_[at.x] = from_[at.x] * numbers.factor; }
}";

fn device() -> Wgpu {
    Wgpu::open().expect("a Vulkan adapter; cargo xtask test installs Mesa's where it may")
}

fn params(rows: u64, hidden: u64) -> Params {
    let pairs = [("rows", rows), ("hidden", hidden), ("samples", 3)];
    pairs.into_iter().map(|(name, value)| (name.to_owned(), Value::Integer(value))).collect()
}

#[test]
fn a_software_adapter_is_the_processor() {
    let facts = device().facts();
    let software = ["llvmpipe", "lavapipe", "swiftshader"].iter().any(|name| facts.name.to_lowercase().contains(name));
    assert_eq!(facts.evidence_class() == EvidenceClass::Cpu, software, "{facts:?}");
}

#[test]
fn numbers_and_buffers_reach_a_kernel_in_the_order_of_the_arguments() {
    let mut device = device();
    device.compile(&[kernel("copy", COPY)]).expect("it compiles");
    let (from, to) = (device.allocate("from", 100).expect("a"), device.allocate("to", 100).expect("b"));
    assert_eq!(device.memory().allocated_bytes, 800);
    let input: Vec<f32> = (0..100).map(|at| at as f32).collect();
    device.upload(from, &input).expect("upload");
    device.fill(to, f32::NAN).expect("fill");
    let args = [Arg::In(from), Arg::Out(to), Arg::U32(99), Arg::F32(0.5)];
    device.start_timer().expect("a clock");
    device.launch("copy", 100, &args).expect("a launch");
    let timing = device.stop_timer().expect("a time");
    assert!(timing.is_plausible() && timing.wall_ns > 0, "{timing:?}");
    let mut found = vec![0.0; 100];
    device.download(to, &mut found).expect("download");
    assert!(found[..99].iter().zip(&input).all(|(found, input)| *found == input * 0.5));
    assert!(found[99].is_nan(), "what the kernel leaves is left");
    device.free(to).expect("free");
    assert_eq!((device.memory().allocated_bytes, device.memory().peak_bytes), (400, 800));
}

#[test]
fn misuse_is_a_named_error() {
    let mut device = device();
    let broken = device.compile(&[kernel("copy", "fn copy() { let x: u32 = 1.5; }")]);
    assert!(
        matches!(&broken, Err(DeviceError::Compile { kernel, log }) if kernel == "copy" && log.contains("1.5")),
        "{broken:?}"
    );
    let other = device.compile(&[kernel("another", COPY)]);
    assert!(matches!(other, Err(DeviceError::Compile { .. })), "an entry point that is not there: {other:?}");
    let bare = Kernel { wgsl: None, ..kernel("copy", COPY) };
    assert!(matches!(device.compile(&[bare]), Err(DeviceError::NoSource { backend: "wgpu", .. })));
    device.compile(&[kernel("copy", COPY)]).expect("it compiles");
    let buffer = device.allocate("a", 4).expect("a buffer");
    let aliased = device.launch("copy", 4, &[Arg::In(buffer), Arg::Out(buffer), Arg::U32(4), Arg::F32(1.0)]);
    assert!(matches!(aliased, Err(DeviceError::Aliased { .. })));
    let few = device.launch("copy", 4, &[Arg::In(buffer), Arg::U32(4)]);
    assert!(matches!(few, Err(DeviceError::Backend { backend: "wgpu", .. })), "{few:?}");
    assert!(matches!(device.launch("none", 1, &[]), Err(DeviceError::NotCompiled { .. })));
    assert!(matches!(device.allocate("huge", usize::MAX / 4), Err(DeviceError::TooLarge { .. })));
    assert!(matches!(device.upload(buffer, &[0.0]), Err(DeviceError::Length { expected: 4, found: 1 })));
    assert!(matches!(device.stop_timer(), Err(DeviceError::TimerNotStarted)));
    device.upload(buffer, &[1.0; 4]).expect("the device lives on");
}

#[test]
fn rmsnorm_is_right_on_awkward_shapes_and_says_what_ran_it() {
    for (rows, hidden) in [(1, 1), (1, 257), (257, 1), (3, 255), (70_000, 3), (5, 4096)] {
        let mut device = device();
        let class = device.facts().evidence_class();
        let report = run("rmsnorm", &params(rows, hidden), &mut device, &mut Silent).expect("a report");
        for candidate in &report.candidates {
            assert_eq!(candidate.status, Status::Ok, "{rows} × {hidden}: {:?}", candidate.error);
            assert_eq!(candidate.metrics.timer, Some(device.timer()));
            assert_eq!(candidate.metrics.bytes_moved, None, "nothing here counts bytes, so none are claimed");
        }
        assert_eq!(report.evidence_class(), class);
        assert_eq!(report.level == EvidenceLevel::GpuBenchmark, class == EvidenceClass::Gpu);
        assert_eq!(device.memory().allocated_bytes, 0, "everything is freed");
    }
}
