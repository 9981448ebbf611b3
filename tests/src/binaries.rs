//! Where the programs under test are.

use std::path::{Path, PathBuf};

/// The server.
///
/// # Panics
/// When it was not built, with the command that builds it.
pub fn vramlab() -> PathBuf {
    find("vramlab", "VRAMLAB_BIN", "server")
}

/// The runner.
///
/// # Panics
/// When it was not built, with the command that builds it.
pub fn gpu_runner() -> PathBuf {
    find("gpu_runner", "GPU_RUNNER_BIN", "gpu_runner")
}

fn find(name: &str, variable: &str, package: &str) -> PathBuf {
    if let Some(path) = std::env::var_os(variable) {
        let path = PathBuf::from(path);
        assert!(path.is_file(), "{variable} names {}, which is not a file", path.display());
        return path;
    }
    let own = std::env::current_exe().unwrap_or_else(|error| panic!("this test does not know where it is: {error}"));
    let found = beside(&own, name);
    found.unwrap_or_else(|| {
        panic!(
            "{name} is not built beside {}: run cargo xtask build, or cargo build -p {package}, or set {variable}",
            own.display()
        )
    })
}

/// A test lies in `target/<profile>/deps`, an example in `target/<profile>/examples`, a program one folder up.
fn beside(own: &Path, name: &str) -> Option<PathBuf> {
    own.ancestors().skip(1).take(2).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Debian's Chromium.
///
/// # Panics
/// When there is none, with what to install.
pub fn chromium() -> PathBuf {
    if let Some(path) = std::env::var_os("CHROMIUM_BIN") {
        return PathBuf::from(path);
    }
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths)
        .map(|folder| folder.join("chromium"))
        .find(|path| path.is_file())
        .unwrap_or_else(|| panic!("browser tests need Chromium: sudo apt-get install chromium fonts-noto-cjk"))
}

/// The script of axe-core.
///
/// # Panics
/// When it is not installed, with the command that installs it.
pub fn axe() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("axe/node_modules/axe-core/axe.min.js");
    assert!(path.is_file(), "axe-core is not installed: run cargo xtask test, or npm ci --prefix tests/axe");
    path
}
