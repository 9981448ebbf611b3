//! Quantisation: what a code keeps of an array, granularity by granularity, and what one outlier does to the rest.

use evidence::Lang;
use ledger::formats::{Code, Loss};
use ledger::units;
use leptos::either::Either;
use leptos::prelude::*;

use super::inputs::{Choice, Number};
use super::share::{Share, keep_in_url};
use crate::chart::{Ladder, Pair};
use crate::html;
use crate::state::quantisation::{COLUMNS, FACTOR, GRANULARITIES, ROWS, Shown, usual_factor};
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
    let source = Memo::new(move |_| (rows.get(), columns.get(), seed.get(), tensor.get()));
    let array = Memo::new(move |_| {
        source.track();
        now.get_untracked().array()
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
                    <Choice name="code" label=lang.pick("编码", "Code") options=codes value=code />
                    <Choice
                        name="granularity"
                        label=lang.pick("图中的粒度", "Granularity of the picture")
                        options=granularities
                        value=granularity
                    />
                    <Number
                        name="factor"
                        label=lang.pick("离群倍数（1 = 无）", "Outlier: times larger (1: none)")
                        value=factor
                        slider=(1, 1024)
                        bounds=FACTOR
                    />
                    <Number
                        name="channel"
                        label=lang.pick("离群通道（第几列）", "Outlier channel (column)")
                        value=channel
                        slider=(1, 256)
                        bounds=COLUMNS
                    />
                    <Number
                        name="width"
                        label=lang.pick("头或组的宽度", "Width of a head or group")
                        value=width
                        slider=(1, 256)
                        bounds=COLUMNS
                    />
                    <Paste tensor pasted=Callback::new(pasted) lang />
                    <Seeded rows columns seed lang />
                    <button class="button no-js" type="submit">{lang.pick("计算", "Compute")}</button>
                </div>
                {move || {
                    left_out()
                        .then(|| {
                            view! {
                                <p class="hint" role="status">
                                    {lang
                                        .pick(
                                            "粘贴的张量太长，链接里不带它；其余设置都在链接里。",
                                            "The pasted tensor is too long for a link, which leaves it out; everything else is in the link.",
                                        )}
                                </p>
                            }
                        })
                }}
                {move || {
                    result
                        .with(|result| match result {
                            Ok(shown) => Either::Left(answers(&now.get_untracked(), shown, lang)),
                            Err(why) => {
                                Either::Right(view! { <p class="problem" role="alert">{why.clone()}</p> })
                            }
                        })
                }}
            </form>
        </section>
    }
}

#[component]
fn Paste(tensor: RwSignal<String>, pasted: Callback<String>, lang: Lang) -> impl IntoView {
    let typed = tensor.get_untracked();
    view! {
        <details class="config" open=!typed.is_empty()>
            <summary>{lang.pick("粘贴自己的张量", "Paste a tensor of your own")}</summary>
            <textarea
                name="tensor"
                rows="6"
                spellcheck="false"
                aria-label=lang.pick("张量", "Tensor")
                placeholder=lang
                    .pick(
                        "一行一个 token，用空格或逗号分隔；或 [[1, 2], [3, 4]]。最多 65,536 个数、1 MiB。清空就回到种子生成的张量。",
                        "A token per line, separated by spaces or commas; or [[1, 2], [3, 4]]. At most 65,536 numbers and 1 MiB. Empty it to return to the seeded array.",
                    )
                prop:value=move || tensor.get()
                on:input=move |event| pasted.run(event_target_value(&event))
                on:dragover=|event| event.prevent_default()
                on:drop=move |event| {
                    event.prevent_default();
                    super::browser::dropped_text(&event, move |text| pasted.run(text));
                }
                inner_html=html::textarea(&typed)
            ></textarea>
            <input
                type="file"
                class="js-only"
                accept=".txt,.csv,.json,text/plain,text/csv,application/json"
                aria-label=lang.pick("张量文件", "File of the tensor")
                on:change=move |event| super::browser::chosen_text(&event, move |text| pasted.run(text))
            />
        </details>
    }
    .into_any()
}

