//! NVIDIA's compiler as a library. Machines without it run the PTX that ships beside each kernel.
//!
//! An `#include` can read any file that the process can, so the source of a stranger is compiled in a process that can
//! read none.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char};
use std::path::{Path, PathBuf};
use std::ptr;

use cudarc::nvrtc::result::{self, NvrtcError};
use cudarc::nvrtc::sys;
use labs::run::DeviceError;

use super::trouble::{bordered, failed};

/// A compiler that was met with endless errors says no more than this.
const MOST_LOG_BYTES: usize = 64 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    pub ptx: String,
    /// What the compiler and its assembler said: warnings, then what each kernel takes ([`super::resources::read`]).
    pub log: String,
}

/// Ends the program's life in the library, whatever happened in between.
struct Program(sys::nvrtcProgram);

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: made by `create_program`, destroyed once.
        let _ = bordered("nvrtcDestroyProgram", || unsafe { result::destroy_program(self.0) });
    }
}

/// What a source may include, and whether warnings are wanted.
#[derive(Debug, Default)]
pub struct Setting<'a> {
    /// Name and text of headers that are no files.
    pub headers: &'a [(&'a str, &'a str)],
    pub folders: &'a [PathBuf],
    pub quiet: bool,
}

/// The compiler's own part, which it loads when it first compiles; the name ends with its version.
const BUILTINS: &str = "libnvrtc-builtins.so.12";

/// Loads the compiler from this file, and its part from beside it: what asks for them by name later finds them loaded, and no file has
/// to be read for that any more.
///
/// # Errors
/// What is missing, or what the loader says.
pub fn load(library: &Path) -> Result<(), String> {
    let keep = |file: &Path| {
        // SAFETY: a library of whoever runs this machine, which does nothing when it is loaded.
        let loaded = unsafe { libloading::Library::new(file) };
        loaded.map(std::mem::forget).map_err(|error| format!("{} cannot be loaded: {error}", file.display()))
    };
    keep(library)?;
    let folder = library.parent().unwrap_or(Path::new("/"));
    let beside = std::fs::read_dir(folder).map_err(|error| format!("{}: {}", folder.display(), error.kind()))?;
    let is_part = |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| name.starts_with(BUILTINS));
    let parts: Vec<PathBuf> =
        beside.flatten().filter(|entry| is_part(&entry.file_name())).map(|entry| entry.path()).collect();
    if parts.is_empty() {
        return Err(format!(
            "{}: {BUILTINS}… is missing, which belongs to NVIDIA's compiler; install it anew",
            folder.display()
        ));
    }
    parts.iter().try_for_each(|part| keep(part))
}

/// `12.0`
///
/// # Errors
/// [`DeviceError::Backend`] when there is no compiler.
pub fn version() -> Result<String, DeviceError> {
    present()?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: writes two numbers.
    let asked = bordered("nvrtcVersion", || unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) })?;
    asked.result().map_err(|NvrtcError(code)| failed(format!("nvrtcVersion: {code:?}")))?;
    Ok(format!("{major}.{minor}"))
}

/// Compiles CUDA C++ for devices of `capability`, 80 for 8.0, or for the newest that the compiler knows below it.
/// `name` stands in messages.
///
/// # Errors
/// [`DeviceError::Compile`] with the compiler's words; [`DeviceError::Backend`] when there is no compiler, or none for
/// so old a device.
pub fn compile(source: &str, name: &str, capability: u32) -> Result<Compiled, DeviceError> {
    compile_with(source, name, capability, &Setting::default())
}

fn present() -> Result<(), DeviceError> {
    // SAFETY: loads a library of the system's and asks for no function.
    if bordered("nvrtc", || unsafe { sys::is_culib_present() })? {
        return Ok(());
    }
    Err(failed(
        "no CUDA compiler: libnvrtc was not found; install NVIDIA's nvrtc (also as the Python package \
         nvidia-cuda-nvrtc-cu12) and put its folder into LD_LIBRARY_PATH",
    ))
}

fn create(source: &CStr, title: &CStr, headers: &[(CString, CString)]) -> Result<Program, DeviceError> {
    let names: Vec<_> = headers.iter().map(|(name, _)| name.as_ptr()).collect();
    let texts: Vec<_> = headers.iter().map(|(_, text)| text.as_ptr()).collect();
    let count = i32::try_from(headers.len()).map_err(|_| failed("more headers than a compiler counts"))?;
    let mut program = ptr::null_mut();
    // SAFETY: texts that end with a zero byte, and as many names and headers as `count` says; all of them are copied.
    let made = bordered("nvrtcCreateProgram", || unsafe {
        sys::nvrtcCreateProgram(
            &raw mut program,
            source.as_ptr(),
            title.as_ptr(),
            count,
            texts.as_ptr(),
            names.as_ptr(),
        )
    })?;
    made.result().map_err(|NvrtcError(code)| failed(format!("nvrtcCreateProgram: {code:?}")))?;
    Ok(Program(program))
}

