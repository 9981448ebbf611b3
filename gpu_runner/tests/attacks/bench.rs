//! Runs the real program over an attacker's kernel.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use evidence::{Report, Status, Word};

/// The lab's own kernel: the body of many attacks, so that they fail by their attack and nothing else.
pub const HONEST: &str = include_str!("../../../labs/rmsnorm/kernel.cu");
/// For a defence that is missing. Those that are there end everything much sooner.
const PATIENCE: Duration = Duration::from_secs(150);

pub struct Outcome {
    pub code: Option<i32>,
    pub stderr: String,
    pub report: Option<Report>,
}

/// Limits of the test, well above those of the runner: processor time, address space and file size of each process. Time is beyond
/// our patience, so that only the runner's own limits can end an attack in good order.
fn bounded(program: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "ulimit -t 240; ulimit -v 8388608; ulimit -f 131072; exec \"$0\" \"$@\"", program]);
    command
}

pub fn run(kernel: Option<&str>, more: &[&str]) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let (text, out) = (folder.path().join("attack.cu"), folder.path().join("report.json"));
    let mut command = bounded(env!("CARGO_BIN_EXE_gpu_runner"));
    command.args(["run", "rmsnorm", "--param", "rows=16", "--param", "hidden=64", "--out"]).arg(&out).args(more);
    if let Some(kernel) = kernel {
        fs::write(&text, kernel).unwrap();
        command.arg("--kernel").arg(&text);
    } else {
        command.args(["--param", "samples=3"]);
    }
    let (stdout, stderr) = (folder.path().join("stdout"), folder.path().join("stderr"));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(fs::File::create(stdout).unwrap())
        .stderr(fs::File::create(&stderr).unwrap())
        .spawn()
        .unwrap();
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > PATIENCE {
            // Asked to stop, the runner ends all that it started.
            let pid = rustix::process::Pid::from_child(&child);
            rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
            child.wait().unwrap();
            panic!("nothing ended it: {}", fs::read_to_string(stderr).unwrap_or_default());
        }
        std::thread::park_timeout(Duration::from_millis(5));
    };
    let report = fs::read(out).ok().map(|bytes| serde_json::from_slice(&bytes).unwrap());
    Outcome { code: status.code(), stderr: String::from_utf8_lossy(&fs::read(stderr).unwrap()).into_owned(), report }
}

pub fn attack(kernel: &str) -> Outcome {
    needs_compiler();
    run(Some(kernel), &[])
}

pub fn needs_compiler() {
    assert!(
        gpu_runner::child::compile::compiler().is_some(),
        "these tests need g++; install with: sudo apt-get install -y --no-install-recommends g++"
    );
}

/// The lab's kernel with `before` in front of the file and `body` as the first lines of the fused kernel. What `body` does not return
/// from goes on honestly.
pub fn with(before: &str, body: &str) -> String {
    let at = HONEST.find("const unsigned row = blockIdx.x;").unwrap();
    format!("#include <unistd.h>\n{before}\n{}{body}\n{}", &HONEST[..at], &HONEST[at..])
}

/// Neither a report that says "right", nor silence: `told` is in what the runner says.
pub fn refused(what: &str, outcome: &Outcome, told: &str) {
    match &outcome.report {
        None => {
            assert_eq!(outcome.code, Some(1), "{what}: {}", outcome.stderr);
            // The learner's to mend: the same job is not tried again elsewhere.
            assert!(outcome.stderr.contains("no report (lab)"), "{what}: {}", outcome.stderr);
        }
        Some(report) => {
            let fused = report.candidate("fused").unwrap();
            assert_eq!(fused.status, Status::Failed, "{what} was taken for right: {}", outcome.stderr);
            assert_eq!(report.decision.as_ref().unwrap().decision, Word::Reject, "{what}");
        }
    }
    assert!(outcome.stderr.contains(told), "{what}: expected {told:?} in:\n{}", outcome.stderr);
}

/// A file that this user may read, as another job or a careless user would leave it.
pub struct Secret {
    /// As that of a job that runs: no runner that starts takes it for left behind.
    _held: fs::File,
    _folder: tempfile::TempDir,
    pub path: PathBuf,
}

impl Secret {
    /// Valid C++, so that an `#include` of it would compile.
    pub const MARK: &'static str = "marker_7f3a";

    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("vramlab-job-").tempdir().unwrap();
        let held = fs::File::open(folder.path()).unwrap();
        held.lock().unwrap();
        let path = folder.path().join("report.json");
        fs::write(&path, format!("static int {} = 1;\n", Self::MARK)).unwrap();
        Self { _held: held, _folder: folder, path }
    }

    pub fn path(&self) -> &str {
        self.path.to_str().unwrap()
    }
}
