//! A memory pool of this process's own: allocations are ordered on the stream, and what is freed stays with the pool, so
//! that reserved bytes can be told from allocated ones.
#![allow(unsafe_code)]

use std::rc::Rc;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUmemPool_attribute as Attribute};
use cudarc::driver::{CudaContext, CudaStream, result};

use super::trouble::{Trouble, driver};

pub struct Pool {
    pool: sys::CUmemoryPool,
    stream: Arc<CudaStream>,
    /// The context outlives the pool.
    _context: Arc<CudaContext>,
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: created by `Pool::open`, destroyed once, after every block of it.
        let _ = driver("cuMemPoolDestroy", || unsafe { sys::cuMemPoolDestroy(self.pool) }.result());
    }
}

/// Memory of the pool, given back to it when dropped.
pub struct Block {
    pub address: sys::CUdeviceptr,
    pool: Rc<Pool>,
}

impl Drop for Block {
    fn drop(&mut self) {
        let stream = self.pool.stream.cu_stream();
        // SAFETY: allocated by `Pool::allocate`, freed once; what the stream still does with it comes before.
        let _ = driver("cuMemFreeAsync", || unsafe { result::free_async(self.address, stream) });
    }
}

impl Pool {
    /// A pool on the context's device that keeps what it has until it is told to trim.
    pub fn open(context: &Arc<CudaContext>, stream: &Arc<CudaStream>) -> Result<Rc<Self>, Trouble> {
        let properties = sys::CUmemPoolProps {
            allocType: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
            location: sys::CUmemLocation {
                type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
                id: context.cu_device(),
            },
            win32SecurityAttributes: std::ptr::null_mut(),
            maxSize: 0,
            usage: 0,
            reserved: [0; 54],
        };
        let mut pool = std::ptr::null_mut();
        // SAFETY: writes one handle; the properties outlive the call.
        driver("cuMemPoolCreate", || unsafe { sys::cuMemPoolCreate(&raw mut pool, &raw const properties) }.result())?;
        let pool = Self { pool, stream: Arc::clone(stream), _context: Arc::clone(context) };
        let mut threshold = u64::MAX;
        // SAFETY: this attribute is one 64-bit number, which outlives the call.
        driver("cuMemPoolSetAttribute", || unsafe {
            let release = Attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
            sys::cuMemPoolSetAttribute(pool.pool, release, (&raw mut threshold).cast()).result()
        })?;
        Ok(Rc::new(pool))
    }

    pub fn allocate(self: &Rc<Self>, bytes: usize) -> Result<Block, Trouble> {
        let (mut address, stream) = (0, self.stream.cu_stream());
        // SAFETY: writes one address; a buffer holds plain numbers, for which any bytes are values.
        driver("cuMemAllocFromPoolAsync", || {
            unsafe { sys::cuMemAllocFromPoolAsync(&raw mut address, bytes, self.pool, stream) }.result()
        })?;
        Ok(Block { address, pool: Rc::clone(self) })
    }

    /// What the pool holds from the driver.
    pub fn reserved_bytes(&self) -> Result<u64, Trouble> {
        let mut bytes = 0_u64;
        // SAFETY: this attribute is one 64-bit number, which outlives the call.
        driver("cuMemPoolGetAttribute", || unsafe {
            let reserved = Attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT;
            sys::cuMemPoolGetAttribute(self.pool, reserved, (&raw mut bytes).cast()).result()
        })?;
        Ok(bytes)
    }

    /// Gives back to the driver what no block needs. What was freed counts as free once the stream came so far.
    pub fn trim(&self) -> Result<(), Trouble> {
        // SAFETY: the pool is open.
        driver("cuMemPoolTrimTo", || unsafe { sys::cuMemPoolTrimTo(self.pool, 0) }.result())
    }
}
