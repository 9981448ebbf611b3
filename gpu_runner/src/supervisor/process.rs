//! One child process: started with nothing of ours, watched, and ended by its process group.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use protocol::limits::REPORT_BYTES;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::folder::{Folder, Kind};
use crate::child::{Line, MAX_LINE_BYTES, REPORT_FILE, Task};
use crate::listener::hear_out;

/// A child says a few stages and notes; more is not listened to.
const MOST_LINES: usize = 1000;
const STDERR_BYTES: usize = 4096;

/// What happens to a child, and to the lease of its job.
#[derive(Debug)]
pub enum Event {
    Line(Line),
    OutputEnded,
    /// It ended, and is not yet reaped: its process group still has its number.
    Exited,
    LeaseLost {
        why: String,
    },
}

/// What is started as the child.
#[derive(Debug, Clone)]
pub struct ChildProgram {
    pub program: PathBuf,
    pub args: Vec<OsString>,
}

impl ChildProgram {
    /// This program again, as `gpu_runner child`.
    pub fn this() -> io::Result<Self> {
        Ok(Self { program: std::env::current_exe()?, args: vec!["child".into()] })
    }
}

pub struct Running {
    child: Child,
    group: Pid,
    /// Open for as long as the child may live: its end tells the child that we are gone.
    stdin: Option<ChildStdin>,
    stderr: Arc<Mutex<Vec<u8>>>,
    /// Ends with the standard error.
    listener: Option<JoinHandle<()>>,
    dir: Folder,
    reaped: bool,
}

impl Running {
    pub fn start(program: &ChildProgram, task: &Task, events: &Sender<Event>) -> io::Result<Self> {
        let dir = Folder::new(Kind::Job)?;
        let mut line = serde_json::to_vec(task)?;
        line.push(b'\n');
        let mut child = Command::new(&program.program)
            .args(&program.args)
            .env_clear()
            .envs(task.environment())
            .current_dir(dir.path())
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let tail = Arc::new(Mutex::new(Vec::new()));
        let group = Pid::from_child(&child);
        let mut running = Self { child, group, stdin, stderr: Arc::clone(&tail), listener: None, dir, reaped: false };

        if let Some(stdout) = stdout {
            let events = events.clone();
            thread::spawn(move || read_lines(stdout, &events));
        }
        if let Some(stderr) = stderr {
            running.listener = Some(thread::spawn(move || keep_tail(stderr, &tail)));
        }
        let events = events.clone();
        thread::spawn(move || {
            let _ =
                rustix::io::retry_on_intr(|| waitid(WaitId::Pid(group), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT));
            let _ = events.send(Event::Exited);
        });
        // A child that ends before it reads its task is told from its status.
        match running.stdin.as_mut().map(|stdin| stdin.write_all(&line)) {
            Some(Err(error)) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(running),
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends the whole group, whatever it does, and reaps the child.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        if !self.reaped {
            // Not reaped yet, so the number cannot belong to anyone else.
            let _ = kill_process_group(self.group, Signal::KILL);
            self.reaped = true;
        }
        self.child.wait()
    }

    /// What was said last, once the pipe is empty.
    pub fn stderr_tail(&self) -> String {
        if let Some(listener) = &self.listener {
            hear_out(listener);
        }
        String::from_utf8_lossy(&self.stderr.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }

    /// At most one byte more than a report may have, so that a longer one shows.
    pub fn report(&self) -> Option<Vec<u8>> {
        read_regular(self.dir.path(), REPORT_FILE, REPORT_BYTES as u64 + 1)
    }

    /// A file that the child made, unless it is longer than `most` bytes.
    pub fn file(&self, name: &str, most: u64) -> Option<Vec<u8>> {
        read_regular(self.dir.path(), name, most.saturating_add(1)).filter(|bytes| bytes.len() as u64 <= most)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// `None` for anything but a regular file in plain folders: a link could point at a file that only we may read, and opening a pipe
/// would wait for ever.
fn read_regular(folder: &Path, name: &str, most: u64) -> Option<Vec<u8>> {
    let mut path = folder.to_owned();
    for part in Path::new(name) {
        if !fs::symlink_metadata(&path).ok()?.is_dir() {
            return None;
        }
        path.push(part);
    }
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = File::options().read(true).custom_flags(flags).open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn read_lines(stdout: impl Read, events: &Sender<Event>) {
    let mut input = BufReader::new(stdout);
    for _ in 0..MOST_LINES {
        let mut line = Vec::new();
        match (&mut input).take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        // What is no line of ours is noise of a library.
        if let Ok(line) = serde_json::from_slice(&line)
            && events.send(Event::Line(line)).is_err()
        {
            return;
        }
    }
    let _ = events.send(Event::OutputEnded);
}

fn keep_tail(mut stderr: impl Read, tail: &Mutex<Vec<u8>>) {
    let mut block = [0; 1024];
    while let Ok(read @ 1..) = stderr.read(&mut block) {
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend_from_slice(&block[..read]);
        let surplus = tail.len().saturating_sub(STDERR_BYTES);
        tail.drain(..surplus);
    }
}
