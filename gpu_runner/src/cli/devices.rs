//! `gpu_runner devices`: what this machine has, and what class of evidence each would give.
//!
//! Drivers are asked in a process of their own: one that hangs or crashes takes nothing else with it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use evidence::{DeviceFacts, EvidenceClass};

use crate::backend::{BackendName, cpu::Cpu, wgpu};

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
    let mut silent = false;
    loop {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) => match serde_json::from_str::<DeviceFacts>(&line) {
                Ok(facts) => println!("{}", told(&facts)),
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
        found = serde_json::from_str::<DeviceFacts>(&line).ok().filter(|facts| facts.backend == backend.evidence());
    }
    // It may still ask other drivers; nobody waits for them.
    let _ = child.kill();
    let _ = child.wait();
    found
}

/// The process that asks: one line of JSON for each device.
pub fn probe() -> ExitCode {
    let mut out = std::io::stdout().lock();
    for backend in BackendName::ALL {
        let devices = match backend {
            BackendName::Cpu => vec![labs::run::Device::facts(&Cpu::with(0, 0))],
            BackendName::Wgpu => wgpu::adapters().iter().map(|adapter| wgpu::facts(&adapter.get_info())).collect(),
        };
        for facts in devices {
            let written = serde_json::to_writer(&mut out, &facts).map_err(std::io::Error::from);
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
