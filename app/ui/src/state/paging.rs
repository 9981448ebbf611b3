//! The inputs of the story of the paged cache.

use ledger::paging::{Act, Change, MAX_DECODE, MAX_SEQUENCES, MAX_SLOTS, PagingError, PoolView, Story};
use ledger::{Dtype, Text, inference};
use serde::{Deserialize, Serialize};

use super::fields::{Problem, problem};
use super::parallel::named;
use super::reader::Reader;
use super::{ModelSource, ledger_text};

pub const BLOCK: (u64, u64) = (1, 1024);
pub const SEQUENCES: (u64, u64) = (1, MAX_SEQUENCES as u64);
pub const PREFIX: (u64, u64) = (0, MAX_SLOTS);
pub const DECODE: (u64, u64) = (0, MAX_DECODE);
pub const LONGEST: (u64, u64) = (1, MAX_SLOTS);
const STEP: (u64, u64) = (1, 1024);
/// What the prompts have behind the prefix, to begin with.
const OWN: [u64; 4] = [30, 12, 55, 24];

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PagingState {
    pub source: ModelSource,
    pub kv: Dtype,
    /// Tokens of a block.
    pub block: u64,
    pub sequences: u64,
    pub prefix: u64,
    /// Tokens of the prompts behind the prefix, repeated where there are more sequences.
    pub own: Vec<u64>,
    /// Tokens that each sequence generates.
    pub decode: u64,
    /// What an engine without pages reserves for each sequence.
    pub longest: u64,
    pub step: u64,
    pub problems: Vec<Problem>,
}

/// A step of the story.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    pub act: Act,
    pub changes: Vec<Change>,
    pub view: PoolView,
}

/// Slots after every step, the beginning first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Course {
    /// Of used blocks.
    pub held: Vec<u64>,
    /// Of the blocks that would be used without sharing.
    pub unshared: Vec<u64>,
    /// With a token in them.
    pub filled: Vec<u64>,
}

/// Numbers separated by commas or spaces.
pub fn numbers(text: &str) -> Option<Vec<u64>> {
    let parts = text.split(|letter: char| letter == ',' || letter == '，' || letter.is_whitespace());
    let parts = parts.filter(|part| !part.is_empty());
    let all: Option<Vec<u64>> = parts.map(|part| part.parse().ok().filter(|number| *number <= MAX_SLOTS)).collect();
    all.filter(|all| (1..=MAX_SEQUENCES).contains(&all.len()))
}

pub fn listed(numbers: &[u64]) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

impl PagingState {
    /// Reads query fields; what cannot be read keeps its default and becomes a problem.
    pub fn from_pairs(pairs: &[(String, String)]) -> Self {
        let mut reader = Reader::new(pairs);
        let dtypes = named(&Dtype::ALL, |it| it.id());
        let typed = reader.text("own");
        let state = Self {
            source: reader.source("Llama-3-8B"),
            kv: reader.pick("kv", Dtype::Bf16, &dtypes),
            block: reader.number("block", 16, BLOCK),
            sequences: reader.number("sequences", 4, SEQUENCES),
            prefix: reader.number("prefix", 40, PREFIX),
            own: typed.and_then(numbers).unwrap_or_else(|| OWN.to_vec()),
            decode: reader.number("decode", 40, DECODE),
            longest: reader.number("longest", 2048, LONGEST),
            step: reader.number("step", 1, STEP),
            problems: Vec::new(),
        };
        let mut problems = reader.finish();
        if let Some(text) = typed.filter(|text| numbers(text).is_none()) {
            problem("own", format!("30, 12, 55 (0…{MAX_SLOTS}, 1…{MAX_SEQUENCES})"), text, &mut problems);
        }
        Self { problems, ..state }
    }

    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let usual = Self::from_pairs(&[]);
        let all = [
            ("model", self.source.name.clone(), self.source.name != usual.source.name && self.source.config.is_empty()),
            ("config", self.source.config.clone(), !self.source.config.is_empty()),
            ("kv", self.kv.id().to_owned(), self.kv != usual.kv),
            ("block", self.block.to_string(), self.block != usual.block),
            ("sequences", self.sequences.to_string(), self.sequences != usual.sequences),
            ("prefix", self.prefix.to_string(), self.prefix != usual.prefix),
            ("own", listed(&self.own), self.own != usual.own),
            ("decode", self.decode.to_string(), self.decode != usual.decode),
            ("longest", self.longest.to_string(), self.longest != usual.longest),
            ("step", self.step.to_string(), self.step != usual.step),
        ];
        all.into_iter().filter(|(_, _, changed)| *changed).map(|(key, value, _)| (key, value)).collect()
    }

    pub fn story(&self) -> Story {
        let own = self.own.iter().cycle().take(self.sequences as usize);
        let prompts = own.map(|own| self.prefix.saturating_add(*own)).collect();
        Story { block: self.block, prefix: self.prefix, prompts, decode: self.decode }
    }
}

