//! The client: wasm, its JavaScript glue, and every other asset of the site.

use std::fs;
use std::path::Path;

use wasm_bindgen_cli_support::Bindgen;

use crate::{assets, sh};

/// Builds everything a browser loads into `target/site`.
pub fn build() -> sh::Result {
    sh::wasm_target()?;
    let root = sh::root();
    let target = root.join("target/wasm");
    let target_text = target.to_string_lossy().into_owned();
    sh::cargo(
        "client (wasm)",
        &[
            "build",
            "-p",
            "client",
            "--target",
            "wasm32-unknown-unknown",
            "--profile",
            "wasm-release",
            "--target-dir",
            &target_text,
        ],
    )?;
    let wasm = target.join("wasm32-unknown-unknown/wasm-release/client.wasm");
    let glue = target.join("bindgen");
    bindgen(&wasm, &glue)?;
    assets::write(&root, &glue)
}

fn bindgen(wasm: &Path, out: &Path) -> sh::Result {
    if newer(&out.join("client.js"), wasm) {
        return Ok(());
    }
    let _ = fs::remove_dir_all(out);
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(wasm)
        .web(true)
        .map_err(|error| format!("bindgen: {error:#}"))?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .out_name("client")
        .generate(out)
        .map_err(|error| format!("bindgen: {error:#}"))
}

fn newer(a: &Path, b: &Path) -> bool {
    let time = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified()).ok();
    matches!((time(a), time(b)), (Some(a), Some(b)) if a > b)
}
