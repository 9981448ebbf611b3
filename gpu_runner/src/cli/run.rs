use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use protocol::limits::KERNEL_BYTES;
use protocol::{KernelLanguage, KernelSource, KernelText, ParamValue, Params};

use crate::backend::{BackendName, labs_for};
use crate::child::{Line, Spec};
use crate::supervisor::process::ChildProgram;
use crate::supervisor::{Ending, Run, Stop};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The lab's id, for example rmsnorm.
    lab: String,
    #[arg(long, value_enum, default_value = "cpu")]
    backend: BackendName,
    /// Where the report goes; `-` writes it to standard output.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// A parameter of the lab, as name=value; can be given several times.
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parse_param)]
    params: Vec<(String, ParamValue)>,
    /// Your own code for the kernel that the lab lets be replaced: FILE.cu in CUDA C++.
    #[arg(long, value_name = "FILE")]
    kernel: Option<PathBuf>,
}

fn parse_param(text: &str) -> Result<(String, ParamValue), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, for example rows=1024")?;
    let value = value.parse::<u64>().map_or_else(|_| ParamValue::from(value), ParamValue::from);
    Ok((name.to_owned(), value))
}

pub fn main(args: &Args) -> ExitCode {
    super::logging::start();
    let known = labs_for(args.backend);
    let Some(lab) = known.iter().find(|lab| lab.id == args.lab) else {
        let ids: Vec<&str> = known.iter().map(|lab| lab.id.as_str()).collect();
        eprintln!(
            "gpu_runner: no lab {:?} for the backend {}; there are: {}",
            args.lab,
            args.backend.id(),
            ids.join(", ")
        );
        return ExitCode::from(2);
    };
    let mut params = Params::new();
    for (name, value) in &args.params {
        if let Err(error) = params.insert(name, value.clone()) {
            eprintln!("gpu_runner: {error}");
            return ExitCode::from(2);
        }
    }
    let kernel = match args.kernel.as_deref().map(read_kernel).transpose() {
        Ok(kernel) => kernel,
        Err(error) => {
            eprintln!("gpu_runner: {error}");
            return ExitCode::from(2);
        }
    };
    let timeout = Duration::from_secs(lab.timeout_s);
    let spec = Spec {
        lab: lab.id.clone(),
        params: super::params(params.iter()),
        backend: args.backend,
        cpu_seconds: timeout.as_secs().saturating_mul(2).saturating_add(10),
        memory_bytes: None,
        replaced: None,
    };
    let (program, stop) = match ChildProgram::this().and_then(|program| Ok((program, Stop::on_signals()?))) {
        Ok(both) => both,
        Err(error) => {
            eprintln!("gpu_runner: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let (sender, events) = mpsc::channel();
    let started = Instant::now();
    let run = Run { program: &program, spec: &spec, kernel: kernel.as_ref(), timeout, stop: &stop };
    let ending = run.watch(&sender, &events, &mut |line| match line {
        Line::Stage(stage) => eprintln!("{:>7.1} s  {}", started.elapsed().as_secs_f64(), stage.id()),
        Line::Note(text) => eprintln!("{:>7.1} s  {text}", started.elapsed().as_secs_f64()),
        Line::Failed { .. } | Line::Finished => {}
    });
    match ending {
        Ending::Report(bytes) => match write(&args.out, &bytes) {
            Ok(()) => {
                eprintln!("{:>7.1} s  report: {}", started.elapsed().as_secs_f64(), args.out.display());
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("gpu_runner: {}: {error}", args.out.display());
                ExitCode::FAILURE
            }
        },
        Ending::Failed { kind: protocol::FailureKind::Parameters, message } => {
            eprintln!("gpu_runner: {message}");
            ExitCode::from(2)
        }
        Ending::Failed { kind, message } => {
            eprintln!("gpu_runner: no report ({kind}): {message}");
            ExitCode::FAILURE
        }
        Ending::Stopped | Ending::Withdrawn { .. } => {
            eprintln!("gpu_runner: stopped before the lab ended");
            ExitCode::FAILURE
        }
    }
}

fn read_kernel(path: &Path) -> Result<KernelSource, String> {
    let place = path.display();
    let language = match path.extension().and_then(|extension| extension.to_str()) {
        Some("cu") => KernelLanguage::Cuda,
        Some("wgsl") => KernelLanguage::Wgsl,
        _ => return Err(format!("{place}: expected a file that ends in .cu or .wgsl")),
    };
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| format!("{place}: {error}"))?;
    // One byte more than allowed, so that a longer one shows.
    file.take(KERNEL_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|error| format!("{place}: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{place}: expected UTF-8 text"))?;
    let text = KernelText::try_from(text).map_err(|error| format!("{place}: {error}"))?;
    Ok(KernelSource { language, text })
}

/// Complete or not there: a report that was half written would look like a broken one.
fn write(out: &Path, bytes: &[u8]) -> io::Result<()> {
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
