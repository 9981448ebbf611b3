//! What a learner's kernel would take of a card: NVIDIA's compiler makes machine code of it, which nothing runs, and says what that
//! takes. It needs no card.
//!
//! The compiler is a library, loaded before this process is shut in. From then on the process can read the headers of its installation
//! and nothing else, can write nothing and start nothing; the answer goes through its pipe. What the compiler makes of a hostile
//! text, a crash included, costs the report this one part.

mod library;

use evidence::{Compiled, KernelResources, TargetResources};
use labs::run::DeviceError;
use protocol::FailureKind;
use serde::{Deserialize, Serialize};

use super::compile::{SOURCE_NAME, nvidia_lines};
use super::limits::{self, Limits};
use super::sandbox;
use super::spec::Line;
use crate::backend::cuda::{nvrtc, resources};

pub use library::{Library, find};

/// The cards that are asked about: A100 and its kind, H100 and its kind.
const CAPABILITIES: [u32; 2] = [80, 90];

/// Headers that a kernel is used to include, and that add little to what this compiler knows by itself. One that stands in a folder of
/// headers is not hidden by them: it is the newer one's own affair to include these.
const HEADERS: [(&str, &str); 14] = [
    ("cuda_runtime.h", ""),
    ("cuda_runtime_api.h", ""),
    ("device_launch_parameters.h", ""),
    ("cmath", ""),
    ("math.h", ""),
    ("cstdio", ""),
    ("stdio.h", ""),
    ("cassert", ""),
    ("assert.h", ""),
    ("cstddef", ""),
    ("cstdint", INTEGERS),
    ("stdint.h", INTEGERS),
    ("cfloat", FLOATS),
    ("float.h", FLOATS),
];
const INTEGERS: &str = "#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
";
const FLOATS: &str = "#pragma once
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResourcesSpec {
    pub text: String,
    pub kernel: String,
    /// As the lab launches it.
    pub block_threads: u64,
    pub library: Library,
    pub cpu_seconds: u64,
    pub memory_bytes: u64,
}

pub fn run(spec: &ResourcesSpec) -> Line {
    let limits = Limits {
        cpu_seconds: spec.cpu_seconds,
        data_bytes: Some(spec.memory_bytes),
        address_bytes: Some(spec.memory_bytes),
        file_bytes: 0,
        files: 64,
    };
    let ready = nvrtc::load(&spec.library.file)
        .and_then(|()| limits::apply(&limits).map_err(|error| format!("the limits could not be set: {error}")))
        .and_then(|()| sandbox::enter(&sandbox::resources(&spec.library)).map_err(|error| error.to_string()));
    if let Err(message) = ready {
        return Line::Failed { kind: FailureKind::ChildCouldNotStart, message };
    }
    super::end_with_supervisor();
    let compiler = match nvrtc::version() {
        Ok(version) => format!("NVRTC {version}"),
        Err(error) => return Line::Failed { kind: FailureKind::ChildCouldNotStart, message: error.to_string() },
    };
    let found = CAPABILITIES.iter().map(|capability| target(spec, *capability)).collect::<Result<Vec<_>, _>>();
    let (targets, refused) = match found {
        Ok(targets) => (targets, None),
        Err(why) => (Vec::new(), Some(why)),
    };
    Line::Resources(KernelResources { compiler, block_threads: spec.block_threads, targets, refused })
}

fn target(spec: &ResourcesSpec, capability: u32) -> Result<TargetResources, String> {
    let setting = nvrtc::Setting { headers: &HEADERS, folders: &spec.library.headers, quiet: true };
    let text = spec.text.replace("\r\n", "\n");
    let made = nvrtc::compile_with(&text, SOURCE_NAME, capability, &setting).map_err(|error| match error {
        DeviceError::Compile { log, .. } => nvidia_lines(&log),
        error => error.to_string(),
    })?;
    let found = resources::of(&made.log, &spec.kernel)
        .ok_or_else(|| format!("{SOURCE_NAME}: for a card it has no kernel {}", spec.kernel))?;
    let compiled = Compiled {
        registers: found.registers,
        shared_bytes: found.shared_bytes,
        local_bytes: found.stack_bytes,
        spill_store_bytes: found.spill_store_bytes,
        spill_load_bytes: found.spill_load_bytes,
        promised_threads: resources::promised_threads(&made.ptx, &spec.kernel),
    };
    TargetResources::of(capability, &compiled, spec.block_threads)
        .ok_or_else(|| format!("nothing is known of the multiprocessors of compute capability {capability}"))
}
