//! `cargo xtask dist`: one tarball that an instructor unpacks.

use std::fs;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::sh;

/// Files beside the two programs: where they lie here, and how they are named there.
const FILES: [(&str, &str); 8] = [
    ("README.md", "README.md"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("content/LICENSE", "LICENSE-CONTENT"),
    ("gpu_runner/README.md", "RUNNER.md"),
    ("xtask/units/vramlab.service", "systemd/vramlab.service"),
    ("xtask/units/gpu_runner.service", "systemd/gpu_runner.service"),
    ("xtask/units/INSTALL.md", "INSTALL.md"),
];

/// Builds with optimisation and packs; assets and content are inside the server.
pub fn run() -> sh::Result {
    crate::build(true)?;
    let root = sh::root();
    let folder = root.join("dist");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let name = format!("vramlab-{}-{}-linux", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH);
    let path = folder.join(format!("{name}.tar.gz"));
    pack(&root, &name, &path).map_err(|error| format!("{}: {error}", path.display()))?;
    let size = fs::metadata(&path).map(|meta| meta.len()).unwrap_or(0);
    println!("packed: dist/{name}.tar.gz, {:.1} MB", size as f64 / 1e6);
    Ok(())
}

fn pack(root: &Path, name: &str, path: &Path) -> std::io::Result<()> {
    let encoder = GzEncoder::new(fs::File::create(path)?, Compression::best());
    let mut tar = tar::Builder::new(encoder);
    tar.mode(tar::HeaderMode::Deterministic);
    for program in ["vramlab", "gpu_runner"] {
        tar.append_path_with_name(root.join("target/release").join(program), format!("{name}/{program}"))?;
    }
    for (from, to) in FILES {
        tar.append_path_with_name(root.join(from), format!("{name}/{to}"))?;
    }
    tar.into_inner()?.finish()?.sync_all()
}
