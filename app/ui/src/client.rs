//! The clients: each is the wasm of some kinds of islands. A page loads those that its islands need.

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Client {
    /// Quizzes, lab runs, the ledgers of lessons.
    Core,
    /// What is stepped through: the allocator; and the drill.
    Stories,
    /// Small calculators.
    Sheets,
    /// The larger calculators.
    Planner,
}

impl Client {
    pub const ALL: [Client; 4] = [Client::Core, Client::Stories, Client::Sheets, Client::Planner];

    /// The feature of the package `client` that builds it, and the beginning of its files' names.
    pub fn name(self) -> &'static str {
        match self {
            Client::Core => "core",
            Client::Stories => "stories",
            Client::Sheets => "sheets",
            Client::Planner => "planner",
        }
    }
}
