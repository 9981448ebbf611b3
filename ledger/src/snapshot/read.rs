//! From plain data to a snapshot. Older files lack block addresses, times, settings: what is absent is worked out or
//! left out.

use super::{
    PickleError, settings,
    value::{Data, Id, Value},
};
use crate::allocator::{PoolId, Settings};

/// Why a file is no snapshot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    #[error(transparent)]
    Pickle(#[from] PickleError),
    /// The place in the snapshot, such as `segments[3].blocks[0].size`.
    #[error("{place}: expected {expected}")]
    Shape { place: String, expected: &'static str },
    /// An item is listed more often than a file of this size can hold: the same one, again and again.
    #[error("{place}: more items than the file has values")]
    Repeated { place: String },
    /// Sizes beyond any device: the sums of a replay could overflow.
    #[error("{place}: {value} is beyond any device: addresses end at 2^62, all segments together at 2^60 bytes")]
    Absurd { place: String, value: u64 },
}

/// Addresses of real devices have 49 bits at most.
const MAX_ADDRESS: u64 = 1 << 62;
/// Devices of one process.
const MAX_DEVICES: u64 = 1024;
/// Bytes of all segments that ever existed in a snapshot, together.
const MAX_TOTAL: u64 = 1 << 60;

/// Segments at the end, and what happened before, device by device.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    pub segments: Vec<Segment>,
    pub traces: Vec<Vec<Event>>,
    pub settings: Settings,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    pub device: u64,
    pub address: u64,
    pub total_size: u64,
    pub allocated_size: u64,
    pub stream: u64,
    pub small: bool,
    pub pool: PoolId,
    pub expandable: bool,
    pub blocks: Vec<SnapshotBlock>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotBlock {
    pub address: u64,
    pub size: u64,
    pub requested: u64,
    pub state: BlockState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockState {
    Allocated,
    AwaitingFree,
    Inactive,
}

/// One entry of a trace. Sizes of `Alloc` and `Free…` are what the program asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    pub action: Action,
    pub address: u64,
    pub size: u64,
    pub stream: u64,
    pub pool: Option<PoolId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Alloc,
    FreeRequested,
    FreeCompleted,
    SegmentAlloc,
    SegmentFree,
    SegmentMap,
    SegmentUnmap,
    Oom,
    /// Annotations and kinds that later versions may add.
    Other,
}

impl Snapshot {
    /// Sum of the segments' sizes: `reserved_bytes`.
    pub fn reserved(&self) -> u64 {
        self.segments.iter().fold(0, |sum, segment| sum.saturating_add(segment.total_size))
    }

    /// Sum of the allocated blocks: `allocated_bytes`.
    pub fn allocated(&self) -> u64 {
        self.segments.iter().fold(0, |sum, segment| sum.saturating_add(segment.allocated_size))
    }
}

/// A value and the path to it, for messages.
#[derive(Clone)]
pub(super) struct Place<'a> {
    pub data: &'a Data,
    pub id: Id,
    pub path: &'a dyn Fn() -> String,
}

impl<'a> Place<'a> {
    fn wrong(&self, key: &str, expected: &'static str) -> SnapshotError {
        SnapshotError::Shape { place: format!("{}{key}", (self.path)()), expected }
    }

    pub(super) fn optional(&self, key: &str) -> Option<u64> {
        self.data.whole(self.data.field(self.id, key)?)
    }

    fn need(&self, key: &str) -> Result<u64, SnapshotError> {
        self.optional(key).ok_or_else(|| self.wrong(&format!(".{key}"), "a number of 0 and more"))
    }

    fn stream(&self) -> u64 {
        self.data.field(self.id, "stream").and_then(|id| self.data.stream(id)).unwrap_or(0)
    }

    /// Until 2.0 a block lists the allocations it has held, the current one first.
    fn in_history(&self) -> Option<u64> {
        let list = self.data.list(self.data.field(self.id, "history")?)?;
        self.data.whole(self.data.field(*list.first()?, "real_size")?)
    }

    pub(super) fn text(&self, key: &str) -> Option<&'a str> {
        self.data.text(self.data.field(self.id, key)?)
    }

    fn pool(&self, key: &str) -> Option<PoolId> {
        match self.data.list(self.data.field(self.id, key)?)? {
            [first, second] => Some((self.data.whole(*first)?, self.data.whole(*second)?)),
            _ => None,
        }
    }
}

pub(super) fn read(data: &Data) -> Result<Snapshot, SnapshotError> {
    let shape = |place: &str, expected| SnapshotError::Shape { place: place.to_owned(), expected };
    // The oldest files are the list of segments alone.
    let (segments, traces, settings) = match data.get(data.root) {
        Value::List(_) => (Some(data.root), None, None),
        Value::Dict(_) => (
            data.field(data.root, "segments"),
            data.field(data.root, "device_traces"),
            data.field(data.root, "allocator_settings"),
        ),
        _ => return Err(shape("", "a dictionary with segments and device_traces")),
    };
    let segments = segments.and_then(|id| data.list(id)).ok_or_else(|| shape("segments", "a list"))?;
    // An honest file writes every segment and block once.
    let listed = |id: &Id| data.field(*id, "blocks").and_then(|id| data.list(id)).map_or(1, |blocks| 1 + blocks.len());
    if segments.iter().fold(0usize, |sum, id| sum.saturating_add(listed(id))) > data.values.len() {
        return Err(SnapshotError::Repeated { place: "segments".to_owned() });
    }
    let segments: Vec<Segment> = segments
        .iter()
        .enumerate()
        .map(|(at, id)| segment(&Place { data, id: *id, path: &|| format!("segments[{at}]") }))
        .collect::<Result<_, _>>()?;
    let mut devices: Vec<Vec<Event>> = Vec::new();
    let mut events = 0usize;
    for (device, trace) in traces.and_then(|id| data.list(id)).unwrap_or(&[]).iter().enumerate() {
        let place = || format!("device_traces[{device}]");
        let list = data.list(*trace).ok_or_else(|| shape(&place(), "a list"))?;
        events = events.saturating_add(list.len().max(1));
        if events > data.values.len() {
            return Err(SnapshotError::Repeated { place: place() });
        }
        let trace = list
            .iter()
            .enumerate()
            .map(|(at, id)| event(&Place { data, id: *id, path: &|| format!("device_traces[{device}][{at}]") }));
        devices.push(trace.collect::<Result<_, _>>()?);
    }
    // Files before 2.2 do not say how the allocator was set: what they show tells.
    let maps = |event: &Event| event.action == Action::SegmentMap;
    let grew = segments.iter().any(|segment| segment.expandable) || devices.iter().flatten().any(maps);
    let settings = match settings {
        Some(id) => settings::read(&Place { data, id, path: &|| "allocator_settings".to_owned() }),
        None => Settings { expandable_segments: grew, ..Settings::default() },
    };
    let snapshot = Snapshot { segments, traces: devices, settings };
    check(&snapshot)?;
    Ok(snapshot)
}

