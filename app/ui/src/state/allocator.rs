//! The inputs of the allocator's story.

use ledger::allocator::{Operation, Settings, Step, StepError, parse_script, steps};
use ledger::{Text, units};
use serde::{Deserialize, Serialize};

use super::fields::Problem;
use super::parallel::SWITCH;
use super::reader::Reader;

pub const MIB: (u64, u64) = (0, 1 << 20);
pub const DIVISIONS: (u64, u64) = (0, 64);
pub const PERCENT: (u64, u64) = (0, 100);
/// As many steps as a trace may have.
const STEP: (u64, u64) = (1, ledger::snapshot::MAX_EVENTS as u64);
/// Which of the two runs is drawn.
pub const DRAWN: [(&str, bool); 2] = [("again", false), ("first", true)];

/// What a page starts with: small requests share a segment, a large one leaves a tail, and a hole is too small later.
pub const STORY: &str = "\
alloc emb 1200 KiB     # large pool: 20 MiB from the driver
alloc bias 4 KiB       # small pool: 2 MiB
alloc w1 8 MiB
alloc w2 8 MiB
alloc act 11 MiB       # from 10 MiB on a segment of its own
free w1                # a hole of 8 MiB, split
alloc w3 12 MiB        # does not fit the hole: another segment
free act
alloc tmp 9 MiB        # takes the best fit
free w2
free w3
free tmp
empty                  # only wholly free segments return";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllocatorState {
    pub script: String,
    /// 0 for a device that never runs full.
    pub capacity_mib: u64,
    /// 0 for no limit.
    pub max_split_mib: u64,
    pub divisions: u64,
    /// 0 for no collection.
    pub gc_percent: u64,
    pub expandable: bool,
    /// Operations that have run.
    pub step: u64,
    /// The first run is drawn: as recorded, or under PyTorch's defaults; else the one under these settings.
    pub first: bool,
    pub problems: Vec<Problem>,
}

impl AllocatorState {
    /// Reads query fields; what cannot be read keeps its default and becomes a problem.
    pub fn from_pairs(pairs: &[(String, String)]) -> Self {
        let mut reader = Reader::new(pairs);
        let state = Self {
            script: reader.text("script").unwrap_or(STORY).to_owned(),
            capacity_mib: reader.number("capacity_mib", 0, MIB),
            max_split_mib: reader.number("max_split_mib", 0, MIB),
            divisions: reader.number("divisions", 0, DIVISIONS),
            gc_percent: reader.number("gc_percent", 0, PERCENT),
            expandable: reader.pick("expandable", false, &SWITCH),
            step: reader.number("step", 1, STEP),
            first: reader.pick("drawn", false, &DRAWN),
            problems: Vec::new(),
        };
        Self { problems: reader.finish(), ..state }
    }

    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let usual = Self::from_pairs(&[]);
        let all = [
            ("script", self.script.clone(), self.script != usual.script),
            ("capacity_mib", self.capacity_mib.to_string(), self.capacity_mib != usual.capacity_mib),
            ("max_split_mib", self.max_split_mib.to_string(), self.max_split_mib != usual.max_split_mib),
            ("divisions", self.divisions.to_string(), self.divisions != usual.divisions),
            ("gc_percent", self.gc_percent.to_string(), self.gc_percent != usual.gc_percent),
            ("expandable", "on".to_owned(), self.expandable),
            ("step", self.step.to_string(), self.step != usual.step),
            ("drawn", "first".to_owned(), self.first),
        ];
        all.into_iter().filter(|(_, _, changed)| *changed).map(|(key, value, _)| (key, value)).collect()
    }

    pub fn settings(&self) -> Settings {
        let mib = |value: u64| (value > 0).then(|| value.saturating_mul(units::MIB));
        Settings {
            capacity: mib(self.capacity_mib),
            max_split_size: mib(self.max_split_mib),
            power2_divisions: [self.divisions; 16],
            collection_threshold: self.gc_percent as f64 / 100.0,
            // The threshold works only where a fraction is set.
            memory_fraction: (self.gc_percent > 0).then_some(1.0),
            expandable_segments: self.expandable,
            ..Settings::default()
        }
    }

    /// Every step of the script under these settings, each with the whole memory.
    ///
    /// # Errors
    /// The line that is no operation, or the operation that does not fit the names before it.
    pub fn evaluate(&self) -> Result<Vec<Step>, Text> {
        steps(self.settings(), &operations(&self.script)?).map_err(|error| misfit(&error))
    }

    /// The settings of a second run of a trace: the recorded ones, with what the form says otherwise. The form cannot
    /// say everything that a snapshot can.
    pub fn settings_over(&self, recorded: &Settings) -> Settings {
        let (said, shown) = (self.settings(), Self::showing(recorded).settings());
        let mut settings = *recorded;
        if said.max_split_size != shown.max_split_size {
            settings.max_split_size = said.max_split_size;
        }
        if said.power2_divisions != shown.power2_divisions {
            settings.power2_divisions = said.power2_divisions;
        }
        let Settings { capacity, collection_threshold, memory_fraction, expandable_segments, .. } = said;
        Settings { capacity, collection_threshold, memory_fraction, expandable_segments, ..settings }
    }

    /// A form that shows settings, as far as it can.
    pub fn showing(settings: &Settings) -> Self {
        let [first, rest @ ..] = settings.power2_divisions;
        Self {
            capacity_mib: 0,
            max_split_mib: settings.max_split_size.unwrap_or(0) / units::MIB,
            divisions: if rest.iter().all(|next| *next == first) { first } else { 0 },
            gc_percent: 0,
            expandable: settings.expandable_segments,
            ..Self::from_pairs(&[])
        }
    }
}

/// The operations of a script, or the line that is none.
pub(super) fn operations(script: &str) -> Result<Vec<Operation>, Text> {
    parse_script(script).map_err(|error| {
        Text::new(
            format!("第 {} 行：应为 {}，实际是「{}」。", error.line, error.expected, error.found),
            format!("Line {}: expected {}, found “{}”.", error.line, error.expected, error.found),
        )
    })
}

/// Why an operation does not fit those before it.
pub(super) fn misfit(error: &StepError) -> Text {
    match error {
        StepError::Taken { at, name } => Text::new(
            format!("第 {} 个操作：「{name}」已经分配着；先释放它，或换一个名字。", at + 1),
            format!("Operation {}: “{name}” is allocated already; free it first or take another name.", at + 1),
        ),
        StepError::Unknown { at, name } => Text::new(
            format!("第 {} 个操作：「{name}」没有分配；先写 alloc。", at + 1),
            format!("Operation {}: “{name}” is not allocated; write alloc first.", at + 1),
        ),
        other => Text::new(other.to_string(), other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_comes_back_from_its_link() {
        let given = [("max_split_mib", "20"), ("drawn", "first"), ("step", "7")];
        let given = given.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let state = AllocatorState::from_pairs(&given);
        let pairs: Vec<_> = state.pairs().into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        assert_eq!((AllocatorState::from_pairs(&pairs), state.problems.len()), (state, 0));
    }

    #[test]
    fn what_the_form_shows_changes_nothing() {
        let mut recorded = Settings { max_split_size: Some(100 * units::MIB), ..Settings::default() };
        recorded.set_power2_divisions(4, 8);
        recorded.large_segment_size = 64 * units::MIB;
        let form = AllocatorState::showing(&recorded);
        assert_eq!(form.settings_over(&recorded), recorded, "what the form cannot say stays");
        let changed = AllocatorState { expandable: true, ..form }.settings_over(&recorded);
        assert_eq!(changed, Settings { expandable_segments: true, ..recorded });
    }
}
