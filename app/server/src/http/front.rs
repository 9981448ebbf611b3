//! Pages of the course for readers who are not signed in: the same bytes for everybody, filled and compressed once.

use std::io::Write;
use std::sync::OnceLock;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use evidence::Lang;
use sha2::{Digest, Sha256};
use ui::shell::{Fill, Hole};

use super::AppState;
use super::encoding::Encoding;
use super::page::{Page, Theme};
use super::security::HasIsland;
use crate::auth::session;

/// One page in one theme, in every encoding that was asked for.
#[derive(Debug, Default)]
pub struct Front {
    plain: OnceLock<Ready>,
    brotli: OnceLock<Ready>,
    gzip: OnceLock<Ready>,
}

#[derive(Debug, Clone)]
struct Ready {
    bytes: Bytes,
    tag: HeaderValue,
}

impl Ready {
    fn new(bytes: Vec<u8>) -> Self {
        let hash = Sha256::digest(&bytes);
        let hex: String = hash.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
        let tag = HeaderValue::from_str(&format!("\"{hex}\"")).unwrap_or_else(|_| HeaderValue::from_static("\"\""));
        Self { bytes: bytes.into(), tag }
    }
}

impl Front {
    fn ready(&self, encoding: Option<Encoding>, page: impl Fn() -> String) -> &Ready {
        let plain = || self.plain.get_or_init(|| Ready::new(page().into_bytes()));
        match encoding {
            None => plain(),
            Some(Encoding::Brotli) => self.brotli.get_or_init(|| Ready::new(brotli(&plain().bytes))),
            Some(Encoding::Gzip) => self.gzip.get_or_init(|| Ready::new(gzip(&plain().bytes))),
        }
    }
}

/// Middleware: answers a signed-out reader's request for a page of the course before anything looks at sessions.
pub async fn serve(State(app): State<AppState>, request: Request, next: Next) -> Response {
    match find(&app, &request) {
        Some((page, lang)) => answer(page, lang, request.headers()),
        None => next.run(request).await,
    }
}

fn find<'a>(app: &'a AppState, request: &Request) -> Option<(&'a Page, Lang)> {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if !reads || session::is_named(request.headers()) {
        return None;
    }
    let (lang, path) = request.uri().path().strip_prefix('/')?.split_once('/')?;
    let lang = Lang::from_code(lang)?;
    Some((app.pages.get(lang, path)?, lang))
}

fn answer(page: &Page, lang: Lang, headers: &HeaderMap) -> Response {
    let theme = Theme::of(headers);
    let encoding = Encoding::accepted(headers).next();
    // Scripts are files of this server, which the policy allows by 'self': shared bytes hold no nonce.
    let fill = || {
        let fill = Fill::default().text(Hole::Theme, theme.name()).text(Hole::Account, lang.pick("登录", "Sign in"));
        page.template.fill(&fill)
    };
    let ready = page.front(theme).ready(encoding, fill);
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|tags| holds(tags, &ready.tag));
    let mut response = match known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => Response::new(Body::from(ready.bytes.clone())),
    };
    let own = response.headers_mut();
    own.insert(header::ETAG, ready.tag.clone());
    own.insert(header::VARY, HeaderValue::from_static("accept-encoding, cookie"));
    if !known {
        own.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        if let Some(encoding) = encoding {
            own.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding.name()));
        }
    }
    if page.islands {
        response.extensions_mut().insert(HasIsland);
    }
    response
}

/// Whether an `If-None-Match` header names a tag.
fn holds(tags: &HeaderValue, tag: &HeaderValue) -> bool {
    let (Ok(tags), Ok(tag)) = (tags.to_str(), tag.to_str()) else { return false };
    tags.split(',').any(|named| {
        let named = named.trim();
        named.strip_prefix("W/").unwrap_or(named) == tag
    })
}

/// Slower and smaller than what is right for a page that is compressed for one reader.
const BROTLI_QUALITY: u32 = 9;
const BROTLI_WINDOW: u32 = 22;

fn brotli(page: &[u8]) -> Vec<u8> {
    let mut out = brotli::CompressorWriter::new(Vec::new(), 4096, BROTLI_QUALITY, BROTLI_WINDOW);
    out.write_all(page).and_then(|()| out.flush()).unwrap_or_else(|error| unreachable!("memory takes bytes: {error}"));
    out.into_inner()
}

fn gzip(page: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let written = out.write_all(page).and_then(|()| out.finish());
    written.unwrap_or_else(|error| unreachable!("memory takes bytes: {error}"))
}
