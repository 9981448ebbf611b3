//! The inputs of the allocator's story.

use ledger::allocator::{Settings, Step, parse_script, steps};
use ledger::{Text, units};
use serde::{Deserialize, Serialize};

use super::fields::Problem;
use super::parallel::SWITCH;
use super::reader::Reader;

pub const MIB: (u64, u64) = (0, 1 << 20);
pub const DIVISIONS: (u64, u64) = (0, 64);
pub const PERCENT: (u64, u64) = (0, 100);
const STEP: (u64, u64) = (1, 500);

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

    /// Every step of the script.
    ///
    /// # Errors
    /// The line that is no operation, or the operation that does not fit the names before it.
    pub fn evaluate(&self) -> Result<Vec<Step>, Text> {
        let script = parse_script(&self.script).map_err(|error| {
            Text::new(
                format!("第 {} 行：应为 {}，实际是「{}」。", error.line, error.expected, error.found),
                format!("Line {}: expected {}, found “{}”.", error.line, error.expected, error.found),
            )
        })?;
        steps(self.settings(), &script).map_err(|error| {
            let text = error.to_string();
            Text::new(text.clone(), text)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_story_runs_and_comes_back_from_its_link() {
        let state = AllocatorState::from_pairs(&[("max_split_mib".to_owned(), "20".to_owned())]);
        let steps = state.evaluate().expect("the story");
        assert_eq!(steps.len(), 13);
        assert_eq!(steps.last().map(|step| step.after.stats.allocated), Some((1200 + 4) * units::KIB));
        let pairs: Vec<_> = state.pairs().into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        assert_eq!(AllocatorState::from_pairs(&pairs), state);
    }
}
