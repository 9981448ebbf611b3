//! Settings through the real program: where they come from, what comes before what, and what is said of wrong ones.

use std::fs;
use std::path::Path;
use std::process::Command;

struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

/// Starts the program in the folder, with the file as `set.toml` and nothing else in its environment.
fn runner(folder: &Path, file: &str, env: &[(&str, &str)], args: &[&str]) -> Said {
    fs::write(folder.join("set.toml"), file).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpu_runner"));
    command.current_dir(folder).env_clear().envs(env.iter().copied()).args(args);
    let output = command.output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Said { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

const CONFIG: [&str; 3] = ["config", "--config", "set.toml"];

/// What `config` says of a key: the value, and where it comes from.
fn line<'a>(said: &'a Said, key: &str) -> (&'a str, &'a str) {
    let found = said.out.lines().find(|line| line.split(' ').next() == Some(key));
    let (left, source) = found.and_then(|line| line.split_once('#')).unwrap_or_else(|| panic!("{key}: {}", said.out));
    (left.split_once('=').expect("a value").1.trim(), source.trim())
}

#[test]
fn a_flag_comes_before_the_environment_that_before_the_file_and_that_before_the_default() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = "# one room\npoll_ms = 300\nbackend = \"wgpu\"\n";
    let in_force = |env: &[(&str, &str)], args: &[&str], value: &str, source: &str| {
        let said = runner(dir.path(), file, env, args);
        assert_eq!((said.code, line(&said, "poll_ms")), (Some(0), (value, source)), "{}", said.err);
    };
    let env = [("VRAMLAB_POLL_MS", "200")];
    in_force(&env, &[&CONFIG[..], &["--poll-ms", "100"]].concat(), "100", "flag --poll-ms");
    in_force(&env, &CONFIG, "200", "environment VRAMLAB_POLL_MS");
    in_force(&[], &CONFIG, "300", "file set.toml:2");
    in_force(&[], &["config"], "1000", "default");
    let said = runner(dir.path(), file, &[("VRAMLAB_RUNNER_CONFIG", "set.toml")], &["config"]);
    assert_eq!(line(&said, "backend"), ("\"wgpu\"", "file set.toml:3"), "the environment names the file too");
}

#[test]
fn what_is_shown_is_a_file_of_settings_again() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = "server = \"https://course.example.org\"\nlabels = [\"room-2\", \"night\"]\ninsecure_http = true\n";
    let first = runner(dir.path(), file, &[("VRAMLAB_MEMORY_MIB", "512")], &CONFIG);
    assert_eq!(line(&first, "labels"), ("[\"room-2\", \"night\"]", "file set.toml:2"));
    assert!(first.out.contains("# key_file is not set"), "{}", first.out);
    let second = runner(dir.path(), &first.out, &[], &CONFIG);
    assert_eq!(second.code, Some(0), "{}", second.err);
    for key in ["server", "labels", "insecure_http", "memory_mib", "poll_ms"] {
        assert_eq!(line(&second, key).0, line(&first, key).0);
    }
}

#[test]
fn a_flag_takes_back_what_the_file_turns_on_and_replaces_all_labels() {
    let dir = tempfile::tempdir().expect("a folder");
    let args = [&CONFIG[..], &["--insecure-http=false", "--label", "day"]].concat();
    let said = runner(dir.path(), "insecure_http = true\nlabels = [\"room-2\", \"night\"]\n", &[], &args);
    assert_eq!(line(&said, "insecure_http"), ("false", "flag --insecure-http"));
    assert_eq!(line(&said, "labels"), ("[\"day\"]", "flag --label"));
}

#[test]
fn every_wrong_line_is_told_with_its_place_and_what_is_allowed() {
    let dir = tempfile::tempdir().expect("a folder");
    for (file, parts) in [
        ("\npoll_ms = 7", &["set.toml:2:11: poll_ms = 7: 7 is not in 50..=60000"][..]),
        ("poll_ms = \"soon\"", &["set.toml:1:11: poll_ms = \"soon\": expected a whole number"]),
        ("backend = \"tpu\"", &["set.toml:1:11: backend = \"tpu\": expected one of cpu, wgpu, cuda"]),
        ("backend = 3", &["set.toml:1:11: backend = 3: expected one of cpu, wgpu, cuda"]),
        ("insecure_http = \"yes\"", &["set.toml:1:17: insecure_http = \"yes\": expected true or false"]),
        ("server = 1", &["set.toml:1:10: server = 1: expected text in quotes"]),
        ("token_file = \"\"", &["set.toml:1:14: token_file = \"\": expected a path in quotes"]),
        ("labels = [\"a\", 2]", &["set.toml:1:10: labels = [\"a\", 2]: ", "several in brackets"]),
        ("labels = [\"Not A Word\"]", &["set.toml:1:10: labels = [\"Not A Word\"]: "]),
        ("poll_ms = [100, 200]", &["set.toml:1:11: poll_ms = [100, 200]: expected a whole number"]),
        ("poll-ms = 100", &["set.toml:1:1: poll-ms: there is no such setting; did you mean poll_ms? There are: "]),
        ("[serve]\npoll_ms = 100", &["set.toml:1:2: serve: there is no such setting"]),
        ("config = \"other.toml\"", &["config: there is no such setting"]),
        ("poll_ms = 100\npoll_ms = 200", &["set.toml:2:1: duplicate key"]),
        ("poll_ms = \nserver = 1", &["set.toml:1:"]),
        // All of them, not the first alone.
        ("poll_ms = 7\ntimeout_s = 0", &["poll_ms = 7: 7 is not", "timeout_s = 0: 0 is not in 1..=86400"]),
    ] {
        for args in [&CONFIG[..], &["serve", "--config", "set.toml"], &["bench", "--config", "set.toml"]] {
            let said = runner(dir.path(), file, &[], args);
            assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{file}: {}", said.err);
            for part in parts {
                assert!(said.err.contains(part), "{file}: expected {part:?}, found {}", said.err);
            }
        }
    }
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("long.toml"), "#".repeat((64 << 10) + 1)).expect("written");
    fs::write(dir.path().join("bytes.toml"), b"name = \"\xff\"").expect("written");
    for (name, why) in [
        ("none.toml", "none.toml: No such file"),
        (".", ".: Is a directory"),
        ("long.toml", "long.toml: more than 65536 bytes"),
        ("bytes.toml", "bytes.toml: byte 8 is not UTF-8 text"),
    ] {
        let said = runner(dir.path(), "", &[], &["config", "--config", name]);
        assert_eq!(said.code, Some(2), "{}", said.err);
        assert!(said.err.contains(why), "{}", said.err);
    }
}

