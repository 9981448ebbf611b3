use std::fs;
use std::thread;
use std::time::Duration;

use evidence::{EvidenceClass, Report};
use gpu_runner::backend::cpu::Cpu;
use gpu_runner::supervisor::{ServeError, Served, Stop};
use labs::run::{Silent, Value};
use protocol::{FailureClass, FailureKind, Stage};

use crate::server::{JobState, Mood, Server};
use crate::support::{Home, TOKEN, children, is_gone, pids_in, until};

/// Done in a moment, even without optimisation.
const SMALL: &[(&str, u64)] = &[("rows", 8), ("hidden", 16), ("samples", 3)];
/// Would measure for a minute.
const LONG: &[(&str, u64)] = &[("rows", 512), ("hidden", 512), ("samples", 1000), ("seconds", 60)];
const PLENTY: Duration = Duration::from_secs(60);

fn settled(state: &JobState) -> bool {
    matches!(state, JobState::Reported { .. } | JobState::Failed { .. })
}

#[test]
fn a_job_becomes_a_signed_report_of_cpu_evidence() {
    let (server, home) = (Server::start(&[TOKEN]), Home::new(TOKEN));
    server.queue("job-1", SMALL);
    let output = home.spawn(&server, &["--once", "--name", "lab 1"]).output();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stderr}");

    let inner = server.lock();
    // The server verified signature, job, nonce and key before it took the report.
    let JobState::Reported { report } = &inner.job("job-1").state else { panic!("{inner:#?}") };
    let parsed: Report = serde_json::from_slice(&report.report).unwrap();
    assert_eq!(parsed.evidence_class(), EvidenceClass::Cpu);
    let stages: Vec<Stage> = report.times.iter().map(|time| time.stage).collect();
    assert_eq!(stages, [Stage::Claimed, Stage::Compiling, Stage::Checking, Stage::Measuring, Stage::Reporting]);
    assert_eq!(inner.identities[0].name, "lab 1");
    assert_eq!(inner.identities[0].facts.backends[0].as_str(), "cpu");

    // Even with every line of every library asked for.
    let key = fs::read_to_string(home.path("runner-key.pem")).unwrap();
    let secret = key.lines().nth(1).unwrap();
    assert!(!stderr.contains(TOKEN) && !stderr.contains(secret), "{stderr}");
}

/// What a program says last is told too, and a line is told once, also where the answer to it got lost.
#[test]
fn the_lines_of_a_program_reach_the_server() {
    let (server, home) = (Server::start(&[TOKEN]), Home::new(TOKEN));
    server.queue("job-1", SMALL);
    let script = r#"for n in $(seq 40); do echo "{\"note\":\"line $n\"}"; done; sleep 1; echo '{"note":"last"}'"#;
    home.serve_with_script(&server, script, PLENTY, &Stop::new()).unwrap();
    // The last words travel beside the end of the job, and may come after it.
    let inner = server.wait("the lines", |inner| inner.job("job-1").notes.len() >= 40);
    let notes = &inner.job("job-1").notes;
    for (n, note) in notes.iter().take(40).enumerate() {
        assert_eq!((note.number as usize, note.text.as_str()), (n, format!("line {}", n + 1).as_str()));
    }
}

#[test]
fn a_claim_says_what_the_runner_has() {
    let (server, home) = (Server::start(&[TOKEN]), Home::new(TOKEN));
    let runner = home.spawn(&server, &["--label", "room-2", "--label", "night"]);
    let inner = server.wait("a claim", |inner| inner.calls("/claims 204") >= 1);
    assert_eq!(inner.offer.backends[0].as_str(), "cpu");
    assert_eq!(inner.offer.device_class, Some(protocol::DeviceClass::Cpu));
    assert!(inner.offer.memory_bytes > Some(1 << 20));
    assert_eq!(inner.offer.labels.iter().map(|l| l.as_str()).collect::<Vec<_>>(), ["room-2", "night"]);
    drop((inner, runner));
}

