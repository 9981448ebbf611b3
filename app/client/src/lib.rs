//! The browser's entry: hydrates the islands of the page.

use wasm_bindgen::prelude::wasm_bindgen;

/// Called once by `assets/islands.js` before it walks the page's islands.
#[wasm_bindgen]
pub fn hydrate() {
    ui::hydrate();
}
