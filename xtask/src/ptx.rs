//! `cargo xtask ptx`: writes what ships beside every CUDA source, its PTX and the table of its resources.

use std::process::Command;

use crate::sh;

/// By version, so that another one is installed beside it. The tests of `gpu_runner` look here.
const FOLDER: &str = "target/nvrtc-12.0.140";

/// Installs NVIDIA's compiler from its Python package, in the version and with the checksum of `nvrtc.txt`. It needs no GPU.
pub fn compiler() -> sh::Result {
    let folder = sh::root().join(FOLDER);
    if folder.join("nvidia/cuda_nvrtc/lib/libnvrtc.so.12").is_file() {
        return Ok(());
    }
    sh::run(
        "CUDA compiler",
        Command::new("python3")
            .args(["-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--upgrade", "--target"])
            .arg(folder)
            .args(["--requirement", "gpu_runner/tests/cuda/nvrtc.txt"])
            .current_dir(sh::root()),
    )
    .map_err(|why| format!("{why}; it needs pip (python3-pip) and its package index"))
}

/// A new `kernel.cu` needs an empty `kernel.ptx` beside it to begin with: the lab's program names both.
pub fn run() -> sh::Result {
    compiler()?;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    sh::run(
        "PTX and resources",
        Command::new(cargo)
            .args(["test", "--quiet", "-p", "gpu_runner", "--test", "cuda", "ptx_and_resources"])
            .env("VRAMLAB_BLESS", "1")
            .current_dir(sh::root()),
    )
}

/// Whether pip can be had of this Python.
pub fn pip() -> bool {
    Command::new("python3").args(["-m", "pip", "--version"]).output().is_ok_and(|out| out.status.success())
}
