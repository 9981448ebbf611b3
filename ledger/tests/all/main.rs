//! One program for all tests: it is linked once.

mod allocator;
mod anchors;
mod arithmetic;
mod calculators;
mod expressions;
mod formats;
mod formulas;
mod golden;
mod import;
mod laws;
mod lora;
mod parallel;
mod run_laws;
mod runs;
mod serving;
mod snapshots;

#[path = "../../examples/golden/case.rs"]
mod case;
#[path = "../../examples/golden/judge.rs"]
mod judge;
#[path = "../../examples/golden/kinds/mod.rs"]
mod kinds;
