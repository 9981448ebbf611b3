//! The memory as it lies: segments and their blocks, for a picture drawn to scale.

use serde::{Deserialize, Serialize};

use super::{
    PoolId, Stats,
    block::{NONE, State},
    simulate::Allocator,
};

/// What a block is used for.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    Free,
    Allocated,
    /// Freed by the program, still in use on another stream.
    AwaitingFree,
    /// Addresses of an expandable segment without memory behind them.
    Unmapped,
}

/// A block; sizes and addresses in bytes.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockView {
    pub address: u64,
    pub size: u64,
    /// What the program asked for; 0 unless the block is allocated.
    pub requested: u64,
    #[serde(rename = "state")]
    pub used: Use,
    /// The name of the allocation in a script.
    pub name: Option<String>,
}

/// A segment, or the backed part of an expandable range. Its blocks touch each other.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentView {
    pub address: u64,
    pub size: u64,
    pub stream: u64,
    /// Of the pool for requests up to 1 MiB.
    pub small: bool,
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<u64>))]
    pub pool: PoolId,
    pub expandable: bool,
    pub blocks: Vec<BlockView>,
}

/// Everything at one moment.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    pub stats: Stats,
    /// By address.
    pub segments: Vec<SegmentView>,
}

impl Allocator {
    /// The memory at this moment. Holes at either end of an expandable range are left out.
    ///
    /// ```
    /// use ledger::allocator::{Allocator, Settings, Use};
    /// let mut allocator = Allocator::new(Settings::default());
    /// allocator.allocate(600, 0)?;
    /// let view = allocator.view();
    /// let blocks = view.segments[0].blocks.iter().map(|block| (block.size, block.used));
    /// assert_eq!(blocks.collect::<Vec<_>>(), [(1024, Use::Allocated), ((2 << 20) - 1024, Use::Free)]);
    /// # Ok::<(), ledger::allocator::OutOfMemory>(())
    /// ```
    pub fn view(&self) -> View {
        let segments = self.arena.heads().into_iter().filter_map(|head| self.segment_view(head)).collect();
        View { stats: self.stats(), segments }
    }

    fn segment_view(&self, head: u32) -> Option<SegmentView> {
        let first = &self.arena[head];
        let mut blocks = Vec::new();
        let mut at = head;
        while at != NONE {
            let block = &self.arena[at];
            let used = match block.state {
                State::Free => Use::Free,
                State::Allocated => Use::Allocated,
                State::Awaiting => Use::AwaitingFree,
                State::Unmapped => Use::Unmapped,
            };
            let requested = if used == Use::Allocated { block.requested } else { 0 };
            if used != Use::Unmapped || !blocks.is_empty() {
                blocks.push(BlockView { address: block.address, size: block.size, requested, used, name: None });
            }
            at = block.next;
        }
        if blocks.last().is_some_and(|block| block.used == Use::Unmapped) {
            blocks.pop();
        }
        let (address, last) = (blocks.first()?.address, blocks.last()?);
        let pool = &self.pools[first.pool as usize];
        Some(SegmentView {
            address,
            size: last.address + last.size - address,
            stream: first.stream,
            small: pool.small,
            pool: pool.id,
            expandable: first.expandable,
            blocks,
        })
    }
}
