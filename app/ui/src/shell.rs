//! The frame around every page, and the holes that are filled per request.
//!
//! A page that does not depend on its reader is rendered once with [`Hole`]s in it and cached; a request then only joins
//! strings. A hole is a short text between two private-use characters, so it can stand in text and in attributes alike.

use std::sync::Arc;

use evidence::Lang;
use leptos::prelude::*;

use crate::Client;

mod frame;
mod template;

pub use frame::Frame;
pub use template::{Fill, Hole, Template};

/// Renders a view to HTML, islands included.
pub fn render<V: IntoView + 'static>(view: impl FnOnce() -> V) -> String {
    let owner = Owner::new_root(Some(Arc::new(hydration_context::SsrSharedContext::new_islands())));
    owner.with(|| view().into_view().to_html())
}

/// What the frame needs to know about a page.
#[derive(Debug, Clone)]
pub struct PageMeta {
    pub lang: Lang,
    pub title: String,
    /// The path behind the language, e.g. `/task4/kv-cache`; the language switch stays on it.
    pub path: String,
    /// Which entry of the top navigation is current.
    pub section: Section,
    /// What the page's islands need; a page without islands loads no wasm.
    pub clients: Vec<Client>,
}

impl PageMeta {
    /// Lessons and calculators, which are most of what is read, do without the style of reports, classes and runs.
    fn is_work(&self) -> bool {
        match self.section {
            Section::Course => false,
            Section::Tools => self.clients.is_empty(),
            _ => true,
        }
    }
}

/// An entry of the top navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    Course,
    Tools,
    Labs,
    Reports,
    Account,
    None,
}

/// Names of the built assets, with their content hash.
#[derive(Debug, Clone, Default)]
pub struct AssetNames {
    pub style: String,
    /// What reports, classes and runs need beside it.
    pub work_style: String,
    pub site_script: String,
    pub islands_script: String,
    /// Loaded where a page has a kernel to write.
    pub editor_script: String,
    pub editor_style: String,
    /// In the order of [`Client::ALL`].
    pub clients: [ClientFiles; Client::ALL.len()],
    pub icon: String,
}

/// The files of a client.
#[derive(Debug, Clone, Default)]
pub struct ClientFiles {
    pub script: String,
    pub wasm: String,
}

/// A whole document with holes for what depends on the request.
pub fn document<V: IntoView + 'static>(
    meta: PageMeta,
    assets: AssetNames,
    body: impl FnOnce() -> V + Send + 'static,
) -> Template {
    erased(meta, assets, Box::new(move || body().into_any()))
}

/// Not generic: the frame is compiled once, here.
fn erased(meta: PageMeta, assets: AssetNames, body: Box<dyn FnOnce() -> AnyView + Send>) -> Template {
    let html = render(move || view! { <Frame meta assets>{body()}</Frame> });
    Template::parse(&format!("<!DOCTYPE html>{html}"))
}
