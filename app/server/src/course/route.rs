//! `content/course.toml`: the route, and the pages outside it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use ui::route::{Both, Branch};

use super::{Reporter, links};

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CourseToml {
    pub task: Vec<TaskToml>,
    #[serde(default)]
    pub page: Vec<PageToml>,
}

/// A page outside the Tasks; its title and lead are in its front matter.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageToml {
    /// `tools/name`
    pub path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskToml {
    pub id: String,
    pub title: BothToml,
    pub branch: String,
    #[serde(default)]
    pub optional: bool,
    pub minutes: u32,
    #[serde(default)]
    pub after: Vec<String>,
    pub cpu: BothToml,
    pub gpu: BothToml,
    pub exit: BothToml,
    #[serde(default)]
    pub lessons: Vec<String>,
    #[serde(default)]
    pub labs: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BothToml {
    pub zh: String,
    pub en: String,
}

impl From<BothToml> for Both {
    fn from(both: BothToml) -> Self {
        Both { zh: both.zh, en: both.en }
    }
}

/// Reads and checks the route; lessons and pages are checked when they are read.
pub fn read(text: &str, report: &mut Reporter<'_>) -> CourseToml {
    match toml::from_str::<CourseToml>(text) {
        Ok(course) => {
            check_tasks(&course.task, text, report);
            check_pages(&course.page, text, report);
            course
        }
        Err(error) => {
            let start = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = 1 + text.as_bytes()[..start].iter().filter(|b| **b == b'\n').count();
            report.error(line, error.message().to_owned());
            CourseToml::default()
        }
    }
}

fn check_tasks(tasks: &[TaskToml], text: &str, report: &mut Reporter<'_>) {
    let mut seen = BTreeMap::new();
    for task in tasks {
        let line = line_of(text, &format!("id = \"{}\"", task.id));
        if seen.insert(task.id.clone(), line).is_some() {
            report.error(line, format!("task {} stands twice", task.id));
        }
        if Branch::from_id(&task.branch).is_none() {
            let known: Vec<_> = Branch::ALL.iter().map(|branch| branch.id()).collect();
            report.error(line, format!("branch {} is none of {}", task.branch, known.join(", ")));
        }
        for before in &task.after {
            if !seen.contains_key(before) {
                report.error(line, format!("after {before}: no such task stands before {}", task.id));
            }
        }
        for lab in &task.labs {
            if labs::lab(lab).is_none() {
                report.error(line, format!("lab {lab} is not in the catalogue"));
            }
        }
    }
}

fn check_pages(pages: &[PageToml], text: &str, report: &mut Reporter<'_>) {
    let mut seen = BTreeSet::new();
    for PageToml { path } in pages {
        let line = line_of(text, &format!("path = \"{path}\""));
        let plain = |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'-';
        let named = path.strip_prefix("tools/").is_some_and(|name| !name.is_empty() && name.bytes().all(plain));
        if !named {
            report.error(
                line,
                format!("page {path}: a page outside the Tasks is tools/ and a name of small letters, digits and -"),
            );
        }
        if links::is_fixed(path) {
            report.error(line, format!("page {path}: the application has a page of its own there"));
        }
        if !seen.insert(path) {
            report.error(line, format!("page {path} stands twice"));
        }
    }
}

fn line_of(text: &str, needle: &str) -> usize {
    text.lines().position(|line| line.trim() == needle).map_or(0, |at| at + 1)
}
