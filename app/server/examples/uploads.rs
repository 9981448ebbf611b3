//! A whole class hands in at the same moment: how long each learner waits, and whether anything is lost.
//!
//! Makes a store with accounts and tokens, starts the server that `VRAMLAB_BIN` names on it, and lets every learner send
//! a report of lab 76 of their own on a fresh connection, all at once, several times. It judges nothing but loss.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use server::auth::{Auth, TrustedProxies, accounts};
use server::store::api_tokens::{self, Scopes};
use server::store::{Role, Store};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Barrier;

#[path = "../../../evidence/tests/support/mod.rs"]
mod support;

const LEARNERS: usize = 100;
/// Below the number of reports that one learner may send at once.
const ROUNDS: usize = 10;

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let tokens = class(folder.path()).await?;
    let (_running, address) = start(folder.path())?;
    let mut all = Vec::new();
    for round in 0..ROUNDS {
        let mut waits = hand_in(&address, &tokens, round).await?;
        waits.sort_unstable();
        println!("round {}: {}", round + 1, told(&waits));
        all.extend(waits);
    }
    all.sort_unstable();
    println!("{LEARNERS} learners, {ROUNDS} rounds: {}", told(&all));
    let mut kept = 0;
    for token in &tokens {
        let head = format!(
            "GET /api/v1/reports HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n"
        );
        let answer = exchange(&address, head.as_bytes()).await?;
        let list: Value = serde_json::from_str(answer.split_once("\r\n\r\n").map_or("", |(_, body)| body))?;
        kept += list.as_array().map_or(0, Vec::len);
    }
    if kept != LEARNERS * ROUNDS {
        return Err(format!("{kept} of {} reports are there", LEARNERS * ROUNDS).into());
    }
    println!("nothing lost: {kept} reports stored and graded");
    Ok(())
}

/// Accounts with a token each.
async fn class(folder: &Path) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let store = Store::open(&folder.join("vramlab.db").to_string_lossy()).await?;
    let auth = Auth::new(store.clone(), TrustedProxies::default())?;
    let mut tokens = Vec::new();
    for number in 0..LEARNERS {
        let login = format!("learner{number}");
        let account = accounts::NewAccount { login: &login, display_name: &login, password: "correct horse battery" };
        let user = accounts::create(&auth, Role::Learner, account).await?;
        let scopes: Scopes = "reports:read reports:submit".parse()?;
        tokens.push(api_tokens::create(&store, user, "load", scopes).await?.token.reveal().to_owned());
    }
    store.close().await;
    Ok(tokens)
}

fn start(folder: &Path) -> Result<(Running, String), Box<dyn std::error::Error>> {
    let program = std::env::var("VRAMLAB_BIN").map_err(|_| "VRAMLAB_BIN does not name the server")?;
    let mut command = Command::new(program);
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(folder).stdout(Stdio::piped());
    let mut child = command.spawn()?;
    let out = child.stdout.take().ok_or("no output")?;
    let running = Running(child);
    for line in BufReader::new(out).lines() {
        if let Some(address) = line?.strip_prefix("Vramlab is at http://") {
            return Ok((running, address.trim_end_matches('/').to_owned()));
        }
    }
    Err("the server does not say where it is".into())
}

/// One report of every learner, all sent at the same moment; how long each answer took.
async fn hand_in(address: &str, tokens: &[String], round: usize) -> Result<Vec<Duration>, Box<dyn std::error::Error>> {
    let together = Arc::new(Barrier::new(tokens.len()));
    let tasks: Vec<_> = tokens
        .iter()
        .enumerate()
        .map(|(number, token)| {
            let mut report = support::course::strategies();
            // Bytes of one's own: the same file twice is one report.
            report["config"]["seed"] = (round * LEARNERS + number).into();
            let body = report.to_string();
            let head = format!(
                "POST /api/v1/reports HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
                 content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            let (address, together, bytes) = (address.to_owned(), together.clone(), format!("{head}{body}"));
            tokio::spawn(async move {
                together.wait().await;
                let start = Instant::now();
                let answer = exchange(&address, bytes.as_bytes()).await?;
                let status = answer.lines().next().unwrap_or_default().to_owned();
                if !status.contains(" 201 ") || !answer.contains("\"outcome\":\"graded\"") {
                    return Err(std::io::Error::other(format!("not taken: {status}")));
                }
                Ok(start.elapsed())
            })
        })
        .collect();
    let mut waits = Vec::new();
    for task in tasks {
        waits.push(task.await??);
    }
    Ok(waits)
}

async fn exchange(address: &str, bytes: &[u8]) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(bytes).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

fn told(waits: &[Duration]) -> String {
    let at = |percent: usize| waits[(waits.len() * percent / 100).min(waits.len() - 1)].as_secs_f64() * 1000.0;
    format!("p50 {:.0} ms, p90 {:.0} ms, p99 {:.0} ms, max {:.0} ms", at(50), at(90), at(99), at(100))
}
