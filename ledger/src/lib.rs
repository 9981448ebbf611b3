//! Arithmetic of GPU memory.
//!
//! A *ledger* predicts bytes object by object and phase by phase; every [`Entry`] carries its formula with the
//! numbers filled in. Nothing here does I/O, reads a clock or allocates a GPU: the same functions serve the server,
//! the browser and the command line. Bytes are integers throughout; what does not fit 64 bits is a named error.
//!
//! ```
//! use ledger::{Dtype, catalogue, inference};
//!
//! let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
//! let serving = inference::Inference { weights: Dtype::Bf16, kv: Dtype::Bf16, batch: 1, seq: 8192, reserve: 0 };
//! let ledger = inference::ledger(model, &serving)?;
//! let kv = ledger.entries.iter().find(|entry| entry.part == "kv").expect("an entry per object");
//! assert_eq!(kv.bytes, 1 << 30);
//! assert_eq!(kv.formula, "2 × 32 × 8 × 128 × 2 B × 8,192 × 1");
//! # Ok::<(), ledger::LedgerError>(())
//! ```

pub mod adapters;
pub mod allocator;
pub mod calculators;
pub mod catalogue;
pub mod decide;
pub mod drill;
mod dtype;
mod error;
pub mod expr;
pub mod formats;
mod formula;
mod import;
pub mod inference;
mod model;
mod names;
mod object;
pub mod occupancy;
pub mod paging;
pub mod parallel;
pub mod planner;
mod random;
pub mod snapshot;
mod text;
pub mod training;
pub mod units;

pub use dtype::{Dtype, UnknownDtype};
pub use error::LedgerError;
pub use import::{
    Assumed, ImportError, Imported, Kind, MAX_CONFIG_BYTES, Stored, export_config, import, import_config,
};
pub use model::{Biases, Experts, Family, Latent, Mlp, Model, Norm, Role, Tensors, Window};
pub use names::part_name;
pub use object::{Entry, Object, Phase, Span};
pub use text::Text;
