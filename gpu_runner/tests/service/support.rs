//! Runners, as a process of their own or inside the test, and looking at processes from outside.

use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use gpu_runner::backend::BackendName;
use gpu_runner::supervisor::process::ChildProgram;
use gpu_runner::supervisor::{Options, ServeError, Served, Stop, serve};
use tempfile::TempDir;

use crate::server::Server;

pub const TOKEN: &str = "vrr_0123456789abcdef";

/// A folder with a token file; the key file comes on first use.
pub struct Home {
    pub dir: TempDir,
}

impl Home {
    pub fn new(token: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let file =
            fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(dir.path().join("token")).unwrap();
        std::io::Write::write_all(&mut &file, token.as_bytes()).unwrap();
        Self { dir }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The folders of runs, by the kinds in their names.
    pub fn folders(&self) -> Vec<String> {
        let names =
            fs::read_dir(self.dir.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let kinds = names.filter_map(|name| Some(name.strip_prefix("vramlab-")?.rsplit_once('-')?.0.to_owned()));
        let mut kinds: Vec<String> = kinds.collect();
        kinds.sort();
        kinds
    }

    /// The real program, with a secret in its environment that no child may see.
    pub fn spawn(&self, server: &Server, more: &[&str]) -> Process {
        let child = Command::new(env!("CARGO_BIN_EXE_gpu_runner"))
            .args(["serve", "--server", &server.url(), "--token-file"])
            .arg(self.path("token"))
            .args(if more.contains(&"--poll-ms") { &[][..] } else { &["--poll-ms", "50"] })
            .args(more)
            .env("SECRET_OF_THE_SUPERVISOR", TOKEN)
            .env("RUST_LOG", "trace")
            // Where the folders of its runs lie.
            .env("TMPDIR", self.dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Process(Some(child))
    }

    /// The service in this process, whose child is a shell script. `$1` of the script is `path("note")`.
    pub fn serve_with_script(
        &self,
        server: &Server,
        script: &str,
        timeout: Duration,
        stop: &Stop,
    ) -> Result<Served, ServeError> {
        serve(&self.options(server, script, timeout), stop)
    }

    pub fn options(&self, server: &Server, script: &str, timeout: Duration) -> Options {
        let note = self.path("note");
        Options {
            server: server.url(),
            insecure_http: false,
            ca_file: None,
            token_file: self.path("token"),
            key_file: self.path("runner-key.pem"),
            name: "test".to_owned(),
            backend: BackendName::Cpu,
            offer: protocol::Offer::default(),
            once: true,
            poll: Duration::from_millis(50),
            timeout: Some(timeout),
            memory_bytes: None,
            child: ChildProgram {
                program: "/bin/sh".into(),
                args: vec!["-c".into(), script.into(), "sh".into(), note.into_os_string()],
            },
            nvrtc: None,
        }
    }
}

/// Ends with the test, whatever happens in it.
pub struct Process(Option<Child>);

impl Process {
    pub fn id(&self) -> u32 {
        self.0.as_ref().unwrap().id()
    }

    pub fn kill(&mut self) {
        let child = self.0.as_mut().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    pub fn terminate(&self) {
        let pid = rustix::process::Pid::from_raw(i32::try_from(self.id()).unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    }

    pub fn output(mut self) -> Output {
        self.0.take().unwrap().wait_with_output().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// For what no one signals: asks again until it holds.
pub fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "{what}: never");
        thread::park_timeout(Duration::from_millis(2));
    }
}

/// State letter and parent of a process; `None` when there is none.
fn stat(pid: u32) -> Option<(char, u32)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

/// Gone, or dead and not yet reaped by whoever inherited it.
pub fn is_gone(pid: u32) -> bool {
    stat(pid).is_none_or(|(state, _)| state == 'Z')
}

pub fn children(parent: u32) -> Vec<u32> {
    let pids = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| stat(*pid).is_some_and(|(state, of)| of == parent && state != 'Z')).collect()
}

pub fn pids_in(note: &Path) -> Option<Vec<u32>> {
    let text = fs::read_to_string(note).ok()?;
    text.ends_with('\n').then(|| text.split_whitespace().map(|word| word.parse().unwrap()).collect())
}
