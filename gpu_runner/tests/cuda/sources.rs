//! Every CUDA source against what ships beside it: its PTX, and what it takes of a multiprocessor.
//!
//! `cargo xtask ptx` writes both anew.

use std::fs;
use std::path::{Path, PathBuf};

use gpu_runner::backend::cuda::{nvrtc, resources};
use labs::run::DeviceError;

use crate::double::{Double, sources};

/// What kernels ship for, and what their resources are recorded for.
const BASELINE: u32 = 80;
const RECORDED: [u32; 2] = [80, 90];

/// The folder of the compiler in the version of `nvrtc.txt`, which `cargo xtask test` installs.
fn compiler() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/nvrtc-12.0.140/nvidia/cuda_nvrtc/lib");
    assert!(folder.join("libnvrtc.so.12").is_file(), "NVIDIA's compiler is not installed: run cargo xtask ptx");
    folder.canonicalize().unwrap()
}

/// Loads the compiler by its path; the binding then finds it loaded.
#[allow(unsafe_code)]
fn load() {
    // SAFETY: a library that does nothing when it is loaded.
    let library = unsafe { libloading::Library::new(compiler().join("libnvrtc.so.12")) };
    std::mem::forget(library.unwrap());
}

fn table(compiled: &[(u32, Vec<resources::Resources>)]) -> String {
    let mut text = String::from("arch   kernel              registers  shared  stack  spill stores  spill loads\n");
    for (arch, kernels) in compiled {
        for kernel in kernels {
            text.push_str(&format!(
                "sm_{arch}  {:<18}  {:>9}  {:>6}  {:>5}  {:>12}  {:>11}\n",
                kernel.kernel,
                kernel.registers,
                kernel.shared_bytes,
                kernel.stack_bytes,
                kernel.spill_store_bytes,
                kernel.spill_load_bytes
            ));
        }
    }
    text
}

#[test]
fn ptx_and_resources_are_those_of_the_source() {
    load();
    let bless = std::env::var_os("VRAMLAB_BLESS").is_some();
    for (lab, path) in sources() {
        let source = fs::read_to_string(&path).unwrap();
        let compile =
            |arch| nvrtc::compile(&source, "kernel.cu", arch).unwrap_or_else(|error| panic!("{lab}: {error}"));
        let made: Vec<_> = RECORDED.iter().map(|arch| (*arch, resources::read(&compile(*arch).log))).collect();
        for (arch, kernels) in &made {
            assert!(!kernels.is_empty(), "{lab}: the compiler says nothing for sm_{arch}");
            for kernel in kernels {
                let spilled = kernel.spill_store_bytes + kernel.spill_load_bytes;
                assert_eq!(spilled, 0, "{lab}, sm_{arch}: {} does not fit into registers", kernel.kernel);
            }
        }
        for (name, found) in [("kernel.ptx", compile(BASELINE).ptx), ("kernel.resources", table(&made))] {
            let path = path.with_file_name(name);
            if bless {
                fs::write(&path, found).unwrap();
            } else {
                let kept = fs::read_to_string(&path).unwrap_or_default();
                assert!(kept == found, "labs/{lab}/{name} is not that of kernel.cu: run cargo xtask ptx\n{found}");
            }
        }
    }
}

#[test]
fn a_source_that_does_not_compile_is_told_with_its_line() {
    load();
    let error = nvrtc::compile("\n\nextern \"C\" __global__ void broken() { x = 1; }\n", "kernel.cu", 80).unwrap_err();
    let DeviceError::Compile { log, .. } = &error else { panic!("{error}") };
    assert!(log.contains("kernel.cu(3): error: identifier \"x\" is undefined"), "{log}");
    for (source, arch) in [("\0", 80), ("", 20)] {
        assert!(nvrtc::compile(source, "kernel.cu", arch).is_err(), "{source:?} {arch}");
    }
    // Newer than the compiler knows: the newest it does know.
    let newer = nvrtc::compile("extern \"C\" __global__ void k() {}", "kernel.cu", 999).unwrap();
    assert!(newer.ptx.contains(".target sm_90"), "{}", newer.ptx);
}

#[test]
fn a_device_older_than_the_ptx_is_served_by_the_compiler() {
    let report = Double::new(&[("capability", "75")]).beside(compiler()).rmsnorm(3, 100).unwrap();
    assert_eq!(report.device.unwrap().compute_capability.as_deref(), Some("7.5"));
}
