//! Builds the stand-in for libcuda and the kernels it runs, and starts the runner over it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::{env, fs};

use tempfile::TempDir;

/// The folder of this crate.
const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// What the library says of itself is no proof: these are a real card's name and an UUID like a real one's.
pub const LIES: [(&str, &str); 2] = [("name", "NVIDIA H100 80GB HBM3"), ("uuid", "5a1f3c0e9b7d4e218c66a0b1c2d3e4f5")];

/// A driver of the test's own: the folder that goes into LD_LIBRARY_PATH.
pub struct Double {
    folder: TempDir,
    also: Option<PathBuf>,
}

/// What the stand-in is made of, compiled once for all tests of this file.
struct Parts {
    folder: TempDir,
}

/// Every `kernel.cu`, with its folder's name.
pub fn sources() -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(HERE).join("../labs")];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("kernel.cu") {
                found.push((folder.file_name().unwrap().to_str().unwrap().to_owned(), path));
            }
        }
    }
    found.sort();
    assert!(found.len() > 3, "{found:?}");
    found
}

/// The entry points of a PTX text, sorted.
pub fn entries(ptx: &str) -> Vec<&str> {
    let names = ptx.split(".entry ").skip(1).filter_map(|rest| rest.split(['(', ' ', '\n']).next());
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names
}

/// The same sum as in `libcuda.cpp`.
fn module_of(ptx: &str) -> String {
    let names: String = entries(ptx).iter().map(|name| format!("{name}\n")).collect();
    let hash = names
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}

fn compile(from: &Path, to: &Path, flags: &[&str]) {
    let mut command = Command::new("c++");
    command.args(["-std=c++17", "-O1", "-shared", "-fPIC", "-Wno-unknown-pragmas"]).args(flags);
    let out = command.arg("-o").arg(to).arg(from).arg("-ldl").output();
    let out = out.unwrap_or_else(|error| panic!("c++: {error}; install it with: sudo apt-get install g++"));
    assert!(out.status.success(), "{}: {}", from.display(), String::from_utf8_lossy(&out.stderr));
}

/// Compiles a CUDA source for the processor, under the name by which the stand-in finds it.
fn compile_kernels(source: &str, ptx: &str, to: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let host = Path::new(HERE).join("host/cuda_on_cpu.h");
    let mut unit = format!("#include {host:?}\n{source}\n");
    for name in entries(ptx) {
        unit.push_str(&format!("VRAMLAB_KERNEL({name})\n"));
    }
    let path = folder.path().join("kernel.cpp");
    fs::write(&path, unit).unwrap();
    compile(&path, &to.join(format!("{}.so", module_of(ptx))), &["-fvisibility=hidden"]);
}

fn parts() -> &'static Parts {
    static PARTS: OnceLock<Parts> = OnceLock::new();
    PARTS.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let double = Path::new(HERE).join("tests/cuda/libcuda.cpp");
        compile(&double, &at("libcuda.so.1"), &[]);
        compile(&double, &at("libcuda-old.so.1"), &["-DOLD"]);
        compile(&double.with_file_name("libnvidia-ml.cpp"), &at("libnvidia-ml.so.1"), &[]);
        fs::create_dir(at("kernels")).unwrap();
        for (_, source) in sources() {
            let text = fs::read_to_string(&source).unwrap();
            let ptx = fs::read_to_string(source.with_file_name("kernel.ptx")).unwrap();
            compile_kernels(&text, &ptx, &at("kernels"));
        }
        Parts { folder }
    })
}

impl Double {
    pub fn new(settings: &[(&str, &str)]) -> Self {
        Self::of("libcuda.so.1", settings)
    }

    /// One that lacks a function, as an old driver does.
    pub fn old() -> Self {
        Self::of("libcuda-old.so.1", &[])
    }

    /// One whose RMSNorm has a fault: the first `right` of its source is `wrong`.
    pub fn faulty(right: &str, wrong: &str) -> Self {
        let double = Self::new(&[]);
        let (_, path) = sources().into_iter().find(|(lab, _)| lab == "rmsnorm").unwrap();
        let source = fs::read_to_string(&path).unwrap();
        assert!(source.contains(right), "the source holds {right:?}");
        let ptx = fs::read_to_string(path.with_file_name("kernel.ptx")).unwrap();
        compile_kernels(&source.replacen(right, wrong, 1), &ptx, &double.folder.path().join("kernels"));
        double
    }

    /// No driver at all.
    pub fn none() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), also: None }
    }

    fn of(library: &str, settings: &[(&str, &str)]) -> Self {
        let (folder, parts) = (tempfile::tempdir().unwrap(), parts().folder.path());
        fs::copy(parts.join(library), folder.path().join("libcuda.so.1")).unwrap();
        fs::copy(parts.join("libnvidia-ml.so.1"), folder.path().join("libnvidia-ml.so.1")).unwrap();
        // Copied, for a child may read no other folder.
        fs::create_dir(folder.path().join("kernels")).unwrap();
        for kernels in fs::read_dir(parts.join("kernels")).unwrap().flatten() {
            fs::copy(kernels.path(), folder.path().join("kernels").join(kernels.file_name())).unwrap();
        }
        let lines: String = settings.iter().map(|(key, value)| format!("{key}={value}\n")).collect();
        fs::write(folder.path().join("settings"), lines).unwrap();
        Self { folder, also: None }
    }

    /// With another folder of libraries behind it.
    pub fn beside(mut self, libraries: PathBuf) -> Self {
        self.also = Some(libraries);
        self
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// `gpu_runner` with this driver and no other.
    pub fn runner(&self, args: &[&str]) -> Output {
        let folders = [Some(self.folder.path().to_owned()), self.also.clone()];
        let path = env::join_paths(folders.into_iter().flatten()).unwrap();
        Command::new(env!("CARGO_BIN_EXE_gpu_runner")).args(args).env("LD_LIBRARY_PATH", path).output().unwrap()
    }

    /// Runs RMSNorm and gives what came out, or what was said.
    pub fn rmsnorm(&self, rows: u64, hidden: u64) -> Result<evidence::Report, String> {
        self.lab("rmsnorm", &[&format!("rows={rows}"), &format!("hidden={hidden}"), "samples=3"])
    }

    pub fn lab(&self, lab: &str, params: &[&str]) -> Result<evidence::Report, String> {
        let mut args = vec!["run", lab, "--backend", "cuda", "--out", "-"];
        for param in params {
            args.extend(["--param", param]);
        }
        let out = self.runner(&args);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        if !out.status.success() {
            return Err(said);
        }
        serde_json::from_slice(&out.stdout).map_err(|error| format!("{error}: {said}"))
    }
}
