//! How many blocks of a kernel a multiprocessor holds at once, from what each block takes of it.
//!
//! The limits are those of the CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability"; the rounding is
//! that of `cuda_occupancy.h`, the header of the CUDA toolkit behind NVIDIA's own calculator.

use serde::{Deserialize, Serialize};

/// Threads of a warp, on every card.
pub const WARP: u64 = 32;
/// A block's threads never exceed this, whatever they take.
pub const MOST_THREADS_OF_BLOCK: u64 = 1024;

/// Registers are given to warps in pieces of so many.
const REGISTER_PIECE: u64 = 256;
/// A multiprocessor has so many parts; a warp and its registers live in one.
const PARTS: u64 = 4;
/// Shared memory is given to blocks in pieces of so many bytes.
const SHARED_PIECE: u64 = 128;
/// The system's own share of each block's.
const SHARED_RESERVED: u64 = 1024;

/// A multiprocessor of one compute capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Multiprocessor {
    /// `80` for 8.0
    pub capability: u32,
    pub threads: u64,
    pub blocks: u64,
    /// Of 32 bits. As many as a block may have.
    pub registers: u64,
    /// With the largest share of the first cache that may be had for it.
    pub shared_bytes: u64,
}

const KNOWN: [Multiprocessor; 2] = [
    Multiprocessor { capability: 80, threads: 2048, blocks: 32, registers: 64 << 10, shared_bytes: 164 << 10 },
    Multiprocessor { capability: 90, threads: 2048, blocks: 32, registers: 64 << 10, shared_bytes: 228 << 10 },
];

/// What a kernel takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    pub threads: u64,
    /// Of each thread.
    pub registers: u64,
    pub shared_bytes: u64,
}

/// What lets no further block in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    Threads,
    Blocks,
    Registers,
    SharedMemory,
}

/// Nothing at all where `blocks` is 0: then such a block cannot be launched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occupancy {
    pub blocks: u64,
    pub warps: u64,
    pub most_warps: u64,
    /// Every limit that is met first.
    pub limits: Vec<Limit>,
}

/// `None` for a capability whose limits are not written down here.
pub fn multiprocessor(capability: u32) -> Option<&'static Multiprocessor> {
    KNOWN.iter().find(|known| known.capability == capability)
}

impl Multiprocessor {
    /// Rounds up as the hardware gives; every number may come from outside, so nothing overflows.
    pub fn occupancy(&self, block: &Block) -> Occupancy {
        let warps = block.threads.div_ceil(WARP).max(1);
        let shared = round_up(block.shared_bytes.saturating_add(SHARED_RESERVED), SHARED_PIECE);
        let by_threads = self.threads / WARP / warps;
        let by_registers = self.warps_by_registers(block.registers).map_or(u64::MAX, |fitting| fitting / warps);
        let each = [
            (Limit::Threads, if block.threads > MOST_THREADS_OF_BLOCK { 0 } else { by_threads }),
            (Limit::Blocks, self.blocks),
            (Limit::Registers, by_registers),
            (Limit::SharedMemory, self.shared_bytes / shared),
        ];
        let blocks = each.iter().map(|(_, blocks)| *blocks).min().unwrap_or(0);
        let limits = each.iter().filter(|(_, most)| *most == blocks).map(|(limit, _)| *limit).collect();
        Occupancy { blocks, warps: blocks * warps, most_warps: self.threads / WARP, limits }
    }

    /// The largest block whose registers are there.
    pub fn most_threads_by_registers(&self, registers: u64) -> u64 {
        self.warps_by_registers(registers)
            .map_or(MOST_THREADS_OF_BLOCK, |warps| (warps * WARP).min(MOST_THREADS_OF_BLOCK))
    }

    /// `None`: as many as one likes.
    fn warps_by_registers(&self, registers: u64) -> Option<u64> {
        let of_warp = round_up(registers.saturating_mul(WARP), REGISTER_PIECE);
        (self.registers / PARTS).checked_div(of_warp).map(|of_part| of_part * PARTS)
    }
}

fn round_up(number: u64, piece: u64) -> u64 {
    number.checked_next_multiple_of(piece).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::Limit::{Blocks, Registers, SharedMemory, Threads};
    use super::*;

    #[test]
    fn a_multiprocessor_holds_what_each_limit_leaves() {
        // capability, threads, registers, shared bytes → blocks, warps, what ends it
        for (capability, threads, registers, shared_bytes, blocks, warps, limits) in [
            (80, 256, 20, 32, 8, 64, &[Threads][..]),
            (80, 256, 32, 0, 8, 64, &[Threads, Registers]),
            (80, 256, 33, 0, 6, 48, &[Registers]),
            (80, 256, 64, 0, 4, 32, &[Registers]),
            (80, 32, 16, 0, 32, 32, &[Blocks]),
            (80, 64, 16, 0, 32, 64, &[Threads, Blocks]),
            (80, 1024, 64, 0, 1, 32, &[Registers]),
            (80, 1024, 65, 0, 0, 0, &[Registers]),
            (80, 256, 255, 0, 1, 8, &[Registers]),
            (80, 128, 32, 48 << 10, 3, 12, &[SharedMemory]),
            (90, 128, 32, 48 << 10, 4, 16, &[SharedMemory]),
            (80, 128, 32, 163 << 10, 1, 4, &[SharedMemory]),
            (80, 128, 32, 164 << 10, 0, 0, &[SharedMemory]),
            // A warp that is not full takes a whole one.
            (80, 33, 16, 0, 32, 64, &[Threads, Blocks]),
            (90, 1, 0, 0, 32, 32, &[Blocks]),
            (90, 1025, 16, 0, 0, 0, &[Threads]),
        ] {
            let found = multiprocessor(capability).unwrap().occupancy(&Block { threads, registers, shared_bytes });
            let expected = Occupancy { blocks, warps, most_warps: 64, limits: limits.to_vec() };
            assert_eq!(found, expected, "sm_{capability}: {threads} {registers} {shared_bytes}");
        }
        assert!(multiprocessor(79).is_none());
        let all = Block { threads: u64::MAX, registers: u64::MAX, shared_bytes: u64::MAX };
        assert_eq!(multiprocessor(90).unwrap().occupancy(&all).blocks, 0);
    }

    #[test]
    fn registers_bound_the_threads_of_a_block() {
        let sm = multiprocessor(90).unwrap();
        for (registers, threads) in [(0, 1024), (64, 1024), (65, 896), (128, 512), (255, 256), (u64::MAX, 0)] {
            assert_eq!(sm.most_threads_by_registers(registers), threads, "{registers}");
        }
    }
}
