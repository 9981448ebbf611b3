//! One client: what it exports comes with the library, which has the islands of its feature.

pub use client::hydrate;