/// Bytes of one token in all layers.
///
/// # Errors
/// A model that cannot be read or computed.
pub fn per_token(source: &ModelSource, kv: Dtype) -> Result<u64, Text> {
    inference::kv_per_token(&source.model()?, kv).map_err(|error| ledger_text(&error))
}

/// Slots after every step.
///
/// # Errors
/// A story that is too long to be drawn, or with an empty prompt.
pub fn course(story: &Story) -> Result<Course, Text> {
    let mut course = Course { held: vec![0], unshared: vec![0], filled: vec![0] };
    let told = story.tell(|_, pool, _| {
        let view = pool.view();
        course.held.push(view.held());
        course.unshared.push(view.named() * view.block);
        course.filled.push(view.held() - view.empty());
    });
    told.map(|()| course).map_err(|error| refused(&error))
}

/// The story at a step, counted from 1; the last one where there are fewer.
///
/// # Errors
/// As [`course`].
pub fn frame(story: &Story, step: u64) -> Result<Option<Frame>, Text> {
    let (found, count) = frame_at(story, step.max(1))?;
    if found.is_some() || count == 0 { Ok(found) } else { Ok(frame_at(story, count)?.0) }
}

/// The story at exactly this step, and how many steps there are.
fn frame_at(story: &Story, step: u64) -> Result<(Option<Frame>, u64), Text> {
    let (mut at, mut found) = (0, None);
    let told = story.tell(|act, pool, changes| {
        at += 1;
        if at == step {
            found = Some(Frame { act: *act, changes: changes.to_vec(), view: pool.view() });
        }
    });
    told.map(|()| (found, at)).map_err(|error| refused(&error))
}

fn refused(error: &PagingError) -> Text {
    let PagingError::Range { field, found, min, max } = error else {
        return Text::new(error.to_string(), error.to_string());
    };
    let (zh, en) = match *field {
        "blocks" => (
            "全部块数（选更大的块，或更短的提示与生成）",
            "blocks in all (choose larger blocks, shorter prompts or fewer tokens)",
        ),
        "prompt" => {
            ("一个提示的 token 数（前缀与自己的部分之和）", "tokens of a prompt (prefix and its own part together)")
        }
        other => (other, other),
    };
    Text::new(
        format!("{zh}：应为 {min}…{max}，实际是 {found}。"),
        format!("{en}: expected {min}…{max}, found {found}."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(pairs: &[(&str, &str)]) -> PagingState {
        let pairs: Vec<_> = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        PagingState::from_pairs(&pairs)
    }

    #[test]
    fn the_story_of_the_page() {
        let state = state(&[]);
        assert_eq!(state.story().prompts, [70, 52, 95, 64]);
        assert_eq!(per_token(&state.source, state.kv), Ok(128 << 10));
        let course = course(&state.story()).expect("a story");
        // A start, three shares, four prompts, 40 tokens, four ends.
        assert_eq!(course.held.len(), 1 + 1 + 3 + 4 + 40 + 4);
        // 40 tokens are three blocks, shared by all.
        assert_eq!((course.held[4], course.unshared[4], course.filled[4]), (48, 4 * 48, 40));
        assert_eq!(course.held.last(), Some(&0));
        let at = |step| frame(&state.story(), step).expect("a story").expect("a step");
        assert_eq!(at(5).changes[0], Change::Copied { sequence: 0, from: 2, to: 3 });
        assert_eq!((at(1).act, at(0).act, at(99).act), (at(1).act, at(1).act, Act::End { sequence: 3 }));
    }

    #[test]
    fn a_form_comes_back_from_its_link() {
        let state = state(&[("own", "0"), ("prefix", "7"), ("block", "4"), ("sequences", "2"), ("step", "3")]);
        assert_eq!((state.story().prompts, state.problems.len()), (vec![7, 7], 0));
        let pairs: Vec<_> = state.pairs().into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        assert_eq!(PagingState::from_pairs(&pairs), state);
    }

    #[test]
    fn what_cannot_be_read_or_drawn_is_said() {
        for own in ["", "x", "1,-2", "1 2 3 4 5 6 7 8 9", "1048577"] {
            let state = state(&[("own", own)]);
            assert_eq!((state.own.len(), state.problems.len()), (4, 1), "{own}");
        }
        let long = state(&[("prefix", "100000")]);
        assert!(course(&long.story()).is_err_and(|why| why.en.contains("blocks in all") && why.zh.contains("2048")));
        let nothing = state(&[("prefix", "0"), ("own", "0")]);
        assert!(frame(&nothing.story(), 1).is_err_and(|why| why.en.contains("tokens of a prompt")));
    }
}
