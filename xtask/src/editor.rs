//! The editor of kernels: bundled from npm packages into two files that stand with the source, so that building the site
//! needs no Node.

use std::path::Path;
use std::process::Command;

use crate::sh;

const FILES: [&str; 2] = ["editor.js", "editor.css"];

/// Makes the two files anew.
pub fn bundle() -> sh::Result {
    into(&sh::root().join("app/ui/assets"))
}

/// Whether the two files are what the sources give.
pub fn check() -> sh::Result {
    let (kept, made) = (sh::root().join("app/ui/assets"), sh::root().join("target/editor"));
    into(&made)?;
    let read = |path: &Path| std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    for name in FILES {
        if read(&kept.join(name))? != read(&made.join(name))? {
            return Err(format!("app/ui/assets/{name} is not what app/ui/editor gives: run cargo xtask editor"));
        }
    }
    Ok(())
}

fn into(folder: &Path) -> sh::Result {
    let source = sh::root().join("app/ui/editor");
    let npm = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    sh::run("packages of the editor", Command::new("npm").args(npm).current_dir(&source))?;
    let license = "/* prism-code-editor, MIT License, Copyright (c) 2023 Jonas Pytte */";
    sh::run(
        "editor",
        Command::new(source.join("node_modules/.bin/esbuild"))
            .args(["editor.js", "--bundle", "--minify", "--format=esm", "--target=es2022", "--log-level=warning"])
            .arg(format!("--banner:js={license}"))
            .arg(format!("--banner:css={license}"))
            .arg(format!("--outfile={}", folder.join("editor.js").display()))
            .current_dir(&source),
    )
}
