//! The clients: each is the wasm of some kinds of islands. A page loads those that its islands need.

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Client {
    /// Quizzes, the ledgers of lessons.
    Core,
    /// Runs of labs.
    Runs,
    /// The caching allocator's story.
    Allocator,
    /// The paged cache's story.
    Paging,
    Drill,
    Quantisation,
    /// Small calculators of hardware and kernels.
    Sheets,
    /// Small calculators of kinds of work.
    Workloads,
    /// The larger calculators.
    Planner,
}

impl Client {
    pub const ALL: [Client; 9] = [
        Client::Core,
        Client::Runs,
        Client::Allocator,
        Client::Paging,
        Client::Drill,
        Client::Quantisation,
        Client::Sheets,
        Client::Workloads,
        Client::Planner,
    ];

    /// The feature of the package `client` that builds it, and the beginning of its files' names.
    pub fn name(self) -> &'static str {
        match self {
            Client::Core => "core",
            Client::Runs => "runs",
            Client::Allocator => "allocator",
            Client::Paging => "paging",
            Client::Drill => "drill",
            Client::Quantisation => "quantisation",
            Client::Sheets => "sheets",
            Client::Workloads => "workloads",
            Client::Planner => "planner",
        }
    }
}
