//! A page of Markdown: route on the left, text in the middle, outline on the right. A page outside the Tasks has its
//! neighbours on the left, and nothing to mark as finished.

use evidence::Lang;
use leptos::prelude::*;

use super::sidebar::{PageList, Sidebar};
use crate::chart::Bars;
use crate::islands::{
    AllocatorStory, InferenceLedger, KvPaging, LabRun, Quantisation, QuizCard, ToolForm, TrainingLedger,
};
use crate::lesson::{Block, Lesson, Quiz, Verdict};
use crate::route::Route;
use crate::shell::Hole;
use crate::state::{AllocatorState, InferenceState, PagingState, QuantisationState, TrainingState};

/// The body of a page of Markdown. `labs` gives the title of each lab block's lab.
#[component]
pub fn LessonPage(lesson: Lesson, route: Route, labs: Vec<(String, String)>) -> impl IntoView {
    let lang = lesson.lang;
    let (before, after) = neighbours(&route, &lesson.path, lang);
    let outline = lesson
        .outline
        .iter()
        .map(|heading| {
            view! {
                <a class=format!("level{}", heading.level) href=format!("#{}", heading.anchor)>
                    {heading.text.clone()}
                </a>
            }
        })
        .collect_view();
    let path = lesson.path.clone();
    let side = {
        let (outside, current) = (lesson.task.is_none(), lesson.path.clone());
        move || match outside {
            true => view! { <PageList pages=route.pages.clone() lang current=current.clone() /> }.into_any(),
            false => view! { <Sidebar route=route.clone() lang current=current.clone() /> }.into_any(),
        }
    };
    let fold = match lesson.task {
        Some(_) => lang.pick("课程目录", "All Tasks"),
        None => lang.pick("账本", "Ledgers"),
    };
    let finish = lesson.task.is_some().then(|| {
        view! {
            <form class="done" method="post" action=format!("/{}/progress", lang.code())>
                <input type="hidden" name="lesson" value=path />
                <button type="submit" class="button quiet">
                    {lang.pick("✓ 标记为已学完", "✓ Mark as finished")}
                </button>
            </form>
            <nav class="turn" aria-label=lang.pick("前后页", "Previous and next")>
                {before.map(|(href, title)| view! { <a rel="prev" href=href>"← " {title}</a> })}
                {after.map(|(href, title)| view! { <a rel="next" href=href>{title} " →"</a> })}
            </nav>
        }
    });
    let blocks = lesson.blocks.into_iter().map(|block| show(block, lang, &labs)).collect_view();
    view! {
        <div class="page">
            <details class="route-fold">
                <summary>{fold}</summary>
                {side()}
            </details>
            {side()}
            <main id="main" class="text">
                <h1>{lesson.title}</h1>
                <p class="lead">{lesson.lead}</p>
                {lesson.task.map(|task| view! { <p class="ask">{task.ask}</p> })}
                {blocks}
                {finish}
            </main>
            <aside class="outline" aria-label=lang.pick("本页目录", "On this page")>
                {outline}
            </aside>
        </div>
    }
    .into_any()
}

fn show(block: Block, lang: Lang, labs: &[(String, String)]) -> AnyView {
    match block {
        Block::Html(html) => view! { <div class="prose" inner_html=html></div> }.into_any(),
        Block::Figure(figure) => view! { <Bars figure /> }.into_any(),
        Block::Tool(tool) => match tool.id {
            "inference" => {
                let state = InferenceState::from_pairs(&tool.fields);
                view! { <InferenceLedger state lang /> }.into_any()
            }
            "training" => {
                let state = TrainingState::from_pairs(&tool.fields);
                view! { <TrainingLedger state lang /> }.into_any()
            }
            "allocator" => {
                let state = AllocatorState::from_pairs(&tool.fields);
                view! { <AllocatorStory state lang embedded=true /> }.into_any()
            }
            "kv" => {
                let state = PagingState::from_pairs(&tool.fields);
                view! { <KvPaging state lang embedded=true /> }.into_any()
            }
            "quantisation" => {
                let state = QuantisationState::from_pairs(&tool.fields);
                view! { <Quantisation state lang embedded=true /> }.into_any()
            }
            id => view! { <ToolForm id=id.to_owned() pairs=tool.fields lang embedded=true /> }.into_any(),
        },
        Block::Quiz(quiz) => {
            let key = format!("{}#{}", quiz.lesson, quiz.id);
            view! {
                <QuizCard quiz lang />
                <div class="kept">{Hole::Answers(key).text()}</div>
            }
            .into_any()
        }
        Block::Lab(id) => {
            let title = labs.iter().find(|(lab, _)| *lab == id).map(|(_, title)| title.clone()).unwrap_or_default();
            view! { <LabRun lab=id title lang /> }.into_any()
        }
    }
}

/// Address and title of a neighbouring page.
type Turn = (String, String);

/// The pages before and after one, along the route.
fn neighbours(route: &Route, path: &str, lang: Lang) -> (Option<Turn>, Option<Turn>) {
    let pages: Vec<(String, String)> = route
        .tasks
        .iter()
        .flat_map(|task| {
            let own = (task.id.clone(), task.title.get(lang).to_owned());
            let lessons = task.lessons.iter().map(|l| (l.path.clone(), l.title.get(lang).to_owned()));
            std::iter::once(own).chain(lessons)
        })
        .collect();
    let Some(at) = pages.iter().position(|(page, _)| page == path) else { return (None, None) };
    let link = |(page, title): &(String, String)| (format!("/{}/{page}", lang.code()), title.clone());
    (at.checked_sub(1).and_then(|at| pages.get(at)).map(link), pages.get(at + 1).map(link))
}

/// The page after a quiz sent without JavaScript.
#[component]
pub fn QuizResult(lang: Lang, quiz: Quiz, verdicts: Vec<Verdict>, signed_in: bool) -> impl IntoView {
    let back = format!("/{}/{}", lang.code(), quiz.lesson);
    let rows = quiz
        .questions
        .into_iter()
        .map(|question| {
            let verdict = verdicts.iter().find(|verdict| verdict.question == question.id).cloned();
            view! { <crate::islands::Answered question lang verdict /> }
        })
        .collect_view();
    view! {
        <main id="main" class="narrow">
            <h1>{lang.pick("小测结果", "Quiz")}</h1>
            {(!signed_in)
                .then(|| view! { <p class="lead">{lang.pick("登录之后，答案会保留。", "Sign in and your answers are kept.")}</p> })}
            {rows}
            <p>
                <a class="button" href=back>
                    {lang.pick("回到课文", "Back to the lesson")}
                </a>
            </p>
        </main>
    }
    .into_any()
}
