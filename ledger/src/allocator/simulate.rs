//! Allocation and release.

use std::collections::VecDeque;

use super::{
    Handle, PoolId, Settings, Stats,
    block::{Arena, Block, Key, NONE, Pool, State},
    rounding::{MIN_BLOCK, SMALL_SIZE, is_small, round_size, segment_size},
};

/// No free block, no room on the device, even after the cache was flushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("out of memory: {requested} bytes asked for, {reserved} reserved, {allocated} allocated")]
pub struct OutOfMemory {
    pub requested: u64,
    pub reserved: u64,
    pub allocated: u64,
}

/// The simulated allocator of one device.
#[derive(Debug, Clone, Default)]
pub struct Allocator {
    pub(super) settings: Settings,
    pub(super) arena: Arena,
    pub(super) pools: Vec<Pool>,
    pub(super) stats: Stats,
    /// Where the next segment lies, unless the addresses are given.
    next_address: u64,
    /// Addresses and sizes of the coming segments, in a replay.
    given: Option<VecDeque<(u64, u64)>>,
    /// Segments that a replay expected to be new and that were not, or the other way round.
    pub(crate) surprises: u64,
}

/// Segments are far apart, so that neighbours never look adjacent.
const FIRST_ADDRESS: u64 = 1 << 40;
/// Beyond any device: what is asked for above it fails, and no sum overflows.
const LARGEST: u64 = 1 << 52;
const LAST_ADDRESS: u64 = 1 << 62;
const OFFERED_END: u64 = 1 << 61;

impl Allocator {
    pub fn new(settings: Settings) -> Self {
        Self { settings, next_address: FIRST_ADDRESS, ..Self::default() }
    }

    /// Takes the addresses of new segments from [`Allocator::give_segment`].
    pub(crate) fn with_given_addresses(settings: Settings) -> Self {
        Self { given: Some(VecDeque::new()), ..Self::new(settings) }
    }

    /// Takes those of the next segments where they fit, and makes up the others above every address of a device.
    pub(crate) fn with_offered_addresses(settings: Settings) -> Self {
        Self { next_address: OFFERED_END, ..Self::with_given_addresses(settings) }
    }

    pub(crate) fn withdraw_segments(&mut self) {
        self.given.iter_mut().for_each(VecDeque::clear);
    }

    pub(crate) fn give_segment(&mut self, address: u64, size: u64) {
        if let Some(given) = &mut self.given {
            given.push_back((address, size));
        }
    }

    /// The figures of this moment.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// The address of an allocated block.
    pub fn address(&self, handle: Handle) -> Option<u64> {
        self.arena.get(handle.0).map(|block| block.address)
    }

    /// Allocates from the common pool.
    ///
    /// # Errors
    /// [`OutOfMemory`]; the cache has been flushed then.
    pub fn allocate(&mut self, size: u64, stream: u64) -> Result<Handle, OutOfMemory> {
        self.allocate_in(size, stream, (0, 0))
    }

    /// Allocates from a pool.
    ///
    /// # Errors
    /// As [`Allocator::allocate`].
    pub fn allocate_in(&mut self, size: u64, stream: u64, pool: PoolId) -> Result<Handle, OutOfMemory> {
        let rounded = round_size(size, &self.settings);
        let pool = self.pool(is_small(rounded), pool);
        let found = self.find(pool, stream, rounded);
        let id = match found {
            Some(id) => id,
            None => self.grow(pool, stream, rounded).ok_or_else(|| {
                self.stats.ooms += 1;
                OutOfMemory { requested: size, reserved: self.stats.reserved, allocated: self.stats.allocated }
            })?,
        };
        Ok(self.take(id, size, rounded))
    }

    /// The pool's number; made where it is new.
    pub(super) fn pool(&mut self, small: bool, id: PoolId) -> u32 {
        let at = self.pools.iter().position(|pool| pool.small == small && pool.id == id);
        let at = at.unwrap_or_else(|| {
            self.pools.push(Pool { small, id, ..Pool::default() });
            self.pools.len() - 1
        });
        at as u32
    }

