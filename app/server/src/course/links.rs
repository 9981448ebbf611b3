//! Links between pages: collected while pages are read, checked when all are known.

use std::collections::{BTreeMap, BTreeSet};

use super::{CourseError, Reporter};

/// A link of the course as it was written.
#[derive(Debug)]
pub struct Link {
    pub file: String,
    pub line: usize,
    pub lang: &'static str,
    /// The page it stands on.
    pub from: String,
    pub target: String,
}

/// Whether the application, not the content, makes the page at a path; content may link to it.
pub fn is_fixed(path: &str) -> bool {
    const FIXED: [&str; 10] = [
        "",
        "tools",
        "tools/allocator",
        "tools/kv",
        "tools/catalogue",
        "tools/quantisation",
        "labs",
        "reports",
        "account",
        "class",
    ];
    FIXED.contains(&path) || path.strip_prefix("tools/").is_some_and(|id| ui::tools::find(id).is_some())
}

/// The address of a link in a page of `lang`, or why it is refused.
pub fn address(target: &str, lang: &str) -> Result<String, &'static str> {
    if target.starts_with('#') || target.starts_with("https://") {
        Ok(target.to_owned())
    } else if target.starts_with('/') && !target.starts_with("//") {
        Ok(format!("/{lang}{target}"))
    } else {
        Err("a link starts with /, # or https://")
    }
}

/// Reports every link that leads nowhere. `anchors` has the anchors of each page by language and path.
pub fn check(
    links: &[Link],
    anchors: &BTreeMap<(&'static str, String), BTreeSet<String>>,
    labs: &[String],
    errors: &mut Vec<CourseError>,
) {
    for link in links {
        let mut report = Reporter { file: &link.file, errors: &mut *errors };
        if link.target.starts_with("https://") {
            continue;
        }
        let (path, anchor) = link.target.split_once('#').unwrap_or((&link.target, ""));
        let path = if path.is_empty() { &link.from } else { path.trim_matches('/') };
        let path = path.split('?').next().unwrap_or_default();
        match anchors.get(&(link.lang, path.to_owned())) {
            Some(known) if anchor.is_empty() || known.contains(anchor) => {}
            Some(known) => {
                let known: Vec<_> = known.iter().map(String::as_str).collect();
                report.error(
                    link.line,
                    format!("the page /{path} has no heading #{anchor}; it has: {}", known.join(", ")),
                );
            }
            None if is_fixed(path) => {}
            None if path.strip_prefix("labs/").is_some_and(|id| labs.iter().any(|lab| lab == id)) => {}
            None => report.error(link.line, format!("the link /{path} leads to no page of the course")),
        }
    }
}
