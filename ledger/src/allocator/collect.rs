//! Giving segments back to the driver.

use super::{
    block::{Arena, Key, State},
    simulate::Allocator,
};

impl Allocator {
    /// `torch.cuda.empty_cache()`: every wholly free segment goes back.
    pub fn empty_cache(&mut self) {
        for pool in 0..self.pools.len() {
            let whole: Vec<Key> = self.pools[pool]
                .free
                .iter()
                .copied()
                .filter(|key| !self.arena[key.3].is_split() && !self.arena[key.3].expandable)
                .collect();
            whole.into_iter().for_each(|key| self.release(pool, key));
            self.unmap_free_pages(pool);
        }
    }

    fn release(&mut self, pool: usize, key: Key) {
        self.pools[pool].free.remove(&key);
        self.stats.give_back(key.1);
        self.stats.segments -= 1;
        self.arena.remove(key.3);
    }

    /// Releases the wholly free segment at an address. `false` where there is none.
    pub(crate) fn release_segment(&mut self, address: u64, size: u64, stream: u64) -> bool {
        for pool in 0..self.pools.len() {
            let keys = (stream, size, address, 0)..=(stream, size, address, u32::MAX);
            let found = self.pools[pool].free.range(keys).next().copied();
            if let Some(key) = found.filter(|key| !self.arena[key.3].is_split()) {
                self.release(pool, key);
                return true;
            }
        }
        false
    }

    /// With `max_split_size`: releases a block that is never split and large enough, or as many of them, the largest
    /// first, as make up the size. Without it nothing happens.
    pub(super) fn release_available(&mut self, pool: u32, stream: u64, size: u64) -> bool {
        let Some(max_split) = self.settings.max_split_size else { return false };
        let (pool, wanted) = (pool as usize, size.max(max_split));
        // Only whole segments can go. PyTorch asks for a limit above its segments, so that no fragment is as large;
        // those of expandable segments are unmapped by an emptied cache, never released.
        let whole = |arena: &Arena, key: &Key| key.0 == stream && !arena[key.3].expandable && !arena[key.3].is_split();
        let first = self.pools[pool].free.range((stream, wanted, 0, 0)..).next().copied();
        if let Some(key) = first.filter(|key| whole(&self.arena, key)) {
            self.release(pool, key);
            return true;
        }
        let mut released = 0;
        while released < wanted {
            let below = self.pools[pool].free.range(..(stream, wanted, 0, 0)).next_back().copied();
            let large = |key: &Key| whole(&self.arena, key) && key.1 >= max_split;
            let Some(key) = below.filter(large) else { return false };
            self.release(pool, key);
            released += key.1;
        }
        true
    }

    /// Above the threshold: releases wholly free segments of the large pool that were not used for longer than the
    /// average, until enough is reclaimed or nothing more can be.
    pub(super) fn collect_garbage(&mut self) {
        let Some(limit) = self.settings.collection_limit() else { return };
        if self.stats.reserved <= limit {
            return;
        }
        let target = self.stats.reserved - limit;
        let Some(pool) = self.pools.iter().position(|pool| !pool.small && pool.id == (0, 0)) else { return };
        let searches = self.pools[pool].searches;
        let mut candidates: Vec<(Key, u64)> = self.pools[pool]
            .free
            .iter()
            .filter(|key| !self.arena[key.3].is_split() && !self.arena[key.3].expandable)
            .map(|key| (*key, searches - self.arena[key.3].freed_at))
            .collect();
        let mut total: u64 = candidates.iter().map(|(_, age)| age).sum();
        let mut reclaimed = 0;
        while reclaimed < target && !candidates.is_empty() {
            let average = total as f64 / candidates.len() as f64;
            let (old, young): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|(_, age)| *age as f64 >= average);
            if old.is_empty() {
                return;
            }
            for (key, age) in old {
                total -= age;
                reclaimed += key.1;
                self.release(pool, key);
            }
            candidates = young;
        }
    }

    /// Free and wholly mapped pages of expandable segments lose their memory.
    fn unmap_free_pages(&mut self, pool: usize) {
        let free: Vec<Key> = self.pools[pool].free.iter().copied().filter(|key| self.arena[key.3].expandable).collect();
        for key in free {
            if self.arena[key.3].state == State::Free {
                self.unmap(pool, key);
            }
        }
    }
}
