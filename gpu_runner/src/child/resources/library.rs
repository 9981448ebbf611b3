//! Where NVIDIA's compiler lies on this machine. It is looked for, and not loaded: the supervisor asks too.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The version whose functions this build calls.
const NAME: &str = "libnvrtc.so.12";
/// Within a folder that somebody names: the library's own, a toolkit's, or the one that Python's packages went into.
const WITHIN: [&str; 4] = ["", "lib64", "lib", "nvidia/cuda_nvrtc/lib"];
/// Where packages of NVIDIA and of distributions put it.
const USUAL: [&str; 7] = [
    "/usr/local/cuda/lib64",
    "/opt/cuda/lib64",
    "/usr/local/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
];
/// Headers of the same installation, from the library's folder: of a toolkit, then of Python's packages.
const HEADERS: [&str; 4] =
    ["../include", "../../cuda_runtime/include", "../../cuda_nvcc/include", "../../cuda_cccl/include"];

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Library {
    pub file: PathBuf,
    /// Where a kernel may include from. Folders that exist.
    pub headers: Vec<PathBuf>,
}

/// In the folder that is named, or where the loader and NVIDIA's packages have it. `None` on a machine without one.
///
/// # Errors
/// Tells what was expected in a folder that is named and does not have it.
pub fn find(given: Option<&Path>) -> Result<Option<Library>, String> {
    match given {
        Some(folder) => WITHIN.iter().find_map(|within| at(&folder.join(within))).map(Some).ok_or_else(|| {
            format!(
                "{}: no {NAME} there, nor in its {}; expected the folder of NVIDIA's NVRTC 12, for example where \
                 pip install --target FOLDER nvidia-cuda-nvrtc-cu12 put it",
                folder.display(),
                WITHIN[1..].join(", ")
            )
        }),
        None => {
            let path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
            let loader = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
            Ok(loader.chain(USUAL.iter().map(PathBuf::from)).find_map(|folder| at(&folder)))
        }
    }
}

/// With every link followed: rights are given to what a path leads to.
fn at(folder: &Path) -> Option<Library> {
    let named = folder.join(NAME);
    let folder = folder.canonicalize().ok()?;
    let headers = HEADERS.iter().filter_map(|headers| folder.join(headers).canonicalize().ok());
    let headers =
        headers.filter(|headers| headers.join("cuda_runtime.h").is_file() || headers.join("cuda_fp16.h").is_file());
    let file = named.canonicalize().ok().filter(|file| file.is_file())?;
    Some(Library { file, headers: headers.collect() })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_named_folder_has_it_or_is_refused_with_what_was_expected() {
        let folder = tempfile::tempdir().unwrap();
        let error = find(Some(folder.path())).unwrap_err();
        assert!(error.contains("expected the folder of NVIDIA's NVRTC 12"), "{error}");
        let (lib, include) =
            (folder.path().join("nvidia/cuda_nvrtc/lib"), folder.path().join("nvidia/cuda_runtime/include"));
        fs::create_dir_all(&lib).unwrap();
        fs::create_dir_all(&include).unwrap();
        fs::write(lib.join(NAME), "").unwrap();
        for given in [folder.path(), &lib] {
            let found = find(Some(given)).unwrap().unwrap();
            assert_eq!((found.file, found.headers.len()), (lib.canonicalize().unwrap().join(NAME), 0));
        }
        fs::write(include.join("cuda_fp16.h"), "").unwrap();
        let found = find(Some(folder.path())).unwrap().unwrap();
        assert_eq!(found.headers, [include.canonicalize().unwrap()]);
    }
}
