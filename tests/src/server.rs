//! A server of the test's own.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use crate::{DEADLINE, Folder, binaries};

/// `vramlab serve` on a free port with a data folder of its own; killed when dropped.
pub struct Server {
    child: Child,
    lines: Receiver<String>,
    /// `http://127.0.0.1:…`
    pub origin: String,
    folder: Folder,
    args: Vec<String>,
}

impl Server {
    /// Starts a server on an empty store.
    ///
    /// # Panics
    /// When it does not say within the deadline where it is.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// As [`Server::start`], with more arguments.
    ///
    /// # Panics
    /// When it does not say within the deadline where it is.
    pub fn start_with(args: &[&str]) -> Self {
        let folder = Folder::new("server");
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let (child, lines) = spawn(&folder, "127.0.0.1:0", &args, None);
        let mut server = Self { child, lines, origin: String::new(), folder, args };
        server.origin = server.line("Vramlab is at ");
        server
    }

    /// The one-time link that makes the first instructor, as printed.
    ///
    /// # Panics
    /// When none is printed within the deadline.
    pub fn setup_link(&self) -> String {
        let path = self.line("/setup/");
        format!("{}/setup/{path}", self.origin)
    }

    /// A whole address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    /// Ends the server without a word, and starts it again on the same port and data.
    ///
    /// # Panics
    /// When it does not come back within the deadline.
    pub fn kill_and_restart(&mut self) {
        self.restart(None);
    }

    /// As [`Server::kill_and_restart`], on a disk on which no file grows beyond so many bytes.
    ///
    /// # Panics
    /// When it does not come back within the deadline.
    pub fn kill_and_restart_on_a_full_disk(&mut self, largest: u64) {
        self.restart(Some(largest));
    }

    fn restart(&mut self, largest: Option<u64>) {
        self.kill();
        let listen = self.origin.trim_start_matches("http://").to_owned();
        (self.child, self.lines) = spawn(&self.folder, &listen, &self.args, largest);
        let origin = self.line("Vramlab is at ");
        assert_eq!(origin, self.origin, "the server came back elsewhere");
    }

    /// Ends the server as a power cut would.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The file of its store.
    pub fn database(&self) -> PathBuf {
        self.folder.path().join("data/vramlab.db")
    }

    /// What stands behind `mark` in the first line that contains it.
    fn line(&self, mark: &str) -> String {
        let start = Instant::now();
        while let Some(left) = DEADLINE.checked_sub(start.elapsed()) {
            let Ok(line) = self.lines.recv_timeout(left) else { break };
            if let Some((_, rest)) = line.split_once(mark) {
                return rest.trim().to_owned();
            }
        }
        panic!("the server did not print {mark:?}; its log:\n{}", self.log());
    }

    /// The end of the server's log.
    fn log(&self) -> String {
        let text = std::fs::read_to_string(self.folder.path().join("server.log")).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(30)..].join("\n")
    }
}

fn spawn(folder: &Folder, listen: &str, args: &[String], largest: Option<u64>) -> (Child, Receiver<String>) {
    let log = folder.path().join("server.log");
    let log =
        File::options().create(true).append(true).open(&log).unwrap_or_else(|error| panic!("server.log: {error}"));
    let program = binaries::vramlab();
    let mut command = match largest {
        None => Command::new(&program),
        Some(bytes) => {
            let mut shell = Command::new("sh");
            // With the signal ignored a write past the limit fails, as it does when the disk is full. Blocks of 512 bytes.
            shell.args(["-c", r#"trap '' XFSZ; ulimit -f "$0"; exec "$@""#, &(bytes / 512).to_string()]).arg(&program);
            shell
        }
    };
    let mut child = command
        .args(["serve", "--listen", listen, "--data"])
        .arg(folder.path().join("data"))
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let (send, lines) = channel();
    if let Some(out) = child.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
    }
    (child, lines)
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            eprintln!("the server's log ends with:\n{}", self.log());
        }
    }
}
