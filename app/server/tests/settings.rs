//! Settings of the server through the real program. How flags, environment and file stand to each other is tested with the runner.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Starts the program in the folder, with the file as `set.toml` and nothing else in its environment.
fn vramlab(folder: &Path, file: &str, env: &[(&str, &str)], args: &[&str]) -> (Option<i32>, String, String) {
    fs::write(folder.join("set.toml"), file).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_vramlab"));
    command.current_dir(folder).env_clear().envs(env.iter().copied()).args(args);
    let output = command.output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The line that begins so, with one space where there are several.
fn line(out: &str, start: &str) -> String {
    let found = out.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{start}: {out}"));
    found.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_setting_is_shown_with_its_source_and_the_database_address_never() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = "listen = \"127.0.0.1:4000\"\ndata = \"store\"\nbehind_proxy = true\njobs_per_hour = 5\n";
    let env = [
        ("VRAMLAB_CONFIG", "set.toml"),
        ("VRAMLAB_JOBS_PER_HOUR", "6"),
        ("DATABASE_URL", "postgres://me:hush-hush@127.0.0.1/course"),
    ];
    let (code, out, err) = vramlab(dir.path(), file, &env, &["config", "--data", "other"]);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(line(&out, "listen "), "listen = \"127.0.0.1:4000\" # file set.toml:1");
    assert_eq!(line(&out, "data "), "data = \"other\" # flag --data");
    assert_eq!(line(&out, "behind_proxy "), "behind_proxy = true # file set.toml:3");
    assert_eq!(line(&out, "jobs_per_hour "), "jobs_per_hour = 6 # environment VRAMLAB_JOBS_PER_HOUR");
    assert_eq!(line(&out, "running_per_learner ").split_once('#').map(|(_, source)| source), Some(" default"));
    assert!(!format!("{out}{err}").contains("hush"), "{out}{err}");
}

#[test]
fn wrong_lines_stop_the_server_and_a_secret_has_no_place_in_the_file() {
    let dir = tempfile::tempdir().expect("a folder");
    for (file, part) in [
        ("\nlisten = \"everywhere\"", "vramlab: set.toml:2:10: listen = \"everywhere\": invalid socket address"),
        ("jobs_per_hour = 0", "set.toml:1:17: jobs_per_hour = 0: 0 is not in 1..=10000"),
        ("lisen = \"127.0.0.1:1\"", "set.toml:1:1: lisen: there is no such setting; did you mean listen?"),
        ("database_url = \"postgres://me:hush-hush@host/course\"", "database_url: there is no such setting"),
    ] {
        let (code, out, err) = vramlab(dir.path(), file, &[], &["serve", "--config", "set.toml"]);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
        assert!(err.contains(part) && !err.contains("hush"), "expected {part:?}, found {err}");
    }
}

/// Neither may be forgotten quietly: the server would speak plain HTTP.
#[test]
fn https_needs_certificate_and_key_wherever_they_are_set() {
    let dir = tempfile::tempdir().expect("a folder");
    let port = ["serve", "--config", "set.toml", "--listen", "127.0.0.1:0"];
    let (code, _, err) = vramlab(dir.path(), "tls_cert = \"chain.pem\"", &[], &port);
    assert_eq!((code, err.trim()), (Some(1), "vramlab: tls_cert is set and tls_key is not: HTTPS needs both"));
    let (code, _, err) = vramlab(dir.path(), "", &[("VRAMLAB_TLS_KEY", "key.pem")], &port);
    assert_eq!((code, err.trim()), (Some(1), "vramlab: tls_key is set and tls_cert is not: HTTPS needs both"));
    // One in the file and one as a flag are both: what stops the server then is that there are no such files.
    let (code, _, err) =
        vramlab(dir.path(), "tls_cert = \"chain.pem\"", &[], &[&port[..], &["--tls-key", "key.pem"]].concat());
    assert!(code == Some(1) && err.contains("chain.pem") && !err.contains("needs both"), "{err}");
}
