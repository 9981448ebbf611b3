//! The course: `content/course.toml` and its Markdown become typed pages when the server starts.
//!
//! Everything wrong in the content is collected with file and line, and stops the start.

mod blocks;
mod highlight;
mod links;
mod markdown;
mod maths;
mod numbers;
mod pages;
mod quiz;
mod route;
mod source;

use std::collections::BTreeMap;
use std::fmt;

use evidence::Lang;
use ui::lesson::Lesson;
use ui::route::Route;

pub use quiz::QuizKey;
pub use source::Source;

/// The loaded course.
#[derive(Debug)]
pub struct Course {
    pub route: Route,
    /// Pages by language and path (`task4/kv-cache`, `tools/others`).
    pages: BTreeMap<(&'static str, String), Lesson>,
    /// Right answers and explanations by language, lesson and quiz; they never travel with a page.
    keys: BTreeMap<(&'static str, String, String), QuizKey>,
}

impl Course {
    /// Reads and checks everything.
    pub fn load(source: &Source) -> Result<Self, CourseErrors> {
        let mut errors = Vec::new();
        let course = pages::load(source, &mut errors);
        match course {
            Some(course) if errors.is_empty() => Ok(course),
            _ => Err(CourseErrors(errors)),
        }
    }

    pub fn page(&self, lang: Lang, path: &str) -> Option<&Lesson> {
        self.pages.get(&(lang.code(), path.to_owned()))
    }

    pub fn pages(&self) -> impl Iterator<Item = &Lesson> {
        self.pages.values()
    }

    pub fn quiz_key(&self, lang: Lang, lesson: &str, quiz: &str) -> Option<&QuizKey> {
        self.keys.get(&(lang.code(), lesson.to_owned(), quiz.to_owned()))
    }
}

/// Markdown of the catalogue (a lab's README) as HTML. Mistakes in it are left out of the page and told to the log.
pub fn render_text(text: &str, lang: Lang) -> String {
    let mut errors = Vec::new();
    let mut report = Reporter { file: "README", errors: &mut errors };
    let html = markdown::plain(text, lang, &mut report);
    for error in &errors {
        tracing::warn!(%error, "in a text of the catalogue");
    }
    html
}

/// One thing wrong in the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CourseError {
    pub file: String,
    /// Counted from 1; 0 when the whole file is meant.
    pub line: usize,
    pub message: String,
}

impl fmt::Display for CourseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message),
            line => write!(f, "{}:{line}: {}", self.file, self.message),
        }
    }
}

/// Everything wrong in the content, in the order of the files.
#[derive(Debug, thiserror::Error)]
pub struct CourseErrors(pub Vec<CourseError>);

impl fmt::Display for CourseErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "the course cannot be opened, {} to mend:", self.0.len())?;
        for error in &self.0 {
            writeln!(f, "  {error}")?;
        }
        Ok(())
    }
}

/// Where an error of one file goes.
struct Reporter<'a> {
    file: &'a str,
    errors: &'a mut Vec<CourseError>,
}

impl Reporter<'_> {
    fn error(&mut self, line: usize, message: impl Into<String>) {
        self.errors.push(CourseError { file: self.file.to_owned(), line, message: message.into() });
    }
}

#[cfg(test)]
mod tests;
