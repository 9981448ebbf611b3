//! A lab run here, in a child process: what `run` and `bench` share.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use labs::Lab;
use protocol::{KernelSource, ParamValue, Params};

use crate::backend::{BackendName, labs_for};
use crate::child::resources::Library;
use crate::child::{Line, Spec};
use crate::supervisor::process::ChildProgram;
use crate::supervisor::{Ending, Run, Stop, sweep};

pub fn parse_param(text: &str) -> Result<(String, ParamValue), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, for example rows=1024")?;
    let value = value.parse::<u64>().map_or_else(|_| ParamValue::from(value), ParamValue::from);
    Ok((name.to_owned(), value))
}

/// The lab of this name that the backend can run.
pub fn find(name: &str, backend: BackendName) -> Result<&'static Lab, ExitCode> {
    let known = labs_for(backend);
    known.iter().find(|lab| lab.id == name).copied().ok_or_else(|| {
        let ids: Vec<&str> = known.iter().map(|lab| lab.id.as_str()).collect();
        eprintln!("gpu_runner: no lab {name:?} for the backend {}; there are: {}", backend.id(), ids.join(", "));
        ExitCode::from(2)
    })
}

/// A preset's values, and what is given besides in their place.
pub fn params(lab: &Lab, preset: Option<&str>, given: &[(String, ParamValue)]) -> Result<Params, ExitCode> {
    let mut all: Vec<(String, ParamValue)> = Vec::new();
    if let Some(name) = preset {
        let Some(values) = lab.presets.get(name) else {
            let known: Vec<&str> = lab.presets.keys().map(String::as_str).collect();
            eprintln!("gpu_runner: {} has no preset {name:?}; it has: {}", lab.id, known.join(", "));
            return Err(ExitCode::from(2));
        };
        let free = values.iter().filter(|(name, _)| !given.iter().any(|(other, _)| other == *name));
        all.extend(free.map(|(name, value)| (name.clone(), ParamValue::from(*value))));
    }
    let mut params = Params::new();
    for (name, value) in all.iter().chain(given) {
        if let Err(error) = params.insert(name, value.clone()) {
            eprintln!("gpu_runner: {error}");
            return Err(ExitCode::from(2));
        }
    }
    Ok(params)
}

/// The report's bytes; stages go to standard error, and why there is none.
pub fn execute(
    lab: &Lab,
    backend: BackendName,
    params: &Params,
    kernel: Option<&KernelSource>,
    nvrtc: Option<&Library>,
) -> Result<Vec<u8>, ExitCode> {
    sweep();
    let timeout = Duration::from_secs(lab.timeout_s);
    let spec = Spec {
        lab: lab.id.clone(),
        params: super::params(params.iter()),
        backend,
        cpu_seconds: crate::backend::cpu_seconds(timeout),
        memory_bytes: None,
        replaced: None,
    };
    let (program, stop) =
        ChildProgram::this().and_then(|program| Ok((program, Stop::on_signals()?))).map_err(|error| {
            eprintln!("gpu_runner: cannot start: {error}");
            ExitCode::FAILURE
        })?;
    let (sender, events) = mpsc::channel();
    let started = Instant::now();
    let run = Run { program: &program, spec: &spec, kernel, nvrtc, timeout, stop: &stop };
    let ending = run.watch(&sender, &events, &mut |line| match line {
        Line::Stage(stage) => eprintln!("{:>7.1} s  {}", started.elapsed().as_secs_f64(), stage.id()),
        Line::Note(text) => eprintln!("{:>7.1} s  {text}", started.elapsed().as_secs_f64()),
        Line::Failed { .. } | Line::Resources(_) | Line::Finished => {}
    });
    match ending {
        Ending::Report(bytes) => Ok(bytes),
        Ending::Failed { kind: protocol::FailureKind::Parameters, message } => {
            eprintln!("gpu_runner: {message}");
            Err(ExitCode::from(2))
        }
        Ending::Failed { kind, message } => {
            eprintln!("gpu_runner: no report ({kind}): {message}");
            Err(ExitCode::FAILURE)
        }
        Ending::Stopped | Ending::Withdrawn { .. } => {
            eprintln!("gpu_runner: stopped before the lab ended");
            Err(ExitCode::FAILURE)
        }
    }
}

/// Complete or not there: a report that was half written would look like a broken one.
pub fn write(out: &Path, bytes: &[u8]) -> Result<(), ExitCode> {
    persist(out, bytes).map_err(|error| {
        eprintln!("gpu_runner: {}: {error}", out.display());
        ExitCode::FAILURE
    })
}

fn persist(out: &Path, bytes: &[u8]) -> io::Result<()> {
    if out == Path::new("-") {
        return io::stdout().lock().write_all(bytes);
    }
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // As any file the user makes: the umask decides who reads it.
    let usual = fs::Permissions::from_mode(0o666);
    let mut file = tempfile::Builder::new().prefix(".report-").permissions(usual).tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.persist(out)?;
    Ok(())
}
