//! What goes wrong between this program and NVIDIA's libraries, told by name with what to do about it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cudarc::driver::{DriverError, sys::CUresult};
use labs::run::DeviceError;

use super::BACKEND;

/// A call that failed.
#[derive(Debug, Clone)]
pub enum Trouble {
    Driver {
        call: &'static str,
        code: CUresult,
    },
    /// The binding looks a function up when it is first used, and panics where an older library lacks it.
    Missing {
        call: &'static str,
        message: String,
    },
}

pub fn failed(message: impl Into<String>) -> DeviceError {
    DeviceError::Backend { backend: BACKEND, message: message.into() }
}

/// Runs a call of a library. Nothing it does unwinds past this border.
pub fn bordered<T>(what: &'static str, call: impl FnOnce() -> T) -> Result<T, Trouble> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it ended without a message");
        Trouble::Missing { call: what, message: text.to_owned() }
    })
}

/// Runs a call of the driver.
pub fn driver<T>(what: &'static str, call: impl FnOnce() -> Result<T, DriverError>) -> Result<T, Trouble> {
    bordered(what, call)?.map_err(|DriverError(code)| Trouble::Driver { call: what, code })
}

impl Trouble {
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self, Self::Driver { code: CUresult::CUDA_ERROR_OUT_OF_MEMORY, .. })
    }

    /// The driver has it, and not for this device or this way of sharing it.
    pub fn is_unsupported(&self) -> bool {
        use CUresult as C;
        matches!(self, Self::Driver { code: C::CUDA_ERROR_NOT_SUPPORTED | C::CUDA_ERROR_UNSUPPORTED_LIMIT, .. })
    }

    fn is_final(&self) -> bool {
        matches!(self, Self::Driver { code, .. } if ends_the_context(*code))
    }

    /// With what ran last: most errors of a kernel show at a later call.
    pub fn after(self, kernel: Option<&'static str>) -> DeviceError {
        let kernel = kernel.map(|kernel| format!(" after the kernel {kernel}")).unwrap_or_default();
        let message = format!("{self}{kernel}");
        if self.is_final() { DeviceError::Lost { backend: BACKEND, message } } else { failed(message) }
    }
}

impl From<Trouble> for DeviceError {
    fn from(trouble: Trouble) -> Self {
        trouble.after(None)
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing { call, message } => {
                write!(
                    f,
                    "{call}: the driver's library lacks a function, so it is too old ({message}); update the driver"
                )
            }
            Self::Driver { call, code } => {
                write!(f, "{call}: {code:?} ({})", *code as u32)?;
                let (why, next) = (meaning(*code), ends_the_context(*code));
                if !why.is_empty() {
                    write!(f, ": {why}")?;
                }
                if next {
                    write!(f, "; this process can use the device no more")?;
                }
                Ok(())
            }
        }
    }
}

/// After these the driver answers every later call of the process with the same error.
fn ends_the_context(code: CUresult) -> bool {
    use CUresult as C;
    matches!(
        code,
        C::CUDA_ERROR_ILLEGAL_ADDRESS
            | C::CUDA_ERROR_LAUNCH_TIMEOUT
            | C::CUDA_ERROR_CONTEXT_IS_DESTROYED
            | C::CUDA_ERROR_ASSERT
            | C::CUDA_ERROR_HARDWARE_STACK_ERROR
            | C::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | C::CUDA_ERROR_MISALIGNED_ADDRESS
            | C::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | C::CUDA_ERROR_INVALID_PC
            | C::CUDA_ERROR_LAUNCH_FAILED
            | C::CUDA_ERROR_ECC_UNCORRECTABLE
            | C::CUDA_ERROR_NVLINK_UNCORRECTABLE
            | C::CUDA_ERROR_CONTAINED
    )
}

