//! What a calculator knows: its inputs, their place in the URL, and the numbers the ledger gives for them.
//!
//! The same code serves the island in the browser and the first state rendered on the server.

#[cfg(feature = "stories")]
pub(crate) mod allocator;
#[cfg(feature = "planner")]
pub(crate) mod decide;
mod fields;
mod inference;
pub mod names;
pub(crate) mod parallel;
#[cfg(feature = "planner")]
pub(crate) mod plan;
mod reader;
#[cfg(feature = "planner")]
pub(crate) mod serving;
pub(crate) mod training;

use evidence::Lang;
use ledger::{Model, Text, catalogue};

use crate::lesson::LedgerKind;

#[cfg(feature = "stories")]
pub use allocator::AllocatorState;
#[cfg(feature = "planner")]
pub use decide::DecideState;
pub use fields::{Problem, query};
pub use inference::{BATCH, InferenceState, RESERVE_MIB, SEQ as INFERENCE_SEQ};
pub use parallel::ParallelState;
#[cfg(feature = "planner")]
pub use plan::{Goal, PlanState, Plans};
#[cfg(feature = "planner")]
pub use serving::ServingState;
pub use training::{METHODS, Method, RANK, SEQ as TRAINING_SEQ, TrainingState};

/// Checks the fields of a ledger block of a lesson: every key known, every value readable, the model in the catalogue.
pub fn check(kind: LedgerKind, fields: &[(String, String)]) -> Result<(), String> {
    let (problems, model) = match kind {
        LedgerKind::Inference => {
            let state = InferenceState::from_pairs(fields);
            (state.problems.clone(), state.source.model().map(|_| ()))
        }
        LedgerKind::Training => {
            let state = TrainingState::from_pairs(fields);
            (state.problems.clone(), state.source.model().map(|_| ()))
        }
    };
    if let Some(problem) = problems.first() {
        return Err(problem.text(Lang::En));
    }
    model.map_err(|why| why.en.into_owned())
}

/// Where the model's numbers come from.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ModelSource {
    /// A name of the catalogue.
    pub name: String,
    /// A pasted `config.json`; when it is not empty it wins over the name.
    pub config: String,
}

impl ModelSource {
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), config: String::new() }
    }

    /// The model, or why there is none, in both languages.
    pub fn model(&self) -> Result<Model, Text> {
        if !self.config.trim().is_empty() {
            return ledger::import_config(&self.config).map_err(|error| import_text(&error));
        }
        catalogue::model(&self.name).cloned().ok_or_else(|| {
            Text::new(format!("目录里没有模型 {}", self.name), format!("the catalogue has no model {}", self.name))
        })
    }
}

fn import_text(error: &ledger::ImportError) -> Text {
    let pointer = match error.pointer() {
        "" => "config.json".to_owned(),
        pointer => format!("config.json {pointer}"),
    };
    let (expected, fix, found) = (error.expected(), error.fix(), error.found());
    Text::new(
        format!("{pointer}：应为{}，实际是 {found}。{}", expected.zh, fix.zh),
        format!("{pointer}: expected {}, found {found}. {}", expected.en, fix.en),
    )
}

/// The first input that cannot be read, for a tool that shows one message instead of an answer.
pub fn refuse(problems: &[Problem]) -> Result<(), Text> {
    match problems.first() {
        None => Ok(()),
        Some(Problem { key, expected, found }) => Err(Text::new(
            format!("{key}：应为 {expected}，实际是「{found}」。"),
            format!("{key}: expected {expected}, found “{found}”."),
        )),
    }
}

/// Why a ledger cannot be computed, in both languages.
pub fn ledger_text(error: &ledger::LedgerError) -> Text {
    use crate::words::ledger_error;
    Text::new(ledger_error(error, Lang::Zh), ledger_error(error, Lang::En))
}

/// The id of a kind of adapters.
pub fn adapter_id(lora: ledger::training::Lora) -> &'static str {
    parallel::id(&METHODS, Method::Adapters { method: lora.method, base: lora.base })
}

/// The sentence of a `Text` that this reader reads.
pub fn pick(text: &Text, lang: Lang) -> String {
    lang.pick(&text.zh, &text.en).to_owned()
}
