//! `gpu_runner devices`: what this machine has, and what class of evidence each would give.
//!
//! Drivers are asked in a process of their own: one that hangs or crashes takes nothing else with it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use evidence::{DeviceFacts, EvidenceClass};
use labs::run::DeviceError;
use serde::{Deserialize, Serialize};

use crate::backend::{BackendName, cpu::Cpu, cuda, wgpu};
use crate::child::{compile, sandbox};

/// What the asking process says, one to a line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Device(DeviceFacts),
    None { backend: BackendName, why: String },
}

/// A driver that has not answered by then will not.
const PATIENCE: Duration = Duration::from_secs(20);

pub fn main() -> ExitCode {
    let (mut child, lines) = match start() {
        Ok(both) => both,
        Err(error) => {
            eprintln!("gpu_runner: the drivers cannot be asked: {error}");
            return ExitCode::FAILURE;
        }
    };
    println!("learner code: {}", learner_code());
    println!("kernels for cards: {}", for_cards());
    let mut silent = false;
    loop {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) => match serde_json::from_str::<Answer>(&line) {
                Ok(Answer::Device(facts)) => println!("{}", told(&facts)),
                Ok(Answer::None { backend, why }) => println!("{:<5} none: {why}", backend.id()),
                Err(error) => eprintln!("gpu_runner: an answer that cannot be read: {error}"),
            },
            Err(mpsc::RecvTimeoutError::Timeout) => {
                silent = true;
                let _ = child.kill();
                break;
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    match child.wait() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        _ if silent => {
            eprintln!("gpu_runner: a driver did not answer within {} s", PATIENCE.as_secs());
            ExitCode::FAILURE
        }
        _ => {
            eprintln!("gpu_runner: a driver ended the process that asked it; the devices above answered before");
            ExitCode::FAILURE
        }
    }
}

/// Whether this machine would run a learner's kernel, and if not, what it lacks.
fn learner_code() -> String {
    match (sandbox::probe(), compile::compiler()) {
        (Err(error), _) => format!("refused: {error}"),
        (Ok(()), None) => "refused: this machine has no g++, which compiles a kernel for the processor".to_owned(),
        (Ok(()), Some(_)) => "taken, in CUDA C++ on the processor: CPU evidence".to_owned(),
    }
}

/// Whether reports would say what a learner's kernel takes of a card.
fn for_cards() -> String {
    match crate::child::resources::find(None) {
        Ok(Some(library)) => format!("compiled by {}, for registers, shared memory and spills", library.file.display()),
        Ok(None) | Err(_) => {
            "not compiled: no libnvrtc.so.12; pip install nvidia-cuda-nvrtc-cu12 and name its folder with \
                              run --nvrtc or serve --nvrtc"
                .to_owned()
        }
    }
}

/// Starts the process that asks, and reads what it says.
fn start() -> std::io::Result<(Child, mpsc::Receiver<String>)> {
    let mut command = Command::new(std::env::current_exe()?);
    // Mesa complains on standard error about a session that a service does not have.
    command.arg("probe").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let (sender, lines) = mpsc::channel();
    if let Some(out) = child.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
    }
    Ok((child, lines))
}

/// The first device of a backend as its driver describes it; `None` when none answers.
pub fn first(backend: BackendName) -> Option<DeviceFacts> {
    let (mut child, lines) = start().ok()?;
    let mut found = None;
    while found.is_none() {
        let Ok(line) = lines.recv_timeout(PATIENCE) else { break };
        match serde_json::from_str(&line) {
            Ok(Answer::Device(facts)) if backend.makes(facts.backend) => found = Some(facts),
            Ok(Answer::None { backend: none, .. }) if none == backend => break,
            _ => {}
        }
    }
    // It may still ask other drivers; nobody waits for them.
    let _ = child.kill();
    let _ = child.wait();
    found
}

/// The process that asks: one line of JSON for each device, or for a backend that has none.
pub fn probe() -> ExitCode {
    let mut out = std::io::stdout().lock();
    for backend in BackendName::ALL {
        let found = match backend {
            BackendName::Cpu => Ok(vec![labs::run::Device::facts(&Cpu::with(0, 0))]),
            BackendName::Wgpu => Ok(wgpu::adapters().iter().map(|adapter| wgpu::facts(&adapter.get_info())).collect()),
            BackendName::Cuda => cuda::devices(),
        };
        let answers = match found {
            Ok(devices) if devices.is_empty() => vec![Answer::None { backend, why: "no device".to_owned() }],
            Ok(devices) => devices.into_iter().map(Answer::Device).collect(),
            Err(DeviceError::Backend { message, .. }) => vec![Answer::None { backend, why: message }],
            Err(error) => vec![Answer::None { backend, why: error.to_string() }],
        };
        for answer in answers {
            let written = serde_json::to_writer(&mut out, &answer).map_err(std::io::Error::from);
            if written.and_then(|()| writeln!(out)).and_then(|()| out.flush()).is_err() {
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn told(facts: &DeviceFacts) -> String {
    let class = match facts.evidence_class() {
        EvidenceClass::Gpu => "GPU evidence",
        EvidenceClass::Cpu => "CPU evidence",
        EvidenceClass::Theory | EvidenceClass::Unproven => "no evidence",
    };
    let driver = facts.driver.as_deref().map(|driver| format!(", {driver}")).unwrap_or_default();
    format!("{:<5} {}{driver}: {class}", facts.backend.id(), facts.name)
}
