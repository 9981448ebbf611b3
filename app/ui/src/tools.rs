//! The calculators of the tools pages: what each asks, and what it answers, without a view. One form and one picture
//! serve them all.

mod answer;
#[cfg(feature = "sheets")]
mod calculators;
mod catalogue;
#[cfg(feature = "planner")]
mod decide;
mod fields;
#[cfg(feature = "planner")]
mod inputs;
#[cfg(feature = "planner")]
mod parallel;
#[cfg(feature = "planner")]
mod plan;
#[cfg(feature = "planner")]
mod serving;
#[cfg(feature = "planner")]
mod training;

pub use answer::{Answer, Bar, Figure, Table};
pub use catalogue::{all, find};
pub use fields::pairs_of;

use ledger::Text;
use ledger::calculators::Input;

/// Named inputs as texts.
pub type Pairs = Vec<(String, String)>;

/// The clients of the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    Sheets,
    Planner,
}

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
    /// The lesson that explains it, by path and title.
    pub lesson: Option<(&'static str, Text)>,
    run: Run,
}

impl Tool {
    /// The answer for these inputs; what is not given takes its default.
    ///
    /// # Errors
    /// Why there is none, for the reader.
    pub fn run(&self, pairs: &Pairs) -> Result<Answer, Text> {
        (self.run)(pairs)
    }
}
