//! What pages cost a reader: requests, bytes, first paint, time until islands answer, and the slider.
//!
//! Starts the server that `VRAMLAB_BIN` names on an empty store. It judges nothing.

mod paint;
mod slider;

use e2e::{Browser, Server, Tab};

/// Loads per median.
const LOADS: usize = 9;

#[tokio::main]
async fn main() {
    let server = Server::start();
    let origin = &server.origin;
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    println!("cold cache, compressed bytes with headers; times are medians of {LOADS}, min–max in brackets");
    for (what, path) in [
        ("page without an island", "/zh/task0"),
        ("page with one island", "/zh/tools/inference"),
        ("lesson with islands", "/zh/task4/kv-cache"),
    ] {
        weigh(&tab, origin, what, path).await;
        for slower in [1.0, 4.0] {
            paint::measure(&tab, &format!("{origin}{path}"), slower, LOADS).await;
        }
    }
    slider::measure(&tab, origin).await;
    tab.end().await;
}

async fn weigh(tab: &Tab, origin: &str, what: &str, path: &str) {
    let traffic = tab.load_cold(&format!("{origin}{path}")).await;
    let kb = |bytes: u64| bytes as f64 / 1000.0;
    let scripts = traffic.bytes_of(|url| url.contains(".js") || url.contains(".wasm"));
    let wasm = traffic.bytes_of(|url| url.contains(".wasm"));
    println!(
        "{what} {path}: {} requests, {:.1} kB, of which wasm + JavaScript {:.1} kB (wasm {:.1} kB)",
        traffic.requests(),
        kb(traffic.bytes()),
        kb(scripts),
        kb(wasm)
    );
}

/// Median with the smallest and the largest, in milliseconds.
fn spread(values: &mut [f64]) -> String {
    values.sort_by(f64::total_cmp);
    match values {
        [] => "never".to_owned(),
        _ => format!("{:.0} ms [{:.0}–{:.0}]", values[values.len() / 2], values[0], values[values.len() - 1]),
    }
}
