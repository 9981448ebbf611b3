//! What a reader sees: pages (rendered on the server only) and islands (hydrated in the browser).
//!
//! Pages take plain data and return HTML; they know nothing of the store or of HTTP. Islands are the leaves that need a
//! reader's hand. Both speak Chinese and English from one source.

#![recursion_limit = "256"]
// A client uses part of what the islands share. The server has all of them, and its build still tells what nobody uses.
#![cfg_attr(feature = "hydrate", allow(dead_code))]

mod block;
pub mod chart;
mod client;
#[cfg(feature = "drill")]
pub mod drill;
mod html;
pub mod islands;
pub mod lesson;
mod markup;
pub mod route;
mod rows;
pub mod state;
#[cfg(feature = "answers")]
pub mod tools;
pub mod words;

#[cfg(feature = "hydrate")]
mod hydrate;
#[cfg(feature = "ssr")]
pub mod pages;
#[cfg(feature = "ssr")]
pub mod shell;

pub use client::Client;
pub use evidence::Lang;
#[cfg(feature = "hydrate")]
pub use hydrate::hydrate;
