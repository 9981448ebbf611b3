//! The browser's side of every page with an island.

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    fn console_error(text: &str);
}

/// What a client calls before its islands are walked.
pub fn hydrate() {
    // Without a hook a panic is the word "unreachable" and nothing else.
    std::panic::set_hook(Box::new(|panic| console_error(&panic.to_string())));
    leptos::mount::hydrate_islands();
}
