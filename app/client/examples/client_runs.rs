//! A client: the library, and with it the islands of its feature.

pub use client::hydrate;
