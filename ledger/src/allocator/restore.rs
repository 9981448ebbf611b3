//! Building a state that a snapshot shows.

use super::{
    Handle, PoolId, Settings,
    block::State,
    rounding::{SMALL_SIZE, round_size},
    simulate::Allocator,
};

impl Allocator {
    /// A segment as one block that no pool holds yet.
    pub(crate) fn lay_out(&mut self, address: u64, size: u64, stream: u64, small: bool, pool: PoolId) -> u32 {
        let pool = self.pool(small, pool);
        self.add_segment(pool, stream, address, size)
    }

    /// Cuts the used block at `address` out of a piece that no pool holds; what lies before it becomes free. Of a block
    /// whose size is not known, the rest up to `end` belongs to it where it would not have been split off.
    pub(crate) fn carve(
        &mut self,
        piece: u32,
        address: u64,
        end: u64,
        size: Option<u64>,
        requested: u64,
    ) -> Option<(Handle, Option<u32>)> {
        let block = *self.arena.get(piece)?;
        let limit = block.address + block.size;
        if address < block.address || address >= limit {
            return None;
        }
        let mut id = piece;
        if address > block.address {
            id = self.split(piece, address - block.address);
            self.insert_free(piece);
        }
        let room = end.min(limit) - address;
        let size = size.unwrap_or_else(|| {
            let rounded = round_size(requested, &self.settings);
            let small = self.pools[block.pool as usize].small;
            let kept = if small || block.expandable { 0 } else { SMALL_SIZE };
            if room.saturating_sub(rounded) <= kept { room } else { rounded }
        });
        let size = size.clamp(1, room);
        let after = (size < self.arena[id].size).then(|| self.split(id, size));
        let block = &mut self.arena[id];
        block.state = State::Allocated;
        block.requested = requested;
        let length = block.size;
        self.stats.allocated += length;
        self.stats.requested += requested;
        self.stats.peak_allocated = self.stats.peak_allocated.max(self.stats.allocated);
        Some((Handle(id), after))
    }

    /// Blocks that a copy would hold.
    pub(crate) fn weight(&self) -> usize {
        self.arena.len()
    }

    /// From here on other settings hold; what lies in memory stays as it is.
    pub(crate) fn change_settings(&mut self, settings: Settings) {
        self.settings = settings;
    }

    /// The piece that is left over becomes free.
    pub(crate) fn release_rest(&mut self, piece: u32) {
        self.insert_free(piece);
    }
}
