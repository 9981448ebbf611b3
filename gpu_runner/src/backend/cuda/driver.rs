//! The driver's calls that this backend makes, each with its error by name. What is unsafe about the driver is here and in its pool.
//!
//! One stream, the driver's default one: it waits for what any other stream of the process still does, so that no
//! measured work can hide on a stream of its own.
#![allow(unsafe_code)]

use std::ffi::{CString, c_void};
use std::rc::Rc;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUjit_option as Jit};
use cudarc::driver::{CudaContext, CudaEvent, CudaStream, result};
use labs::run::DeviceError;

use super::facts::Said;
use super::pool::{Block, Pool};
use super::signature::{self, Signature};
use super::trouble::{Trouble, bordered, driver, failed};

/// `12.0`: the first that takes the PTX of the kernels that ship.
const LEAST_VERSION: i32 = 12_000;
/// What the driver's compiler says about PTX that it refuses.
const LOG_BYTES: usize = 8 * 1024;

/// Makes the driver ready and gives the version of CUDA that it speaks.
fn init() -> Result<i32, DeviceError> {
    // SAFETY: loads a library of the system's and asks for no function.
    if !bordered("libcuda", || unsafe { sys::is_culib_present() })? {
        return Err(failed(
            "no CUDA driver: libcuda.so.1 was not found; install NVIDIA's driver, or use the backend wgpu or cpu",
        ));
    }
    driver("cuInit", result::init)?;
    let mut version = 0;
    // SAFETY: writes one integer.
    driver("cuDriverGetVersion", || unsafe { sys::cuDriverGetVersion(&raw mut version) }.result())?;
    if version < LEAST_VERSION {
        let dotted = |version: i32| format!("{}.{}", version / 1000, version % 1000 / 10);
        return Err(failed(format!(
            "the driver speaks CUDA {}; the kernels need {} or later: update the driver",
            dotted(version),
            dotted(LEAST_VERSION)
        )));
    }
    Ok(version)
}

/// What the driver says of each device, in its order.
///
/// # Errors
/// By name, when there is no driver, no device, or a driver that does not work.
pub fn devices() -> Result<Vec<Said>, DeviceError> {
    let version = init()?;
    let count = driver("cuDeviceGetCount", result::device::get_count)?;
    (0..count).map(|ordinal| said(ordinal, version)).collect()
}

fn said(ordinal: i32, cuda_version: i32) -> Result<Said, DeviceError> {
    let device = driver("cuDeviceGet", || result::device::get(ordinal))?;
    let attribute = |which: Attribute| {
        // SAFETY: the device is one that the driver gave.
        driver("cuDeviceGetAttribute", || unsafe { result::device::get_attribute(device, which) })
    };
    let uuid = driver("cuDeviceGetUuid", || result::device::get_uuid(device))?;
    // SAFETY: as above.
    let memory = driver("cuDeviceTotalMem", || unsafe { result::device::total_mem(device) })?;
    Ok(Said {
        name: driver("cuDeviceGetName", || result::device::get_name(device))?,
        uuid: uuid.bytes.map(|byte| byte.to_ne_bytes()[0]),
        memory_bytes: memory as u64,
        capability: (
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        is_integrated: attribute(Attribute::CU_DEVICE_ATTRIBUTE_INTEGRATED)? != 0,
        cuda_version,
    })
}

/// A device's primary context, current on the thread that opened it.
pub struct Driver {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    /// `None` where the device has no pools.
    pool: Option<Rc<Pool>>,
}

/// Device memory, given back when dropped.
pub struct Allocation {
    address: sys::CUdeviceptr,
    bytes: usize,
    _owner: Owner,
}

/// Whose the memory is; given back when dropped.
enum Owner {
    Pool { _block: Block },
    Driver { _whole: Whole },
}

/// An allocation of the driver's own.
struct Whole {
    address: sys::CUdeviceptr,
    /// The context outlives what was allocated in it.
    _context: Arc<CudaContext>,
}

impl Drop for Whole {
    fn drop(&mut self) {
        // SAFETY: allocated by `Driver::allocate_whole`, freed once. What the driver says has no one left to tell.
        let _ = driver("cuMemFree", || unsafe { result::free_sync(self.address) });
    }
}

/// Code on the device.
pub struct Module {
    module: sys::CUmodule,
    ptx: String,
    _context: Arc<CudaContext>,
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: loaded by `Driver::load`, unloaded once, after every function of it.
        let _ = driver("cuModuleUnload", || unsafe { result::module::unload(self.module) });
    }
}

