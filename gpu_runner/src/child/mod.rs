//! The children: one process for each stage of one run.
//!
//! A child reads its [`Task`] as one line from standard input and writes [`Line`]s to standard output; what it makes is a file in its
//! working directory. It knows no server, no token and no key. When its standard input closes, its supervisor is gone, and it ends.
//!
//! | process | holds | runs |
//! |---|---|---|
//! | `child`, task compile | the learner's text | the compiler |
//! | `child`, task resources | the learner's text | NVIDIA's compiler, where there is one |
//! | `child`, task execute | the lab's program, its inputs, seeds, reference and verdict | a lab of this build |
//! | `kernel`, started by execute | the inputs of one launch at a time | the learner's code |

pub mod compile;
mod exercise;
pub mod kernel;
mod limits;
mod main;
pub mod resources;
pub mod sandbox;
mod spec;

use main::end_with_supervisor;
pub use main::main;
pub use spec::{Code, Line, MAX_LINE_BYTES, REPORT_FILE, Replaced, Spec, TASK_BYTES, Task};
