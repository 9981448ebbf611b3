//! Talking with the server: requests, and events that it sends.

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen_futures::JsFuture;

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
