//! Buffers of a launch: each alone between two pages that nobody may touch, so that a step outside ends the process at once.

#![allow(unsafe_code)]

use std::io::Read;
use std::ptr::NonNull;

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

use super::wire::WireError;

const PAGE: usize = 4096;
/// As `float4` wants it. What is left between a buffer's end and the closed page is watched instead.
const ALIGNMENT: usize = 16;
const WATCHED: u8 = 0xC5;

pub struct Region {
    /// All pages, the two closed ones with them.
    base: NonNull<u8>,
    mapped: usize,
    /// From `base`.
    start: usize,
    bytes: usize,
}

impl Region {
    /// The contents come from `input`. `None` when there is no memory.
    pub fn filled(elements: usize, writable: bool, input: &mut impl Read) -> Result<Option<Self>, WireError> {
        let bytes = elements.checked_mul(4).ok_or(WireError::Form("a buffer too long"))?;
        let inner = bytes.max(1).next_multiple_of(PAGE);
        let mapped = inner + 2 * PAGE;
        let start = PAGE + (inner - bytes) / ALIGNMENT * ALIGNMENT;
        let flags = MapFlags::PRIVATE;
        // SAFETY: a new mapping at a place of the system's choice touches nothing that exists.
        let Ok(base) = (unsafe { mmap_anonymous(std::ptr::null_mut(), mapped, ProtFlags::empty(), flags) }) else {
            return Ok(None);
        };
        let Some(base) = NonNull::new(base.cast::<u8>()) else { return Ok(None) };
        let mut region = Self { base, mapped, start, bytes };
        if !region.protect(MprotectFlags::READ | MprotectFlags::WRITE) {
            return Ok(None);
        }
        // SAFETY: these pages were just made readable and writable, and nothing else points at them yet.
        let pages = unsafe { std::slice::from_raw_parts_mut(region.base.as_ptr().add(PAGE), inner) };
        pages.fill(WATCHED);
        let from = region.start - PAGE;
        input.read_exact(&mut pages[from..from + region.bytes])?;
        if !writable && !region.protect(MprotectFlags::READ) {
            return Ok(None);
        }
        Ok(Some(region))
    }

    fn protect(&mut self, flags: MprotectFlags) -> bool {
        // SAFETY: the pages between the two closed ones are ours, and no reference into them is alive.
        unsafe { mprotect(self.base.as_ptr().add(PAGE).cast(), self.mapped - 2 * PAGE, flags) }.is_ok()
    }

    /// What the kernel gets.
    pub fn pointer(&self) -> *mut u8 {
        // SAFETY: `start` lies within the mapping.
        unsafe { self.base.as_ptr().add(self.start) }
    }

    /// After the launch.
    pub fn contents(&self) -> &[u8] {
        // SAFETY: mapped readable, and the kernel has returned.
        unsafe { std::slice::from_raw_parts(self.pointer(), self.bytes) }
    }

    /// Whether the bytes around the buffer are as they were.
    pub fn is_intact(&self) -> bool {
        let inner = self.mapped - 2 * PAGE;
        // SAFETY: as for `contents`.
        let pages = unsafe { std::slice::from_raw_parts(self.base.as_ptr().add(PAGE), inner) };
        let from = self.start - PAGE;
        pages[..from].iter().chain(&pages[from + self.bytes..]).all(|byte| *byte == WATCHED)
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and ends with this value.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), self.mapped) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_aligned_ends_at_a_closed_page_and_is_watched() {
        for elements in [0, 1, 3, 4, 1023, 1024, 1025] {
            let contents: Vec<u8> = (0..elements * 4).map(|n| n as u8).collect();
            let region = Region::filled(elements, true, &mut contents.as_slice()).unwrap().unwrap();
            assert_eq!(region.contents(), contents);
            assert_eq!(region.pointer() as usize % ALIGNMENT, 0);
            let end = region.pointer() as usize + elements * 4;
            assert!(end.next_multiple_of(PAGE) - end < ALIGNMENT || elements == 0, "{elements}");
            assert!(region.is_intact());
            if elements == 1 {
                // SAFETY: within the mapping, behind the buffer's end.
                unsafe { region.pointer().add(4).write(0) };
                assert!(!region.is_intact());
            }
        }
        assert!(Region::filled(2, true, &mut [0; 7].as_slice()).is_err(), "too few contents");
    }
}
