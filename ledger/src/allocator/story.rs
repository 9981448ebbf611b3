//! A long run of an allocator that is looked at here and there: figures after every event, states now and then.

use std::sync::Arc;

use super::Stats;

/// What is driven event by event.
pub trait Drive: Clone {
    type Event;
    type Error;

    /// Runs one event.
    ///
    /// # Errors
    /// An event that does not fit those before it.
    fn event(&mut self, event: &Self::Event) -> Result<(), Self::Error>;

    fn stats(&self) -> Stats;

    /// Blocks of the state: what a copy of it costs.
    fn weight(&self) -> usize;
}

/// The three sizes that tell a run; bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moment {
    pub allocated: u64,
    pub reserved: u64,
    /// Free in segments that are not wholly free; see [`Stats::inactive_split`].
    pub inactive_split: u64,
}

impl From<Stats> for Moment {
    fn from(stats: Stats) -> Self {
        let Stats { allocated, reserved, inactive_split, .. } = stats;
        Self { allocated, reserved, inactive_split }
    }
}

impl Moment {
    /// Each size at its larger.
    fn max(self, other: Self) -> Self {
        Self {
            allocated: self.allocated.max(other.allocated),
            reserved: self.reserved.max(other.reserved),
            inactive_split: self.inactive_split.max(other.inactive_split),
        }
    }
}

/// States that are kept. With as many, the state after any event is at most a 64th of the run away.
const MAX_KEPT: usize = 64;
/// Events between two kept states where the run is short.
const MIN_STRIDE: usize = 64;
/// Blocks of all states that are kept, so that a hostile trace costs no more than a hundred megabytes.
const MAX_WEIGHT: usize = 1 << 20;

/// A run from its beginning to its end.
///
/// ```
/// use ledger::allocator::{Operation, Settings, Stepper, Story};
/// let script = [
///     Operation::Allocate { name: "a".to_owned(), size: 3 << 20, stream: 0 },
///     Operation::Free { name: "a".to_owned() },
/// ];
/// let story = Story::tell(Stepper::new(Settings::default()), script.into())?;
/// assert_eq!((story.len(), story.peaks().allocated), (2, 3 << 20));
/// assert_eq!(story.moments()[2].allocated, 0);
/// assert_eq!(story.state(1).stats().allocated, 3 << 20);
/// # Ok::<(), ledger::allocator::StepError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Story<D: Drive> {
    events: Arc<[D::Event]>,
    stride: usize,
    kept: Vec<D>,
    moments: Vec<Moment>,
    end: D,
}

impl<D: Drive> Story<D> {
    /// Runs all events.
    ///
    /// # Errors
    /// The first event that does not fit those before it.
    pub fn tell(start: D, events: Arc<[D::Event]>) -> Result<Self, D::Error> {
        let stride = events.len().div_ceil(MAX_KEPT).max(MIN_STRIDE);
        let mut now = start;
        let (mut kept, mut weight) = (Vec::new(), 0);
        let mut moments = Vec::with_capacity(events.len() + 1);
        moments.push(Moment::from(now.stats()));
        for (at, event) in events.iter().enumerate() {
            if at % stride == 0 && kept.len() == at / stride && (at == 0 || weight < MAX_WEIGHT) {
                weight += now.weight();
                kept.push(now.clone());
            }
            now.event(event)?;
            moments.push(Moment::from(now.stats()));
        }
        Ok(Self { events, stride, kept, moments, end: now })
    }

    pub fn events(&self) -> &[D::Event] {
        &self.events
    }

    /// Number of events.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The sizes before the first event and after each: one more than there are events.
    pub fn moments(&self) -> &[Moment] {
        &self.moments
    }

    /// The largest of each size, wherever it was reached.
    pub fn peaks(&self) -> Moment {
        self.moments.iter().copied().fold(Moment::default(), Moment::max)
    }

    /// The state after the first `events` events; after all of them where there are fewer. Runs the events
    /// since the last kept state again.
    pub fn state(&self, events: usize) -> D {
        let at = events.min(self.events.len());
        let from = (at / self.stride).min(self.kept.len().saturating_sub(1));
        let Some(kept) = self.kept.get(from).filter(|_| at < self.events.len()) else { return self.end.clone() };
        let mut state = kept.clone();
        for event in &self.events[from * self.stride..at] {
            // They ran before.
            let _ = state.event(event);
        }
        state
    }
}
