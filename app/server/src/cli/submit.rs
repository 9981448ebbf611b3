//! `vramlab submit FILE…`: hand reports in over the API.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args as ClapArgs;
use evidence::{GradeLine, MAX_BYTES};
use serde::Deserialize;

use super::out::outln;

#[derive(ClapArgs)]
pub struct Args {
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The server, e.g. https://course.example
    #[arg(long, env = "VRAMLAB_SERVER", default_value = "http://127.0.0.1:3000")]
    server: String,
    /// A file that holds an API token with the scope reports:submit; or set VRAMLAB_TOKEN
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Print the server's answer, one JSON object per line
    #[arg(long)]
    json: bool,
}

/// What the server answers: the report's page and the grade.
#[derive(Deserialize)]
struct Submitted {
    url: String,
    new: bool,
    #[serde(default)]
    held: bool,
    /// Absent while a class holds the grade back.
    #[serde(flatten)]
    line: Option<GradeLine>,
}

impl Submitted {
    /// Whether the report was taken: graded, or graded and not shown yet.
    fn is_taken(&self) -> bool {
        self.line.as_ref().map_or(self.held, GradeLine::is_graded)
    }
}

#[derive(Deserialize, Default)]
struct Problem {
    #[serde(default)]
    title: String,
    #[serde(default)]
    detail: String,
    #[serde(default)]
    pointer: Option<String>,
}

/// Exit 0 all graded, 1 one was refused or is no evidence, 2 the arguments are wrong.
pub fn run(args: Args) -> ExitCode {
    let token = match token(args.token_file.as_deref()) {
        Ok(token) => token,
        Err(why) => {
            eprintln!("vramlab submit: {why}");
            return ExitCode::from(2);
        }
    };
    if let Err(why) = safe_to_send(&args.server) {
        eprintln!("vramlab submit: {why}");
        return ExitCode::from(2);
    }
    let mut all_graded = true;
    for file in &args.files {
        match submit(&args.server, &token, file) {
            Ok(answer) => all_graded &= show(file, &answer, args.json),
            Err(why) => {
                eprintln!("{}: {why}", file.display());
                all_graded = false;
            }
        }
    }
    if all_graded { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A token is read from a file or the environment, never from the arguments, which other users can see.
fn token(file: Option<&Path>) -> Result<String, String> {
    let text = match file {
        Some(file) => std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?,
        None => std::env::var("VRAMLAB_TOKEN").map_err(|_| {
            "no token: make one on your account page, then give --token-file FILE or set VRAMLAB_TOKEN".to_owned()
        })?,
    };
    let token = text.trim().to_owned();
    if token.is_empty() { Err("the token is empty".to_owned()) } else { Ok(token) }
}

/// A token travels only over HTTPS or to this machine.
fn safe_to_send(server: &str) -> Result<(), String> {
    if server.starts_with("https://") {
        return Ok(());
    }
    let host = server.strip_prefix("http://").and_then(|rest| rest.split(['/', '?']).next()).unwrap_or_default();
    let name = host
        .strip_prefix('[')
        .and_then(|rest| rest.split(']').next())
        .unwrap_or_else(|| host.split(':').next().unwrap_or_default());
    match name {
        "localhost" | "::1" => Ok(()),
        name if name.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback()) => Ok(()),
        _ => Err(format!("{server}: the token would travel in the clear; use https://")),
    }
}

fn submit(server: &str, token: &str, file: &Path) -> Result<String, String> {
    let size = std::fs::metadata(file).map_err(|error| error.to_string())?.len();
    if size > MAX_BYTES as u64 {
        return Err(format!("{size} bytes: a report has at most {MAX_BYTES}"));
    }
    let body = std::fs::read(file).map_err(|error| error.to_string())?;
    // An error means a provider is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(60)))
        .max_redirects(0)
        .build()
        .into();
    let url = format!("{}/api/v1/reports", server.trim_end_matches('/'));
    let mut answer = agent
        .post(&url)
        .header("authorization", &format!("Bearer {token}"))
        .header("content-type", "application/json")
        .send(&body[..])
        .map_err(|error| format!("{url}: {error}"))?;
    let status = answer.status();
    let text = answer.body_mut().read_to_string().map_err(|error| format!("{url}: {error}"))?;
    if status.is_success() {
        return Ok(text);
    }
    let problem: Problem = serde_json::from_str(&text).unwrap_or_default();
    let place = problem.pointer.filter(|pointer| !pointer.is_empty()).map(|p| format!(" at {p}")).unwrap_or_default();
    Err(format!("refused with {}{place}: {} {}", status.as_u16(), problem.title, problem.detail).trim().to_owned())
}

/// Prints one answer; whether it was graded.
fn show(file: &Path, answer: &str, json: bool) -> bool {
    let parsed: Result<Submitted, _> = serde_json::from_str(answer);
    if json {
        outln!("{}", answer.trim());
        return parsed.is_ok_and(|submitted| submitted.is_taken());
    }
    match parsed {
        Ok(submitted) => {
            let known = if submitted.new { "" } else { " (already known)" };
            match &submitted.line {
                Some(line) => graded(file, known, line),
                None if submitted.held => outln!("{}: stored{known}; the class shows the grade later", file.display()),
                None => eprintln!("{}: the server's answer has no grade", file.display()),
            }
            outln!("  {}", submitted.url);
            submitted.is_taken()
        }
        Err(error) => {
            eprintln!("{}: the server's answer cannot be read: {error}", file.display());
            false
        }
    }
}

fn graded(file: &Path, known: &str, line: &GradeLine) {
    let word = line.decision.recomputed.as_deref().unwrap_or("nothing to decide");
    outln!(
        "{}: {}{known}, {} / {} points, decision recomputed: {word}",
        file.display(),
        line.outcome,
        line.points.earned,
        line.points.possible
    );
    for check in line.checks.iter().filter(|check| check.status == "fail" && check.severity != "note") {
        outln!("  {} {}: {} → {}", check.severity, check.pointer, check.message, check.fix);
    }
}

#[cfg(test)]
mod tests {
    use super::safe_to_send;

    #[test]
    fn tokens_do_not_travel_in_the_clear() {
        for good in ["https://course.example", "http://127.0.0.1:3000", "http://localhost", "http://[::1]:3000/"] {
            assert!(safe_to_send(good).is_ok(), "{good}");
        }
        for bad in ["http://course.example", "http://127.0.0.1.evil.example", "http://192.168.0.2", "ftp://x", ""] {
            assert!(safe_to_send(bad).is_err(), "{bad}");
        }
    }
}
