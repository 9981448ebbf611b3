//! PyTorch's CUDA caching allocator, simulated.
//!
//! Rules of `c10/cuda/CUDACachingAllocator.cpp` (2.15): sizes are rounded to 512 bytes; requests up to 1 MiB are cut
//! from 2 MiB segments of the small pool, larger ones from segments of 20 MiB, or of their own size from 10 MiB on; the
//! best free block of the stream is taken and split where the rest is worth it; freed blocks merge with their free
//! neighbours; only wholly free segments return to the driver.
//!
//! ```
//! use ledger::allocator::{Allocator, Settings};
//! let mut allocator = Allocator::new(Settings::default());
//! let handle = allocator.allocate(1, 0)?;
//! assert_eq!((allocator.stats().allocated, allocator.stats().reserved), (512, 2 << 20));
//! allocator.free(handle);
//! assert_eq!((allocator.stats().allocated, allocator.stats().reserved), (0, 2 << 20));
//! # Ok::<(), ledger::allocator::OutOfMemory>(())
//! ```

mod block;
mod collect;
mod expandable;
mod restore;
mod rounding;
mod script;
mod settings;
mod simulate;
mod stats;
mod step;
mod story;
mod view;

pub use block::{Handle, PoolId};
pub use rounding::{is_small, round_size, segment_size};
pub use script::{ScriptError, parse_script};
pub use settings::Settings;
pub use simulate::{Allocator, OutOfMemory};
pub use stats::Stats;
pub use step::{MAX_STEPS, Operation, Outcome, Step, StepError, Stepper, steps};
pub use story::{Drive, Moment, Story};
pub use view::{BlockView, SegmentView, Use, View};
