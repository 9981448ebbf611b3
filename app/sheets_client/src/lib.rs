//! The browser's entry on pages with small calculators and the allocator.

use wasm_bindgen::prelude::wasm_bindgen;

/// Called once by `assets/islands.js` before it walks the page's islands.
#[wasm_bindgen]
pub fn hydrate() {
    ui::hydrate();
}
