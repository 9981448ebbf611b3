//! Many small runs of many learners through two runners, while runners, children and the server are killed at random.
//! Prints what became of the runs; judges nothing but whether any was lost or graded twice.
//!
//! `soak [JOBS] [LEARNERS] [RUNNERS] [SEED]`

use std::process::ExitCode;
use std::time::{Duration, Instant};

use e2e::Runner;
use e2e::scene::{Outcome, Scene};
use server::store::{JobId, UserId};

/// Between two kills; each rests a random part more.
const PEACE: Duration = Duration::from_secs(3);
/// A soak that takes longer is stuck.
const PATIENCE: Duration = Duration::from_secs(3600);
const SAMPLES: u32 = 3;

#[derive(Default)]
struct Kills {
    runner: usize,
    child: usize,
    server: usize,
}

fn main() -> ExitCode {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let number = |at: usize, default| numbers.get(at).copied().unwrap_or(default);
    let (jobs, learners, runners) = (number(0, 1000), number(1, 100).max(1), number(2, 2));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.unwrap_or_else(|error| panic!("no runtime: {error}"));
    runtime.block_on(soak(jobs, learners, runners, Chance(number(3, 7) as u64)))
}

async fn soak(jobs: usize, learners: usize, runners: usize, mut chance: Chance) -> ExitCode {
    let mut scene = Scene::start().await;
    let mut people: Vec<UserId> = Vec::new();
    for n in 0..learners {
        people.push(scene.learner(&format!("learner{n}")).await);
    }
    let mut runs: Vec<(UserId, JobId)> = Vec::new();
    for n in 0..jobs {
        let user = people[n % people.len()];
        runs.push((user, scene.queue(user, SAMPLES).await));
    }
    println!("{jobs} runs of {learners} learners, {runners} runners of class cpu, seed {}", chance.0);
    let mut machines = Vec::new();
    for n in 0..runners {
        machines.push(Runner::start(&scene.server, &scene.runner_token(&format!("r{n}")).await));
    }
    let (start, mut kills, mut said) = (Instant::now(), Kills::default(), Instant::now());
    let mut open = runs.clone();
    while !open.is_empty() && start.elapsed() < PATIENCE {
        tokio::time::sleep(PEACE + Duration::from_millis(chance.below(3000))).await;
        match chance.below(6) {
            0 => {
                scene.server.kill_and_restart();
                kills.server += 1;
            }
            1 | 2 => {
                let at = chance.below(machines.len() as u64) as usize;
                machines[at].kill_and_restart();
                kills.runner += 1;
            }
            _ => {
                let at = chance.below(machines.len() as u64) as usize;
                kills.child += machines[at].kill_children();
            }
        }
        let mut still = Vec::new();
        for (user, run) in open {
            if scene.outcome(user, run).await == Outcome::Open {
                still.push((user, run));
            }
        }
        open = still;
        if said.elapsed() > Duration::from_secs(20) {
            println!("  {:>5.0} s: {} open", start.elapsed().as_secs_f64(), open.len());
            said = Instant::now();
        }
    }
    let took = start.elapsed();
    let (mut completed, mut dead, mut lost, mut twice) = (0, 0, open.len(), 0);
    let mut waits = Vec::new();
    for (user, run) in &runs {
        match scene.outcome(*user, *run).await {
            Outcome::Ended { grades: 1 } => completed += 1,
            Outcome::Ended { .. } => twice += 1,
            Outcome::Dead => dead += 1,
            Outcome::Lost => lost += 1,
            // Counted above.
            Outcome::Open => {}
        }
        if let Some(job) = scene.job(*user, *run).await
            && let Some(end) = job.finished_ms
        {
            waits.push(u64::try_from(end.0 - job.created_ms.0).unwrap_or(0));
        }
    }
    let mut reports = 0;
    for user in &people {
        reports += scene.reports(*user).await;
    }
    twice += reports.saturating_sub(completed + twice);
    println!(
        "  killed: {} runners, {} children, {} servers (SIGKILL, restarted)",
        kills.runner, kills.child, kills.server
    );
    println!("  completed {completed}, dead letters {dead}, lost {lost}, graded twice {twice}");
    println!("  {:.0} s in all, {:.2} runs/s", took.as_secs_f64(), completed as f64 / took.as_secs_f64());
    waits.sort_unstable();
    if let (Some(middle), Some(most)) = (waits.get(waits.len() / 2), waits.last()) {
        println!("  from queued to ended: median {} s, longest {} s", middle / 1000, most / 1000);
    }
    if lost == 0 && twice == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Xorshift: the same seed kills in the same order.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most.max(1)
    }
}
