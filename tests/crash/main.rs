//! What dies, fills up or is cut off in the middle of a run: no run is lost, none is graded twice, none gets stuck.
//!
//! A supervisor that is killed costs a whole lease; that is told with the browser in `first_day/broken.rs`. Clocks that
//! jump, and a database that is locked, are tests of the store.

mod proxy;

use std::time::Duration;

use e2e::scene::Scene;
use e2e::{Runner, until, within};
use protocol::Stage;
use server::store::{JobId, JobState, LogKind, UserId, Viewer, jobs};

/// A run measures for two seconds on a free machine, and a failed one rests.
const LAB: Duration = Duration::from_secs(180);
/// More samples than fit into the seconds of a run.
const LONG: u32 = 1000;
const SHORT: u32 = 3;

/// Waits until the run is where a test wants it.
async fn at(scene: &Scene, user: UserId, run: JobId, what: &str, holds: impl Fn(&jobs::Job) -> bool) {
    until(what, || async { scene.job(user, run).await.filter(|job| holds(job)).map(drop) }).await;
}

async fn told(scene: &Scene, user: UserId, run: JobId, kind: LogKind) -> usize {
    let lines = jobs::log_after(&scene.store, Viewer::Learner(user), run, 0).await;
    lines.unwrap_or_else(|error| panic!("{error}")).iter().filter(|line| line.kind == kind).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_is_killed_at_every_stage() {
    let mut scene = Scene::start().await;
    let lin = scene.learner("lin").await;
    let token = scene.runner_token("r").await;
    let mut runs = vec![scene.queue(lin, LONG).await];
    // Before anybody claimed it.
    scene.server.kill_and_restart();
    let _runner = Runner::start(&scene.server, &token);
    within(LAB, at(&scene, lin, runs[0], "claimed", |job| job.state == JobState::Leased)).await;
    scene.server.kill_and_restart();
    within(LAB, at(&scene, lin, runs[0], "measuring", |job| *job.stage == Stage::Measuring)).await;
    scene.server.kill_and_restart();
    within(LAB, scene.graded_once(lin, &runs)).await;
    // As soon as its report is stored, which may be before it is graded.
    runs.push(scene.queue(lin, SHORT).await);
    within(LAB, at(&scene, lin, runs[1], "reported", |job| job.state == JobState::Done)).await;
    scene.server.kill_and_restart();
    within(LAB, scene.graded_once(lin, &runs)).await;
    // An answer that dies with the server is handed out once more when its lease has run out.
    assert!(told(&scene, lin, runs[0], LogKind::Claimed).await <= 2);
    assert_eq!(told(&scene, lin, runs[1], LogKind::Claimed).await, 1, "the runner kept its lease");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_child_is_killed() {
    let scene = Scene::start().await;
    let lin = scene.learner("lin").await;
    let runner = Runner::start(&scene.server, &scene.runner_token("r").await);
    let run = scene.queue(lin, LONG).await;
    within(LAB, at(&scene, lin, run, "measuring", |job| *job.stage == Stage::Measuring)).await;
    assert_eq!(runner.kill_children(), 1);
    within(LAB, scene.graded_once(lin, &[run])).await;
    assert_eq!(told(&scene, lin, run, LogKind::Failed).await, 1);
    assert_eq!(told(&scene, lin, run, LogKind::Claimed).await, 2);
}

/// The cable is pulled while a run is measured, and put back when it is over.
#[tokio::test(flavor = "multi_thread")]
async fn the_network_is_cut() {
    let scene = Scene::start().await;
    let lin = scene.learner("lin").await;
    let cable = proxy::Cable::to(&scene.server.origin);
    let _runner = Runner::start_at(&cable.origin, &scene.runner_token("r").await);
    let run = scene.queue(lin, LONG).await;
    within(LAB, at(&scene, lin, run, "measuring", |job| *job.stage == Stage::Measuring)).await;
    cable.pull();
    // The runner is done measuring when it has been refused for so long.
    within(LAB, until("the runner tries in vain", || async { (cable.refused() >= 4).then_some(()) })).await;
    assert_eq!(scene.reports(lin).await, 0);
    cable.put_back();
    within(LAB, scene.graded_once(lin, &[run])).await;
    assert_eq!(told(&scene, lin, run, LogKind::Claimed).await, 1);
}

/// Nothing can be written for a while: what was promised is kept, and goes on when there is room.
#[tokio::test(flavor = "multi_thread")]
async fn the_disk_is_full() {
    let mut scene = Scene::start().await;
    let lin = scene.learner("lin").await;
    let token = scene.runner_token("r").await;
    let runs = [scene.queue(lin, SHORT).await, scene.queue(lin, LONG).await];
    scene.server.kill_and_restart_on_a_full_disk(4096);
    let mut runner = Runner::start(&scene.server, &token);
    within(LAB, until("the runner is refused", || async { (runner.log_count("status 50") >= 2).then_some(()) })).await;
    for run in runs {
        let job = scene.job(lin, run).await.unwrap_or_else(|| panic!("{run} is gone"));
        assert_eq!((job.state, job.claims), (JobState::Queued, 0));
    }
    scene.server.kill_and_restart();
    within(LAB, at(&scene, lin, runs[1], "measuring", |job| *job.stage == Stage::Measuring)).await;
    // Full again with a run under way; its report waits in the runner.
    scene.server.kill_and_restart_on_a_full_disk(4096);
    let before = runner.log_count("status 50");
    within(
        LAB,
        until("the report is refused", || async { (runner.log_count("status 50") > before + 2).then_some(()) }),
    )
    .await;
    scene.server.kill_and_restart();
    within(LAB, scene.graded_once(lin, &runs)).await;
    runner.kill();
}
