//! `serve --demo`: a class to look around in. Doing it twice adds nothing.

pub mod reports;

use serde_json::Value;
use ui::lesson::Block;

use super::out::sayln;
use crate::auth::accounts::{self, NewAccount};
use crate::grading;
use crate::http::App;
use crate::store::classes::{self, JoinCode};
use crate::store::users::{self, LoginName};
use crate::store::{JsonText, Role, User, progress, quiz};

const CLASS: &str = "示例班级 · Demo class";

/// A learner of the demo class: how far they read and what they handed in.
struct Person {
    login: &'static str,
    name: &'static str,
    /// So many lessons of the route are finished, from the first on.
    lessons: usize,
    /// Whether the first choice of each question is taken, instead of the right one.
    careless: bool,
    reports: &'static [fn() -> Value],
}

const LEARNERS: [Person; 3] = [
    Person {
        login: "demo-lin",
        name: "林晓",
        lessons: 2,
        careless: false,
        reports: &[reports::laptop_pair, reports::laptop_strategies],
    },
    Person {
        login: "demo-wei",
        name: "Wei Chen",
        lessons: 1,
        careless: true,
        reports: &[reports::processor_pair, reports::desktop_strategies],
    },
    Person { login: "demo-ana", name: "Ana Souza", lessons: 0, careless: true, reports: &[reports::dry_run] },
];

const INSTRUCTOR: (&str, &str) = ("demo-teacher", "示例教师 · Demo instructor");

/// Adds what is missing of the demo class and prints the passwords of the accounts that it makes.
pub async fn add(app: &App) -> Result<(), String> {
    let mut made = Vec::new();
    let teacher = match find(app, INSTRUCTOR.0).await? {
        Some(teacher) => teacher,
        None => {
            let password = password()?;
            let account = NewAccount { login: INSTRUCTOR.0, display_name: INSTRUCTOR.1, password: &password };
            accounts::create(&app.auth, Role::Instructor, account).await.map_err(told)?;
            made.push((INSTRUCTOR.0, password));
            find(app, INSTRUCTOR.0).await?.ok_or("the demo instructor is gone")?
        }
    };
    let code = class(app, &teacher).await?;
    for person in &LEARNERS {
        let user = match find(app, person.login).await? {
            Some(user) => user,
            None => {
                let password = password()?;
                let account = NewAccount { login: person.login, display_name: person.name, password: &password };
                let id = accounts::create(&app.auth, Role::Learner, account).await.map_err(told)?;
                made.push((person.login, password));
                let user = users::for_sign_in(&app.store, id).await.map_err(told)?;
                let user = user.ok_or("a demo learner is gone")?;
                study(app, &user, person).await?;
                user
            }
        };
        classes::join(&app.store, &code, user.id).await.map_err(told)?;
        for report in person.reports {
            // The same bytes again are the report that is there already.
            let raw = serde_json::to_vec_pretty(&report()).map_err(told)?;
            grading::store_and_grade(&app.store, &user, raw).await.map_err(told)?;
        }
    }
    print(&made, &code);
    Ok(())
}

fn told(error: impl std::fmt::Display) -> String {
    format!("the demo class: {error}")
}

fn print(made: &[(&str, String)], code: &JoinCode) {
    sayln!("Demo class, join code {code}");
    if made.is_empty() {
        sayln!("  its accounts are there already; their passwords were printed when they were made");
    }
    for (login, password) in made {
        sayln!("  {login:<14} {password}");
    }
}

/// Random, and short enough to type.
fn password() -> Result<String, String> {
    let part = || JoinCode::random().map(|code| code.to_string().to_lowercase());
    Ok(format!("{}-{}", part().map_err(told)?, part().map_err(told)?))
}

async fn find(app: &App, login: &str) -> Result<Option<User>, String> {
    let login = LoginName::parse(login).map_err(told)?;
    match users::credentials(&app.store, &login).await.map_err(told)? {
        Some(found) => users::for_sign_in(&app.store, found.id).await.map_err(told),
        None => Ok(None),
    }
}

/// The class of the demo instructor, made when it is missing and opened when it was closed.
async fn class(app: &App, teacher: &User) -> Result<JoinCode, String> {
    let taught = classes::taught(&app.store, teacher.viewer()).await.map_err(told)?;
    let id = match taught.iter().find(|class| class.name == CLASS) {
        Some(class) => class.id,
        None => classes::create(&app.store, teacher.id, CLASS).await.map_err(told)?,
    };
    classes::set_open(&app.store, teacher.viewer(), id, true).await.map_err(told)?;
    let class = classes::get(&app.store, teacher.viewer(), id).await.map_err(told)?;
    let class = class.ok_or("the demo class is gone")?;
    JoinCode::parse(&class.join_code).ok_or_else(|| "the demo class has no code".to_owned())
}

/// Lessons finished and quizzes answered, along the route.
async fn study(app: &App, user: &User, person: &Person) -> Result<(), String> {
    let lessons = app.course.route.tasks.iter().flat_map(|task| &task.lessons).take(person.lessons);
    for lesson in lessons {
        progress::mark(&app.store, user.id, &lesson.path, true).await.map_err(told)?;
        let Some(page) = app.course.page(evidence::Lang::Zh, &lesson.path) else { continue };
        for block in &page.blocks {
            let Block::Quiz(asked) = block else { continue };
            let Some(key) = app.course.quiz_key(evidence::Lang::Zh, &lesson.path, &asked.id) else { continue };
            for question in &key.questions {
                let chosen = if person.careless { vec![0] } else { question.correct.clone() };
                let right = chosen == question.correct;
                let at = quiz::Question { lesson: &lesson.path, quiz: &asked.id, question: &question.id };
                let answer = JsonText::of(&chosen).map_err(told)?;
                quiz::answer(&app.store, user.id, at, &answer, right).await.map_err(told)?;
            }
        }
    }
    Ok(())
}