/// The array where nothing is pasted.
#[component]
fn Seeded(rows: RwSignal<u64>, columns: RwSignal<u64>, seed: RwSignal<u64>, lang: Lang) -> impl IntoView {
    view! {
        <Number
            name="rows"
            label=lang.pick("没有粘贴时：token 数（行）", "Without a paste: tokens (rows)")
            value=rows
            slider=ROWS
            bounds=ROWS
        />
        <Number
            name="columns"
            label=lang.pick("没有粘贴时：通道数（列）", "Without a paste: channels (columns)")
            value=columns
            slider=COLUMNS
            bounds=COLUMNS
        />
        <Number
            name="seed"
            label=lang.pick("没有粘贴时：随机种子", "Without a paste: seed")
            value=seed
            slider=(1, 64)
            bounds=(0, u64::MAX)
        />
    }
    .into_any()
}

fn answers(state: &QuantisationState, shown: &Shown, lang: Lang) -> AnyView {
    let chosen = &shown.chosen;
    let figure = |zh: &'static str, en: &'static str, value: String| {
        view! {
            <span>
                <small>{lang.pick(zh, en)} " "</small>
                <strong>{value}</strong>
            </span>
        }
    };
    let numbers = shown.rows.saturating_mul(shown.columns);
    let ratio = 2.0 * numbers as f64 / chosen.loss.bytes as f64;
    let several = chosen.coarsest != chosen.finest;
    let ladder = |zh: &'static str, en: &'static str, levels: &[f64]| Ladder {
        name: lang.pick(zh, en).to_owned(),
        levels: levels.to_vec(),
    };
    let ladders = if several {
        vec![
            ladder("最大的尺度", "Largest scale", &chosen.coarsest),
            ladder("最小的尺度", "Smallest scale", &chosen.finest),
        ]
    } else {
        vec![ladder("码的取值", "Levels", &chosen.coarsest)]
    };
    view! {
        <p class="ask" aria-live="polite">
            {verdict(state, shown, lang)}
        </p>
        <output class="answer">
            {figure("信噪比", "Signal to noise", decibel(&chosen.loss))}
            {figure("均方误差", "Mean squared error", units::significant(chosen.loss.mean_square))}
            {figure("最大误差", "Largest error", units::significant(chosen.loss.max_error))}
            {figure("字节", "Bytes", units::human_binary(chosen.loss.bytes))}
            {figure("BF16 ÷ 它", "BF16 ÷ this", format!("{ratio:.2}"))}
        </output>
        <Pair before=chosen.before.clone() after=chosen.after.clone() ladders lang />
        {losses(state, shown, lang)}
        {assumptions(lang)}
    }
    .into_any()
}

/// What the outlier did to all the others, in one sentence.
fn verdict(state: &QuantisationState, shown: &Shown, lang: Lang) -> String {
    let (how, code) = (pick(&shown.chosen.loss.granularity.name(), lang), pick(&state.code.name(), lang));
    let (channel, factor) = (units::group(shown.channel), units::group(state.factor));
    let (others, used) = (units::group(shown.columns.saturating_sub(1)), units::group(shown.others));
    match (lang, state.factor) {
        (Lang::Zh, 1) => format!("{how}，{code}：读回 {} 个不同的取值。", units::group(shown.chosen.levels)),
        (Lang::En, 1) => {
            format!("{how}, {code}: {} different values are read back.", units::group(shown.chosen.levels))
        }
        (Lang::Zh, _) => {
            format!("{how}，{code}：第 {channel} 列放大 {factor} 倍之后，其余 {others} 列只读回 {used} 个不同的取值。")
        }
        (Lang::En, _) => format!(
            "{how}, {code}: with column {channel} {factor} times larger, {used} different values are read back of the other {others}."
        ),
    }
}

fn decibel(loss: &Loss) -> String {
    loss.signal_to_noise_db.map_or_else(|| "∞".to_owned(), |decibel| format!("{decibel:.1} dB"))
}

