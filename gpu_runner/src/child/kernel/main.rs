//! One thread, from the task to the end: a learner's code may have anything of this process, and there is nothing in it to have.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Read, Write};
use std::process::ExitCode;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW, Symbol};
use rustix::process::{Signal, set_parent_process_death_signal};

use super::memory::Region;
use super::wire::{KernelTask, Pulled, TASK_BYTES, WireError, read_argument, read_launch, write_done, write_fault};
use crate::child::limits::{self, Limits};
use crate::child::sandbox::{self, Calls};

/// Loading and calling both run the learner's code: what follows the sandbox is in its hands.
type Run = unsafe extern "C" fn(*const u32, *const u32, *mut *mut c_void) -> c_int;
type Signature = unsafe extern "C" fn() -> *const c_char;

struct Entry {
    name: String,
    run: Symbol<Run>,
    /// One letter per parameter.
    signature: Vec<u8>,
}

pub fn main() -> ExitCode {
    let mut input = BufReader::new(std::io::stdin().lock());
    // Answers get a number of their own, and what the code prints goes where nothing is parsed.
    let Ok(out) = rustix::io::dup(rustix::stdio::stdout()) else { return ExitCode::FAILURE };
    if rustix::stdio::dup2_stdout(rustix::stdio::stderr()).is_err() {
        return ExitCode::FAILURE;
    }
    let mut out = BufWriter::new(File::from(out));
    let ended = match prepare(&mut input) {
        Ok((entries, _library)) => write_done(&mut out, &[]).and_then(|()| serve(&mut input, &mut out, &entries)),
        Err(message) => write_fault(&mut out, &message),
    };
    match ended {
        // The other end closes when the lab is done.
        Ok(()) | Err(WireError::Io(_)) => ExitCode::SUCCESS,
        Err(WireError::Form(_)) => ExitCode::FAILURE,
    }
}

fn prepare(input: &mut impl std::io::BufRead) -> Result<(Vec<Entry>, Library), String> {
    let mut line = Vec::new();
    input.take(TASK_BYTES).read_until(b'\n', &mut line).map_err(|error| format!("no task: {error}"))?;
    let task: KernelTask = serde_json::from_slice(&line).map_err(|error| format!("no task: {error}"))?;
    // An endless kernel does not read that its pipe is closed.
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|error| format!("no death signal: {error}"))?;
    let limits = Limits {
        cpu_seconds: task.cpu_seconds,
        data_bytes: Some(task.memory_bytes),
        address_bytes: Some(task.memory_bytes),
        file_bytes: 0,
        files: 16,
    };
    limits::apply(&limits).map_err(|error| format!("the limits could not be set: {error}"))?;
    sandbox::enter(&sandbox::kernel(&task.library)).map_err(|error| error.to_string())?;
    // SAFETY: whatever its constructors do, they do it in this sandbox.
    let library = unsafe { Library::open(Some(&task.library), RTLD_NOW | RTLD_LOCAL) }
        .map_err(|_| "the compiled kernel could not be loaded".to_owned())?;
    let entries = task.kernels.iter().map(|name| entry(&library, name)).collect::<Result<_, _>>()?;
    sandbox::enter_calls(Calls::LearnerLoaded).map_err(|error| error.to_string())?;
    Ok((entries, library))
}

fn entry(library: &Library, name: &str) -> Result<Entry, String> {
    let missing = |_| format!("the compiled kernel exports no {name}");
    // SAFETY: the types are those of the header that was compiled in.
    let (run, signature) = unsafe {
        let run: Symbol<Run> = library.get(format!("vramlab_run_{name}\0").as_bytes()).map_err(missing)?;
        let signature: Symbol<Signature> =
            library.get(format!("vramlab_signature_{name}\0").as_bytes()).map_err(missing)?;
        (run, CStr::from_ptr(signature()).to_bytes().to_vec())
    };
    Ok(Entry { name: name.to_owned(), run, signature })
}

