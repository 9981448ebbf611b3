//! Quantisation: what a code keeps of an array, granularity by granularity, and what one outlier does to the rest.

mod answers;

use evidence::Lang;
use ledger::formats::Code;
use leptos::prelude::*;

use super::inputs::{Choice, Number};
use super::paste::PasteArea;
use super::share::{CopyTables, Share, keep_in_url};
use crate::markup::Markup;
use crate::state::quantisation::{COLUMNS, FACTOR, GRANULARITIES, ROWS, SEED, SEEDED_COLUMNS, usual_factor};
use crate::state::{self, QuantisationState, pick};

/// An array, an outlier, a code → histograms before and after, errors and bytes by granularity.
#[island]
pub fn Quantisation(
    state: QuantisationState,
    lang: Lang,
    /// Inside a lesson: the page's own address stays as it is.
    embedded: bool,
) -> impl IntoView {
    let code = RwSignal::new(state.code.id().to_owned());
    let granularity = RwSignal::new(state.granularity.clone());
    let width = RwSignal::new(state.width);
    let channel = RwSignal::new(state.channel);
    let factor = RwSignal::new(state.factor);
    let rows = RwSignal::new(state.rows);
    let columns = RwSignal::new(state.columns);
    let seed = RwSignal::new(state.seed);
    let tensor = RwSignal::new(state.tensor.clone());
    let problems = state.problems.iter().map(|problem| problem.text(lang)).collect::<Vec<_>>();
    let now = Memo::new(move |_| QuantisationState {
        code: Code::from_id(&code.get()).unwrap_or(Code::Int8),
        granularity: granularity.get(),
        width: width.get(),
        channel: channel.get(),
        factor: factor.get(),
        rows: rows.get(),
        columns: columns.get(),
        seed: seed.get(),
        tensor: tensor.get(),
        problems: Vec::new(),
    });
    // The array is read or made again only when it changes, not at every move of the outlier.
    let usual = state.clone();
    let array = Memo::new(move |_| {
        let (rows, columns, seed, tensor) = (rows.get(), columns.get(), seed.get(), tensor.get());
        QuantisationState { rows, columns, seed, tensor, ..usual.clone() }.array()
    });
    let result = Memo::new(move |_| {
        let shown = array.with(|array| now.with(|now| now.evaluate(array.as_ref().map_err(Clone::clone)?)));
        shown.map_err(|why| pick(&why, lang))
    });
    let address =
        Memo::new(move |_| format!("/{}/tools/quantisation{}", lang.code(), state::query(&now.get().pairs())));
    if !embedded {
        keep_in_url(address);
    }
    let left_out = move || now.with(QuantisationState::is_left_out);
    let pasted = move |text: String| {
        // A tensor of one's own comes as it is; the outlier is the next step.
        if tensor.with_untracked(|before| before.trim().is_empty()) {
            factor.set(usual_factor(&text));
        }
        tensor.set(text);
    };
    let codes = Code::ALL.map(|code| (code.id().to_owned(), pick(&code.name(), lang))).to_vec();
    let granularities = GRANULARITIES.map(|(id, one)| (id.to_owned(), pick(&one.name(), lang))).to_vec();
    // One kind of view for all of them: each further kind would be more code to load.
    let number = |name: &'static str, label: &'static str, value, slider, bounds| {
        view! { <Number name label value slider bounds /> }.into_any()
    };
    let choice = |name: &'static str, label: &'static str, options, value| {
        view! { <Choice name label options value /> }.into_any()
    };
    let upper = vec![
        choice("code", lang.pick("编码", "Code"), codes, code),
        choice("granularity", lang.pick("图中的粒度", "Granularity of the picture"), granularities, granularity),
        number("factor", lang.pick("离群倍数（1 = 无）", "Outlier: times larger (1: none)"), factor, (1, 1024), FACTOR),
        number("channel", lang.pick("离群通道（第几列）", "Outlier channel (column)"), channel, (1, 256), COLUMNS),
        number("width", lang.pick("头或组的宽度", "Width of a head or group"), width, (1, 256), COLUMNS),
    ];
    let seeded = vec![
        number("rows", lang.pick("没有粘贴时：token 数（行）", "Without a paste: tokens (rows)"), rows, ROWS, ROWS),
        number(
            "columns",
            lang.pick("没有粘贴时：通道数（列）", "Without a paste: channels (columns)"),
            columns,
            SEEDED_COLUMNS,
            SEEDED_COLUMNS,
        ),
        number("seed", lang.pick("没有粘贴时：随机种子", "Without a paste: seed"), seed, (1, 64), SEED),
    ];
    let refused = move || result.with(|result| result.as_ref().err().cloned());
    let answered = move || {
        let (state, mut html) = (now.get_untracked(), String::new());
        result.with(|result| {
            if let Ok(shown) = result {
                html = Markup::of(|out| answers::write(out, &state, shown, lang));
            }
        });
        html
    };
    let hint = lang.pick(
        "粘贴的张量太长，链接里不带它；其余设置都在链接里。",
        "The pasted tensor is too long for a link, which leaves it out; everything else is in the link.",
    );
    view! {
        <section class="card ledger quantisation" aria-label=lang.pick("量化", "Quantisation")>
            <header>
                <b>{lang.pick("量化误差与离群值", "Quantisation error and outliers")}</b>
                <span>{lang.pick("逐个数算出的误差", "errors computed number by number")}</span>
                <Share address lang />
            </header>
            <form class="body" method="post" action=format!("/{}/tools/quantisation", lang.code())>
                {problems.into_iter().map(|text| view! { <p class="problem" role="alert">{text}</p> }).collect_view()}
                <div class="fields">
                    {upper} <Paste tensor pasted=Callback::new(pasted) lang /> {seeded}
                    <button class="button no-js" type="submit">{lang.pick("计算", "Compute")}</button>
                </div>
                <p class="hint" role="status">
                    {move || left_out().then_some(hint)}
                </p>
                {move || refused().map(|why| view! { <p class="problem" role="alert">{why}</p> })}
                <div inner_html=answered></div>
            </form>
            <footer class="js-only">
                <CopyTables lang />
            </footer>
        </section>
    }
    .into_any()
}

#[component]
fn Paste(tensor: RwSignal<String>, pasted: Callback<String>, lang: Lang) -> impl IntoView {
    view! {
        <details class="config" open=!tensor.get_untracked().is_empty()>
            <summary>{lang.pick("粘贴自己的张量", "Paste a tensor of your own")}</summary>
            <PasteArea
                name="tensor"
                rows="6"
                label=lang.pick("张量", "Tensor")
                placeholder=lang
                    .pick(
                        "一行一个 token，用空格或逗号分隔；或 [[1, 2], [3, 4]]。最多 65,536 个数、1 MiB。清空就回到种子生成的张量。",
                        "A token per line, separated by spaces or commas; or [[1, 2], [3, 4]]. At most 65,536 numbers and 1 MiB. Empty it to return to the seeded array.",
                    )
                accept=".txt,.csv,.json,text/plain,text/csv,application/json"
                file=lang.pick("张量文件", "File of the tensor")
                value=tensor
                then=pasted
            />
        </details>
    }
    .into_any()
}
