//! What a learner's kernel takes of a card's multiprocessor, by NVIDIA's compiler. No card ran it, so nothing here is a measurement.

use ledger::occupancy::{Block, Limit, MOST_THREADS_OF_BLOCK, multiprocessor};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KernelResources {
    /// The compiler with its version.
    pub compiler: String,
    /// Threads of a block, as the lab launches it.
    pub block_threads: u64,
    /// One for each kind of card it was compiled for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetResources>,
    /// Why there is none: the compiler's messages, with the lines of the learner's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetResources {
    /// `80` for compute capability 8.0
    pub capability: u32,
    pub registers_per_thread: u64,
    /// Of each block, fixed at compile time.
    pub shared_bytes: u64,
    /// Of each thread, in device memory: arrays that are indexed, and what is spilled.
    pub local_bytes: u64,
    /// What did not fit into registers.
    pub spill_store_bytes: u64,
    pub spill_load_bytes: u64,
    /// The largest block that can be launched.
    pub max_threads_per_block: u64,
    /// Blocks that a multiprocessor holds at once; 0 where the lab's block cannot be launched.
    pub blocks_per_multiprocessor: u64,
    pub warps_per_multiprocessor: u64,
    /// What it could hold.
    pub max_warps_per_multiprocessor: u64,
    /// What lets no further block in.
    #[schemars(with = "Vec<String>")]
    pub limited_by: Vec<Limit>,
}

/// What the compiler says of one kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Compiled {
    pub registers: u64,
    pub shared_bytes: u64,
    pub local_bytes: u64,
    pub spill_store_bytes: u64,
    pub spill_load_bytes: u64,
    /// What the kernel promises of its blocks (`__launch_bounds__`).
    pub promised_threads: Option<u64>,
}

impl TargetResources {
    /// `None` for a capability whose limits nobody wrote down.
    pub fn of(capability: u32, compiled: &Compiled, block_threads: u64) -> Option<Self> {
        let sm = multiprocessor(capability)?;
        let (registers, shared_bytes) = (compiled.registers, compiled.shared_bytes);
        let held = sm.occupancy(&Block { threads: block_threads, registers, shared_bytes });
        let promised = compiled.promised_threads.unwrap_or(MOST_THREADS_OF_BLOCK);
        let most = sm.most_threads_by_registers(registers).min(promised);
        // A block larger than the kernel promises is refused, whatever would fit.
        let fits = block_threads <= most;
        Some(Self {
            capability,
            registers_per_thread: registers,
            shared_bytes,
            local_bytes: compiled.local_bytes,
            spill_store_bytes: compiled.spill_store_bytes,
            spill_load_bytes: compiled.spill_load_bytes,
            max_threads_per_block: most,
            blocks_per_multiprocessor: if fits { held.blocks } else { 0 },
            warps_per_multiprocessor: if fits { held.warps } else { 0 },
            max_warps_per_multiprocessor: held.most_warps,
            limited_by: if fits { held.limits } else { vec![Limit::Threads] },
        })
    }

    /// In whole percent, down.
    pub fn occupancy_percent(&self) -> Option<u64> {
        self.warps_per_multiprocessor.saturating_mul(100).checked_div(self.max_warps_per_multiprocessor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_bounds_the_block() {
        let compiled = Compiled { registers: 40, shared_bytes: 32, promised_threads: Some(256), ..Compiled::default() };
        let found = TargetResources::of(90, &compiled, 256).unwrap();
        assert_eq!((found.max_threads_per_block, found.blocks_per_multiprocessor), (256, 6));
        assert_eq!((found.occupancy_percent(), found.limited_by), (Some(75), vec![Limit::Registers]));
        let broken = TargetResources::of(90, &Compiled { promised_threads: Some(128), ..compiled }, 256).unwrap();
        assert_eq!((broken.max_threads_per_block, broken.occupancy_percent()), (128, Some(0)));
        assert_eq!(broken.limited_by, [Limit::Threads]);
        assert_eq!(TargetResources::of(1, &compiled, 256), None);
    }
}
