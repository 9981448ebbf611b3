//! Turns `models/*.toml` and `cards/*.toml` into Rust tables, so that the browser carries facts and no TOML parser.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

use serde::Deserialize;

#[path = "build/card.rs"]
mod card;
#[path = "build/model.rs"]
mod model;

/// The TOML files of a folder in the order of their names, parsed.
fn read<T: for<'de> Deserialize<'de>>(folder: &Path) -> Result<Vec<(PathBuf, T)>, Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    files
        .into_iter()
        .map(|path| {
            println!("cargo::rerun-if-changed={}", path.display());
            let facts =
                toml::from_str(&fs::read_to_string(&path)?).map_err(|error| format!("{}: {error}", path.display()))?;
            Ok((path, facts))
        })
        .collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let mut code = String::new();
    model::write(&mut code, &read(&root.join("models"))?)?;
    writeln!(code)?;
    card::write(&mut code, &read(&root.join("cards"))?)?;
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("catalogue.rs"), code)?;
    Ok(())
}
