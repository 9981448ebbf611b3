//! The browser's side.

use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen_futures::JsFuture;

#[cfg(feature = "allocator")]
use super::FileRead;

/// Larger files are no config.json.
const MAX_FILE: f64 = 1_048_576.0;

/// Hands over the text that was dropped, as a file or as text.
pub fn dropped_text(event: &ev::DragEvent, then: impl Fn(String) + 'static) {
    let Some(data) = event.data_transfer() else { return };
    match data.files().and_then(|files| files.get(0)) {
        Some(file) => read(file, then),
        None => {
            if let Ok(text) = data.get_data("text/plain") {
                then(text);
            }
        }
    }
}

/// Hands over the text of a chosen file.
pub fn chosen_text(event: &ev::Event, then: impl Fn(String) + 'static) {
    let input: web_sys::HtmlInputElement = event_target(event);
    if let Some(file) = input.files().and_then(|files| files.get(0)) {
        read(file, then);
    }
}

/// Hands over the bytes of a chosen file of at most `limit` bytes.
#[cfg(feature = "allocator")]
pub fn chosen_bytes(event: &ev::Event, limit: f64, then: impl Fn(FileRead) + 'static) {
    let input: web_sys::HtmlInputElement = event_target(event);
    if let Some(file) = input.files().and_then(|files| files.get(0)) {
        read_bytes(file, limit, then);
        // The same file can be chosen once more.
        input.set_value("");
    }
}

/// Hands over the bytes of a dropped file of at most `limit` bytes.
#[cfg(feature = "allocator")]
pub fn dropped_bytes(event: &ev::DragEvent, limit: f64, then: impl Fn(FileRead) + 'static) {
    if let Some(file) = event.data_transfer().and_then(|data| data.files()).and_then(|files| files.get(0)) {
        read_bytes(file, limit, then);
    }
}

#[cfg(feature = "allocator")]
fn read_bytes(file: web_sys::File, limit: f64, then: impl Fn(FileRead) + 'static) {
    let (name, size) = (file.name(), file.size());
    spawn_local(async move {
        let mut content = Err(size as u64);
        if size <= limit
            && let Ok(buffer) = JsFuture::from(file.array_buffer()).await
        {
            content = Ok(js_sys::Uint8Array::new(&buffer).to_vec());
        }
        then(FileRead { name, content });
    });
}

fn read(file: web_sys::File, then: impl Fn(String) + 'static) {
    if file.size() > MAX_FILE {
        then(String::from("{\"error\": \"the file is larger than 1 MiB\"}"));
        return;
    }
    spawn_local(async move {
        if let Ok(text) = JsFuture::from(file.text()).await
            && let Some(text) = text.as_string()
        {
            then(text);
        }
    });
}

/// The state goes to the URL without a new entry in the history.
pub fn replace_query(query: &str) {
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(query));
    }
}

/// The tables of the island in which something was clicked: rows of texts.
pub fn tables(event: &ev::MouseEvent) -> Vec<Vec<Vec<String>>> {
    use wasm_bindgen::JsCast;
    let clicked = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    let island = clicked.and_then(|clicked| clicked.closest("section").ok().flatten());
    let all = |within: &web_sys::Element, what: &str| -> Vec<web_sys::Element> {
        let Ok(found) = within.query_selector_all(what) else { return Vec::new() };
        (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
    };
    let text = |cell: &web_sys::Element| cell.text_content().unwrap_or_default().trim().to_owned();
    let row = |row: &web_sys::Element| all(row, "th, td").iter().map(text).collect();
    let table = |table: &web_sys::Element| all(table, "tr").iter().map(row).collect();
    island.map(|island| all(&island, "table").iter().map(table).collect()).unwrap_or_default()
}

pub fn copy(text: String) {
    let clipboard = window().navigator().clipboard();
    spawn_local(async move {
        let _ = JsFuture::from(clipboard.write_text(&text)).await;
    });
}

/// Whether the keyboard belongs to a field.
#[cfg(feature = "stepped")]
pub fn is_field(target: &web_sys::EventTarget) -> bool {
    use wasm_bindgen::JsCast;
    target
        .dyn_ref::<web_sys::Element>()
        .is_some_and(|element| matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT"))
}

/// Milliseconds of this browser's clock, for differences.
#[cfg(feature = "drill")]
pub fn now_ms() -> f64 {
    js_sys::Date::now()
}

/// A whole link of a path on this server.
pub fn link_here(path: &str) -> String {
    format!("{}{path}", window().location().origin().unwrap_or_default())
}
