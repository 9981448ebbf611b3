//! A device's trace event by event: as it was recorded, and once more under other settings.

use std::{convert::Infallible, sync::Arc};

use super::{
    read::{Action, Event, Snapshot},
    replay::{Replay, Run, of_device},
};
use crate::allocator::{Allocator, Drive, Settings, Stats, Story, View};

/// Events that are told of one trace. Of a longer one the last are: what lay in memory before them is worked out, as
/// for a recording that was switched on late.
pub const MAX_EVENTS: usize = 200_000;

/// A simulated device in the middle of a trace.
#[derive(Debug, Clone)]
pub struct Playback {
    run: Run,
    done: usize,
    replay: Replay,
    again: Option<Again>,
}

/// A second run under settings of its own.
#[derive(Debug, Clone, Copy)]
struct Again {
    expandable: bool,
    /// The event before returned memory to the driver.
    returning: bool,
}

impl Playback {
    /// The memory at this moment. A trace has no names.
    pub fn view(&self) -> View {
        self.run.allocator.view()
    }

    /// What was placed elsewhere than on the GPU so far; of a recorded run only.
    pub fn replay(&self) -> &Replay {
        &self.replay
    }

    /// An event under other settings: what the program did, not what its allocator did.
    fn again(&mut self, event: &Event, Again { expandable, returning }: Again) {
        let returns = matches!(event.action, Action::SegmentFree | Action::SegmentUnmap);
        match event.action {
            // The first of several returns stands for all of them.
            Action::SegmentFree | Action::SegmentUnmap if returning => {}
            Action::SegmentFree | Action::SegmentUnmap => self.run.allocator.empty_cache(),
            // Where a new segment lies decides among equals: where it still fits, it lies where it lay.
            Action::SegmentAlloc if expandable => {}
            Action::SegmentMap if !expandable => {}
            Action::Alloc => {
                self.run.event(self.done, event, &mut self.replay);
                self.run.allocator.withdraw_segments();
            }
            _ => self.run.event(self.done, event, &mut self.replay),
        }
        self.again = Some(Again { expandable, returning: returns });
    }
}

impl Drive for Playback {
    type Event = Event;
    type Error = Infallible;

    fn event(&mut self, event: &Event) -> Result<(), Infallible> {
        match self.again {
            None => self.run.event(self.done, event, &mut self.replay),
            Some(again) => self.again(event, again),
        }
        self.done += 1;
        Ok(())
    }

    fn stats(&self) -> Stats {
        self.run.allocator.stats()
    }

    fn weight(&self) -> usize {
        self.run.allocator.weight()
    }
}

/// The events of a device that are told, at most [`MAX_EVENTS`] of them.
fn told(snapshot: &Snapshot, device: usize) -> &[Event] {
    let trace = snapshot.traces.get(device).map_or(&[][..], Vec::as_slice);
    &trace[trace.len().saturating_sub(MAX_EVENTS)..]
}

/// The trace of a device as it was recorded: segments come where they came and go when they went. A device that the
/// snapshot does not know has no event.
pub fn recorded(snapshot: &Snapshot, device: usize) -> Story<Playback> {
    tell(snapshot, device, None)
}

/// The same requests and releases under other settings. What lay in memory before the first event lies as it lay.
/// Memory that returned to the driver, for whatever reason, is replayed as an emptied cache; a snapshot does not tell
/// the reason.
pub fn again(snapshot: &Snapshot, device: usize, settings: Settings) -> Story<Playback> {
    tell(snapshot, device, Some(settings))
}

fn tell(snapshot: &Snapshot, device: usize, other: Option<Settings>) -> Story<Playback> {
    let events = told(snapshot, device);
    let segments = of_device(snapshot, device);
    let mut run = match other {
        None => Run::new(snapshot, &segments, events),
        Some(_) => Run::begin(Allocator::with_offered_addresses(snapshot.settings), &segments, events),
    };
    let again = other.map(|settings| {
        run.allocator.change_settings(settings);
        Again { expandable: settings.expandable_segments, returning: false }
    });
    let start = Playback { run, done: 0, replay: Replay::default(), again };
    match Story::tell(start, Arc::from(events)) {
        Ok(story) => story,
        Err(never) => match never {},
    }
}
