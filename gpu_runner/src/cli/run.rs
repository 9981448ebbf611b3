use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use protocol::limits::KERNEL_BYTES;
use protocol::{KernelLanguage, KernelSource, KernelText, ParamValue};

use super::here::{self, parse_param};
use crate::backend::BackendName;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The lab's id, for example rmsnorm.
    lab: String,
    #[arg(long, value_enum, default_value = "cpu", env = "VRAMLAB_BACKEND")]
    backend: BackendName,
    /// Where the report goes; `-` writes it to standard output.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// A parameter of the lab, as name=value; can be given several times.
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parse_param)]
    params: Vec<(String, ParamValue)>,
    /// A preset of the lab, for example smoke; parameters given besides take precedence.
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Your own code for the kernel that the lab lets be replaced: FILE.cu in CUDA C++ (backend cpu) or FILE.wgsl (backend wgpu).
    #[arg(long, value_name = "FILE")]
    kernel: Option<PathBuf>,
    #[command(flatten)]
    nvrtc: super::NvrtcFolder,
}

pub fn main(args: &Args) -> ExitCode {
    super::logging::start();
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(code) => code,
    }
}

fn run(args: &Args) -> Result<(), ExitCode> {
    let lab = here::find(&args.lab, args.backend)?;
    let params = here::params(lab, args.preset.as_deref(), &args.params)?;
    let kernel = args.kernel.as_deref().map(read_kernel).transpose().map_err(|error| {
        eprintln!("gpu_runner: {error}");
        ExitCode::from(2)
    })?;
    let nvrtc = args.nvrtc.find().map_err(|error| {
        eprintln!("gpu_runner: {error}");
        ExitCode::from(2)
    })?;
    let started = Instant::now();
    let bytes = here::execute(lab, args.backend, &params, kernel.as_ref(), nvrtc.as_ref())?;
    here::write(&args.out, &bytes)?;
    eprintln!("{:>7.1} s  report: {}", started.elapsed().as_secs_f64(), args.out.display());
    Ok(())
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
