//! Expandable segments: one virtual range per pool and stream, backed page by page.

use super::{
    block::{Arena, Block, Key, NONE, State},
    rounding::SMALL_SEGMENT,
    simulate::Allocator,
};

/// Address space of one range where the device has no stated capacity.
const RANGE: u64 = 1 << 46;

impl Allocator {
    fn page(&self, pool: u32) -> u64 {
        if self.pools[pool as usize].small {
            SMALL_SEGMENT
        } else {
            self.settings.large_segment_size.max(SMALL_SEGMENT)
        }
    }

    /// Maps pages until a free block of `size` bytes exists, and returns it taken out of its pool.
    pub(super) fn expand(&mut self, pool: u32, stream: u64, size: u64) -> Option<u32> {
        let id = self.candidate(pool, stream, size);
        loop {
            let mapped = if self.arena[id].state == State::Free { self.arena[id].size } else { 0 };
            if mapped >= size {
                self.take_out(id);
                return Some(id);
            }
            let hole = if self.arena[id].state == State::Unmapped { id } else { self.arena[id].next };
            if !self.map(hole, size - mapped) {
                return None;
            }
        }
    }

    /// The block to start from: the lowest hole, perhaps with a free block before it, from where holes and free
    /// blocks together are large enough; a new range where there is none.
    fn candidate(&mut self, pool: u32, stream: u64, size: u64) -> u32 {
        let usable = |id| self.arena.get(id).filter(|block| matches!(block.state, State::Free | State::Unmapped));
        let large_enough = |start: u32| {
            let (mut at, mut room) = (start, 0u64);
            while let Some(block) = usable(at).filter(|_| room < size) {
                room = room.saturating_add(block.size);
                at = block.next;
            }
            room >= size
        };
        let holes = self.pools[pool as usize].unmapped.range((stream, 0, 0)..).take_while(|key| key.0 == stream);
        let starts = holes.map(|key| {
            let before = self.arena[key.2].previous;
            if usable(before).is_some() { before } else { key.2 }
        });
        let found = starts.into_iter().find(|start| large_enough(*start));
        found.unwrap_or_else(|| self.new_range(pool, stream, size))
    }

    fn new_range(&mut self, pool: u32, stream: u64, size: u64) -> u32 {
        let page = self.page(pool);
        // Room for the whole device and an eighth more, as the pool may be fragmented.
        let wanted =
            self.settings.capacity.map_or(RANGE, |capacity| capacity.saturating_add(capacity / 8).min(RANGE)).max(size);
        let length = wanted.div_ceil(page).saturating_mul(page);
        let address = self.range_address(length);
        self.stats.segments += 1;
        self.add_hole(pool, stream, address, length)
    }

    fn add_hole(&mut self, pool: u32, stream: u64, address: u64, length: u64) -> u32 {
        let id = self.arena.add(Block {
            address,
            size: length,
            requested: 0,
            stream,
            previous: NONE,
            next: NONE,
            pool,
            state: State::Unmapped,
            expandable: true,
            freed_at: 0,
        });
        let key = self.arena[id].hole(id);
        self.pools[pool as usize].unmapped.insert(key);
        id
    }

    /// Backs the first `size` bytes of a hole, rounded up to pages, and joins them with a free block before.
    fn map(&mut self, hole: u32, size: u64) -> bool {
        let block = self.arena[hole];
        let page = self.page(block.pool);
        let length = size.div_ceil(page).saturating_mul(page).min(block.size);
        if length == 0 || !self.has_room(length) {
            return false;
        }
        self.expect_map(block.address, length);
        self.pools[block.pool as usize].unmapped.remove(&block.hole(hole));
        if length < block.size {
            let rest = self.split(hole, length);
            let key = self.arena[rest].hole(rest);
            self.pools[block.pool as usize].unmapped.insert(key);
        }
        self.stats.take_from_driver(length);
        self.arena[hole].state = State::Awaiting;
        let merged = self.merge(hole);
        self.insert_free(merged);
        true
    }

