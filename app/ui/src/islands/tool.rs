//! Any calculator of the tools pages: a form over its inputs, and its answer.

use evidence::Lang;
use ledger::calculators::Input;
use leptos::either::Either;
use leptos::prelude::*;

use super::answer;
use super::share::{Share, keep_in_url};
use crate::Client;
use crate::markup::Markup;
use crate::state::{self, ModelSource, pick};
use crate::tools::{self, Answer, Pairs, Tool};

mod control;
mod copy;
/// What only the larger calculators have: a model, a comparison, a timeline.
#[cfg(feature = "planner")]
mod larger;
/// The same for a client without them.
#[cfg(not(feature = "planner"))]
#[path = "tool/smaller.rs"]
mod larger;

use control::{Control, Field};
use copy::CopyAs;

/// What the form's two fields hold: the input that changes, and what it changes to.
#[derive(Clone, Copy)]
struct Change {
    input: RwSignal<String>,
    to: RwSignal<String>,
}

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
    // Other inputs are another answer: comparing the two would cost more than showing the second.
    let answer = Memo::new_with_compare(move |_| run(&asked.get()), |_, _| true);
    let (input, to) = changed.unwrap_or_default();
    // A plain form names the input first, and asks for its value then.
    let to = if to.is_empty() && !input.is_empty() { larger::other(tool, &input, &text(&input)) } else { to };
    let change = Change { input: RwSignal::new(input), to: RwSignal::new(to) };
    // The same inputs but for the one that changes.
    let other = Memo::new(move |_| {
        let id = change.input.get();
        tool.changed(&asked.get(), &id, &change.to.get()).map(|pairs| (run(&pairs), pairs))
    });
    let usual = tools::pairs_of(tool, &Vec::new());
    let shown = usual.clone();
    let link = move |pairs: Pairs| {
        let differs = pairs.into_iter().filter(|pair| !shown.contains(pair)).collect::<Vec<_>>();
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
    let control = |(input, field): &(&'static Input, Field)| {
        let (input, field) = (*input, *field);
        let matters = move || now.with(|pairs| (tool.matters)(&input.id, pairs));
        view! { <Control input field hidden=Signal::derive(move || !matters()) lang /> }
    };
    let (front, folded) = fields.split_at(tool.in_front.min(fields.len()));
    // Folded inputs that someone changed are shown.
    let differ =
        |(input, _): &(&'static Input, Field)| all.iter().any(|pair| pair.0 == input.id && !usual.contains(pair));
    let open = folded.iter().any(differ);
    let inputs = front.iter().map(control).collect_view();
    let more = (!folded.is_empty()).then(|| {
        view! {
            <details class="more" open=open>
                <summary>{lang.pick("更多选项", "More options")}</summary>
                <div class="fields">{folded.iter().map(control).collect_view()}</div>
            </details>
        }
    });
    let compared = move || {
        let Some((Ok(after), pairs)) = other.get() else { return String::new() };
        let id = change.input.get_untracked();
        let names = [text_of(&asked.get(), &id), text_of(&pairs, &id)].map(|value| tool.told(&id, &value, lang));
        let keep = kept(pairs);
        answer.with(|before| match before {
            Ok(before) => Markup::of(|out| larger::compared(out, [before, &after], &names, &keep, lang)),
            Err(_) => String::new(),
        })
    };
    let refused = move || {
        let own = answer.with(|answer| answer.as_ref().err().cloned());
        own.or_else(|| other.with(|other| other.as_ref().and_then(|(after, _)| after.as_ref().err().cloned())))
    };
    let written = move |write: fn(&mut Markup, &Answer, Lang)| {
        answer.with(|answer| match answer {
            Ok(answer) => Markup::of(|out| write(out, answer, lang)),
            Err(_) => String::new(),
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
                    {tool.model.map(|_| larger::model_input(source, lang))}
                    {inputs} {more}
                    {tool.compares.then(|| larger::change_controls(tool, change, present, lang))}
                    <button class="button no-js" type="submit">{lang.pick("计算", "Compute")}</button>
                </div>
                {move || refused().map(|why| view! { <p class="problem" role="alert">{why}</p> })}
                <div inner_html=compared></div>
                <div inner_html=move || written(answer::head)></div>
                {(tool.client == Client::Planner).then(|| larger::timeline(answer, lang))}
                <div inner_html=move || written(answer::rest)></div>
            </form>
            <footer>
                <CopyAs tool pairs=asked answer address lang />
            </footer>
        </section>
    }
}

fn text_of(pairs: &Pairs, id: &str) -> String {
    pairs.iter().find(|(key, _)| key == id).map(|(_, value)| value.clone()).unwrap_or_default()
}
