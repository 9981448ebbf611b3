//! The first stage of a run with a learner's code: from its text to a shared object, in a child that runs nothing of it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::Instant;

use evidence::KernelResources;
use labs::run::Exercise;
use protocol::{FailureKind, KernelLanguage, KernelSource};
use sha2::{Digest as _, Sha256};

use super::ending::{self, Ending};
use super::folder::{Folder, Kind};
use super::job::{Run, Wires};
use super::resources::resources;
use crate::child::compile::{CompileSpec, LIBRARY_BYTES, LIBRARY_FILE};
use crate::child::{Code, Line, Replaced, Spec, Task, sandbox};

/// Of processor time, for each part of the compiler.
pub(super) const CPU_SECONDS: u64 = 10;
/// Of each part of the compiler; the largest kernels here take a tenth.
pub(super) const MEMORY_BYTES: u64 = 2 << 30;

/// The folder lives as long as the run that loads from it.
pub struct Compiled {
    pub replaced: Replaced,
    _folder: Option<Folder>,
}

pub fn compile(
    run: &Run<'_>,
    source: &KernelSource,
    deadline: Instant,
    wires: &mut Wires<'_>,
) -> Result<Compiled, Ending> {
    let exercise = exercise_of(run.spec, source)?;
    let kernel = exercise.kernel;
    // Without both halves of the sandbox nothing of a learner runs, on no machine.
    sandbox::probe().map_err(|error| {
        Ending::failed(FailureKind::ChildCouldNotStart, format!("learner code is not run on this machine: {error}"))
    })?;
    let replaced = |code: Code, resources: Option<KernelResources>| Replaced {
        kernel: kernel.to_owned(),
        language: source.language,
        sha256: Sha256::digest(source.text.as_str().as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect(),
        code,
        resources,
    };
    match source.language {
        // The device's library compiles it, in the process that has the device.
        KernelLanguage::Wgsl => {
            Ok(Compiled { replaced: replaced(Code::Text(source.text.clone()), None), _folder: None })
        }
        KernelLanguage::Cuda => {
            let (folder, library) = library(run, kernel, source, deadline, wires)?;
            let resources = resources(run, exercise, source.text.as_str(), deadline, wires)?;
            Ok(Compiled { replaced: replaced(Code::Library(library), resources), _folder: Some(folder) })
        }
    }
}

/// From the text to a shared object in a folder of its own.
fn library(
    run: &Run<'_>,
    kernel: &'static str,
    source: &KernelSource,
    deadline: Instant,
    wires: &mut Wires<'_>,
) -> Result<(Folder, PathBuf), Ending> {
    wires.line(&Line::Stage(labs::run::Stage::Compiling));
    let task = Task::Compile(CompileSpec {
        text: source.text.as_str().to_owned(),
        kernels: vec![kernel.to_owned()],
        cpu_seconds: CPU_SECONDS,
        memory_bytes: MEMORY_BYTES,
    });
    let left = run.stage(&task, deadline, wires)?;
    match &left.last {
        Some(Line::Failed { kind, message }) => return Err(Ending::failed(*kind, message.clone())),
        Some(Line::Finished) if left.status.success() => {}
        _ => return Err(ending::broken(left.status, &left.stderr, CPU_SECONDS)),
    }
    let library = left.running.file(LIBRARY_FILE, LIBRARY_BYTES).ok_or_else(|| {
        Ending::failed(FailureKind::Lab, "what the kernel compiled to is missing, is no plain file, or is too large")
    })?;
    keep(&library).map_err(|error| {
        Ending::failed(
            FailureKind::ChildCouldNotStart,
            format!("the compiled kernel could not be kept: {}", error.kind()),
        )
    })
}

/// What this runner takes: for a lab that has such an exercise, CUDA C++ on the processor and WGSL on an adapter.
fn exercise_of(spec: &Spec, source: &KernelSource) -> Result<&'static Exercise, Ending> {
    let Some(exercise) = labs::run::exercise(&spec.lab) else {
        return Err(Ending::failed(FailureKind::Lab, format!("the lab {} lets no kernel be replaced", spec.lab)));
    };
    if source.language.backend() == spec.backend.id() {
        return Ok(exercise);
    }
    Err(Ending::failed(
        FailureKind::UnknownLab,
        format!(
            "this runner takes no learner code in {} on the backend {}; it takes cuda on cpu and wgsl on wgpu",
            source.language,
            spec.backend.id()
        ),
    ))
}

/// In a folder of its own: neither the compiler nor the lab nor the code itself has the right to write there.
fn keep(library: &[u8]) -> std::io::Result<(Folder, PathBuf)> {
    let folder = Folder::new(Kind::Kernel)?;
    let path = folder.path().join("kernel.so");
    fs::write(&path, library)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400))?;
    Ok((folder, path))
}
