//! How long a learner waits for a machine that is free, and what a run costs beside its work: runs of lab rmsnorm one
//! after the other, each queued as a browser does. Prints, and judges nothing.
//!
//! `latency [JOBS]`

use std::time::Duration;

use e2e::Runner;
use e2e::scene::Scene;
use protocol::Stage;
use server::auth::{Auth, TrustedProxies, accounts};
use server::store::jobs::Job;
use server::store::{JobId, Role};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const PASSWORD: &str = "correct horse battery";
const JOBS: usize = 40;
/// Below the number of runs that one learner may start in a row.
const EACH: usize = 8;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

#[tokio::main]
async fn main() -> Result<()> {
    let jobs = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(JOBS);
    let scene = Scene::start().await;
    let auth = Auth::new(scene.store.clone(), TrustedProxies::default())?;
    let address = scene.server.origin.trim_start_matches("http://").to_owned();
    let mut people = Vec::new();
    for number in 0..jobs.div_ceil(EACH) {
        let login = format!("learner{number}");
        let account = accounts::NewAccount { login: &login, display_name: &login, password: PASSWORD };
        let user = accounts::create(&auth, Role::Learner, account).await?;
        people.push((user, sign_in(&address, &login).await?));
    }
    let _runner = Runner::start(&scene.server, &scene.runner_token("r").await);
    let (mut starts, mut beside) = (Vec::new(), Vec::new());
    for number in 0..jobs {
        let (user, cookie) = &people[number / EACH];
        let id = queue(&address, cookie).await?;
        let job = loop {
            match scene.job(*user, id).await {
                Some(job) if job.finished_ms.is_some() => break job,
                _ => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        };
        // The first run finds the runner signing in.
        if number > 0 {
            let (start, rest) = parts(&job)?;
            starts.push(start);
            beside.push(rest);
        }
    }
    println!("{} runs, one after the other, one runner of class cpu", starts.len());
    println!("  queued to child started: {}", told(starts));
    println!("  beside the child's own work, from claim to end: {}", told(beside));
    Ok(())
}

/// From queued to the child's first word, and what remains of claim to end without the child's stages; milliseconds.
fn parts(job: &Job) -> Result<(u64, u64)> {
    let (claimed, ended) = (job.claimed_ms.ok_or("not claimed")?, job.finished_ms.ok_or("not finished")?);
    let times = job.stage_times()?;
    let of = |stages: &[Stage]| -> u64 {
        times.iter().filter(|time| stages.contains(&time.stage)).map(|time| time.elapsed_ms).sum()
    };
    let waited = u64::try_from(claimed.0 - job.created_ms.0)?;
    let whole = u64::try_from(ended.0 - claimed.0)?;
    let work = of(&[Stage::Compiling, Stage::Checking, Stage::Measuring]);
    Ok((waited + of(&[Stage::Claimed]), whole.saturating_sub(work)))
}

fn told(mut values: Vec<u64>) -> String {
    values.sort_unstable();
    let at = |share: usize| values.get((values.len() * share / 100).min(values.len().saturating_sub(1))).copied();
    let [middle, high, most] = [50, 90, 100].map(|share| at(share).unwrap_or(0));
    format!("p50 {middle} ms, p90 {high} ms, max {most} ms")
}

async fn sign_in(address: &str, login: &str) -> Result<String> {
    let body = format!("login={login}&password={}", PASSWORD.replace(' ', "+"));
    let answer = exchange(address, "/en/sign-in", "application/x-www-form-urlencoded", "", &body).await?;
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    Ok(cookie.and_then(|line| line.split(';').next()).ok_or("no session")?.to_owned())
}

/// As the button of the lab's page does, with the parameters of the lab's smallest preset.
async fn queue(address: &str, cookie: &str) -> Result<JobId> {
    let params = serde_json::json!({ "rows": 64, "hidden": 256, "samples": 3, "seconds": 1 });
    let body = serde_json::json!({ "lab": "rmsnorm", "params": params }).to_string();
    let answer = exchange(address, "/api/v1/jobs", "application/json", cookie, &body).await?;
    let text = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let job: serde_json::Value = serde_json::from_str(text).map_err(|_| answer.clone())?;
    Ok(job["id"].as_str().ok_or(answer)?.parse()?)
}

async fn exchange(address: &str, path: &str, kind: &str, cookie: &str, body: &str) -> Result<String> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\ncookie: {cookie}\r\n\
         sec-fetch-site: same-origin\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(format!("{head}{body}").as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