#[test]
fn a_child_is_given_no_environment_no_secret_and_no_open_file() {
    let (server, home) = (Server::start(&[TOKEN]), Home::new(TOKEN));
    server.queue("job-1", LONG);
    let runner = home.spawn(&server, &[]);
    drop(server.wait("measuring", |inner| inner.job("job-1").stages.contains(&Stage::Measuring)));

    let [child] = children(runner.id())[..] else { panic!("not exactly one child: {:?}", children(runner.id())) };
    let proc = |name: &str| fs::read(format!("/proc/{child}/{name}")).unwrap();
    assert_eq!(String::from_utf8_lossy(&proc("environ")), "");
    assert!(proc("cmdline").ends_with(b"gpu_runner\0child\0"), "{}", String::from_utf8_lossy(&proc("cmdline")));
    let files: Vec<String> = fs::read_dir(format!("/proc/{child}/fd"))
        .unwrap()
        .flatten()
        .filter_map(|entry| Some(fs::read_link(entry.path()).ok()?.display().to_string()))
        .collect();
    assert!(files.len() == 3 && files.iter().all(|file| file.starts_with("pipe:")), "{files:?}");
    // Its folder is its own: empty, for no one else, and elsewhere than the key.
    let folder = fs::read_link(format!("/proc/{child}/cwd")).unwrap();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&folder).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o700);
    assert_ne!(folder, home.dir.path());
}

