//! A runner of the test's own.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::{Folder, Server, binaries};

/// `gpu_runner serve`; killed when dropped.
pub struct Runner {
    child: Child,
    folder: Folder,
    origin: String,
    backend: &'static str,
}

impl Runner {
    /// Starts a runner with the token that the instructor was shown.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start(server: &Server, token: &str) -> Self {
        Self::start_at(&server.origin, token)
    }

    /// As [`Runner::start`], on Vulkan's first adapter.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start_on_wgpu(server: &Server, token: &str) -> Self {
        Self::of(&server.origin, token, "wgpu")
    }

    /// As [`Runner::start`], with the server somewhere else.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start_at(origin: &str, token: &str) -> Self {
        Self::of(origin, token, "cpu")
    }

    fn of(origin: &str, token: &str, backend: &'static str) -> Self {
        let folder = Folder::new("runner");
        let file = folder.write("runner.token", &format!("{token}\n"));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap_or_else(|error| panic!("{error}"));
        Self { child: spawn(folder.path(), origin, backend), folder, origin: origin.to_owned(), backend }
    }

    /// Ends the runner as a power cut would.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Ends it without a word and starts it again with its token and key.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn kill_and_restart(&mut self) {
        self.kill();
        self.child = spawn(self.folder.path(), &self.origin, self.backend);
    }

    /// How often its log says this.
    pub fn log_count(&self, text: &str) -> usize {
        fs::read_to_string(self.folder.path().join("runner.log")).unwrap_or_default().matches(text).count()
    }

    /// Ends the processes that run labs for this runner, and says how many there were.
    pub fn kill_children(&self) -> usize {
        let children: Vec<String> = children(self.child.id()).iter().map(u32::to_string).collect();
        if !children.is_empty() {
            let _ = Command::new("kill").arg("-KILL").args(&children).stderr(Stdio::null()).status();
        }
        children.len()
    }
}

fn spawn(folder: &Path, origin: &str, backend: &str) -> Child {
    let log = folder.join("runner.log");
    let log =
        File::options().create(true).append(true).open(&log).unwrap_or_else(|error| panic!("runner.log: {error}"));
    let program = binaries::gpu_runner();
    Command::new(&program)
        .args(["serve", "--backend", backend, "--poll-ms", "100", "--server", origin, "--token-file"])
        .arg(folder.join("runner.token"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()))
}

/// The processes whose parent this is.
fn children(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(|pid| parent_of(*pid) == Some(parent)).collect()
}

/// The fields behind the name, which may hold anything: state, parent, …
fn parent_of(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            let log = fs::read_to_string(self.folder.path().join("runner.log")).unwrap_or_default();
            eprintln!("the runner's log:\n{log}");
        }
    }
}
