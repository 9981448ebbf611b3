//! A page of the course as the loader hands it to the pages: already HTML where it is text, typed where it is alive.

use evidence::Lang;
use serde::{Deserialize, Serialize};

use crate::Client;

/// One page of Markdown after loading.
#[derive(Debug, Clone)]
pub struct Lesson {
    pub lang: Lang,
    /// `task4/kv-cache`, `task4` for the overview of a Task, or `tools/others` outside the Tasks.
    pub path: String,
    pub title: String,
    pub lead: String,
    /// What only a page of a Task has.
    pub task: Option<InTask>,
    pub blocks: Vec<Block>,
    pub outline: Vec<Heading>,
}

/// What a page of a Task has: a learner opens it with a question and can mark it as finished.
#[derive(Debug, Clone)]
pub struct InTask {
    pub task: String,
    /// The question that opens the lesson.
    pub ask: String,
    pub minutes: u32,
}

impl Lesson {
    /// The clients of this page's islands, each once.
    pub fn clients(&self) -> Vec<Client> {
        let mut clients: Vec<Client> = self.blocks.iter().filter_map(Block::client).collect();
        clients.sort_unstable();
        clients.dedup();
        clients
    }
}

/// A heading of the outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    pub level: u8,
    pub anchor: String,
    pub text: String,
}

/// What a page is made of.
#[derive(Debug, Clone)]
pub enum Block {
    /// Rendered Markdown.
    Html(String),
    Tool(ToolBlock),
    Quiz(Quiz),
    /// The id of a lab of the catalogue.
    Lab(String),
    Figure(Figure),
}

impl Block {
    fn client(&self) -> Option<Client> {
        match self {
            Block::Html(_) | Block::Figure(_) => None,
            Block::Quiz(_) => Some(Client::Core),
            Block::Lab(_) => Some(Client::Runs),
            Block::Tool(tool) => Some(tool.client),
        }
    }
}

/// A calculator of the tools pages with its inputs preset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolBlock {
    pub id: &'static str,
    pub client: Client,
    pub fields: Vec<(String, String)>,
}

/// A quiz as the reader sees it: without the answers, which stay on the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quiz {
    pub id: String,
    /// The page it stands on.
    pub lesson: String,
    pub questions: Vec<Question>,
}

/// Texts are inline HTML made from the lesson's Markdown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    pub id: String,
    pub text: String,
    pub choices: Vec<String>,
    /// More than one choice is right: boxes instead of dots.
    pub several: bool,
}

/// What the server answers about one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    pub question: String,
    pub right: bool,
    pub chosen: Vec<usize>,
    pub correct: Vec<usize>,
    /// Why, per choice; inline HTML.
    pub why: Vec<String>,
    pub explain: String,
    /// Whether the answer was kept for the reader.
    pub kept: bool,
}

/// Bars of computed numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub caption: String,
    pub bars: Vec<FigureBar>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FigureBar {
    pub label: String,
    /// The memory object whose colour the bar has.
    pub object: String,
    pub value: f64,
    pub text: String,
    pub formula: String,
}