/// As [`compile`], with headers of the caller's.
///
/// # Errors
/// As there.
pub fn compile_with(source: &str, name: &str, capability: u32, setting: &Setting<'_>) -> Result<Compiled, DeviceError> {
    let wrong = |log: String| DeviceError::Compile { kernel: name.to_owned(), log };
    let text = CString::new(source).map_err(|_| wrong("the source holds a zero byte".to_owned()))?;
    let title = CString::new(name).map_err(|_| wrong("the name holds a zero byte".to_owned()))?;
    let zero = |_| failed("a header holds a zero byte");
    let header = |(name, text): &(&str, &str)| Ok((CString::new(*name)?, CString::new(*text)?));
    let headers: Result<Vec<_>, std::ffi::NulError> = setting.headers.iter().map(header).collect();
    let headers = headers.map_err(zero)?;
    present()?;
    let arch = bordered("nvrtcGetSupportedArchs", || newest(capability))??;
    let program = create(&text, &title, &headers)?;
    let mut options = vec![format!("--gpu-architecture=sm_{arch}"), "--ptxas-options=-v".to_owned()];
    options.extend(setting.quiet.then(|| "--disable-warnings".to_owned()));
    options.extend(setting.folders.iter().map(|folder| format!("--include-path={}", folder.display())));
    // SAFETY: the program lives until the end of this function.
    let compiled = bordered("nvrtcCompileProgram", || unsafe { result::compile_program(program.0, &options) })?;
    // SAFETY: as above.
    let log = bordered("nvrtcGetProgramLog", || unsafe { result::get_program_log(program.0) })?;
    let log = log.map(|log| text_of(&log)).unwrap_or_default();
    compiled.map_err(|NvrtcError(code)| {
        let silent = log.trim().is_empty();
        wrong(if silent { format!("nvrtcCompileProgram: {code:?}") } else { log.clone() })
    })?;
    // SAFETY: as above.
    let ptx = bordered("nvrtcGetPTX", || unsafe { result::get_ptx(program.0) })?;
    let ptx = ptx.map_err(|NvrtcError(code)| failed(format!("nvrtcGetPTX: {code:?}")))?;
    let ptx = CStr::from_bytes_until_nul(bytes(&ptx)).map_err(|_| failed("nvrtcGetPTX: a text without an end"))?;
    Ok(Compiled { ptx: ptx.to_string_lossy().into_owned(), log })
}

/// The newest architecture that this compiler knows and a device of `capability` runs.
fn newest(capability: u32) -> Result<u32, DeviceError> {
    let failure = |NvrtcError(code): NvrtcError| failed(format!("nvrtcGetSupportedArchs: {code:?}"));
    let mut count = 0;
    // SAFETY: the first call gives the number that the second one writes.
    unsafe { sys::nvrtcGetNumSupportedArchs(&raw mut count) }.result().map_err(failure)?;
    let mut known = vec![0; usize::try_from(count).unwrap_or(0)];
    if !known.is_empty() {
        // SAFETY: as above.
        unsafe { sys::nvrtcGetSupportedArchs(known.as_mut_ptr()) }.result().map_err(failure)?;
    }
    let fitting = known.iter().filter_map(|arch| u32::try_from(*arch).ok()).filter(|arch| *arch <= capability).max();
    fitting.ok_or_else(|| {
        failed(format!("this CUDA compiler makes nothing for a device of compute capability {}", dotted(capability)))
    })
}

/// `80` as `8.0`
pub fn dotted(capability: u32) -> String {
    format!("{}.{}", capability / 10, capability % 10)
}

fn bytes(text: &[c_char]) -> &[u8] {
    // SAFETY: signed and unsigned bytes are laid out alike.
    unsafe { std::slice::from_raw_parts(text.as_ptr().cast(), text.len()) }
}

fn text_of(log: &[c_char]) -> String {
    let all = bytes(log);
    let end = all.iter().position(|byte| *byte == 0).unwrap_or(all.len()).min(MOST_LOG_BYTES);
    String::from_utf8_lossy(&all[..end]).into_owned()
}
