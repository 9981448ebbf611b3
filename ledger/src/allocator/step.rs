//! A script of allocations, step by step: what every operation did, and how the memory lies after it.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::{Allocator, Drive, Handle, Settings, Stats, View, round_size};

/// Operations of one script: every step shows the whole memory.
pub const MAX_STEPS: usize = 500;

/// One line of a script.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Operation {
    Allocate {
        name: String,
        size: u64,
        #[serde(default)]
        stream: u64,
    },
    Free {
        name: String,
    },
    /// The program drops the block while another stream may still use it; `free` returns it later.
    FreeLater {
        name: String,
    },
    EmptyCache,
}

/// What an operation did.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Address of the new block.
    pub address: Option<u64>,
    /// Size of the request after rounding.
    pub rounded: u64,
    /// Bytes newly asked from the driver.
    pub from_driver: u64,
    /// Bytes given back to the driver.
    pub to_driver: u64,
    /// The cache was flushed because the driver had no room.
    pub retried: bool,
    pub out_of_memory: bool,
}

/// An operation, its outcome and the memory after it.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = AllocatorStep))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub operation: Operation,
    pub outcome: Outcome,
    pub after: View,
}

/// A script that cannot be run. A request that fails for lack of memory is no error but an outcome.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    #[error("{found} operations: at most {MAX_STEPS} are run")]
    TooMany { found: usize },
    #[error("operation {at}: {name:?} is already allocated")]
    Taken { at: usize, name: String },
    #[error("operation {at}: {name:?} is not allocated")]
    Unknown { at: usize, name: String },
}

/// An allocator that is driven by named operations.
#[derive(Debug, Clone)]
pub struct Stepper {
    allocator: Allocator,
    settings: Settings,
    live: HashMap<String, Handle>,
    /// Names whose request failed for lack of memory: freeing them does nothing.
    failed: HashSet<String>,
    done: usize,
}

impl Stepper {
    pub fn new(settings: Settings) -> Self {
        Self { allocator: Allocator::new(settings), settings, live: HashMap::new(), failed: HashSet::new(), done: 0 }
    }

    /// The memory at this moment, blocks with the names of their allocations.
    pub fn view(&self) -> View {
        let mut view = self.allocator.view();
        let names: HashMap<u64, &String> =
            self.live.iter().filter_map(|(name, handle)| Some((self.allocator.address(*handle)?, name))).collect();
        for block in view.segments.iter_mut().flat_map(|segment| &mut segment.blocks) {
            block.name = names.get(&block.address).map(|name| (*name).clone());
        }
        view
    }

    /// The figures at this moment.
    pub fn stats(&self) -> Stats {
        self.allocator.stats()
    }

    /// Runs one operation and shows the memory after it.
    ///
    /// # Errors
    /// As [`Stepper::run`].
    pub fn apply(&mut self, operation: &Operation) -> Result<Step, StepError> {
        let outcome = self.run(operation)?;
        Ok(Step { operation: operation.clone(), outcome, after: self.view() })
    }

    /// Runs one operation. A name whose request found no memory may be freed: nothing happens.
    ///
    /// # Errors
    /// [`StepError`]: a name that is taken, or one that is not allocated. Nothing has changed then.
    pub fn run(&mut self, operation: &Operation) -> Result<Outcome, StepError> {
        let at = self.done;
        let unknown = |name: &String| StepError::Unknown { at, name: name.chars().take(40).collect() };
        let before = self.allocator.stats();
        let mut outcome = Outcome::default();
        match operation {
            Operation::Allocate { name, size, stream } => {
                if self.live.contains_key(name) {
                    return Err(StepError::Taken { at, name: name.chars().take(40).collect() });
                }
                self.failed.remove(name);
                outcome.rounded = round_size(*size, &self.settings);
                match self.allocator.allocate(*size, *stream) {
                    Ok(handle) => {
                        outcome.address = self.allocator.address(handle);
                        self.live.insert(name.clone(), handle);
                    }
                    Err(_) => {
                        self.failed.insert(name.clone());
                        outcome.out_of_memory = true;
                    }
                }
            }
            Operation::Free { name } if self.failed.remove(name) => {}
            Operation::FreeLater { name } if self.failed.contains(name) => {}
            Operation::Free { name } => {
                let handle = self.live.remove(name).ok_or_else(|| unknown(name))?;
                self.allocator.free(handle);
            }
            Operation::FreeLater { name } => {
                let handle = self.live.get(name).ok_or_else(|| unknown(name))?;
                self.allocator.free_later(*handle);
            }
            Operation::EmptyCache => self.allocator.empty_cache(),
        }
        self.done += 1;
        let after = self.stats();
        outcome.retried = after.retries > before.retries;
        outcome.from_driver = after.from_driver - before.from_driver;
        outcome.to_driver = after.to_driver - before.to_driver;
        Ok(outcome)
    }
}

impl Drive for Stepper {
    type Event = Operation;
    type Error = StepError;

    fn event(&mut self, operation: &Operation) -> Result<(), StepError> {
        self.run(operation).map(|_| ())
    }

    fn stats(&self) -> Stats {
        self.stats()
    }

    fn weight(&self) -> usize {
        self.allocator.weight()
    }
}

/// Runs a whole script.
///
/// ```
/// use ledger::allocator::{Operation, Settings, steps};
/// let script = [
///     Operation::Allocate { name: "a".to_owned(), size: 3 << 20, stream: 0 },
///     Operation::Free { name: "a".to_owned() },
///     Operation::EmptyCache,
/// ];
/// let steps = steps(Settings::default(), &script)?;
/// assert_eq!(steps[0].outcome.from_driver, 20 << 20);
/// assert_eq!(steps[0].after.segments[0].blocks[0].name.as_deref(), Some("a"));
/// assert_eq!(steps[1].after.stats.reserved, 20 << 20);
/// assert_eq!((steps[2].outcome.to_driver, steps[2].after.segments.len()), (20 << 20, 0));
/// # Ok::<(), ledger::allocator::StepError>(())
/// ```
///
/// # Errors
/// [`StepError`]: too many operations, or one that does not fit the names before it.
pub fn steps(settings: Settings, script: &[Operation]) -> Result<Vec<Step>, StepError> {
    if script.len() > MAX_STEPS {
        return Err(StepError::TooMany { found: script.len() });
    }
    let mut stepper = Stepper::new(settings);
    script.iter().map(|operation| stepper.apply(operation)).collect()
}
