//! `target/site`: every asset under a name with its content's hash, with `.br` and `.gz` beside it, and `manifest.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::io::Write;
use std::path::Path;

use crate::client::CLIENTS;
use crate::sh;

/// Writes all assets; what did not change is not compressed again.
pub fn write(root: &Path, glue: &Path) -> sh::Result {
    let site = root.join("target/site");
    fs::create_dir_all(&site).map_err(|error| format!("{}: {error}", site.display()))?;
    let read = |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    let style = |name: &str| {
        let options = grass::Options::default().style(grass::OutputStyle::Compressed);
        grass::from_path(root.join("style").join(format!("{name}.scss")), &options)
            .map(String::into_bytes)
            .map_err(|error| format!("style {name}: {error}"))
    };
    let own = root.join("app/ui/assets");
    // Comments and indentation are for those who read the source. No script here has a text over several lines.
    let script = |path: &Path| {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let lines = text.lines().map(str::trim).filter(|line| {
            !line.is_empty() && !["//", "/**", "* ", "*/"].iter().any(|comment| line.starts_with(comment))
        });
        Ok::<_, String>(lines.map(|line| format!("{line}\n")).collect::<String>().into_bytes())
    };
    let files = [
        ("style", "main", "css", style("main")?),
        ("work_style", "work", "css", style("work")?),
        ("site_script", "site", "js", script(&own.join("site.js"))?),
        ("islands_script", "islands", "js", script(&own.join("islands.js"))?),
        ("editor_script", "editor", "js", read(&own.join("editor.js"))?),
        ("editor_style", "editor", "css", read(&own.join("editor.css"))?),
        ("icon", "icon", "svg", read(&own.join("icon.svg"))?),
    ];
    let mut files: Vec<(String, String, &str, Vec<u8>)> =
        files.into_iter().map(|(key, stem, kind, bytes)| (key.to_owned(), stem.to_owned(), kind, bytes)).collect();
    for client in CLIENTS {
        let stem = client.to_owned();
        files.push((format!("{client}_script"), stem.clone(), "js", script(&glue.join(format!("{client}.js")))?));
        files.push((format!("{client}_wasm"), stem, "wasm", read(&glue.join(format!("{client}_bg.wasm")))?));
    }
    let mut names = BTreeMap::new();
    let mut keep = BTreeSet::from(["manifest.json".to_owned()]);
    for (key, stem, extension, bytes) in files {
        let name = format!("{stem}.{:016x}.{extension}", hash(&bytes));
        for suffix in ["", ".br", ".gz"] {
            keep.insert(format!("{name}{suffix}"));
        }
        store(&site, &name, &bytes)?;
        names.insert(key, name);
    }
    let lines: Vec<String> = names.iter().map(|(key, name)| format!("  \"{key}\": \"{name}\"")).collect();
    let manifest = format!("{{\n{}\n}}\n", lines.join(",\n"));
    put(&site.join("manifest.json"), manifest.as_bytes())?;
    for entry in fs::read_dir(&site).map_err(|error| error.to_string())?.flatten() {
        if !keep.contains(entry.file_name().to_string_lossy().as_ref()) {
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

fn store(site: &Path, name: &str, bytes: &[u8]) -> sh::Result {
    let plain = site.join(name);
    let brotli = site.join(format!("{name}.br"));
    let gzip = site.join(format!("{name}.gz"));
    if plain.exists() && brotli.exists() && gzip.exists() {
        return Ok(());
    }
    let mut out = Vec::new();
    let params =
        brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 22, size_hint: bytes.len(), ..Default::default() };
    brotli::BrotliCompress(&mut &bytes[..], &mut out, &params).map_err(|error| format!("brotli: {error}"))?;
    put(&brotli, &out)?;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let out = encoder.write_all(bytes).and_then(|()| encoder.finish()).map_err(|error| format!("gzip: {error}"))?;
    put(&gzip, &out)?;
    put(&plain, bytes)
}

fn put(path: &Path, bytes: &[u8]) -> sh::Result {
    fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
