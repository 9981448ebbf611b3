//! All pages of the course, in both languages, checked against each other.

use std::collections::BTreeMap;

use evidence::Lang;
use serde::Deserialize;
use ui::lesson::{Block, InTask, Lesson};
use ui::route::{Both, Branch, LabRef, LessonRef, PageRef, Route, Task};

use super::links::{self, Link};
use super::markdown::{self, Place};
use super::route::TaskToml;
use super::{Course, CourseError, Reporter, Source};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrontMatter {
    title: String,
    lead: String,
    ask: String,
    minutes: u32,
}

/// The front matter of a page outside the Tasks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PageFront {
    title: String,
    lead: String,
}

/// Loads everything it can; what is wrong goes to `errors`.
pub fn load(source: &Source, errors: &mut Vec<CourseError>) -> Option<Course> {
    let file = "course.toml";
    let text = match source.read(file) {
        Ok(text) => text,
        Err(why) => {
            Reporter { file, errors }.error(0, why);
            return None;
        }
    };
    let course = super::route::read(&text, &mut Reporter { file, errors });
    let mut all = Pages::default();
    for task in &course.task {
        let id = Some(task.id.as_str());
        all.read_both(source, id, &task.id, &format!("{}/index.md", task.id), errors);
        for lesson in &task.lessons {
            let path = format!("{}/{lesson}", task.id);
            all.read_both(source, id, &path, &format!("{path}.md"), errors);
        }
    }
    for page in &course.page {
        all.read_both(source, None, &page.path, &format!("{}.md", page.path), errors);
    }
    let labs: Vec<String> = labs::catalogue().iter().map(|lab| lab.id.to_string()).collect();
    links::check(&all.links, &all.anchors, &labs, errors);
    let route = Route {
        tasks: course.task.into_iter().filter_map(|task| all.task(task)).collect(),
        pages: course.page.into_iter().filter_map(|page| all.outside(page.path)).collect(),
    };
    Some(Course { route, pages: all.pages, keys: all.keys })
}