fn serve(input: &mut impl Read, out: &mut impl Write, entries: &[Entry]) -> Result<(), WireError> {
    loop {
        let (kernel, geometry, count) = read_launch(input)?;
        let Some(entry) = entries.get(kernel as usize) else { return Err(WireError::Form("no such kernel")) };
        let mut arguments = Vec::new();
        for _ in 0..count {
            let Some(argument) = Held::read(input)? else {
                write_fault(out, "the launch's buffers do not fit into the memory of a run")?;
                // What is still in the pipe has no place to go.
                return Err(WireError::Form("a launch too large"));
            };
            arguments.push(argument);
        }
        match launch(entry, geometry.grid, geometry.block, arguments) {
            Ok(arguments) => {
                let written: Vec<&[u8]> = arguments.iter().filter_map(Held::written).collect();
                write_done(out, &written)?;
            }
            Err(message) => write_fault(out, &message)?,
        }
    }
}

/// An argument at an address that stays.
enum Held {
    Buffer { region: Region, pointer: *mut u8, out: bool },
    Number(u32, u8),
}

impl Held {
    /// `None` when there is no memory for it.
    fn read(input: &mut impl Read) -> Result<Option<Self>, WireError> {
        let (elements, out) = match read_argument(input)? {
            Pulled::In(elements) => (elements, false),
            Pulled::Out(elements) => (elements, true),
            Pulled::U32(value) => return Ok(Some(Self::Number(value, b'u'))),
            Pulled::F32(value) => return Ok(Some(Self::Number(value.to_bits(), b'f'))),
        };
        let region = Region::filled(elements, out, input)?;
        Ok(region.map(|region| Self::Buffer { pointer: region.pointer(), region, out }))
    }

    fn written(&self) -> Option<&[u8]> {
        match self {
            Self::Buffer { region, out: true, .. } => Some(region.contents()),
            _ => None,
        }
    }

    /// A pointer that may be written takes an input too: the pages say no when it is.
    fn fits(&self, letter: u8) -> bool {
        match self {
            Self::Buffer { out, .. } => letter == b'w' || (letter == b'r' && !out),
            Self::Number(_, kind) => letter == *kind || (*kind == b'u' && letter == b'i'),
        }
    }

    fn word(&self) -> &'static str {
        match self {
            Self::Buffer { out: false, .. } => "const float *",
            Self::Buffer { out: true, .. } => "float *",
            Self::Number(_, b'u') => "unsigned",
            Self::Number(..) => "float",
        }
    }
}

fn launch(entry: &Entry, grid: [u32; 3], block: [u32; 3], mut arguments: Vec<Held>) -> Result<Vec<Held>, String> {
    let name = &entry.name;
    let fits = arguments.len() == entry.signature.len()
        && arguments.iter().zip(&entry.signature).all(|(argument, letter)| argument.fits(*letter));
    if !fits {
        let expected: Vec<&str> = arguments.iter().map(Held::word).collect();
        return Err(format!("{name} has other parameters than the lab gives it: ({})", expected.join(", ")));
    }
    let mut pointers: Vec<*mut c_void> = arguments
        .iter_mut()
        .map(|argument| match argument {
            Held::Buffer { pointer, .. } => std::ptr::from_mut(pointer).cast(),
            Held::Number(value, _) => std::ptr::from_mut(value).cast(),
        })
        .collect();
    // SAFETY: the learner's code, in the sandbox made for it; its parameters are those of `pointers`.
    let outcome = unsafe { (entry.run)(grid.as_ptr(), block.as_ptr(), pointers.as_mut_ptr()) };
    // What the code printed lies in the C library's buffer, and this process ends without its leave.
    // SAFETY: no argument means every stream.
    unsafe { libc::fflush(std::ptr::null_mut()) };
    match outcome {
        0 => {}
        1 => return Err(format!("{name}: some threads wait at a barrier that others never reach")),
        2 => return Err(format!("{name}: a block of {block:?} threads is larger than a card allows")),
        3 => return Err(format!("{name}: no memory for the stacks of a block")),
        other => return Err(format!("{name} ended with the unknown outcome {other}")),
    }
    let intact = |argument: &Held| !matches!(argument, Held::Buffer { region, .. } if !region.is_intact());
    if arguments.iter().all(intact) { Ok(arguments) } else { Err(format!("{name} wrote outside its buffers")) }
}
