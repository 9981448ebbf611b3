//! One program for all tests: it is linked once.

mod allocator;
mod anchors;
mod arithmetic;
mod calculators;
mod cards;
mod combined;
mod decide;
mod drill;
mod expressions;
mod formats;
mod formulas;
mod golden;
mod import;
mod laws;
mod lora;
mod paging;
mod parallel;
mod pickles;
mod planner;
mod planner_search;
mod quantise;
mod quick;
mod recordings;
mod run_laws;
mod runs;
mod scripts;
mod serving;
mod sheets;
mod snapshots;
mod steps;
mod stories;
mod versions;

#[path = "../../examples/golden/case.rs"]
mod case;
#[path = "../../examples/golden/judge.rs"]
mod judge;
#[path = "../../examples/golden/kinds/mod.rs"]
mod kinds;
