//! Paged attention, step by step: which block of the cache belongs to whom.
//!
//! Rules of “Efficient Memory Management for Large Language Model Serving with PagedAttention” (SOSP 2023, §4.2–4.4)
//! and of vLLM's block pool: a sequence's tokens lie in blocks of a fixed size, found by a table; a block is taken when
//! the last one is full; blocks are shared by counting references; who writes into a shared block takes a copy of it
//! first; blocks that no table names return to the end of the queue of free ones (`vllm/v1/core/block_pool.py`).
//!
//! Sizes here are counted in *slots*: the room of one token in all layers. Bytes are slots times
//! [`crate::inference::kv_per_token`].
//!
//! ```
//! use ledger::paging::{Change, Pool};
//! let mut pool = Pool::new(4, 8)?;
//! let a = pool.start()?;
//! pool.append(a, 6)?;                     // a block of 4 and one of 2
//! let b = pool.fork(a)?;                  // the same blocks, counted twice
//! let copied = pool.append(b, 1)?;        // the last block is shared: b takes a copy
//! assert_eq!(copied, [Change::Copied { sequence: b, from: 1, to: 2 }]);
//! assert_eq!(pool.table(b), Some(&[0, 2][..]));
//! assert_eq!(pool.view().blocks[0].references, 2);
//! # Ok::<(), ledger::paging::PagingError>(())
//! ```

mod pool;
mod story;
mod view;

pub use pool::{Change, PagingError, Pool};
pub use story::{Act, MAX_DECODE, MAX_SEQUENCES, MAX_SLOTS, Story};
pub use view::{BlockState, PoolView, SequenceView};
