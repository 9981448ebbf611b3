//! Memory snapshots of PyTorch (`torch.cuda.memory._dump_snapshot`), read and replayed.
//!
//! A snapshot is a pickle of plain dictionaries and lists. It is untrusted: only containers and scalars of protocol 2
//! to 5 are read, a class is refused, sizes are bounded, nothing is ever executed.

mod initial;
mod pickle;
mod playback;
mod ranges;
mod read;
mod replay;
mod settings;
mod value;

pub use pickle::{MAX_PICKLE_BYTES, PickleError};
pub use playback::{MAX_EVENTS, Playback, again, recorded};
pub use read::{Action, BlockState, Event, Segment, Snapshot, SnapshotBlock, SnapshotError};
pub use replay::{Mismatch, Replay, replay, view_at};

/// Reads a snapshot file.
///
/// # Errors
/// [`SnapshotError`]: not a pickle of plain data, or not a snapshot. Never panics.
pub fn read_snapshot(bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
    read::read(&pickle::parse(bytes)?)
}
