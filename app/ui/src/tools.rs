//! The calculators of the tools pages: what each asks, and what it answers, without a view. One form and one picture
//! serve them all.

mod answer;
#[cfg(any(feature = "sheets", feature = "workloads"))]
mod calculators;
#[cfg(feature = "tools")]
mod catalogue;
#[cfg(feature = "planner")]
pub mod compare;
#[cfg(feature = "planner")]
mod decide;
#[cfg(feature = "tools")]
mod fields;
#[cfg(feature = "planner")]
mod inference;
#[cfg(feature = "planner")]
mod inputs;
#[cfg(feature = "planner")]
mod model;
#[cfg(feature = "planner")]
mod parallel;
#[cfg(feature = "planner")]
mod plan;
#[cfg(feature = "planner")]
mod serving;
#[cfg(feature = "tools")]
pub mod text;
#[cfg(feature = "planner")]
mod training;

pub use answer::{Answer, Bar, Figure, File, Moment, Table, Timeline};
#[cfg(feature = "tools")]
pub use catalogue::{all, find};
#[cfg(feature = "tools")]
pub use fields::{pairs_of, split_change};

use ledger::Text;
use ledger::calculators::Input;

use crate::Client;

/// Named inputs as texts.
pub type Pairs = Vec<(String, String)>;

type Run = Box<dyn Fn(&Pairs) -> Result<Answer, Text> + Send + Sync>;

/// A calculator with a page of its own.
pub struct Tool {
    /// Its place under `/tools/`.
    pub id: &'static str,
    pub title: Text,
    pub lead: Text,
    /// Which client brings its island.
    pub client: Client,
    /// The model that it starts with, where it asks for one.
    pub model: Option<&'static str>,
    pub inputs: Vec<Input>,
    /// How many inputs stand in front; the others are folded.
    pub in_front: usize,
    /// Whether an input matters beside the others as they are.
    pub matters: fn(&str, &Pairs) -> bool,
    /// Whether one change can be held against what is.
    pub compares: bool,
    /// The lesson that explains it, by path and title.
    pub lesson: Option<(&'static str, Text)>,
    run: Run,
}

impl Tool {
    /// Whether a preset names only what the tool asks for and gives an answer.
    ///
    /// # Errors
    /// What it does not ask for, or why there is no answer.
    pub fn check(&self, preset: &Pairs) -> Result<(), Text> {
        let asked = |name: &str| {
            let source = self.model.is_some() && (name == "model" || name == "config");
            source || self.inputs.iter().any(|input| input.id == name)
        };
        if let Some((stranger, _)) = preset.iter().find(|(name, _)| !asked(name)) {
            return Err(Text::new(
                format!("{} 没有输入 {stranger}", self.id),
                format!("{} has no input {stranger}", self.id),
            ));
        }
        self.run(preset).map(drop)
    }

    /// The answer for these inputs; what is not given takes its default.
    ///
    /// # Errors
    /// Why there is none, for the reader.
    pub fn run(&self, pairs: &Pairs) -> Result<Answer, Text> {
        (self.run)(pairs)
    }
}
