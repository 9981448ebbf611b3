//! Every axis from end to end: a strip of its pieces, and a sentence for every point that flips the decision.

use evidence::Lang;
use evidence::budget::{Amount, Axis, Flip, Grid, Piece, Sweep};
use ledger::units;
use leptos::prelude::*;

use crate::words;

pub fn name(axis: Axis, lang: Lang) -> &'static str {
    match axis {
        Axis::Memory => lang.pick("显存上限", "memory cap"),
        Axis::Throughput => lang.pick("最低吞吐", "throughput floor"),
        Axis::Loss => lang.pick("loss 上限", "loss ceiling"),
    }
}

/// A rate or a loss with as many digits as reports carry.
pub fn number(amount: f64) -> String {
    let text = format!("{amount:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn amount(amount: Amount, axis: Axis, lang: Lang) -> String {
    match amount {
        Amount::Bytes(bytes) => format!("{} MiB", units::decimal(bytes, units::MIB, 2)),
        Amount::Number(rate) if axis == Axis::Throughput => {
            format!("{} {}", number(rate), lang.pick("样本/s", "samples/s"))
        }
        Amount::Number(loss) => number(loss),
    }
}

fn float(amount: Amount) -> f64 {
    match amount {
        Amount::Bytes(bytes) => bytes as f64,
        Amount::Number(number) => number,
    }
}

#[component]
pub fn Flips(lang: Lang, grid: Grid) -> impl IntoView {
    let missing = Axis::ALL.iter().filter(|axis| grid.sweeps.iter().all(|sweep| sweep.axis != **axis));
    let missing = missing.map(|axis| name(*axis, lang)).collect::<Vec<_>>();
    let missing = (!missing.is_empty()).then(|| {
        let text = match lang {
            Lang::Zh => format!("报告没有显存上限和吞吐下限，不能只动这些轴：{}", missing.join("、")),
            Lang::En => format!(
                "The report limits neither memory nor throughput, so nothing is decided along: {}",
                missing.join(", ")
            ),
        };
        view! { <p class="hint">{text}</p> }
    });
    let sweeps = grid.sweeps.into_iter().map(|sweep| view! { <Along lang sweep /> }).collect_view();
    view! {
        {sweeps}
        {missing}
        <p class="hint">
            {lang
                .pick(
                    "规则放过取整噪声：显存 1 KiB，loss 10⁻⁶，吞吐的 10⁻⁹。翻转点按此精确到 1 字节和相邻的浮点数；完整数字在 JSON 里。",
                    "The rule lets rounding noise through: 1 KiB of memory, 10⁻⁶ of a loss, 10⁻⁹ of a rate. With that the points are exact to a byte and to neighbouring floats; the JSON has all digits.",
                )}
        </p>
    }
    .into_any()
}

#[component]
fn Along(lang: Lang, sweep: Sweep) -> impl IntoView {
    let axis = sweep.axis;
    let own = match sweep.own {
        Some(own) => format!("{} {}", lang.pick("报告：", "the report's:"), amount(own, axis, lang)),
        None => lang.pick("报告没有这项限制", "the report states none").to_owned(),
    };
    let sentences = sweep.flips.iter().map(|flip| sentence(flip, sweep.own, lang)).collect::<Vec<_>>();
    let nothing = sentences.is_empty().then(|| {
        let word = sweep.pieces.first().map_or_else(String::new, |piece| words::decision(piece.decision.id(), lang));
        let text = match lang {
            Lang::Zh => format!("无论{}是多少，结论都是 {word}。", name(axis, lang)),
            Lang::En => format!("Whatever the {} is, the decision is {word}.", name(axis, lang)),
        };
        view! { <p>{text}</p> }
    });
    let sentences = sentences.into_iter().map(|text| view! { <li>{text}</li> }).collect_view();
    view! {
        <div class="sweep" data-axis=axis.input()>
            <h3>{name(axis, lang)} " " <small class="hint">{own}</small></h3>
            <Strip lang sweep />
            {nothing}
            <ul>{sentences}</ul>
        </div>
    }
    .into_any()
}

/// What happens at one point, in words.
fn sentence(flip: &Flip, own: Option<Amount>, lang: Lang) -> String {
    let (below, above) = (words::decision(flip.below.id(), lang), words::decision(flip.above.id(), lang));
    let list = flip.because.join(lang.pick("、", ", "));
    let (first, last) = (amount(flip.first, flip.axis, lang), amount(flip.last, flip.axis, lang));
    let told = match (flip.axis, lang) {
        (Axis::Memory, Lang::Zh) => format!("从 {first} 起是 {above}，低于它是 {below}：{list} 从这里开始放得下。"),
        (Axis::Memory, Lang::En) => format!("From {first} on {above}, below it {below}: {list} fits from here on."),
        (Axis::Throughput, Lang::Zh) => format!("到 {last} 为止是 {below}，高于它是 {above}：{list} 再也不够快。"),
        (Axis::Throughput, Lang::En) => {
            format!("Up to {last} {below}, above it {above}: {list} is fast enough no longer.")
        }
        (Axis::Loss, Lang::Zh) => format!("从 {first} 起是 {above}，低于它是 {below}：{list} 的 loss 从这里开始合格。"),
        (Axis::Loss, Lang::En) => {
            format!("From {first} on {above}, below it {below}: {list} keeps the ceiling from here on.")
        }
    };
    match own.and_then(|own| away(flip, own, lang)) {
        Some(away) => format!("{told} {away}"),
        None => told,
    }
}

/// How far the report's own limit lies from a flip.
fn away(flip: &Flip, own: Amount, lang: Lang) -> Option<String> {
    let point = if flip.axis == Axis::Throughput { flip.last } else { flip.first };
    let (distance, higher) = match (own, point) {
        (Amount::Bytes(own), Amount::Bytes(point)) => (Amount::Bytes(own.abs_diff(point)), own >= point),
        (Amount::Number(own), Amount::Number(point)) => (Amount::Number((own - point).abs()), own >= point),
        _ => return None,
    };
    let distance = amount(distance, flip.axis, lang);
    Some(match (lang, higher) {
        (Lang::Zh, true) => format!("报告的限制比它高 {distance}。"),
        (Lang::Zh, false) => format!("报告的限制比它低 {distance}。"),
        (Lang::En, true) => format!("The report's own limit is {distance} higher."),
        (Lang::En, false) => format!("The report's own limit is {distance} lower."),
    })
}

/// Narrower pieces have no room for their word; the sentences below say everything.
const ROOM: f64 = 90.0;
const WIDTH: f64 = 1000.0;

/// The axis drawn to scale over all its turns and the report's own limit.
#[component]
fn Strip(lang: Lang, sweep: Sweep) -> impl IntoView {
    let turns = sweep.pieces.iter().filter_map(|piece| piece.from).chain(sweep.own).map(float);
    let (low, high) = turns.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
    if low > high {
        return ().into_any();
    }
    let spread = if high > low { high - low } else { (high.abs() * 0.2).max(1e-6) };
    let (low, high) = (low - spread * 0.15, high + spread * 0.15);
    let place = move |at: f64| ((at - low) / (high - low) * WIDTH).clamp(0.0, WIDTH);
    let drawn = sweep.pieces.iter().map(|piece| {
        let from = piece.from.map_or(0.0, |at| place(float(at)));
        let to = piece.to.map_or(WIDTH, |at| place(float(at)));
        (piece.clone(), from, to)
    });
    let label = sweep.pieces.iter().map(|piece| told(piece, sweep.axis, lang)).collect::<Vec<_>>().join("; ");
    let rects = drawn
        .clone()
        .map(|(piece, from, to)| {
            let class = format!("d-{}", piece.decision.id());
            view! { <rect class=class x=format!("{from:.1}") y="0" width=format!("{:.1}", (to - from).max(1.0)) height="40" /> }
        })
        .collect_view();
    let texts = drawn
        .filter(|(_, from, to)| to - from >= ROOM)
        .map(|(piece, from, to)| {
            let x = format!("{:.2}%", (from + to) / 2.0 / WIDTH * 100.0);
            let word = words::decision(piece.decision.id(), Lang::En);
            let wide = to - from >= ROOM * 2.0;
            let text = if wide { word } else { word.chars().take(1).collect() };
            view! {
                <text x=x y="26" text-anchor="middle">
                    {text}
                </text>
            }
        })
        .collect_view();
    let own = sweep.own.map(|own| {
        let x = format!("{:.2}%", place(float(own)) / WIDTH * 100.0);
        view! { <line class="own" x1=x.clone() x2=x y1="0" y2="40" /> }
    });
    view! {
        <svg class="strip" role="img" aria-label=label>
            <svg viewBox="0 0 1000 40" preserveAspectRatio="none" width="100%" height="40">
                {rects}
            </svg>
            {texts}
            {own}
        </svg>
    }
    .into_any()
}

/// A piece for a reader of the screen.
fn told(piece: &Piece, axis: Axis, lang: Lang) -> String {
    let place = match (piece.from, piece.to) {
        (None, None) => lang.pick("处处", "everywhere").to_owned(),
        (None, Some(to)) => format!("≤ {}", amount(to, axis, lang)),
        (Some(from), None) => format!("≥ {}", amount(from, axis, lang)),
        (Some(from), Some(to)) => format!("{} – {}", amount(from, axis, lang), amount(to, axis, lang)),
    };
    format!("{place}: {}", words::decision(piece.decision.id(), lang))
}
