use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use protocol::{DeviceClass, LabName, Offer};

use crate::backend::{BackendName, cpu};
use crate::supervisor::process::ChildProgram;
use crate::supervisor::{Options, ServeError, Served, Stop, serve};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The server's address, for example https://course.example.org
    #[arg(long, env = "VRAMLAB_SERVER", value_name = "URL")]
    server: String,
    /// A file that only you can read, with the runner's token in one line.
    #[arg(long, value_name = "FILE", env = "VRAMLAB_TOKEN_FILE")]
    token_file: PathBuf,
    /// The private key that signs reports; made on first use. Default: runner-key.pem beside the token file.
    #[arg(long, value_name = "FILE", env = "VRAMLAB_KEY_FILE")]
    key_file: Option<PathBuf>,
    /// The name shown to the instructor. Default: this machine's host name.
    #[arg(long, env = "VRAMLAB_NAME")]
    name: Option<String>,
    #[arg(long, value_enum, default_value = "cpu", env = "VRAMLAB_BACKEND")]
    backend: BackendName,
    /// End after one job.
    #[arg(long)]
    once: bool,
    /// How often to ask for a job when nothing is queued.
    #[arg(long, value_name = "MS", env = "VRAMLAB_POLL_MS", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(50..=60_000))]
    poll_ms: u64,
    /// Shorten the labs' own time limits.
    #[arg(long, value_name = "SECONDS", env = "VRAMLAB_TIMEOUT_S", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout_s: Option<u64>,
    /// Memory one run may take. Default: three quarters of the machine's.
    #[arg(long, value_name = "MIB", env = "VRAMLAB_MEMORY_MIB", value_parser = clap::value_parser!(u64).range(64..=1 << 24))]
    memory_mib: Option<u64>,
    /// A word for this machine that jobs can ask for, such as a room; may be given several times.
    #[arg(long = "label", value_name = "WORD", env = "VRAMLAB_LABELS", value_delimiter = ',')]
    labels: Vec<LabName>,
    /// Certificates (PEM) to trust instead of the public authorities.
    #[arg(long, value_name = "FILE", env = "VRAMLAB_CA_FILE")]
    ca_file: Option<PathBuf>,
    #[command(flatten)]
    nvrtc: super::NvrtcFolder,
    /// Accept plain http to another machine. Whoever can read the network can then use this runner's token.
    #[arg(long, env = "VRAMLAB_INSECURE_HTTP", value_name = "true|false", action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value_t = false)]
    insecure_http: bool,
}

pub fn main(args: Args) -> ExitCode {
    super::logging::start();
    let start = ChildProgram::this().and_then(|child| Ok((child, Stop::on_signals()?)));
    let (child, stop) = match start {
        Ok(both) => both,
        Err(error) => {
            eprintln!("gpu_runner: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    if args.labels.len() > protocol::limits::LABELS {
        eprintln!("gpu_runner: {} labels; expected at most {}", args.labels.len(), protocol::limits::LABELS);
        return ExitCode::FAILURE;
    }
    let nvrtc = match args.nvrtc.find() {
        Ok(nvrtc) => nvrtc,
        Err(error) => {
            eprintln!("gpu_runner: {error}");
            return ExitCode::from(2);
        }
    };
    let options = Options {
        offer: offer(args.backend, args.labels),
        server: args.server,
        insecure_http: args.insecure_http,
        ca_file: args.ca_file,
        key_file: args.key_file.unwrap_or_else(|| args.token_file.with_file_name("runner-key.pem")),
        token_file: args.token_file,
        name: args.name.unwrap_or_else(host_name),
        backend: args.backend,
        once: args.once,
        poll: Duration::from_millis(args.poll_ms),
        timeout: args.timeout_s.map(Duration::from_secs),
        memory_bytes: args.memory_mib.map(|mib| mib << 20).or_else(|| Some(cpu::memory_bytes()? / 4 * 3)),
        child,
        nvrtc,
    };
    // A process of the same user can otherwise read our memory, and with it the key.
    if let Err(error) = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable) {
        tracing::warn!(%error, "this process stays readable for others of the same user");
    }
    match serve(&options, &stop) {
        Ok(Served::Stopped) => {
            tracing::info!("stopped");
            ExitCode::SUCCESS
        }
        Ok(Served::Once { delivered: true }) => ExitCode::SUCCESS,
        Ok(Served::Once { delivered: false }) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("gpu_runner: {error}");
            match error {
                ServeError::Expired(_) => ExitCode::from(TOKEN_EXPIRED),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

/// No start helps before there is a new token; the unit of systemd knows this status and leaves the runner stopped. `EX_NOPERM`.
const TOKEN_EXPIRED: u8 = 77;

/// What jobs may ask of this machine. A device that does not answer now is asked again by each run.
fn offer(backend: BackendName, labels: Vec<LabName>) -> Offer {
    let facts = match backend {
        BackendName::Cpu => None,
        _ => super::devices::first(backend),
    };
    let device_class = match facts.as_ref().map(evidence::DeviceFacts::evidence_class) {
        Some(evidence::EvidenceClass::Gpu) => Some(DeviceClass::Gpu),
        Some(_) => Some(DeviceClass::Cpu),
        None => (backend == BackendName::Cpu).then_some(DeviceClass::Cpu),
    };
    let memory_bytes = match backend {
        BackendName::Cpu => cpu::memory_bytes(),
        _ => facts.and_then(|facts| facts.memory_bytes),
    };
    Offer { backends: backend.id().parse().into_iter().collect(), device_class, memory_bytes, labels }
}

fn host_name() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .map_or_else(|_| "runner".to_owned(), |name| name.trim().to_owned())
}
