//! Any calculator of the tools pages: a form over its inputs, and its answer.

use evidence::Lang;
use ledger::calculators::Input;
use leptos::either::Either;
use leptos::prelude::*;

use super::answer::AnswerView;
use super::share::{Share, keep_in_url};
use crate::state::{self, ModelSource, pick};
use crate::tools::{self, Pairs, Tool};

mod compare;
mod control;
mod copy;

use compare::{Change, ChangeControls, Compared};
use control::{Control, Field};
use copy::CopyAs;

/// The tool of that id. `pairs` are its inputs as the server read them.
#[island]
pub fn ToolForm(
    id: String,
    pairs: Vec<(String, String)>,
    lang: Lang,
    /// Inside a lesson: the page's own address stays as it is.
    embedded: bool,
) -> impl IntoView {
    match tools::find(&id) {
        Some(tool) => Either::Left(view! { <Form tool pairs lang embedded /> }),
        None => Either::Right(view! { <p class="problem">{id}</p> }),
    }
}

#[component]
fn Form(tool: &'static Tool, pairs: Vec<(String, String)>, lang: Lang, embedded: bool) -> impl IntoView {
    let (pairs, changed) = tools::split_change(pairs);
    let all = tools::pairs_of(tool, &pairs);
    let text = |id: &str| text_of(&all, id);
    let source = RwSignal::new(ModelSource { name: text("model"), config: text("config") });
    let fields: Vec<(&'static Input, Field)> =
        tool.inputs.iter().map(|input| (input, Field::of(input, text(&input.id)))).collect();
    // A first answer for what was asked, even where a field cannot hold it: it says what is wrong.
    let first = RwSignal::new(Some(all.clone()));
    let typed = fields.clone();
    let now = Memo::new(move |_| {
        let inputs = typed.iter().map(|(input, field)| (input.id.to_string(), field.text()));
        let model = tool.model.map(|_| source.get());
        let model = model
            .into_iter()
            .flat_map(|source| [("model".to_owned(), source.name), ("config".to_owned(), source.config)]);
        let model = model.filter(|(_, value)| !value.is_empty());
        model.chain(inputs).collect::<Pairs>()
    });
    Effect::new(move |before: Option<Pairs>| {
        let next = now.get();
        if before.is_some_and(|before| before != next) {
            first.set(None);
        }
        next
    });
    let run = move |pairs: &Pairs| tool.run(pairs).map_err(|why| state::pick(&why, lang));
    let asked = Memo::new(move |_| first.get().unwrap_or_else(|| now.get()));
    let answer = Memo::new(move |_| run(&asked.get()));
    let (input, to) = changed.unwrap_or_default();
    let change = Change { input: RwSignal::new(input), to: RwSignal::new(to) };
    // The same inputs but for the one that changes.
    let other = Memo::new(move |_| {
        let id = change.input.get();
        tool.changed(&asked.get(), &id, &change.to.get()).map(|pairs| (run(&pairs), pairs))
    });
    let usual = tools::pairs_of(tool, &Vec::new());
    let link = move |pairs: Pairs| {
        let differs = pairs.into_iter().filter(|pair| !usual.contains(pair)).collect::<Vec<_>>();
        format!("/{}/tools/{}{}", lang.code(), tool.id, state::query(&differs))
    };
    let kept = link.clone();
    let address = Memo::new(move |_| {
        let id = change.input.get();
        let change = (!id.is_empty()).then(|| [("vs".to_owned(), id), ("to".to_owned(), change.to.get())]);
        link(now.get().into_iter().chain(change.into_iter().flatten()).collect())
    });
    if !embedded {
        keep_in_url(address);
    }
    let present = move |id: &str| text_of(&now.get_untracked(), id);
    let inputs = fields.into_iter().map(|(input, field)| view! { <Control input field lang /> }).collect_view();
    let compared = move || {
        let (after, pairs) = other.get()?;
        let id = change.input.get_untracked();
        Some(match (answer.get().ok()?, after) {
            (before, Ok(after)) => {
                let names =
                    [text_of(&asked.get(), &id), text_of(&pairs, &id)].map(|value| tool.told(&id, &value, lang));
                Either::Left(view! { <Compared before after names keep=kept(pairs) lang /> })
            }
            (_, Err(why)) => Either::Right(view! { <p class="problem" role="alert">{why}</p> }),
        })
    };
    view! {
        <section class="card ledger" aria-label=pick(&tool.title, lang)>
            <header>
                <b>{pick(&tool.title, lang)}</b>
                <span>{lang.pick("预测值 · 公式逐项可查", "predicted · every line has its formula")}</span>
                <Share address lang />
            </header>
            <form class="body" method="get" action=format!("/{}/tools/{}", lang.code(), tool.id)>
                <div class="fields">
                    {tool.model.map(|_| model_input(source, lang))}
                    {inputs}
                    {tool.compares.then(|| view! { <ChangeControls tool change now=present lang /> })}
                    <button class="button no-js" type="submit">{lang.pick("计算", "Compute")}</button>
                </div>
                {compared}
                {move || match answer.get() {
                    Ok(answer) => Either::Left(view! { <AnswerView answer lang /> }),
                    Err(why) => Either::Right(view! { <p class="problem" role="alert">{why}</p> }),
                }}
            </form>
            <footer>
                <CopyAs tool pairs=asked answer address lang />
            </footer>
        </section>
    }
}

/// Small calculators ask for no model and compare nothing: their client carries no catalogue.
#[cfg(feature = "planner")]
fn model_input(source: RwSignal<ModelSource>, lang: Lang) -> AnyView {
    view! { <super::inputs::ModelInput source lang /> }.into_any()
}

#[cfg(not(feature = "planner"))]
fn model_input(_: RwSignal<ModelSource>, _: Lang) -> AnyView {
    ().into_any()
}

fn text_of(pairs: &Pairs, id: &str) -> String {
    pairs.iter().find(|(key, _)| key == id).map(|(_, value)| value.clone()).unwrap_or_default()
}
