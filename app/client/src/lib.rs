//! The browser's entry: hydrates the islands of the page.

// The islands are exported by the crate `ui`; naming it here links them in.
use ui as _;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    fn console_error(text: &str);
}

/// Called once by `assets/islands.js` before it walks the page's islands.
#[wasm_bindgen]
pub fn hydrate() {
    // Without a hook a panic is the word "unreachable" and nothing else.
    std::panic::set_hook(Box::new(|panic| console_error(&panic.to_string())));
    leptos::mount::hydrate_islands();
}
