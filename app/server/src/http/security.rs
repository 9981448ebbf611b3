//! Headers that every answer carries, and the nonce of the content security policy.

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use base64::Engine as _;

use super::AppState;

/// The nonce of one answer.
#[derive(Clone)]
pub struct Nonce(pub String);

/// Says that the page of this answer has an island and may compile wasm.
#[derive(Debug, Clone, Copy)]
pub struct HasIsland;

/// Adds the nonce to the request and the headers to the answer.
pub async fn headers(State(app): State<AppState>, mut request: Request, next: Next) -> Response {
    let nonce = nonce();
    request.extensions_mut().insert(Nonce(nonce.clone()));
    let mut response = next.run(request).await;
    let wasm = if response.extensions().get::<HasIsland>().is_some() { " 'wasm-unsafe-eval'" } else { "" };
    let policy = format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}'{wasm}; style-src 'self'; img-src 'self' data:; \
         connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
    );
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    let fixed: [(HeaderName, &'static str); 5] = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    ];
    for (name, value) in fixed {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if app.config.origin.starts_with("https://") {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache, private"));
    response
}

fn nonce() -> String {
    let mut bytes = [0_u8; 16];
    match getrandom::fill(&mut bytes) {
        Ok(()) => base64::engine::general_purpose::STANDARD_NO_PAD.encode(bytes),
        // The kernel always has randomness after boot; without it scripts from this server still count as 'self'.
        Err(_) => "unavailable".to_owned(),
    }
}