#[test]
fn a_wrong_value_of_the_environment_is_told_as_such_unless_a_flag_comes_before_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let env = [("VRAMLAB_POLL_MS", "7"), ("VRAMLAB_BACKEND", "tpu")];
    let said = runner(dir.path(), "", &env, &["config"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("environment: VRAMLAB_POLL_MS=7: 7 is not in 50..=60000"), "{}", said.err);
    assert!(said.err.contains("environment: VRAMLAB_BACKEND=tpu: expected one of cpu, wgpu, cuda"), "{}", said.err);
    let said = runner(dir.path(), "", &env, &["config", "--poll-ms", "100", "--backend", "cpu"]);
    assert_eq!((said.code, line(&said, "poll_ms").0), (Some(0), "100"), "{}", said.err);
}

#[test]
fn secrets_are_neither_taken_nor_shown() {
    let dir = tempfile::tempdir().expect("a folder");
    for file in ["token = \"hush-hush\"", "token = \"hush-hush", "tokenfile = hush-hush", "poll_ms = 7 hush-hush"] {
        let said = runner(dir.path(), file, &[], &CONFIG);
        assert_eq!(said.code, Some(2));
        assert!(said.err.contains("set.toml:1:") && !said.err.contains("hush"), "{file}: {}", said.err);
    }
    let said = runner(dir.path(), "token = \"hush-hush\"", &[], &CONFIG);
    assert!(said.err.contains("did you mean token_file?"), "{}", said.err);
    let said = runner(dir.path(), "server = \"https://me:hush-hush@course.example.org\"", &[], &CONFIG);
    assert!(said.code == Some(0) && !said.out.contains("hush"), "{}", said.out);
    let token = dir.path().join("token");
    fs::write(&token, "hush-hush").expect("written");
    let said = runner(dir.path(), "token_file = \"token\"", &[], &CONFIG);
    assert_eq!(line(&said, "token_file").0, "\"token\"");
    assert!(!said.out.contains("hush"), "{}", said.out);
}

/// The service is started with nothing but the file, from another folder: it gets as far as the token, whose file is looked for beside it.
#[test]
fn serve_takes_what_is_required_from_the_file_and_its_paths_from_the_files_folder() {
    let dir = tempfile::tempdir().expect("a folder");
    let place = dir.path().join("etc");
    fs::create_dir(&place).expect("a folder");
    fs::write(place.join("runner.toml"), "server = \"http://127.0.0.1:9\"\ntoken_file = \"none\"\n").expect("written");
    let said = runner(dir.path(), "", &[], &["serve", "--config", "etc/runner.toml"]);
    assert_eq!(said.code, Some(1), "{}", said.err);
    assert!(said.err.contains("etc/none"), "{}", said.err);
    let said = runner(dir.path(), "server = \"http://127.0.0.1:9\"\n", &[], &["serve", "--config", "set.toml"]);
    assert!(said.code == Some(2) && said.err.contains("--token-file"), "{}", said.err);
}

#[test]
fn help_and_commands_without_settings_look_at_no_file() {
    let dir = tempfile::tempdir().expect("a folder");
    let env = [("VRAMLAB_RUNNER_CONFIG", "none.toml")];
    for args in [&["labs"][..], &["serve", "--help"], &["--version"]] {
        let said = runner(dir.path(), "", &env, args);
        assert_eq!(said.code, Some(0), "{}", said.err);
    }
    let said = runner(dir.path(), "", &[], &["serve", "--help"]);
    for part in ["--config <FILE>", "[env: VRAMLAB_RUNNER_CONFIG", "[env: VRAMLAB_TOKEN_FILE"] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
}