    /// Makes one range of the mapped parts that a replay begins with, by address and without a gap of zero: holes
    /// between them, from `start` to the first, and behind the last.
    pub(crate) fn make_range(&mut self, start: u64, parts: &[u32]) {
        let (mut left, mut at) = (NONE, start);
        for part in parts {
            let block = self.arena[*part];
            if block.address > at {
                let hole = self.add_hole(block.pool, block.stream, at, block.address - at);
                self.link(left, hole);
                left = hole;
            }
            self.arena[*part].expandable = true;
            self.link(left, *part);
            (left, at) = (*part, block.address + block.size);
        }
        let Some(last) = parts.last().map(|id| self.arena[*id]) else { return };
        let hole = self.add_hole(last.pool, last.stream, at, RANGE);
        self.link(left, hole);
        // Every part was counted as a segment.
        self.stats.segments -= parts.len() as u64 - 1;
    }

    fn link(&mut self, left: u32, right: u32) {
        if left != NONE {
            self.arena[left].next = right;
            self.arena[right].previous = left;
        }
    }

    /// A replay's `segment_unmap`: takes the memory of the free pages at an address.
    pub(crate) fn unmap_range(&mut self, address: u64, size: u64) -> bool {
        for pool in 0..self.pools.len() {
            let found = self.pools[pool]
                .free
                .iter()
                .copied()
                .find(|key| self.arena[key.3].expandable && key.2 <= address && address + size <= key.2 + key.1);
            if let Some(key) = found {
                self.unmap_between(pool, key, address, address + size);
                return true;
            }
        }
        false
    }

    /// Takes the memory from the whole pages inside a free block.
    pub(super) fn unmap(&mut self, pool: usize, key: Key) {
        let page = self.page(pool as u32);
        let block = self.arena[key.3];
        // Pages are counted from the beginning of the range, wherever that lies.
        let mut head = key.3;
        while self.arena[head].previous != NONE {
            head = self.arena[head].previous;
        }
        let origin = self.arena[head].address;
        let start = origin + (block.address - origin).div_ceil(page) * page;
        let end = origin + (block.address + block.size - origin) / page * page;
        if start < end {
            self.unmap_between(pool, key, start, end);
        }
    }

    fn unmap_between(&mut self, pool: usize, key: Key, start: u64, end: u64) {
        let id = key.3;
        let block = self.arena[id];
        self.pools[pool].free.remove(&key);
        let mut hole = id;
        if start > block.address {
            hole = self.split(id, start - block.address);
            self.insert_free(id);
        }
        if end < block.address + block.size {
            let tail = self.split(hole, end - start);
            self.insert_free(tail);
        }
        self.stats.give_back(end - start);
        self.arena[hole].state = State::Unmapped;
        let hole = self.merge_holes(pool, hole);
        if self.arena[hole].is_split() {
            let key = self.arena[hole].hole(hole);
            self.pools[pool].unmapped.insert(key);
        } else {
            // Nothing of the range is backed any more: its addresses go back too.
            self.stats.segments -= 1;
            self.arena.remove(hole);
        }
    }

    /// Joins a hole with the holes beside it, which leave the pool.
    fn merge_holes(&mut self, pool: usize, id: u32) -> u32 {
        let mut id = id;
        let is_hole = |arena: &Arena, id: u32| arena.get(id).is_some_and(|block| block.state == State::Unmapped);
        let previous = self.arena[id].previous;
        if is_hole(&self.arena, previous) {
            self.pools[pool].unmapped.remove(&self.arena[previous].hole(previous));
            self.join(previous, id);
            id = previous;
        }
        let next = self.arena[id].next;
        if is_hole(&self.arena, next) {
            self.pools[pool].unmapped.remove(&self.arena[next].hole(next));
            self.join(id, next);
        }
        id
    }
}
