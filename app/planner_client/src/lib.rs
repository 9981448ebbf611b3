//! The browser's entry on pages with the larger calculators.

use wasm_bindgen::prelude::wasm_bindgen;

/// Called once by `assets/islands.js` before it walks the page's islands.
#[wasm_bindgen]
pub fn hydrate() {
    ui::hydrate();
}
