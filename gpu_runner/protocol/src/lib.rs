//! What runner and server say to each other: message types, stages, failure kinds, and the signature over a report.
//!
//! Both towers depend on this crate and on nothing else of each other. Everything that arrives over the wire is parsed into a type
//! that cannot hold a value outside the limits of [`limits`]; past this border neither side checks again.

mod encoding;
mod failure;
mod fields;
mod ids;
mod kernel;
mod key;
pub mod limits;
mod messages;
mod params;
pub mod routes;
mod signature;
mod stage;

pub use failure::{Failure, FailureClass, FailureKind};
pub use ids::{IdError, JobId, LabName, Nonce};
pub use kernel::{KernelError, KernelLanguage, KernelSource, KernelText};
pub use key::{KeyError, PublicKey, RunnerKey};
pub use messages::{
    Claim, ClaimRequest, DeviceClass, Heartbeat, Identity, Lease, Note, Offer, Problem, Receipt, RunnerFacts,
    SignedReport, StageTime, TOKEN_EXPIRED,
};
pub use params::{ParamError, ParamValue, Params};
pub use signature::{Signature, SignatureError, sign, verify};
pub use stage::Stage;
