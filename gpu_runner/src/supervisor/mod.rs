//! The service: claims jobs from a server by lease and runs each in a child.

mod address;
mod backoff;
mod client;
mod deliver;
mod ending;
mod folder;
mod job;
mod keeper;
mod learner;
mod machine;
pub mod process;
mod resources;
mod secret;
mod service;
mod stop;
mod times;

pub use address::{AddressError, ServerAddress};
pub use client::{CallError, Client, ClientSetupError};
pub use ending::Ending;
pub use folder::sweep;
pub use job::Run;
pub use secret::{SecretError, Token, load_or_create_key};
pub use service::{Options, ServeError, Served, serve};
pub use stop::Stop;
