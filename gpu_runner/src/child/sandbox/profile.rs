//! What each kind of child needs of the machine, in one place.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Calls, Files};
use crate::backend::BackendName;
use crate::child::resources::Library;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    pub files: Files,
    pub calls: Calls,
}

/// Shared libraries, and the list by which the loader finds them.
const LIBRARIES: &[&str] =
    &["/usr/lib", "/usr/lib32", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib", "/etc/ld.so.cache"];
/// Where a machine says what processor and memory it has.
const MACHINE: &[&str] =
    &["/proc/cpuinfo", "/proc/meminfo", "/proc/sys/kernel", "/sys/devices/system", "/sys/fs/cgroup"];
const NULL: &[&str] = &["/dev/null", "/dev/zero", "/dev/urandom"];
/// The compiler's programs and headers: of the system, not of whoever installed something by hand.
const COMPILER: &[&str] = &["/usr/bin", "/usr/libexec", "/bin", "/usr/lib", "/usr/lib64", "/lib", "/lib64"];
/// A Vulkan loader finds its drivers here, and a driver its settings.
const VULKAN: &[&str] =
    &["/usr/share", "/usr/local/share/vulkan", "/etc/vulkan", "/etc/glvnd", "/etc/drirc", "/etc/OpenCL"];
/// A driver looks for its cards here.
const CARDS: &[&str] = &[
    "/sys/dev/char",
    "/sys/class/drm",
    "/sys/bus/pci",
    "/sys/devices",
    "/sys/module",
    "/proc/devices",
    "/proc/driver",
    "/proc/modules",
];
/// The CUDA libraries where NVIDIA's own packages put them.
const CUDA: &[&str] = &["/usr/local/cuda", "/opt/cuda"];

/// The driver's library looks at its own process and at the kernel's memory settings when it starts.
const CUDA_PROCESS: &[&str] = &["/proc/self", "/proc/sys/vm"];

fn paths(lists: &[&[&str]]) -> Vec<PathBuf> {
    lists.iter().flat_map(|list| list.iter()).map(PathBuf::from).collect()
}

/// A lab's own program: fixed code of this build, with a GPU driver in its process for any backend but the processor.
pub fn lab(backend: BackendName, folder: &Path) -> Profile {
    let mut read = paths(&[LIBRARIES, MACHINE]);
    let mut devices = paths(&[NULL]);
    if backend != BackendName::Cpu {
        read.extend(paths(&[VULKAN, CARDS, CUDA]));
        devices.extend(card_nodes());
    }
    if backend == BackendName::Cuda {
        read.extend(paths(&[CUDA_PROCESS]));
        read.extend(libraries_elsewhere());
    }
    let files = Files { read, devices, write: vec![folder.to_owned()], ..Files::default() };
    Profile { files, calls: Calls::Trusted }
}

/// Where whoever runs this machine put the driver's libraries: containers do not put them among the system's.
fn libraries_elsewhere() -> Vec<PathBuf> {
    let folders = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    std::env::split_paths(&folders).filter(|folder| folder.is_absolute()).collect()
}

fn card_nodes() -> Vec<PathBuf> {
    let nodes = fs::read_dir("/dev").into_iter().flatten().flatten();
    let known = |name: &str| name == "dri" || name == "kfd" || name == "dxg" || name.starts_with("nvidia");
    nodes.filter(|node| node.file_name().to_str().is_some_and(known)).map(|node| node.path()).collect()
}

/// The compiler over a learner's text: it reads our header, and writes into a folder that it does not search.
pub fn compile(source: &Path, out: &Path) -> Profile {
    let mut read = paths(&[&["/usr/include", "/usr/share/gcc", "/etc/ld.so.cache"]]);
    read.push(source.to_owned());
    let files = Files { read, run: paths(&[COMPILER]), write: vec![out.to_owned()], devices: paths(&[&["/dev/null"]]) };
    Profile { files, calls: Calls::Trusted }
}

/// NVIDIA's compiler, loaded already, over a learner's text: it reads headers of its own, and writes nothing.
pub fn resources(library: &Library) -> Profile {
    let files = Files { read: library.headers.clone(), ..Files::default() };
    Profile { files, calls: Calls::Trusted }
}

/// The process that loads a learner's shared object and calls it. It reads that file and the system's libraries, and writes nothing.
pub fn kernel(library: &Path) -> Profile {
    let mut read = paths(&[LIBRARIES]);
    read.push(library.to_owned());
    Profile { files: Files { read, ..Files::default() }, calls: Calls::Learner }
}
