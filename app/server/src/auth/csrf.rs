//! Requests that change state must come from our own pages.
//!
//! The session cookie is `Lax`, which leaves top-level cross-site navigation and same-site neighbours; browsers say
//! where a request comes from in `Sec-Fetch-Site`, older ones in `Origin`. Neither can be set by a page's script.

use axum::{
    extract::Request,
    http::{HeaderMap, Method, Uri, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::{
    extract::{AuthRejection, bearer},
    session::COOKIE,
};

/// Middleware over all routes. A request that carries a bearer token and no session cookie passes: it acts by its
/// token, which no browser adds by itself.
pub async fn same_origin(request: Request, next: Next) -> Response {
    let (method, headers) = (request.method(), request.headers());
    let by_token = bearer(headers).is_some() && !has_cookie(headers);
    if safe(method) || by_token || from_own_page(headers, request.uri()) {
        next.run(request).await
    } else {
        AuthRejection::CrossSite.for_path(request.uri().path()).into_response()
    }
}

fn safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

fn has_cookie(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|v| v.to_str().ok());
    lines.flat_map(|line| line.split(';')).any(|pair| pair.split('=').next().is_some_and(|n| n.trim() == COOKIE))
}

fn from_own_page(headers: &HeaderMap, uri: &Uri) -> bool {
    if let Some(site) = headers.get("sec-fetch-site") {
        // `none`: typed by the user or from a bookmark; no page can cause it.
        return site == "same-origin" || site == "none";
    }
    let origin = headers.get(header::ORIGIN).and_then(|v| v.to_str().ok());
    // HTTP/2 has no Host header; the authority is in the target.
    let host = headers.get(header::HOST).and_then(|v| v.to_str().ok());
    let host = host.or_else(|| uri.authority().map(|a| a.as_str()));
    let origin_host = origin.and_then(|origin| origin.split_once("://")).map(|(_, host)| host);
    matches!((origin_host, host), (Some(origin), Some(host)) if origin.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use axum::{Router, body::Body, http::StatusCode, middleware, routing::any};
    use tower::ServiceExt;

    use super::*;

    async fn status(method: &str, headers: &[(&str, &str)]) -> StatusCode {
        let app = Router::new().route("/", any(|| async { "done" })).layer(middleware::from_fn(same_origin));
        let request = headers
            .iter()
            .fold(Request::builder().method(method).uri("/"), |r, (name, value)| r.header(*name, *value))
            .body(Body::empty())
            .expect("a request");
        app.oneshot(request).await.expect("an answer").status()
    }

    #[tokio::test]
    async fn table() {
        const COOKIES: (&str, &str) = ("cookie", "theme=dark; __Host-vramlab=abc");
        const HOST: (&str, &str) = ("host", "learn.example:3000");
        const TOKEN: (&str, &str) = ("authorization", "Bearer vl_abc");
        let (ok, no) = (StatusCode::OK, StatusCode::FORBIDDEN);
        type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], StatusCode);
        let cases: &[Case<'_>] = &[
            ("GET", &[COOKIES, ("sec-fetch-site", "cross-site")], ok),
            ("HEAD", &[COOKIES, ("sec-fetch-site", "cross-site")], ok),
            ("POST", &[COOKIES, ("sec-fetch-site", "same-origin")], ok),
            ("POST", &[COOKIES, ("sec-fetch-site", "none")], ok),
            ("POST", &[COOKIES, ("sec-fetch-site", "same-site")], no),
            ("POST", &[COOKIES, ("sec-fetch-site", "cross-site")], no),
            ("DELETE", &[COOKIES, ("sec-fetch-site", "cross-site")], no),
            // Sec-Fetch-Site decides when it is there, whatever Origin says.
            ("POST", &[COOKIES, HOST, ("sec-fetch-site", "cross-site"), ("origin", "https://learn.example:3000")], no),
            ("POST", &[COOKIES, HOST, ("origin", "https://learn.example:3000")], ok),
            ("POST", &[COOKIES, HOST, ("origin", "https://LEARN.example:3000")], ok),
            ("POST", &[COOKIES, HOST, ("origin", "https://learn.example")], no),
            ("POST", &[COOKIES, HOST, ("origin", "https://evil.example")], no),
            ("POST", &[COOKIES, HOST, ("origin", "https://learn.example:3000.evil.example")], no),
            ("POST", &[COOKIES, HOST, ("origin", "null")], no),
            ("POST", &[COOKIES, HOST], no),
            // Signing in has no cookie yet and is protected all the same.
            ("POST", &[HOST, ("sec-fetch-site", "cross-site")], no),
            ("POST", &[HOST], no),
            ("POST", &[HOST, TOKEN], ok),
            ("PUT", &[HOST, TOKEN, ("sec-fetch-site", "cross-site")], ok),
            // A token beside the cookie does not lift the guard: the route might use the cookie.
            ("POST", &[HOST, TOKEN, COOKIES], no),
        ];
        for (method, headers, expected) in cases {
            assert_eq!(status(method, headers).await, *expected, "{method} {headers:?}");
        }
    }
}
