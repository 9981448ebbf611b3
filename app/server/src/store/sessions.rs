//! Signed-in browsers: the session layer's storage over our pools, and the list that a user sees of their own.

mod layer;
mod own;

pub use layer::SessionRows;
pub(crate) use layer::{EPOCH, USER, USER_AGENT};
pub use own::{OwnSession, SessionKey, end, end_others, list, touch};
