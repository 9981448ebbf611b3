//! The compile child: a learner's CUDA C++ becomes a shared object, and nothing of it runs.
//!
//! The compiler is the machine's g++, over our header. It is shut in like any child: what it may read holds nothing of this machine's
//! users, so an `#include` of their files, however it is spelt, finds nothing. The text reaches it through a pipe, its working
//! folder holds our header only, and what it writes goes to a folder that it does not search.

mod dynamic;
mod told;

pub use dynamic::rewritten;
pub(super) use told::nvidia_lines;

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use protocol::FailureKind;
use serde::{Deserialize, Serialize};

use super::limits::{self, Limits};
use super::sandbox;
use super::spec::Line;

/// The learner's text, as its messages call it.
pub const SOURCE_NAME: &str = "kernel.cu";
/// Where the shared object lies when the child has ended, from its working directory.
pub const LIBRARY_FILE: &str = "out/kernel.so";
/// A larger one is not taken.
pub const LIBRARY_BYTES: u64 = 16 << 20;

const HEADER_NAME: &str = "cuda_on_cpu.h";
const HEADERS: [(&str, &str); 6] = [
    (HEADER_NAME, include_str!("../../../host/cuda_on_cpu.h")),
    ("fibers.h", include_str!("../../../host/fibers.h")),
    ("dynamic.h", include_str!("../../../host/dynamic.h")),
    ("sixteen.h", include_str!("../../../host/sixteen.h")),
    ("cuda_fp16.h", include_str!("../../../host/cuda_fp16.h")),
    ("cuda_bf16.h", include_str!("../../../host/cuda_bf16.h")),
];
/// Headers of the toolkit that say nothing beyond ours.
const EMPTY_HEADERS: [&str; 3] = ["cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h"];
const COMPILERS: [&str; 2] = ["/usr/bin/g++", "/bin/g++"];
/// The compiler's messages beyond this are not kept.
const LOG_BYTES: u64 = 64 * 1024;

/// Exported for every kernel that is to be launched; the learner's text ends before it.
const EXPORT_NAME: &str = "export";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompileSpec {
    pub text: String,
    /// Functions that must be in it.
    pub kernels: Vec<String>,
    pub cpu_seconds: u64,
    pub memory_bytes: u64,
}

pub fn compiler() -> Option<&'static Path> {
    COMPILERS.iter().map(Path::new).find(|path| path.is_file())
}

pub fn run(spec: &CompileSpec) -> Line {
    let infrastructure = |message: String| Line::Failed { kind: FailureKind::ChildCouldNotStart, message };
    let Some(compiler) = compiler() else {
        return infrastructure(
            "this machine has no g++, which compiles a learner's kernel here; install g++".to_owned(),
        );
    };
    let limits = Limits {
        cpu_seconds: spec.cpu_seconds,
        data_bytes: Some(spec.memory_bytes),
        address_bytes: Some(spec.memory_bytes),
        file_bytes: LIBRARY_BYTES,
        files: 64,
    };
    let ready = folders()
        .map_err(|error| format!("the compiler's folders could not be made: {}", error.kind()))
        .and_then(|(source, out)| {
            limits::apply(&limits).map_err(|error| format!("the limits could not be set: {error}"))?;
            sandbox::enter(&sandbox::compile(&source, &out)).map_err(|error| error.to_string())?;
            Ok((source, out))
        });
    let (source, out) = match ready {
        Ok(folders) => folders,
        Err(message) => return infrastructure(message),
    };
    super::end_with_supervisor();
    match compile(compiler, &whole_text(spec), &source, &out) {
        Ok((status, _)) if status.success() => Line::Finished,
        Ok((status, log)) => Line::Failed { kind: FailureKind::Lab, message: why(spec, status, &log) },
        Err(error) => infrastructure(format!("the compiler could not be run: {error}")),
    }
}

/// The working folder with our header, and the folder for what is made. Both private to the job.
fn folders() -> std::io::Result<(PathBuf, PathBuf)> {
    let here = std::env::current_dir()?;
    let (source, out) = (here.join("source"), here.join("out"));
    fs::create_dir(&source)?;
    fs::create_dir(&out)?;
    for (name, text) in HEADERS {
        fs::write(source.join(name), text)?;
    }
    for name in EMPTY_HEADERS {
        fs::write(source.join(name), format!("#include \"{HEADER_NAME}\"\n"))?;
    }
    Ok((source, out))
}

fn whole_text(spec: &CompileSpec) -> String {
    let exports: String = spec.kernels.iter().map(|kernel| format!("VRAMLAB_KERNEL({kernel})\n")).collect();
    format!(
        "#include \"{HEADER_NAME}\"\n#line 1 \"{SOURCE_NAME}\"\n{}\n#line 1 \"{EXPORT_NAME}\"\n{exports}",
        rewritten(&spec.text.replace("\r\n", "\n"))
    )
}

fn compile(compiler: &Path, text: &str, source: &Path, out: &Path) -> std::io::Result<(ExitStatus, String)> {
    let mut child = Command::new(compiler)
        .args(["-std=c++17", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing", "-pipe"])
        .args(["-Wall", "-Wno-unused-function", "-Wno-unused-variable", "-Wno-unknown-pragmas", "-fmax-errors=20"])
        .args(["-fno-diagnostics-show-caret", "-fdiagnostics-color=never", "-fno-diagnostics-show-option"])
        .args(["-static-libgcc", "-static-libstdc++", "-Wl,-z,defs,-z,now,-z,noexecstack"])
        .arg("-I")
        .arg(source)
        .args(["-x", "c++", "-", "-o"])
        .arg(out.join("kernel.so"))
        .env_clear()
        .envs([("PATH", "/usr/bin:/bin"), ("LC_ALL", "C")])
        .env("TMPDIR", out)
        .current_dir(source)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    // The compiler reads all of its input before it says much; what it says while we write fits into the pipe or waits there.
    let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
    let reader = std::thread::spawn(move || {
        let mut log = Vec::new();
        if let Some(mut stderr) = stderr {
            let _ = stderr.by_ref().take(LOG_BYTES).read_to_end(&mut log);
            let _ = std::io::copy(&mut stderr, &mut std::io::sink());
        }
        log
    });
    if let Some(mut stdin) = stdin {
        // A compiler that gave up early has closed its end; its status says why.
        let _ = stdin.write_all(text.as_bytes());
    }
    let status = child.wait()?;
    let log = reader.join().unwrap_or_default();
    Ok((status, String::from_utf8_lossy(&log).into_owned()))
}

/// SIGXCPU and SIGKILL of its parts reach us through the compiler's own words.
fn why(spec: &CompileSpec, status: ExitStatus, log: &str) -> String {
    if status.signal().is_some() || log.contains("CPU time limit") || log.contains("Killed signal") {
        return format!("{SOURCE_NAME}: compiling took more than {} s of processor time", spec.cpu_seconds);
    }
    if log.contains("out of memory") || log.contains("cannot allocate") || log.contains("Cannot allocate") {
        return format!("{SOURCE_NAME}: compiling took more than {} MiB of memory", spec.memory_bytes >> 20);
    }
    if log.contains("File size limit") || log.contains("File too large") {
        return format!("{SOURCE_NAME}: what it compiles to has more than {} MiB", LIBRARY_BYTES >> 20);
    }
    format!("{SOURCE_NAME} does not compile:\n{}", told::lines(log))
}
