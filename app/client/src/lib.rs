//! The browser's entry: hydrates the islands of the page.

// The islands are exported by the crate `ui`; naming it here links them in.
use ui as _;
use wasm_bindgen::prelude::wasm_bindgen;

/// Called once by `assets/islands.js` before it walks the page's islands.
#[wasm_bindgen]
pub fn hydrate() {
    leptos::mount::hydrate_islands();
}
