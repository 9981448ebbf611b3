//! The browser's side.

use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen_futures::JsFuture;

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

pub fn copy(text: String) {
    let clipboard = window().navigator().clipboard();
    spawn_local(async move {
        let _ = JsFuture::from(clipboard.write_text(&text)).await;
    });
}

/// A whole link of a path on this server.
pub fn link_here(path: &str) -> String {
    format!("{}{path}", window().location().origin().unwrap_or_default())
}

/// Sends JSON; the answer's text, or the status that says why not (0: no connection).
pub fn post<F: FnOnce(Result<String, u16>) + 'static>(url: String, body: String, then: F) {
    spawn_local(async move { then(send(&url, &body).await) });
}

async fn send(url: &str, body: &str) -> Result<String, u16> {
    let init = web_sys::RequestInit::new();
    init.set_method("POST");
    init.set_body(&wasm_bindgen::JsValue::from_str(body));
    init.set_credentials(web_sys::RequestCredentials::SameOrigin);
    let request = web_sys::Request::new_with_str_and_init(url, &init).map_err(|_| 0_u16)?;
    let _ = request.headers().set("content-type", "application/json");
    let response = JsFuture::from(window().fetch_with_request(&request)).await.map_err(|_| 0_u16)?;
    let response: web_sys::Response = response.dyn_into().map_err(|_| 0_u16)?;
    if !response.ok() {
        return Err(response.status());
    }
    let text = response.text().map_err(|_| 0_u16)?;
    JsFuture::from(text).await.ok().and_then(|text| text.as_string()).ok_or(0)
}

/// Calls `then` with each server-sent event. The browser reconnects by itself.
pub fn listen(url: &str, then: impl Fn(String) + 'static) {
    let Ok(source) = web_sys::EventSource::new(url) else { return };
    let closing = source.clone();
    let handler = Closure::<dyn Fn(web_sys::MessageEvent)>::new(move |event: web_sys::MessageEvent| {
        if let Some(data) = event.data().as_string() {
            // The server says "end" when nothing more will come.
            if data == "end" {
                closing.close();
            } else {
                then(data);
            }
        }
    });
    source.set_onmessage(Some(handler.as_ref().unchecked_ref()));
    // The page keeps its stream until it is left.
    handler.forget();
}
