//! The calculators of the tools pages: what each asks, and what it answers, without a view. One form and one picture
//! serve them all.

mod answer;
mod calculators;
mod catalogue;
mod decide;
mod fields;
mod parallel;
mod plan;
mod serving;

pub use answer::{Answer, Bar, Figure, Table};
pub use catalogue::{LARGE, all, find};
pub use fields::pairs_of;

use ledger::Text;
use ledger::calculators::Input;

/// Named inputs as texts.
pub type Pairs = Vec<(String, String)>;

type Run = Box<dyn Fn(&Pairs) -> Result<Answer, Text> + Send + Sync>;

/// A calculator with a page of its own.
pub struct Tool {
    /// Its place under `/tools/`.
    pub id: &'static str,
    pub title: Text,
    pub lead: Text,
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
