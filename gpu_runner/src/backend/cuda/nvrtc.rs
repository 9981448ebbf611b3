//! NVIDIA's compiler as a library. Machines without it run the PTX that ships beside each kernel.
//!
//! An `#include` can read any file that the process can, so the source of a stranger is compiled in a process that can
//! read none.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char};

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

/// Compiles CUDA C++ for devices of `capability`, 80 for 8.0, or for the newest that the compiler knows below it.
/// `name` stands in messages.
///
/// # Errors
/// [`DeviceError::Compile`] with the compiler's words; [`DeviceError::Backend`] when there is no compiler, or none for
/// so old a device.
pub fn compile(source: &str, name: &str, capability: u32) -> Result<Compiled, DeviceError> {
    let wrong = |log: String| DeviceError::Compile { kernel: name.to_owned(), log };
    let text = CString::new(source).map_err(|_| wrong("the source holds a zero byte".to_owned()))?;
    let title = CString::new(name).map_err(|_| wrong("the name holds a zero byte".to_owned()))?;
    // SAFETY: loads a library of the system's and asks for no function.
    if !bordered("nvrtc", || unsafe { sys::is_culib_present() })? {
        return Err(failed(
            "no CUDA compiler: libnvrtc was not found; install NVIDIA's nvrtc (also as the Python package \
             nvidia-cuda-nvrtc-cu12) and put its folder into LD_LIBRARY_PATH",
        ));
    }
    let arch = bordered("nvrtcGetSupportedArchs", || newest(capability))??;
    let made = bordered("nvrtcCreateProgram", || result::create_program(&text, Some(&title)))?;
    let program = Program(made.map_err(|NvrtcError(code)| failed(format!("nvrtcCreateProgram: {code:?}")))?);
    let options = [format!("--gpu-architecture=sm_{arch}"), "--ptxas-options=-v".to_owned()];
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
