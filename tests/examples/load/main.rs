//! Requests per second of a page, beside a bare handler that returns the same bytes.
//!
//! Starts the server that `VRAMLAB_BIN` names and the bare handler, each as a process of its own, and loads both in
//! turn. It judges nothing.

mod bare;
mod generator;

use std::time::Duration;

use e2e::Server;

/// One turn of each side; the machine's noise is seen between turns.
const TURN: Duration = Duration::from_secs(3);
const TURNS: usize = 5;

/// A lesson with everything that lessons have.
const LESSON: &str = "/zh/task4/kv-cache";

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.unwrap_or_else(|error| panic!("no runtime: {error}"));
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["bare", file] => runtime.block_on(bare::serve(file)),
        [] => {
            let server = Server::start();
            runtime.block_on(compare(&server.url(LESSON)));
        }
        _ => eprintln!("usage: load"),
    }
}

async fn compare(url: &str) {
    let target = generator::Target::parse(url);
    let page = target.fetch().await;
    let file = std::env::temp_dir().join(format!("vramlab-load-{}.html", std::process::id()));
    std::fs::write(&file, &page).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let bare = bare::Process::start(&file);
    let other = generator::Target::parse(&bare.url);
    assert_eq!(other.fetch().await.len(), page.len(), "both sides answer with as many bytes");
    println!(
        "{url}: {} bytes per answer, {} connections kept alive, turns of {} s",
        page.len(),
        generator::CONNECTIONS,
        TURN.as_secs()
    );
    // A short turn each, so that neither side starts cold.
    for side in [&target, &other] {
        side.load(Duration::from_millis(500), "").await;
    }
    let (mut lesson, mut bare_rates, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for turn in 1..=TURNS {
        let ours = target.load(TURN, "").await;
        let bare = other.load(TURN, "").await;
        println!("  turn {turn}: lesson {ours:.0}/s, bare handler {bare:.0}/s, ratio {:.2}", ours / bare);
        lesson.push(ours);
        bare_rates.push(bare);
        ratios.push(ours / bare);
    }
    let compressed = target.load(TURN, "accept-encoding: br\r\n").await;
    println!("  lesson       {}", spread(&mut lesson, 0));
    println!("  bare handler {}", spread(&mut bare_rates, 0));
    println!("  ratio        {}", spread(&mut ratios, 2));
    println!("  lesson, compressed for a browser: {compressed:.0}/s");
    let _ = std::fs::remove_file(file);
}

/// Median with the smallest and the largest.
fn spread(values: &mut [f64], digits: usize) -> String {
    values.sort_by(f64::total_cmp);
    let (low, middle, high) = (values[0], values[values.len() / 2], values[values.len() - 1]);
    format!("median {middle:.digits$}, min {low:.digits$}, max {high:.digits$}")
}
