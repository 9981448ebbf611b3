//! `content/course.toml`: the route.

use std::collections::BTreeMap;

use serde::Deserialize;
use ui::route::{Both, Branch};

use super::Reporter;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CourseToml {
    task: Vec<TaskToml>,
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

/// Reads and checks the route; lessons are checked when their pages are read.
pub fn read(text: &str, report: &mut Reporter<'_>) -> Vec<TaskToml> {
    let tasks = match toml::from_str::<CourseToml>(text) {
        Ok(course) => course.task,
        Err(error) => {
            let start = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = 1 + text.as_bytes()[..start].iter().filter(|b| **b == b'\n').count();
            report.error(line, error.message().to_owned());
            return Vec::new();
        }
    };
    let mut seen = BTreeMap::new();
    for task in &tasks {
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
    tasks
}

fn line_of(text: &str, needle: &str) -> usize {
    text.lines().position(|line| line.trim() == needle).map_or(0, |at| at + 1)
}