/// A kernel, and what it takes.
pub struct Function {
    function: sys::CUfunction,
    pub signature: Signature,
    _module: Rc<Module>,
}

/// An argument of a launch as the driver reads it.
#[derive(Clone, Copy)]
pub enum Value {
    Address(u64),
    U32(u32),
    F32(f32),
}

impl Value {
    const fn bytes(self) -> u64 {
        match self {
            Self::Address(_) => 8,
            Self::U32(_) | Self::F32(_) => 4,
        }
    }
}

impl Allocation {
    pub fn value(&self) -> Value {
        Value::Address(self.address)
    }
}

impl Driver {
    pub fn open(ordinal: usize) -> Result<(Self, Said), DeviceError> {
        let version = init()?;
        let device = i32::try_from(ordinal).map_err(|_| failed("a device's number is small"))?;
        let said = said(device, version)?;
        let context = driver("cuDevicePrimaryCtxRetain", || CudaContext::new(ordinal))?;
        let stream = context.default_stream();
        let mut opened = Self { context, stream, pool: None };
        if opened.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? != 0 {
            // A part of a GPU that is shared out may say that it has pools and refuse them.
            opened.pool = match Pool::open(&opened.context, &opened.stream) {
                Err(trouble) if trouble.is_unsupported() => None,
                other => Some(other?),
            };
        }
        Ok((opened, said))
    }

    pub fn attribute(&self, which: Attribute) -> Result<i32, Trouble> {
        driver("cuDeviceGetAttribute", || self.context.attribute(which))
    }

    /// Memory of the pool where there is one.
    pub fn allocate(&self, bytes: usize) -> Result<Allocation, Trouble> {
        let Some(pool) = &self.pool else { return self.allocate_whole(bytes) };
        let block = pool.allocate(bytes)?;
        Ok(Allocation { address: block.address, bytes, _owner: Owner::Pool { _block: block } })
    }

    /// Memory of the driver's own, which no pool accounts for.
    pub fn allocate_whole(&self, bytes: usize) -> Result<Allocation, Trouble> {
        // SAFETY: a buffer holds plain numbers, for which any bytes are values.
        let address = driver("cuMemAlloc", || unsafe { result::malloc_sync(bytes) })?;
        let whole = Whole { address, _context: Arc::clone(&self.context) };
        Ok(Allocation { address, bytes, _owner: Owner::Driver { _whole: whole } })
    }

    /// What the pool holds from the driver; `None` where there is no pool.
    pub fn reserved_bytes(&self) -> Option<Result<u64, Trouble>> {
        Some(self.pool.as_ref()?.reserved_bytes())
    }

    /// Leaves the pool no more than what is allocated.
    pub fn trim(&self) -> Result<(), Trouble> {
        let Some(pool) = &self.pool else { return Ok(()) };
        self.synchronise()?;
        pool.trim()
    }

    /// What the whole device has in use, of whatever process.
    pub fn used_bytes(&self) -> Result<u64, Trouble> {
        let (free, total) = driver("cuMemGetInfo", || self.context.mem_get_info())?;
        Ok(total.saturating_sub(free) as u64)
    }

    pub fn upload(&self, to: &Allocation, data: &[f32]) -> Result<(), Trouble> {
        let data = &data[..data.len().min(to.bytes / 4)];
        // SAFETY: no more than the allocation holds; the call returns when `data` is read.
        driver("cuMemcpyHtoD", || unsafe { result::memcpy_htod_sync(to.address, data) })
    }

    pub fn download(&self, from: &Allocation, into: &mut [f32]) -> Result<(), Trouble> {
        let fits = into.len().min(from.bytes / 4);
        // SAFETY: no more than the allocation holds; the call returns when `into` is written.
        driver("cuMemcpyDtoH", || unsafe { result::memcpy_dtoh_sync(&mut into[..fits], from.address) })
    }

    /// Writes one word over the whole allocation, by the device itself.
    pub fn fill(&self, allocation: &Allocation, word: u32) -> Result<(), Trouble> {
        let (words, stream) = (allocation.bytes / 4, self.stream.cu_stream());
        // SAFETY: no more words than the allocation holds.
        driver("cuMemsetD32", || unsafe { sys::cuMemsetD32Async(allocation.address, word, words, stream) }.result())
    }

