//! The CPU device keeps the promises of the trait.

use gpu_runner::backend::cpu::Cpu;
use labs::run::{Arg, Buffer, Device, DeviceError, HostArg, Kernel, KernelFault, Traffic};

fn copy(args: &mut [HostArg<'_>]) -> Result<(), KernelFault> {
    let [HostArg::In(from), HostArg::Out(to)] = args else { return labs::run::arguments("in from, out to") };
    to.all().copy_from_slice(from.all());
    Ok(())
}

const COPY: Kernel = Kernel { name: "copy", host: copy, cuda: None, wgsl: None };

fn device() -> Cpu {
    Cpu::with(1 << 20, 0)
}

#[test]
fn allocations_are_counted_and_the_peak_is_kept_until_it_is_reset() {
    let mut device = device();
    let first = device.allocate("a", 100).unwrap();
    let second = device.allocate("b", 50).unwrap();
    device.free(first).unwrap();
    assert_eq!((device.memory().allocated_bytes, device.memory().peak_bytes), (200, 600));
    device.reset_peak();
    assert_eq!(device.memory().peak_bytes, 200);
    device.free(second).unwrap();
    assert_eq!(device.memory().allocated_bytes, 0);
    assert_eq!(device.free(second), Err(DeviceError::NoSuchBuffer(second)));
}

#[test]
fn the_capacity_is_an_edge_and_refuses_nothing_below_it() {
    let mut device = Cpu::with(400, 0);
    let buffer = device.allocate("a", 100).unwrap();
    let error = device.allocate("b", 1).unwrap_err();
    assert_eq!(error, DeviceError::OutOfMemory { label: "b".into(), wanted: 4, allocated: 400 });
    device.free(buffer).unwrap();
    assert!(device.allocate("c", 100).is_ok());
    assert!(device.allocate("d", usize::MAX).is_err());
}

#[test]
fn a_launch_counts_what_the_kernel_asked_for_and_gives_the_buffers_back() {
    let mut device = device();
    device.compile(&[COPY]).unwrap();
    let (from, to) = (device.allocate("from", 8).unwrap(), device.allocate("to", 8).unwrap());
    device.upload(from, &[3.0; 8]).unwrap();
    device.launch("copy", 8, &[Arg::In(from), Arg::Out(to)]).unwrap();
    let mut found = [0.0; 8];
    device.download(to, &mut found).unwrap();
    assert_eq!(found, [3.0; 8]);
    assert_eq!(device.traffic(), Some(Traffic { read_bytes: 32, written_bytes: 32 }));
}

#[test]
fn misuse_is_a_named_error_and_loses_no_buffer() {
    let mut device = device();
    device.compile(&[COPY]).unwrap();
    let (a, b) = (device.allocate("a", 4).unwrap(), device.allocate("b", 4).unwrap());
    let gone = Buffer(99);
    let copy = |device: &mut Cpu, args: &[Arg]| device.launch("copy", 4, args);
    for (what, result, expected) in [
        ("aliased", copy(&mut device, &[Arg::In(a), Arg::Out(a)]), DeviceError::Aliased { kernel: "copy".into() }),
        (
            "written twice",
            copy(&mut device, &[Arg::Out(a), Arg::Out(a)]),
            DeviceError::Aliased { kernel: "copy".into() },
        ),
        ("unknown", copy(&mut device, &[Arg::In(gone), Arg::Out(b)]), DeviceError::NoSuchBuffer(gone)),
        (
            "arguments",
            copy(&mut device, &[Arg::Out(b), Arg::In(a)]),
            DeviceError::Kernel {
                kernel: "copy".into(),
                fault: KernelFault::Arguments { expected: "in from, out to" },
            },
        ),
        ("not compiled", device.launch("sort", 1, &[]), DeviceError::NotCompiled { kernel: "sort".into() }),
        ("length", device.upload(a, &[1.0]), DeviceError::Length { expected: 4, found: 1 }),
    ] {
        assert_eq!(result, Err(expected), "{what}");
    }
    assert_eq!(device.stop_timer(), Err(DeviceError::TimerNotStarted));
    assert!(device.upload(a, &[1.0; 4]).is_ok() && device.upload(b, &[1.0; 4]).is_ok());
}
