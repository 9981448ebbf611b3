//! Reports that are cited by their SHA-256.

use serde_json::Value;

use super::sheet::Sheet;
use crate::read::pointer_of;
use crate::{Document, Phrase};

/// Citations beyond this many are not read.
const MAX_CITED: usize = 20;

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    if sheet.doc.stage().is_none() {
        return;
    }
    let others: Vec<&Document> = sheet.linked.iter().copied().filter(|doc| doc.sha256 != sheet.doc.sha256).collect();
    for (pointer, hash) in cited(sheet.raw()) {
        if let Some(found) = others.iter().find(|doc| doc.sha256 == hash) {
            let lab = found.lab().to_owned();
            sheet.pass(
                "cited_hash_matches",
                &pointer,
                format!("引用的 {lab} 报告就在所附文件里，内容逐字节相同。"),
                format!("The cited report of {lab} is among the linked ones, byte for byte."),
            );
        } else if !others.is_empty() {
            let message = Phrase::new(
                "按 SHA-256 引用的报告不在已提交的文件里：被引用的内容无从核对，或已被改写。",
                "No report that was handed in has the cited SHA-256: what is cited cannot be looked up, or was rewritten.",
            );
            let expected = Phrase::new("已提交报告的 SHA-256", "the SHA-256 of a report that was handed in");
            sheet.fail("cited_hash_matches", &pointer, expected, short_hash(&hash), message);
        }
    }
}

fn short_hash(hash: &str) -> String {
    format!("{}…", hash.chars().take(12).collect::<String>())
}

/// The linked report of this kind that the file cites by hash.
pub(super) fn find<'a>(sheet: &Sheet<'a>, fits: impl Fn(&Document) -> bool) -> Option<&'a Document> {
    let hashes = cited(sheet.raw());
    sheet.linked.iter().copied().find(|doc| fits(doc) && hashes.iter().any(|(_, hash)| *hash == doc.sha256))
}

/// Pointer and hash of every report that the file cites: a SHA-256 under a key about sources.
pub(super) fn cited(raw: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let Some(map) = raw.as_object() else { return found };
    for (key, value) in map {
        if ["source", "upstream", "legacy_source", "baseline_validation", "references"]
            .iter()
            .any(|word| key.starts_with(word))
        {
            collect(value, &mut vec![key.clone()], &mut found);
        }
    }
    found
}

fn collect(value: &Value, path: &mut Vec<String>, found: &mut Vec<(String, String)>) {
    if found.len() >= MAX_CITED {
        return;
    }
    match value {
        Value::String(text) => {
            let bare = text.trim().trim_start_matches("sha256:").to_ascii_lowercase();
            if bare.len() == 64 && bare.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                found.push((pointer_of(path), bare));
            }
        }
        Value::Object(map) => {
            for (key, value) in map {
                path.push(key.clone());
                collect(value, path, found);
                path.pop();
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                path.push(index.to_string());
                collect(value, path, found);
                path.pop();
            }
        }
        _ => {}
    }
}
