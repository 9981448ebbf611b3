//! A runner of the test's own.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};

use crate::{Folder, Server, binaries};

/// `gpu_runner serve` with the CPU backend; killed when dropped.
pub struct Runner {
    child: Child,
    folder: Folder,
}

impl Runner {
    /// Starts a runner with the token that the instructor was shown.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start(server: &Server, token: &str) -> Self {
        let folder = Folder::new("runner");
        let file = folder.write("runner.token", &format!("{token}\n"));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap_or_else(|error| panic!("{error}"));
        let log = File::create(folder.path().join("runner.log")).unwrap_or_else(|error| panic!("runner.log: {error}"));
        let program = binaries::gpu_runner();
        let child = Command::new(&program)
            .args(["serve", "--backend", "cpu", "--poll-ms", "100", "--server", &server.origin, "--token-file"])
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        Self { child, folder }
    }

    /// Ends the runner as a power cut would.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
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