/// What the code means to the person who can do something about it.
fn meaning(code: CUresult) -> &'static str {
    use CUresult as C;
    match code {
        C::CUDA_ERROR_NO_DEVICE => "the driver sees no GPU; look at nvidia-smi and at CUDA_VISIBLE_DEVICES",
        C::CUDA_ERROR_STUB_LIBRARY => {
            "the libcuda found is the stub that programs are linked with; take its folder out of LD_LIBRARY_PATH"
        }
        C::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => {
            "the driver's library and its kernel module are of different versions; restart the machine after an update"
        }
        C::CUDA_ERROR_SYSTEM_NOT_READY => "the fabric manager is not running; start nvidia-fabricmanager",
        C::CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE => {
            "forward compatibility does not reach this GPU; update the driver itself"
        }
        C::CUDA_ERROR_DEVICE_UNAVAILABLE => "another process holds the device for itself alone",
        C::CUDA_ERROR_OPERATING_SYSTEM => "the system refused the driver; may this user open /dev/nvidia*?",
        C::CUDA_ERROR_NOT_PERMITTED => "this user may not do it",
        C::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => "the driver is older than the compiler that made the PTX; update it",
        C::CUDA_ERROR_JIT_COMPILER_NOT_FOUND => {
            "the driver's PTX compiler, libnvidia-ptxjitcompiler.so.1, is missing; install the whole driver"
        }
        C::CUDA_ERROR_NO_BINARY_FOR_GPU => "the kernel is compiled for newer GPUs than this one",
        C::CUDA_ERROR_INVALID_PTX => "the PTX is not valid",
        C::CUDA_ERROR_OUT_OF_MEMORY => "the device's memory is full",
        C::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => "a block needs more registers or shared memory than there are",
        C::CUDA_ERROR_ILLEGAL_ADDRESS => "a kernel read or wrote outside of its buffers",
        C::CUDA_ERROR_MISALIGNED_ADDRESS => "a kernel read or wrote at an address that its type does not allow",
        C::CUDA_ERROR_ASSERT => "an assertion of a kernel failed",
        C::CUDA_ERROR_LAUNCH_TIMEOUT => "the display's watchdog ended a kernel that ran too long",
        C::CUDA_ERROR_ECC_UNCORRECTABLE | C::CUDA_ERROR_NVLINK_UNCORRECTABLE | C::CUDA_ERROR_CONTAINED => {
            "the hardware reported an error; the line with Xid in the kernel's log (dmesg) says which"
        }
        C::CUDA_ERROR_LAUNCH_FAILED => "a kernel broke off; the line with Xid in the kernel's log (dmesg) may say why",
        C::CUDA_ERROR_UNKNOWN => "the driver does not say why; look at nvidia-smi and the kernel's log (dmesg)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_told_by_name_with_what_to_do() {
        let told = |code| driver::<()>("cuInit", || Err(DriverError(code))).unwrap_err();
        for (code, expected) in [
            (CUresult::CUDA_ERROR_NO_DEVICE, "cuInit: CUDA_ERROR_NO_DEVICE (100): the driver sees no GPU"),
            (CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "(803): the driver's library and its kernel module"),
            (CUresult::CUDA_ERROR_ECC_UNCORRECTABLE, "Xid in the kernel's log"),
            (CUresult::CUDA_ERROR_INVALID_HANDLE, "cuInit: CUDA_ERROR_INVALID_HANDLE (400)"),
        ] {
            assert!(told(code).to_string().contains(expected), "{}", told(code));
        }
        assert!(told(CUresult::CUDA_ERROR_OUT_OF_MEMORY).is_out_of_memory());
    }

    #[test]
    fn an_error_that_stays_is_told_apart_and_names_the_kernel_before_it() {
        let of = |code| Trouble::Driver { call: "cuCtxSynchronize", code }.after(Some("square"));
        let lost = of(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
        assert!(matches!(lost, DeviceError::Lost { .. }), "{lost}");
        assert!(lost.to_string().ends_with("can use the device no more after the kernel square"), "{lost}");
        assert!(matches!(of(CUresult::CUDA_ERROR_INVALID_VALUE), DeviceError::Backend { .. }));
    }

    #[test]
    fn a_function_that_an_old_library_lacks_is_an_error_and_no_panic() {
        let lacking = || -> Result<(), DriverError> { panic!("Missing symbol cuSomething: not found") };
        let error = DeviceError::from(driver("cuSomething", lacking).unwrap_err()).to_string();
        assert!(error.contains("cuSomething: the driver's library lacks a function"), "{error}");
    }
}