/// Every granularity beside the others: small bars hold signal to noise and bytes against the largest.
fn losses(state: &QuantisationState, shown: &Shown, lang: Lang) -> AnyView {
    let numbers = units::group(shown.rows.saturating_mul(shown.columns));
    let best = shown.losses.iter().filter_map(|loss| loss.signal_to_noise_db).fold(0.0, f64::max);
    let most = shown.losses.iter().map(|loss| loss.bytes).max().unwrap_or(1);
    let labels = [
        lang.pick("粒度", "Granularity"),
        lang.pick("均方误差", "Mean squared error"),
        lang.pick("最大误差", "Largest error"),
        lang.pick("信噪比", "Signal to noise"),
        lang.pick("字节（含尺度）", "Bytes with scales"),
        lang.pick("公式", "Formula"),
    ];
    let rows = shown.losses.iter().map(|loss| {
        let current = (loss.granularity == shown.chosen.loss.granularity).then_some("true");
        let signal = loss.signal_to_noise_db.map_or(1.0, |decibel| decibel.max(0.0) / best.max(1e-9));
        view! {
            <tr aria-current=current>
                <th scope="row">{pick(&loss.granularity.name(), lang)}</th>
                <td class="n" data-label=labels[1]>{units::significant(loss.mean_square)}</td>
                <td class="n" data-label=labels[2]>{units::significant(loss.max_error)}</td>
                <td class="n" data-label=labels[3]>{decibel(loss)} {bar(signal, "o-activation")}</td>
                <td class="n" data-label=labels[4]>
                    {units::group(loss.bytes)} {bar(loss.bytes as f64 / most as f64, "o-parameter")}
                </td>
                <td class="formula" data-label=labels[5]>{formula(state.code, loss, &numbers)}</td>
            </tr>
        }
    });
    let head = labels.map(|label| view! { <th scope="col">{label}</th> }).collect_view();
    view! {
        <h2>{lang.pick("每种粒度", "Granularity by granularity")}</h2>
        <div class="table" tabindex="0">
            <table class="losses">
                <thead>
                    <tr>{head}</tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn bar(share: f64, class: &'static str) -> impl IntoView {
    view! {
        <svg class="bar-line" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">
            <rect class=class width=format!("{:.1}", share.clamp(0.0, 1.0) * 1000.0) height="20" />
        </svg>
    }
}

fn formula(code: Code, loss: &Loss, numbers: &str) -> String {
    let (bits, scales) = (code.bits(), units::group(loss.scales));
    let mut formula = format!("{numbers} × {bits} b");
    if loss.scales > 0 {
        formula += &format!(" + {scales} × 4 B");
        if code.has_zero_point() {
            formula += &format!(" + {scales} × {bits} b");
        }
    }
    formula
}

fn assumptions(lang: Lang) -> AnyView {
    let lines = [
        (
            "没有粘贴时是服从正态分布、方差为 1 的数；种子相同，数就相同",
            "Without a paste: normal numbers of variance 1; the same seed gives the same numbers",
        ),
        (
            "尺度由极值确定，不裁剪、不校准；恰在中间时舍入到偶数，NF4 取较低的一个",
            "Scales follow the extremes, without clipping or calibration; ties go to even, of NF4 to the lower level",
        ),
        ("“不缩放”时超出编码范围的数取最大值", "Without a scale, what is beyond the code saturates"),
        (
            "每个尺度 4 字节，零点与编码同宽；打包、对齐与内核不计",
            "A scale takes 4 bytes, a zero point the width of a code; packing, alignment and kernels are left out",
        ),
        (
            "这是存储的误差，在 CPU 上算出；模型的质量要用任务来测",
            "This is the error of storage, computed on a CPU; the quality of a model takes a task to measure",
        ),
    ];
    let lines = lines.map(|(zh, en)| view! { <li>{lang.pick(zh, en)}</li> }).collect_view();
    view! {
        <details class="assumptions" open>
            <summary>{lang.pick("假设", "Assumptions")}</summary>
            <ul>{lines}</ul>
        </details>
    }
    .into_any()
}
