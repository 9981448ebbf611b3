//! Talking with the server: requests, and events that it sends.

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
#[cfg(feature = "runs")]
use wasm_bindgen::prelude::Closure;
use wasm_bindgen_futures::JsFuture;

/// Sends JSON; the answer's text, or the status that says why not (0: no connection) and what the server says of it.
pub fn post<F: FnOnce(Result<String, (u16, String)>) + 'static>(url: String, body: String, then: F) {
    spawn_local(async move { then(send(&url, &body).await) });
}

/// Asks for JSON; the answer's text, or the status that says why not (0: no connection).
#[cfg(feature = "runs")]
pub fn get<F: FnOnce(Result<String, u16>) + 'static>(url: String, then: F) {
    spawn_local(async move { then(request(&url, &web_sys::RequestInit::new()).await.map_err(|(status, _)| status)) });
}

/// A value of the page's own query.
#[cfg(feature = "runs")]
pub fn query_value(name: &str) -> Option<String> {
    let query = window().location().search().ok()?;
    web_sys::UrlSearchParams::new_with_str(&query).ok()?.get(name)
}

/// Sets a value of the page's own query and leaves the others.
#[cfg(feature = "runs")]
pub fn set_query_value(name: &str, value: &str) {
    let query = window().location().search().unwrap_or_default();
    if let Ok(values) = web_sys::UrlSearchParams::new_with_str(&query) {
        values.set(name, value);
        super::replace_query(&format!("?{}", String::from(values.to_string())));
    }
}

async fn send(url: &str, body: &str) -> Result<String, (u16, String)> {
    let init = web_sys::RequestInit::new();
    init.set_method("POST");
    init.set_body(&wasm_bindgen::JsValue::from_str(body));
    request(url, &init).await
}

async fn request(url: &str, init: &web_sys::RequestInit) -> Result<String, (u16, String)> {
    let lost = |_| (0, String::new());
    init.set_credentials(web_sys::RequestCredentials::SameOrigin);
    let request = web_sys::Request::new_with_str_and_init(url, init).map_err(lost)?;
    let _ = request.headers().set("content-type", "application/json");
    let response = JsFuture::from(window().fetch_with_request(&request)).await.map_err(lost)?;
    let response: web_sys::Response = response.dyn_into().map_err(lost)?;
    let text = JsFuture::from(response.text().map_err(lost)?).await.map_err(lost)?;
    let text = text.as_string().unwrap_or_default();
    if response.ok() { Ok(text) } else { Err((response.status(), text)) }
}

/// Calls `then` with the name and text of each server-sent event. The browser reconnects by itself, and then names the
/// last event that had a number.
#[cfg(feature = "runs")]
pub fn listen(url: &str, then: impl Fn(&str, &str) + 'static) {
    let Ok(source) = web_sys::EventSource::new(url) else { return };
    let closing = source.clone();
    let handler = Closure::<dyn Fn(web_sys::MessageEvent)>::new(move |event: web_sys::MessageEvent| {
        if let Some(data) = event.data().as_string() {
            // The server says "end" when nothing more will come.
            if data == "end" {
                closing.close();
            } else {
                then(&event.type_(), &data);
            }
        }
    });
    source.set_onmessage(Some(handler.as_ref().unchecked_ref()));
    let _ = source.add_event_listener_with_callback("log", handler.as_ref().unchecked_ref());
    // The page keeps its stream until it is left.
    handler.forget();
}