    /// The best free block, taken out of its pool: the smallest that is large enough, of equals the lowest.
    fn find(&mut self, pool: u32, stream: u64, size: u64) -> Option<u32> {
        let max_split = self.settings.max_split();
        if self.settings.collection_limit().is_some() {
            self.pools[pool as usize].searches += 1;
        }
        let key = self.best_fit(pool, stream, size)?;
        let found = key.1;
        if size < max_split && found >= max_split {
            return None;
        }
        if size >= max_split && found >= size.saturating_add(self.settings.max_non_split_rounding) {
            return None;
        }
        self.take_out(key.3);
        Some(key.3)
    }

    /// A block before unmapped space counts as large as it can grow, so that it is kept for those who need it.
    fn best_fit(&self, pool: u32, stream: u64, size: u64) -> Option<Key> {
        let fitting = self.pools[pool as usize].free.range((stream, size, 0, 0)..);
        let mut fitting = fitting.copied().take_while(|key| key.0 == stream);
        let mut best = fitting.next()?;
        if !self.arena[best.3].expandable {
            return Some(best);
        }
        if !self.settings.expandable_segments {
            return fitting.find(|key| !self.arena[key.3].expandable);
        }
        for next in fitting {
            if !self.arena[best.3].expandable || self.can_grow_to(next.3) >= self.can_grow_to(best.3) {
                break;
            }
            best = next;
        }
        Some(best)
    }

    fn can_grow_to(&self, id: u32) -> u64 {
        let block = &self.arena[id];
        let behind = self.arena.get(block.next).filter(|next| next.state == State::Unmapped);
        behind.map_or(block.size, |hole| block.size.saturating_add(hole.size))
    }

    /// A new segment, after whatever must be released for it.
    fn grow(&mut self, pool: u32, stream: u64, size: u64) -> Option<u32> {
        self.collect_garbage();
        if let Some(id) = self.new_segment(pool, stream, size) {
            return Some(id);
        }
        if self.release_available(pool, stream, size)
            && let Some(id) = self.new_segment(pool, stream, size)
        {
            return Some(id);
        }
        self.empty_cache();
        self.stats.retries += 1;
        self.new_segment(pool, stream, size)
    }

    fn new_segment(&mut self, pool: u32, stream: u64, size: u64) -> Option<u32> {
        if size > LARGEST || self.next_address > LAST_ADDRESS {
            return None;
        }
        if self.settings.expandable_segments {
            return self.expand(pool, stream, size);
        }
        let length = segment_size(size, &self.settings);
        if !self.has_room(length) {
            return None;
        }
        let address = self.segment_address(length);
        Some(self.add_segment(pool, stream, address, length))
    }

    pub(super) fn has_room(&self, size: u64) -> bool {
        self.stats.reserved.saturating_add(size) <= self.settings.allowed().unwrap_or(LARGEST).min(LARGEST)
    }

    pub(super) fn segment_address(&mut self, size: u64) -> u64 {
        if let Some(given) = &mut self.given {
            match given.pop_front() {
                Some((address, length)) if length == size => return address,
                Some(other) => given.push_front(other),
                None => {}
            }
            self.surprises += 1;
        }
        let address = self.next_address;
        self.next_address = self.next_address.saturating_add(size.saturating_add(1 << 30));
        address
    }

    /// Where an expandable range begins: in a replay, where its first page is mapped.
    pub(super) fn range_address(&mut self, size: u64) -> u64 {
        match self.given.as_ref().and_then(|given| given.front().copied()) {
            Some((address, _)) => address,
            None => self.segment_address(size),
        }
    }

    /// In a replay, the pages that are mapped should be those that the trace maps next.
    pub(super) fn expect_map(&mut self, address: u64, size: u64) {
        if let Some(given) = &mut self.given {
            match given.front() {
                Some(next) if *next == (address, size) => {
                    given.pop_front();
                }
                _ => self.surprises += 1,
            }
        }
    }