#[test]
fn what_a_child_reads_holds_the_job_and_nothing_else() {
    let (server, home) = (Server::start(&[TOKEN]), Home::new(TOKEN));
    server.queue("secret-id", SMALL);
    let script = r#"read -r line; { echo "$line"; env; } > "$1""#;
    home.serve_with_script(&server, script, PLENTY, &Stop::new()).unwrap();
    let seen = fs::read_to_string(home.path("note")).unwrap();
    let key = fs::read_to_string(home.path("runner-key.pem")).unwrap();
    assert!(seen.contains(r#""lab":"rmsnorm""#), "{seen}");
    let nonce = server.lock().job("secret-id").nonce.to_string();
    for secret in [TOKEN, "runner-key", "secret-id", &server.url(), &nonce, key.lines().nth(1).unwrap(), "HOME="] {
        assert!(!seen.contains(secret), "{secret} in {seen}");
    }
}

#[test]
fn a_killed_runner_loses_its_lease_and_another_takes_the_job() {
    let server = Server::start(&[TOKEN, "second"]);
    server.lock().lease = Duration::from_millis(700);
    let (first, second) = (Home::new(TOKEN), Home::new("second"));
    server.queue("job-1", LONG);
    let mut runner = first.spawn(&server, &[]);
    drop(server.wait("measuring", |inner| inner.job("job-1").stages.contains(&Stage::Measuring)));
    let orphans = children(runner.id());
    assert_eq!(orphans.len(), 1);
    runner.kill();
    // The child notices that no one holds the other end of its pipe.
    until("the orphan ends", || is_gone(orphans[0]).then_some(()));

    let mut small = protocol::Params::new();
    SMALL.iter().for_each(|(name, value)| small.insert(name, (*value).into()).unwrap());
    server.lock().job_mut("job-1").params = small;
    let output = second.spawn(&server, &["--once"]).output();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let inner = server.lock();
    let job = inner.job("job-1");
    assert!(matches!(job.state, JobState::Reported { .. }) && job.attempt == 2, "{job:#?}");
}

/// Starts a grandchild and says both process numbers.
const HANG: &str = r#"sleep 1000 & echo $$ $! > "$1.part"; mv "$1.part" "$1"; wait"#;

#[test]
fn a_lost_lease_or_a_cancelled_job_ends_the_child_and_all_it_started() {
    for cancelled in [false, true] {
        let (server, home) = (Server::start(&[TOKEN]), Home::new(TOKEN));
        server.lock().lease = Duration::from_millis(300);
        server.queue("job-1", SMALL);
        let served = thread::scope(|scope| {
            let service = scope.spawn(|| home.serve_with_script(&server, HANG, PLENTY, &Stop::new()));
            let pids = until("the child says its pids", || pids_in(&home.path("note")));
            {
                let mut inner = server.lock();
                let job = inner.job_mut("job-1");
                if cancelled {
                    job.cancelled = true;
                } else {
                    job.nonce = protocol::Nonce::from_bytes([0xFF; 32]);
                }
            }
            for pid in pids {
                until("the process ends", || is_gone(pid).then_some(()));
            }
            service.join().unwrap()
        });
        assert_eq!(served.unwrap(), Served::Once { delivered: false });
        let inner = server.lock();
        assert_eq!(inner.calls("/reports") + inner.calls("/failures"), 0, "{:#?}", inner.log);
    }
}

#[test]
fn a_child_that_ends_badly_is_a_failure_of_its_kind() {
    let said = |line: &str| format!("echo '{line}'");
    let long = "x".repeat(40_000);
    let leaves = |report: &Report| {
        format!("echo '{}' > report.json; {}", serde_json::to_string(report).unwrap(), said("\"finished\""))
    };
    let params =
        [("samples".to_owned(), Value::Integer(3)), ("rows".to_owned(), Value::Integer(2))].into_iter().collect();
    let honest = labs::run::run("rmsnorm", &params, &mut Cpu::with(1 << 20, 0), &mut Silent).unwrap();
    let (mut gpu, mut other) = (honest.clone(), honest);
    gpu.device.as_mut().unwrap().backend = evidence::Backend::Cuda;
    other.lab = "another".to_owned();
    let cases: [(&str, String, FailureKind); 12] = [
        ("a report that claims a GPU", leaves(&gpu), FailureKind::BadReport),
        ("a report about another lab", leaves(&other), FailureKind::BadReport),
        ("segmentation fault", "kill -SEGV $$".into(), FailureKind::ChildCrashed),
        ("a status", "exit 7".into(), FailureKind::ChildCrashed),
        ("silence", "true".into(), FailureKind::ChildCrashed),
        ("killed from outside", "kill -KILL $$".into(), FailureKind::ChildOutOfMemory),
        (
            "allocation",
            "echo memory allocation of 9 bytes failed >&2; kill -ABRT $$".into(),
            FailureKind::ChildOutOfMemory,
        ),
        ("processor time", "kill -XCPU $$".into(), FailureKind::ChildTimedOut),
        ("finished without a report", said("\"finished\""), FailureKind::BadReport),
        ("no report of ours", format!("echo '{{}}' > report.json; {}", said("\"finished\"")), FailureKind::BadReport),
        (
            "a link to a secret",
            format!("ln -s /etc/passwd report.json; {}", said("\"finished\"")),
            FailureKind::BadReport,
        ),
        (
            "its own words, after noise",
            format!("echo {long}; echo; {}", said(r#"{"failed":{"kind":"lab","message":"why"}}"#)),
            FailureKind::Lab,
        ),
    ];
    for (what, script, expected) in cases {
        let (server, home) = (Server::start(&[TOKEN]), Home::new(TOKEN));
        server.queue("job-1", SMALL);
        let served = home.serve_with_script(&server, &script, PLENTY, &Stop::new()).unwrap();
        assert_eq!(served, Served::Once { delivered: false }, "{what}");
        let inner = server.lock();
        let JobState::Failed { failure } = &inner.job("job-1").state else { panic!("{what}: {inner:#?}") };
        assert_eq!(failure.kind, expected, "{what}: {}", failure.message);
        assert!(!failure.message.contains("root:"), "{what}");
    }
}

#[test]
fn a_child_past_its_time_is_ended_with_all_it_started() {
    let (server, home) = (Server::start(&[TOKEN]), Home::new(TOKEN));
    server.queue("job-1", SMALL);
    home.serve_with_script(&server, HANG, Duration::from_secs(1), &Stop::new()).unwrap();
    let inner = server.lock();
    let JobState::Failed { failure } = &inner.job("job-1").state else { panic!("{inner:#?}") };
    assert_eq!(failure.kind, FailureKind::ChildTimedOut);
    for pid in pids_in(&home.path("note")).unwrap() {
        until("the process ends", || is_gone(pid).then_some(()));
    }
}

#[test]
fn parameters_that_the_lab_refuses_are_not_an_infrastructure_failure() {
    let (server, home) = (Server::start(&[TOKEN]), Home::new(TOKEN));
    server.queue("job-1", &[("rows", 0)]);
    home.spawn(&server, &["--once"]).output();
    let inner = server.lock();
    let JobState::Failed { failure } = &inner.job("job-1").state else { panic!("{inner:#?}") };
    assert_eq!((failure.kind, failure.kind.class()), (FailureKind::Parameters, FailureClass::Lab));
    assert!(failure.message.contains("rows"), "{}", failure.message);
}

#[test]
fn a_report_waits_for_a_server_that_is_down() {
    let (server, home) = (Server::start(&[TOKEN]), Home::new(TOKEN));
    server.lock().mood = Mood::DownAt(Stage::Measuring);
    server.queue("job-1", SMALL);
    let runner = home.spawn(&server, &["--once"]);
    drop(server.wait("a report while down", |inner| inner.dropped_reports > 0));
    assert!(!settled(&server.lock().job("job-1").state));
    server.lock().mood = Mood::Up;
    drop(server.wait("the report", |inner| matches!(inner.job("job-1").state, JobState::Reported { .. })));
    assert!(runner.output().status.success());
}

#[test]
fn a_report_that_is_no_longer_wanted_is_dropped() {
    let (server, home) = (Server::start(&[TOKEN]), Home::new(TOKEN));
    server.lock().mood = Mood::DownAt(Stage::Measuring);
    server.queue("job-1", SMALL);
    let runner = home.spawn(&server, &["--once"]);
    // Heartbeats end with the child: from here on only the report asks.
    drop(server.wait("a report while down", |inner| inner.dropped_reports > 0));
    {
        let mut inner = server.lock();
        inner.job_mut("job-1").state =
            JobState::Leased { token: "another".into(), until: std::time::Instant::now() + PLENTY };
        inner.mood = Mood::Up;
    }
    assert_eq!(runner.output().status.code(), Some(1));
    assert_eq!(server.lock().calls("/reports 409"), 1);
}

#[test]
fn a_runner_that_is_asked_to_stop_says_so_and_leaves_nothing_behind() {
    let (server, home) = (Server::start(&[TOKEN]), Home::new(TOKEN));
    server.queue("job-1", LONG);
    let runner = home.spawn(&server, &[]);
    drop(server.wait("measuring", |inner| inner.job("job-1").stages.contains(&Stage::Measuring)));
    let left = children(runner.id());
    runner.terminate();
    let output = runner.output();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(left.len() == 1 && is_gone(left[0]));
    let inner = server.lock();
    let JobState::Failed { failure } = &inner.job("job-1").state else { panic!("{inner:#?}") };
    assert_eq!(failure.kind, FailureKind::RunnerStopped);
}

#[test]
fn an_idle_runner_ends_at_once() {
    let (server, home) = (Server::start(&[TOKEN]), Home::new(TOKEN));
    let runner = home.spawn(&server, &["--poll-ms", "60000"]);
    drop(server.wait("a claim", |inner| inner.calls("/claims 204") == 1));
    runner.terminate();
    assert!(runner.output().status.success());
}

#[test]
fn a_token_is_bound_to_its_first_key_and_an_unknown_one_is_told() {
    let server = Server::start(&[TOKEN]);
    let serve = |home: &Home, stop: &Stop| home.serve_with_script(&server, "true", PLENTY, stop);
    let stopped = Stop::new();
    stopped.set();
    assert_eq!(serve(&Home::new(TOKEN), &stopped).unwrap(), Served::Stopped);
    assert!(matches!(serve(&Home::new(TOKEN), &Stop::new()), Err(ServeError::OtherKey(_))));
    let unknown = serve(&Home::new("unknown-token"), &Stop::new()).unwrap_err();
    assert!(matches!(unknown, ServeError::Token(_)) && !format!("{unknown} {unknown:?}").contains("unknown-token"));
}

#[test]
fn a_runner_whose_token_expires_says_so_and_asks_no_more() {
    // At the start, and between two questions for a job.
    let (server, home) = (Server::start(&[TOKEN]), Home::new(TOKEN));
    server.lock().expired = true;
    let error = home.serve_with_script(&server, "true", PLENTY, &Stop::new()).unwrap_err();
    assert!(matches!(error, ServeError::Expired(_)), "{error:?}");
    assert_eq!(server.lock().log.len(), 1);
    server.lock().expired = false;

    let runner = home.spawn(&server, &[]);
    drop(server.wait("a question", |inner| inner.calls("/claims 204") > 0));
    server.lock().expired = true;
    let output = runner.output();
    assert_eq!(output.status.code(), Some(77));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("has expired") && said.contains("register the runner again"), "{said}");
    assert!(!said.contains(TOKEN));
    assert_eq!(server.lock().calls("/claims 401"), 1);
}

#[test]
fn the_token_does_not_follow_a_redirect() {
    let (server, elsewhere, home) = (Server::start(&[TOKEN]), Server::start(&[TOKEN]), Home::new(TOKEN));
    server.lock().redirect = Some(elsewhere.url());
    assert!(matches!(home.serve_with_script(&server, "true", PLENTY, &Stop::new()), Err(ServeError::Refused(_))));
    assert_eq!(server.lock().log.len(), 1);
    assert!(elsewhere.lock().log.is_empty());
}