#[derive(Default)]
struct Pages {
    pages: BTreeMap<(&'static str, String), Lesson>,
    keys: BTreeMap<(&'static str, String, String), super::QuizKey>,
    anchors: BTreeMap<(&'static str, String), std::collections::BTreeSet<String>>,
    links: Vec<Link>,
}

impl Pages {
    /// Reads a page of `task`, or of none.
    fn read_both(
        &mut self,
        source: &Source,
        task: Option<&str>,
        path: &str,
        file: &str,
        errors: &mut Vec<CourseError>,
    ) {
        for lang in Lang::ALL {
            let file = format!("{}/{file}", lang.code());
            let mut report = Reporter { file: &file, errors };
            match source.read(&file) {
                Ok(text) => self.read(&text, lang, task, path, &mut report),
                Err(why) => report.error(0, why),
            }
        }
        self.compare(path, file, errors);
    }

    fn read(&mut self, text: &str, lang: Lang, task: Option<&str>, path: &str, report: &mut Reporter<'_>) {
        let text = text.replace("\r\n", "\n");
        let Some((front, rest, line)) = split_front(&text) else {
            report.error(1, "a page opens with front matter between two lines of +++");
            return;
        };
        let place = Place { lang, page: path, line: 2 };
        let front = match task {
            Some(task) => super::blocks::parse(front, place, report).map(|front: FrontMatter| {
                let place = InTask { task: task.to_owned(), ask: front.ask, minutes: front.minutes };
                (front.title, front.lead, Some(place))
            }),
            None => super::blocks::parse(front, place, report).map(|front: PageFront| (front.title, front.lead, None)),
        };
        let Some((title, lead, task)) = front else { return };
        let body = markdown::body(rest, Place { line, ..place }, report);
        for (lab, line) in &body.labs {
            if labs::lab(lab).is_none() {
                report.error(*line, format!("lab {lab} is not in the catalogue"));
            }
        }
        let key = (lang.code(), path.to_owned());
        self.anchors.insert(key.clone(), body.anchors);
        self.links.extend(body.links);
        for quiz in body.keys {
            let at = (lang.code(), path.to_owned(), quiz.id.clone());
            if self.keys.insert(at, quiz).is_some() {
                report.error(0, "two quizzes of this page have the same id");
            }
        }
        self.pages.insert(
            key,
            Lesson { lang, path: path.to_owned(), title, lead, task, blocks: body.blocks, outline: body.outline },
        );
    }

    /// Both languages must have the same anchors, living blocks and quizzes.
    fn compare(&self, path: &str, file: &str, errors: &mut Vec<CourseError>) {
        let page = |lang: Lang| self.pages.get(&(lang.code(), path.to_owned()));
        let (Some(zh), Some(en)) = (page(Lang::Zh), page(Lang::En)) else { return };
        let file = format!("en/{file}");
        let mut report = Reporter { file: &file, errors };
        let anchors = |page: &Lesson| page.outline.iter().map(|h| h.anchor.clone()).collect::<Vec<_>>();
        if anchors(zh) != anchors(en) {
            report.error(0, format!("anchors differ between the languages: {:?} and {:?}", anchors(zh), anchors(en)));
        }
        if living(zh) != living(en) {
            report.error(0, format!("blocks differ between the languages: {:?} and {:?}", living(zh), living(en)));
        }
        for ((lang, lesson, id), key) in &self.keys {
            if *lang == Lang::Zh.code() && lesson == path {
                let other = self.keys.get(&(Lang::En.code(), path.to_owned(), id.clone()));
                if other.map(|key| key.skeleton()) != Some(key.skeleton()) {
                    report.error(
                        0,
                        format!("quiz {id} differs between the languages in its questions, choices or answers"),
                    );
                }
            }
        }
    }

    /// A text of a page in both languages.
    fn both(&self, path: &str, text: impl Fn(&Lesson) -> &String) -> Option<Both> {
        let get = |lang: Lang| self.pages.get(&(lang.code(), path.to_owned())).map(|page| text(page).clone());
        Some(Both { zh: get(Lang::Zh)?, en: get(Lang::En)? })
    }

    fn outside(&self, path: String) -> Option<PageRef> {
        let (title, lead) = (self.both(&path, |page| &page.title)?, self.both(&path, |page| &page.lead)?);
        Some(PageRef { path, title, lead })
    }

    fn task(&self, task: TaskToml) -> Option<Task> {
        let lessons = task
            .lessons
            .iter()
            .map(|lesson| format!("{}/{lesson}", task.id))
            .filter_map(|path| Some(LessonRef { title: self.both(&path, |page| &page.title)?, path }))
            .collect();
        let labs = task
            .labs
            .iter()
            .filter_map(|id| labs::lab(id))
            .map(|lab| LabRef {
                id: lab.id.to_string(),
                title: Both { zh: lab.title(Lang::Zh).to_owned(), en: lab.title(Lang::En).to_owned() },
            })
            .collect();
        Some(Task {
            id: task.id,
            title: task.title.into(),
            branch: Branch::from_id(&task.branch)?,
            optional: task.optional,
            minutes: task.minutes,
            after: task.after,
            cpu: task.cpu.into(),
            gpu: task.gpu.into(),
            exit: task.exit.into(),
            lessons,
            labs,
        })
    }
}

/// The living blocks of a page, in order.
fn living(page: &Lesson) -> Vec<String> {
    page.blocks
        .iter()
        .filter_map(|block| match block {
            Block::Html(_) => None,
            Block::Tool(tool) => Some(format!("calculator {}", tool.id)),
            Block::Quiz(quiz) => Some(format!("quiz {}", quiz.id)),
            Block::Lab(lab) => Some(format!("lab {lab}")),
            Block::Figure(figure) => Some(format!("figure of {} bars", figure.bars.len())),
        })
        .collect()
}

/// Front matter, body, and the number of the body's first line.
fn split_front(text: &str) -> Option<(&str, &str, usize)> {
    let rest = text.strip_prefix("+++\n")?;
    let end = rest.find("\n+++\n")?;
    let front = &rest[..end + 1];
    let body = &rest[end + "\n+++\n".len()..];
    Some((front, body, 3 + front.bytes().filter(|b| *b == b'\n').count()))
}
