//! The clients: wasm, their JavaScript glue, and every other asset of the site.

use std::fs;
use std::path::Path;

use wasm_bindgen_cli_support::Bindgen;

use crate::{assets, sh};

/// The features of the package `client`, each of which gives a client of its own: each page loads those that its islands
/// need.
pub const CLIENTS: [&str; 9] =
    ["core", "runs", "allocator", "paging", "drill", "quantisation", "sheets", "workloads", "planner"];

/// Builds everything a browser loads into `target/site`.
pub fn build() -> sh::Result {
    sh::wasm_target()?;
    let root = sh::root();
    let target = root.join("target/wasm");
    let target_text = target.to_string_lossy().into_owned();
    let glue = target.join("bindgen");
    for client in CLIENTS {
        // One at a time: together they would share their features.
        let name = format!("client_{client}");
        sh::cargo_wasm(
            &format!("client {client} (wasm)"),
            &[
                "build",
                "-p",
                "client",
                "--example",
                &name,
                "--features",
                client,
                "--target",
                "wasm32-unknown-unknown",
                "--profile",
                "wasm-release",
                "--target-dir",
                &target_text,
            ],
        )?;
        let wasm = target.join(format!("wasm32-unknown-unknown/wasm-release/examples/{name}.wasm"));
        bindgen(&wasm, &glue, client)?;
    }
    assets::write(&root, &glue)
}

fn bindgen(wasm: &Path, out: &Path, client: &str) -> sh::Result {
    if newer(&out.join(format!("{client}.js")), wasm) {
        return Ok(());
    }
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(wasm)
        .web(true)
        .map_err(|error| format!("bindgen: {error:#}"))?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .out_name(client)
        .generate(out)
        .map_err(|error| format!("bindgen: {error:#}"))
}

fn newer(a: &Path, b: &Path) -> bool {
    let time = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified()).ok();
    matches!((time(a), time(b)), (Some(a), Some(b)) if a > b)
}