    /// A segment as one block that no pool holds yet.
    pub(crate) fn add_segment(&mut self, pool: u32, stream: u64, address: u64, size: u64) -> u32 {
        self.stats.segments += 1;
        self.stats.take_from_driver(size);
        self.arena.add(Block {
            address,
            size,
            requested: 0,
            stream,
            previous: NONE,
            next: NONE,
            pool,
            state: State::Free,
            expandable: false,
            freed_at: 0,
        })
    }

    /// Marks a block as allocated, the rest split off where that is worth it.
    pub(crate) fn take(&mut self, id: u32, requested: u64, rounded: u64) -> Handle {
        if self.worth_splitting(id, rounded) {
            let rest = self.split(id, rounded);
            self.insert_free(rest);
        }
        let block = &mut self.arena[id];
        block.state = State::Allocated;
        block.requested = requested;
        self.stats.allocated += block.size;
        self.stats.requested += requested;
        self.stats.peak_allocated = self.stats.peak_allocated.max(self.stats.allocated);
        Handle(id)
    }

    fn worth_splitting(&self, id: u32, size: u64) -> bool {
        let block = &self.arena[id];
        let rest = block.size.saturating_sub(size);
        if self.pools[block.pool as usize].small || block.expandable {
            rest >= MIN_BLOCK
        } else {
            size < self.settings.max_split() && rest > SMALL_SIZE
        }
    }

    /// Cuts a block after `size` bytes; the rest is returned as a block of the same state.
    pub(crate) fn split(&mut self, id: u32, size: u64) -> u32 {
        let block = self.arena[id];
        let rest =
            self.arena.add(Block { address: block.address + size, size: block.size - size, previous: id, ..block });
        if block.next != NONE {
            self.arena[block.next].previous = rest;
        }
        let block = &mut self.arena[id];
        block.size = size;
        block.next = rest;
        rest
    }

    pub(crate) fn insert_free(&mut self, id: u32) {
        let block = &mut self.arena[id];
        let pool = &mut self.pools[block.pool as usize];
        block.state = State::Free;
        block.freed_at = pool.searches;
        pool.free.insert(block.key(id));
        if block.counts_as_split() {
            self.stats.inactive_split += block.size;
            self.stats.inactive_split_blocks += 1;
        }
    }

    /// The program drops the block while another stream may still use it: it stays out of the pool.
    pub fn free_later(&mut self, handle: Handle) {
        let Some(block) = self.arena.get(handle.0).copied() else { return };
        if block.state == State::Allocated {
            self.stats.allocated -= block.size;
            self.stats.requested -= block.requested;
            self.arena[handle.0].state = State::Awaiting;
        }
    }

    /// Frees a block. A handle that is no longer allocated is ignored.
    pub fn free(&mut self, handle: Handle) {
        self.free_later(handle);
        if self.arena.get(handle.0).is_some_and(|block| block.state == State::Awaiting) {
            let merged = self.merge(handle.0);
            self.insert_free(merged);
        }
    }

    /// Joins a block with its free neighbours, which leave the pool.
    pub(super) fn merge(&mut self, id: u32) -> u32 {
        let mut id = id;
        let previous = self.arena[id].previous;
        if self.is_free(previous) {
            self.take_out(previous);
            self.join(previous, id);
            id = previous;
        }
        let next = self.arena[id].next;
        if self.is_free(next) {
            self.take_out(next);
            self.join(id, next);
        }
        id
    }

    fn is_free(&self, id: u32) -> bool {
        id != NONE && self.arena[id].state == State::Free
    }

    /// Takes a free block out of its pool.
    pub(super) fn take_out(&mut self, id: u32) {
        let block = &self.arena[id];
        self.pools[block.pool as usize].free.remove(&block.key(id));
        if block.counts_as_split() {
            self.stats.inactive_split -= block.size;
            self.stats.inactive_split_blocks -= 1;
        }
    }

    /// Lets `left` take the place of both.
    pub(super) fn join(&mut self, left: u32, right: u32) {
        let gone = self.arena[right];
        let block = &mut self.arena[left];
        block.size += gone.size;
        block.next = gone.next;
        if gone.next != NONE {
            self.arena[gone.next].previous = left;
        }
        self.arena.remove(right);
    }
}
