//! Any calculator of the tools pages: a form over its inputs, and its answer.

use evidence::Lang;
use ledger::Text;
use ledger::calculators::{Input, Kind};
use leptos::either::Either;
use leptos::prelude::*;

use super::answer::AnswerView;
use super::inputs::{Choice, Decimal, ModelInput, Number};
use super::share::{Share, keep_in_url};
use crate::state::{self, ModelSource};
use crate::tools::{self, Pairs, Tool};

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

/// An input and what is typed.
#[derive(Clone, Copy)]
enum Field {
    Whole(RwSignal<u64>),
    Decimal(RwSignal<f64>),
    Choice(RwSignal<String>),
}

impl Field {
    fn text(self) -> String {
        match self {
            Field::Whole(value) => value.get().to_string(),
            Field::Decimal(value) => value.get().to_string(),
            Field::Choice(value) => value.get(),
        }
    }
}

#[component]
fn Form(tool: &'static Tool, pairs: Vec<(String, String)>, lang: Lang, embedded: bool) -> impl IntoView {
    let all = tools::pairs_of(tool, &pairs);
    let text = |id: &str| all.iter().find(|(key, _)| key == id).map(|(_, value)| value.clone()).unwrap_or_default();
    let source = RwSignal::new(ModelSource { name: text("model"), config: text("config") });
    let fields: Vec<(&'static Input, Field)> = tool
        .inputs
        .iter()
        .map(|input| {
            let typed = text(&input.id);
            let field = match &input.kind {
                Kind::Whole { default, .. } => Field::Whole(RwSignal::new(typed.trim().parse().unwrap_or(*default))),
                Kind::Decimal { default, .. } => {
                    Field::Decimal(RwSignal::new(typed.trim().parse().unwrap_or(*default)))
                }
                Kind::Choice { .. } => Field::Choice(RwSignal::new(typed)),
            };
            (input, field)
        })
        .collect();
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
    let answer = Memo::new(move |_| {
        let asked = now.get();
        tool.run(&first.get().unwrap_or(asked)).map_err(|why| state::pick(&why, lang))
    });
    let address = Memo::new(move |_| {
        let usual = tools::pairs_of(tool, &Vec::new());
        let changed = now.get().into_iter().filter(|pair| !usual.contains(pair)).collect::<Vec<_>>();
        format!("/{}/tools/{}{}", lang.code(), tool.id, state::query(&changed))
    });
    if !embedded {
        keep_in_url(address);
    }
    let inputs = fields.into_iter().map(|(input, field)| view! { <Control input field lang /> }).collect_view();
    view! {
        <section class="card ledger" aria-label=pick(&tool.title, lang)>
            <header>
                <b>{pick(&tool.title, lang)}</b>
                <span>{lang.pick("预测值 · 公式逐项可查", "predicted · every line has its formula")}</span>
                <Share address lang />
            </header>
            <form class="body" method="get" action=format!("/{}/tools/{}", lang.code(), tool.id)>
                <div class="fields">
                    {tool.model.map(|_| view! { <ModelInput source lang /> })}
                    {inputs}
                    <button class="button no-js" type="submit">{lang.pick("计算", "Compute")}</button>
                </div>
                {move || match answer.get() {
                    Ok(answer) => Either::Left(view! { <AnswerView answer lang /> }),
                    Err(why) => Either::Right(view! { <p class="problem" role="alert">{why}</p> }),
                }}
            </form>
        </section>
    }
}

fn pick(text: &Text, lang: Lang) -> String {
    state::pick(text, lang)
}

/// The least and the most that a slider reaches: some doublings around the default.
fn reach(default: u64, min: u64, max: u64) -> (u64, u64) {
    let low = (default / 64).max(min).max(1);
    (low, default.max(1).saturating_mul(64).min(max).max(low.saturating_mul(2)))
}

#[component]
fn Control(input: &'static Input, field: Field, lang: Lang) -> impl IntoView {
    let (name, label) = (input.id.to_string(), pick(&input.name, lang));
    let with_unit = |unit: &str| if unit.is_empty() { label.clone() } else { format!("{label} ({unit})") };
    match (&input.kind, field) {
        (Kind::Whole { unit, default, min, max }, Field::Whole(value)) => {
            let label = with_unit(unit);
            view! { <Number name label value slider=reach(*default, *min, *max) bounds=(*min, *max) /> }.into_any()
        }
        (Kind::Decimal { unit, min, max, .. }, Field::Decimal(value)) => {
            let label = with_unit(unit);
            view! { <Decimal name label value bounds=(*min, *max) /> }.into_any()
        }
        (Kind::Choice { options, .. }, Field::Choice(value)) => {
            let options = options.iter().map(|option| (option.id.to_string(), pick(&option.name, lang))).collect();
            view! { <Choice name label options value /> }.into_any()
        }
        _ => ().into_any(),
    }
}
