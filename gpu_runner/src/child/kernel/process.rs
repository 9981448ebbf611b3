//! The kernel's process as the lab's process sees it: started, asked launch by launch, and told apart when it ends.

use std::io::{self, BufReader, BufWriter, Read, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::wire::{Answer, Geometry, KernelTask, Pushed, WireError, read_answer, write_launch};
use crate::child::spec::{Replaced, Spec};
use crate::listener::hear_out;

/// Of processor time, over all launches.
const CPU_SECONDS: u64 = 60;
/// One launch, by the clock on the wall.
const LAUNCH: Duration = Duration::from_secs(20);
/// A learner's code never needs more: the largest launch of a lab, and the stacks of a block.
const MEMORY_BYTES: u64 = 2 << 30;
/// Of what the code prints.
const PRINTED_BYTES: usize = 1024;

/// A launch that owns its arguments, so that another thread can send it.
pub struct Launch {
    pub geometry: Geometry,
    pub arguments: Vec<Argument>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    In(Vec<f32>),
    Out(Vec<f32>),
    U32(u32),
    F32(f32),
}

/// Two steps, because between them the lab's process shuts itself in: only the first may start a program, only the second a thread.
pub struct Started {
    child: Child,
    kernel: String,
    task: KernelTask,
}

pub struct KernelProcess {
    child: Child,
    kernel: String,
    launches: Sender<Launch>,
    answers: Receiver<Result<Answer, WireError>>,
    printed: Arc<Mutex<Vec<u8>>>,
    /// Ends when the process has nothing more to say.
    listener: JoinHandle<()>,
    cpu_seconds: u64,
}

impl Started {
    pub fn start(library: &Path, replaced: &Replaced, spec: &Spec) -> io::Result<Self> {
        let child = Command::new(std::env::current_exe()?)
            .arg("kernel")
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let task = KernelTask {
            library: library.to_owned(),
            kernels: vec![replaced.kernel.clone()],
            cpu_seconds: spec.cpu_seconds.min(CPU_SECONDS),
            memory_bytes: spec.memory_bytes.map_or(MEMORY_BYTES, |bytes| bytes.min(MEMORY_BYTES)),
        };
        Ok(Self { child, kernel: replaced.kernel.clone(), task })
    }

    /// Loads the code. An error is the learner's to mend.
    pub fn load(mut self) -> Result<KernelProcess, String> {
        let pipes = (self.child.stdin.take(), self.child.stdout.take(), self.child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err("the kernel's process has no pipes".to_owned());
        };
        let printed = Arc::new(Mutex::new(Vec::new()));
        let cpu_seconds = self.task.cpu_seconds;
        let (launches, answers) = talk(stdin, stdout, self.task);
        let keep = Arc::clone(&printed);
        let listener = thread::spawn(move || keep_printed(stderr, &keep));
        let mut process =
            KernelProcess { child: self.child, kernel: self.kernel, launches, answers, printed, listener, cpu_seconds };
        process.answer().map(|_| process)
    }
}

impl KernelProcess {
    /// The written buffers.
    pub fn launch(&mut self, launch: Launch) -> Result<Vec<Vec<f32>>, String> {
        // When no one listens the process has ended, and the answer says how.
        let _ = self.launches.send(launch);
        self.answer()
    }

    fn answer(&mut self) -> Result<Vec<Vec<f32>>, String> {
        match self.answers.recv_timeout(LAUNCH) {
            Ok(Ok(Answer::Done(written))) => Ok(written),
            Ok(Ok(Answer::Fault(message))) => Err(message),
            Ok(Err(WireError::Form(what))) => {
                self.end();
                Err(format!("{}'s process did not answer as it should ({what})", self.kernel))
            }
            Ok(Err(WireError::Io(_))) | Err(RecvTimeoutError::Disconnected) => Err(self.obituary()),
            Err(RecvTimeoutError::Timeout) => {
                self.end();
                Err(format!("{} did not end within {} s", self.kernel, LAUNCH.as_secs()))
            }
        }
    }

    /// Ends the process; what its code printed, as one line of at most so much. The pipe may hold the last of it still.
    pub fn printed(&mut self) -> Option<String> {
        self.end();
        hear_out(&self.listener);
        let bytes = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        let text: String =
            String::from_utf8_lossy(&bytes).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        (!text.trim().is_empty()).then(|| text.trim().to_owned())
    }

    /// How it ended, for whoever wrote the code.
    fn obituary(&mut self) -> String {
        let kernel = &self.kernel;
        let Ok(status) = self.child.wait() else { return format!("{kernel}'s process was lost") };
        let why = match (status.signal(), status.code()) {
            (Some(libc::SIGSEGV | libc::SIGBUS), _) => {
                "touched memory outside its buffers, or wrote to an input".to_owned()
            }
            (Some(libc::SIGSYS), _) => {
                "asked the system for something that a kernel may not do: a file, a process, the network".to_owned()
            }
            (Some(libc::SIGXCPU), _) => format!("took more than {} s of processor time", self.cpu_seconds),
            (Some(libc::SIGKILL), _) => "was ended by the system, for its time or its memory".to_owned(),
            (Some(libc::SIGFPE), _) => "divided an integer by zero".to_owned(),
            (Some(libc::SIGABRT), _) => "gave up: a failed assertion, or no memory".to_owned(),
            (Some(libc::SIGILL | libc::SIGTRAP), _) => {
                "ran into code that cannot be reached by a correct program".to_owned()
            }
            (Some(signal), _) => format!("was ended by signal {signal}"),
            (None, code) => format!("ended its process with status {}", code.unwrap_or(-1)),
        };
        format!("{kernel} {why}")
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for KernelProcess {
    fn drop(&mut self) {
        self.end();
    }
}

/// One thread sends and receives, so that neither a full pipe nor an endless kernel holds up the clock.
fn talk(
    stdin: ChildStdin,
    stdout: ChildStdout,
    task: KernelTask,
) -> (Sender<Launch>, Receiver<Result<Answer, WireError>>) {
    let (launches, queue) = mpsc::channel::<Launch>();
    let (answer, answers) = mpsc::channel();
    thread::spawn(move || {
        let (mut out, mut input) = (BufWriter::new(stdin), BufReader::new(stdout));
        let told = serde_json::to_writer(&mut out, &task)
            .map_err(io::Error::from)
            .and_then(|()| out.write_all(b"\n"))
            .and_then(|()| out.flush());
        let ready = told.map_err(WireError::from).and_then(|()| read_answer(&mut input, &[]));
        if answer.send(ready).is_err() {
            return;
        }
        for launch in queue {
            let pushed: Vec<Pushed<'_>> = launch.arguments.iter().map(pushed).collect();
            let lengths: Vec<usize> = launch.arguments.iter().filter_map(written).collect();
            // A launch that is refused half way is answered all the same.
            let sent = write_launch(&mut out, 0, launch.geometry, &pushed);
            let result = read_answer(&mut input, &lengths).and_then(|answer| match (&answer, sent) {
                (Answer::Done(_), Err(error)) => Err(error),
                _ => Ok(answer),
            });
            let over = result.is_err();
            if answer.send(result).is_err() || over {
                return;
            }
        }
    });
    (launches, answers)
}

fn pushed(argument: &Argument) -> Pushed<'_> {
    match argument {
        Argument::In(data) => Pushed::In(data),
        Argument::Out(data) => Pushed::Out(data),
        Argument::U32(value) => Pushed::U32(*value),
        Argument::F32(value) => Pushed::F32(*value),
    }
}

fn written(argument: &Argument) -> Option<usize> {
    if let Argument::Out(data) = argument { Some(data.len()) } else { None }
}

/// The first so many bytes; the rest is read, so that whoever prints does not stand still.
fn keep_printed(mut stderr: ChildStderr, printed: &Mutex<Vec<u8>>) {
    let mut block = [0; 1024];
    while let Ok(read @ 1..) = stderr.read(&mut block) {
        let mut printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
        let room = PRINTED_BYTES.saturating_sub(printed.len()).min(read);
        printed.extend_from_slice(&block[..room]);
    }
}