    /// What the process may not keep in the last cache: nothing is set aside, and what was is given up.
    pub fn reset_persisting_cache(&self) -> Result<(), Trouble> {
        let limit = sys::CUlimit::CU_LIMIT_PERSISTING_L2_CACHE_SIZE;
        driver("cuCtxSetLimit", || self.context.set_limit(limit, 0))?;
        // SAFETY: takes nothing.
        driver("cuCtxResetPersistingL2Cache", || unsafe { sys::cuCtxResetPersistingL2Cache() }.result())
    }

    /// Lets the driver compile PTX for this device; on refusal, its words.
    pub fn load(&self, ptx: String) -> Result<Rc<Module>, (Trouble, String)> {
        let mut log = vec![0_u8; LOG_BYTES];
        let mut options = [Jit::CU_JIT_ERROR_LOG_BUFFER, Jit::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), std::ptr::without_provenance_mut(LOG_BYTES - 1)];
        let mut module = std::ptr::null_mut();
        let Ok(image) = CString::new(ptx.as_str()) else {
            let code = sys::CUresult::CUDA_ERROR_INVALID_PTX;
            return Err((Trouble::Driver { call: "cuModuleLoadData", code }, "the text holds a zero byte".to_owned()));
        };
        let loaded = driver("cuModuleLoadData", || {
            // SAFETY: the image ends with a zero; two options with their values, which outlive the call.
            unsafe {
                sys::cuModuleLoadDataEx(
                    &raw mut module,
                    image.as_ptr().cast(),
                    2,
                    options.as_mut_ptr(),
                    values.as_mut_ptr(),
                )
            }
            .result()
        });
        match loaded {
            Ok(()) => Ok(Rc::new(Module { module, ptx, _context: Arc::clone(&self.context) })),
            Err(trouble) => {
                let end = log.iter().position(|byte| *byte == 0).unwrap_or(log.len());
                Err((trouble, String::from_utf8_lossy(&log[..end]).into_owned()))
            }
        }
    }

    /// `None` where the module has no kernel of that name.
    pub fn function(&self, module: &Rc<Module>, name: &str) -> Result<Option<Function>, Trouble> {
        let Some(signature) = signature::read(&module.ptx, name) else { return Ok(None) };
        let Ok(name) = CString::new(name) else { return Ok(None) };
        // SAFETY: the module is loaded, and kept by the function.
        let function = driver("cuModuleGetFunction", || unsafe { result::module::get_function(module.module, name) })?;
        Ok(Some(Function { function, signature, _module: Rc::clone(module) }))
    }

    /// Queues a kernel over `grid` blocks of `block` threads. The arguments must be those of its signature: others are
    /// refused before the driver reads them.
    pub fn launch(&self, kernel: &Function, grid: u32, block: u32, values: &[Value]) -> Result<(), Trouble> {
        if !kernel.signature.takes(values.iter().map(|value| value.bytes())) {
            let code = sys::CUresult::CUDA_ERROR_INVALID_VALUE;
            return Err(Trouble::Driver { call: "cuLaunchKernel", code });
        }
        let mut slots: Vec<[u8; 8]> = values
            .iter()
            .map(|value| {
                let mut slot = [0; 8];
                match value {
                    Value::Address(address) => slot = address.to_ne_bytes(),
                    Value::U32(number) => slot[..4].copy_from_slice(&number.to_ne_bytes()),
                    Value::F32(number) => slot[..4].copy_from_slice(&number.to_ne_bytes()),
                }
                slot
            })
            .collect();
        let mut pointers: Vec<*mut c_void> = slots.iter_mut().map(|slot| slot.as_mut_ptr().cast()).collect();
        let stream = self.stream.cu_stream();
        // SAFETY: the function's module is loaded; the driver copies as many arguments as the signature names, each of
        // its size, before it returns. A kernel reaches device memory only.
        driver("cuLaunchKernel", || unsafe {
            result::launch_kernel(kernel.function, (grid, 1, 1), (block, 1, 1), 0, stream, &mut pointers)
        })
    }

    /// Waits for everything that the process queued on the device.
    pub fn synchronise(&self) -> Result<(), Trouble> {
        driver("cuCtxSynchronize", || self.context.synchronize())
    }

    pub fn event(&self) -> Result<CudaEvent, Trouble> {
        driver("cuEventCreate", || self.context.new_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT)))
    }

    pub fn record(&self, event: &CudaEvent) -> Result<(), Trouble> {
        driver("cuEventRecord", || event.record(&self.stream))
    }

    /// Milliseconds between two recorded events.
    pub fn elapsed(&self, start: &CudaEvent, end: &CudaEvent) -> Result<f32, Trouble> {
        driver("cuEventElapsedTime", || start.elapsed_ms(end))
    }
}
