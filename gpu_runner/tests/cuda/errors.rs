//! What can be wrong with a driver, each by name and none a panic.

use std::path::Path;

use crate::double::Double;

fn failure(double: &Double) -> String {
    let said = double.rmsnorm(2, 8).expect_err("no report");
    assert!(!said.contains("panicked"), "{said}");
    said
}

#[test]
fn a_driver_that_does_not_work_is_told_by_name() {
    let cases: [(&[(&str, &str)], &str); 9] = [
        (&[("cuInit", "100")], "cuInit: CUDA_ERROR_NO_DEVICE (100): the driver sees no GPU"),
        (&[("cuInit", "803")], "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803): the driver's library and its kernel module"),
        (&[("cuInit", "34")], "CUDA_ERROR_STUB_LIBRARY (34): the libcuda found is the stub"),
        (&[("version", "11040")], "the driver speaks CUDA 11.4; the kernels need 12.0 or later"),
        (&[("cuDevicePrimaryCtxRetain", "46")], "CUDA_ERROR_DEVICE_UNAVAILABLE (46): another process holds"),
        (&[("memory", "1000")], "out of device memory: 2097152 B wanted for flush"),
        (&[("cuModuleLoadDataEx", "222")], "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222): the driver is older"),
        (&[("cuCtxSetLimit", "201")], "cuCtxSetLimit: CUDA_ERROR_INVALID_CONTEXT (201)"),
        (&[("devices", "0")], "CUDA_ERROR_INVALID_DEVICE (101)"),
    ];
    for (settings, expected) in cases {
        let said = failure(&Double::new(settings));
        assert!(said.contains(expected), "{settings:?}: {said}");
    }
}

#[test]
fn a_shared_out_gpu_may_refuse_what_it_says_it_has() {
    for code in ["801", "215"] {
        assert!(Double::new(&[("cuCtxSetLimit", code)]).rmsnorm(2, 8).is_ok(), "{code}");
    }
}

#[test]
fn a_kernel_that_breaks_off_ends_the_run_and_is_named() {
    for (code, expected) in [
        ("700", "CUDA_ERROR_ILLEGAL_ADDRESS (700): a kernel read or wrote outside of its buffers"),
        ("719", "CUDA_ERROR_LAUNCH_FAILED (719): a kernel broke off; the line with Xid"),
        ("214", "CUDA_ERROR_ECC_UNCORRECTABLE (214): the hardware reported an error"),
    ] {
        let said = failure(&Double::new(&[("kernel", code)]));
        assert!(said.contains(expected), "{said}");
        assert!(said.contains("this process can use the device no more after the kernel square"), "{said}");
    }
}

#[test]
fn a_function_that_an_old_driver_lacks_is_told_by_name() {
    let said = Double::old().rmsnorm(2, 8).expect_err("no report");
    assert!(said.contains("cuEventElapsedTime: the driver's library lacks a function, so it is too old"), "{said}");
}

#[test]
fn no_driver_is_told_by_name() {
    // A folder with nothing in it does not hide a driver that the system has.
    if ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/lib/aarch64-linux-gnu"]
        .iter()
        .any(|folder| Path::new(folder).join("libcuda.so.1").exists())
    {
        eprintln!("skipped: this machine has a driver");
        return;
    }
    let empty = Double::none();
    let said = failure(&empty);
    assert!(said.contains("no CUDA driver: libcuda.so.1 was not found"), "{said}");
    let listed = String::from_utf8(empty.runner(&["devices"]).stdout).unwrap();
    assert!(listed.contains("cuda  none: no CUDA driver: libcuda.so.1 was not found"), "{listed}");
}

#[test]
fn an_older_device_without_a_compiler_is_told_what_is_missing() {
    let said = failure(&Double::new(&[("capability", "75")]));
    assert!(said.contains("no CUDA compiler: libnvrtc was not found"), "{said}");
}
