//! Built assets: hashed names, compressed beforehand, cached for ever.

use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderMap, Response, StatusCode, header};
use axum::response::IntoResponse;
use rust_embed::RustEmbed;
use ui::Client;
use ui::shell::{AssetNames, ClientFiles};

use super::encoding::Encoding;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../target/site"]
#[allow_missing = true]
struct Site;

/// The names of this build's assets; an error when the client was not built.
pub fn names() -> Result<AssetNames, String> {
    let missing = || "the site's assets are not built: run cargo xtask build".to_owned();
    let manifest = Site::get("manifest.json").ok_or_else(missing)?;
    let names: std::collections::HashMap<String, String> =
        serde_json::from_slice(&manifest.data).map_err(|error| format!("manifest.json of the assets: {error}"))?;
    let name = |key: &str| names.get(key).map(|name| format!("/assets/{name}")).ok_or_else(missing);
    let mut clients: [ClientFiles; Client::ALL.len()] = Default::default();
    for (files, client) in clients.iter_mut().zip(Client::ALL) {
        let [script, wasm] = ["script", "wasm"].map(|kind| name(&format!("{}_{kind}", client.name())));
        *files = ClientFiles { script: script?, wasm: wasm? };
    }
    Ok(AssetNames {
        style: name("style")?,
        site_script: name("site_script")?,
        islands_script: name("islands_script")?,
        editor_script: name("editor_script")?,
        work_style: name("work_style")?,
        editor_style: name("editor_style")?,
        clients,
        icon: name("icon")?,
    })
}

/// `GET /assets/{name}`: the best encoding that the client accepts.
pub async fn serve(Path(name): Path<String>, headers: HeaderMap) -> Response<Body> {
    let suffix = |encoding| match encoding {
        Encoding::Brotli => ".br",
        Encoding::Gzip => ".gz",
    };
    let best = Encoding::accepted(&headers)
        .find_map(|encoding| Some((Some(encoding), Site::get(&format!("{name}{}", suffix(encoding)))?)));
    let found = best.or_else(|| Some((None, Site::get(&name)?)));
    let Some((encoding, file)) = found.filter(|_| name != "manifest.json") else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut response = Response::builder()
        .header(header::CONTENT_TYPE, kind(&name))
        .header(header::CACHE_CONTROL, "public, max-age=31536000, immutable")
        .header(header::VARY, "accept-encoding");
    if let Some(encoding) = encoding {
        response = response.header(header::CONTENT_ENCODING, encoding.name());
    }
    response
        .body(Body::from(file.data.into_owned()))
        .unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}
