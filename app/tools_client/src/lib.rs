//! The browser's entry on pages with the larger calculators: the engine behind them is as large as all else together,
//! so that other pages do without it.

use wasm_bindgen::prelude::wasm_bindgen;

/// Called once by `assets/islands.js` before it walks the page's islands.
#[wasm_bindgen]
pub fn hydrate() {
    ui::hydrate();
}
