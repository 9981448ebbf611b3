
pub mod auth;
pub mod store;