/// Bounds that keep every later sum and difference inside 64 bits.
fn check(snapshot: &Snapshot) -> Result<(), SnapshotError> {
    let mut total = 0u64;
    let mut within = |place: &dyn Fn() -> String, address: u64, size: u64| {
        total = total.saturating_add(size);
        let value = if address >= MAX_ADDRESS { address } else { size };
        let absurd = address >= MAX_ADDRESS || total > MAX_TOTAL;
        if absurd { Err(SnapshotError::Absurd { place: place(), value }) } else { Ok(()) }
    };
    for (at, segment) in snapshot.segments.iter().enumerate() {
        let place = || format!("segments[{at}]");
        within(&place, segment.address, segment.total_size)?;
        if segment.device >= MAX_DEVICES {
            return Err(SnapshotError::Shape { place: format!("{}.device", place()), expected: "a number below 1024" });
        }
        let end = segment.address + segment.total_size;
        let outside =
            |block: &&SnapshotBlock| block.address < segment.address || block.address.saturating_add(block.size) > end;
        if let Some(block) = segment.blocks.iter().find(outside) {
            let expected = "blocks inside their segment";
            return Err(SnapshotError::Shape { place: format!("{}: block at {}", place(), block.address), expected });
        }
    }
    for (device, trace) in snapshot.traces.iter().enumerate() {
        for (at, event) in trace.iter().enumerate() {
            within(&|| format!("device_traces[{device}][{at}]"), event.address, event.size)?;
        }
    }
    Ok(())
}

fn segment(place: &Place<'_>) -> Result<Segment, SnapshotError> {
    let (address, data) = (place.need("address")?, place.data);
    let list = data.field(place.id, "blocks").and_then(|id| data.list(id));
    let list = list.ok_or_else(|| place.wrong(".blocks", "a list"))?;
    let mut next = address;
    let mut blocks = Vec::with_capacity(list.len());
    for (at, id) in list.iter().enumerate() {
        let path = || format!("{}.blocks[{at}]", (place.path)());
        let block = block(&Place { data, id: *id, path: &path }, next)?;
        next = block.address.saturating_add(block.size);
        blocks.push(block);
    }
    let allocated = blocks.iter().filter(|block| block.state == BlockState::Allocated);
    let total_size = place.need("total_size")?;
    Ok(Segment {
        device: place.optional("device").unwrap_or(0),
        address,
        total_size,
        allocated_size: place
            .optional("allocated_size")
            .unwrap_or_else(|| allocated.fold(0, |sum: u64, block| sum.saturating_add(block.size))),
        stream: place.stream(),
        small: place.text("segment_type").map_or(total_size <= 2 << 20, |kind| kind == "small"),
        pool: place.pool("segment_pool_id").unwrap_or((0, 0)),
        expandable: place.optional("is_expandable").unwrap_or(0) == 1,
        blocks,
    })
}

fn block(place: &Place<'_>, next: u64) -> Result<SnapshotBlock, SnapshotError> {
    let size = place.need("size")?;
    let state = match place.text("state") {
        Some("active_allocated") => BlockState::Allocated,
        Some("active_awaiting_free" | "active_pending_free") => BlockState::AwaitingFree,
        Some("inactive") => BlockState::Inactive,
        _ => return Err(place.wrong(".state", "active_allocated, active_awaiting_free or inactive")),
    };
    Ok(SnapshotBlock {
        address: place.optional("address").unwrap_or(next),
        size,
        requested: place.optional("requested_size").or_else(|| place.in_history()).unwrap_or(size),
        state,
    })
}

fn event(place: &Place<'_>) -> Result<Event, SnapshotError> {
    let action = match place.text("action") {
        Some("alloc") => Action::Alloc,
        Some("free_requested" | "free") => Action::FreeRequested,
        Some("free_completed") => Action::FreeCompleted,
        Some("segment_alloc") => Action::SegmentAlloc,
        Some("segment_free") => Action::SegmentFree,
        Some("segment_map") => Action::SegmentMap,
        Some("segment_unmap") => Action::SegmentUnmap,
        Some("oom") => Action::Oom,
        Some(_) => Action::Other,
        None => return Err(place.wrong(".action", "a text")),
    };
    let located = !matches!(action, Action::Oom | Action::Other);
    let number = |key: &str| if located { place.need(key) } else { Ok(place.optional(key).unwrap_or(0)) };
    Ok(Event {
        action,
        address: number("addr")?,
        size: number("size")?,
        stream: place.stream(),
        pool: place.pool("pool_id"),
    })
}
