//! The two runs: the memory at a step, sizes over time, peaks side by side.

use std::sync::Arc;

use evidence::Lang;
use ledger::allocator::Moment;
use ledger::units;
use leptos::either::Either;
use leptos::prelude::*;

use super::segments::Segments;
use crate::chart::{Line, Lines};
use crate::state::tale::Run;

/// A run that views share; another run is another one, whatever it tells.
#[derive(Debug, Clone)]
pub struct Told(pub Arc<Run>);

impl PartialEq for Told {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// How the two runs are called.
fn names(run: &Run, lang: Lang) -> [&'static str; 2] {
    let first = match run {
        Run::Script(_) => lang.pick("PyTorch 默认", "PyTorch's defaults"),
        Run::Trace(_) => lang.pick("记录", "As recorded"),
    };
    [first, lang.pick("这些设置", "These settings")]
}

/// Everything that is told of two runs, or why nothing can be.
#[component]
pub fn Telling(
    #[prop(into)] first: Signal<Result<Told, String>>,
    #[prop(into)] again: Signal<Result<Told, String>>,
    #[prop(into)] step: Signal<u64>,
    /// The first run is drawn, not the second.
    #[prop(into)]
    drawn: Signal<bool>,
    lang: Lang,
) -> impl IntoView {
    move || match (first.get(), again.get()) {
        (Ok(first), Ok(again)) => Either::Left(view! { <Both first=first.0 again=again.0 step drawn lang /> }),
        (Err(why), _) | (_, Err(why)) => Either::Right(view! { <p class="problem" role="alert">{why}</p> }),
    }
}

#[component]
fn Both(first: Arc<Run>, again: Arc<Run>, step: Signal<u64>, drawn: Signal<bool>, lang: Lang) -> impl IntoView {
    if first.count() == 0 {
        return view! { <p class="empty">{lang.pick("脚本是空的。", "The script is empty.")}</p> }.into_any();
    }
    let table = view! { <Peaks first=first.clone() again=again.clone() lang /> };
    let along = lang.pick("步", "Step");
    let column = |run: &Run, of: fn(&Moment) -> u64| run.moments().iter().map(of).collect::<Arc<[u64]>>();
    let [one, other] = names(&first, lang);
    let reserved: fn(&Moment) -> u64 = |moment| moment.reserved;
    let line = |name: &str, class, bytes| Line { name: name.to_owned(), class, bytes };
    let both =
        vec![line(one, "line-first", column(&first, reserved)), line(other, "line-again", column(&again, reserved))];
    let run = move || if drawn.get() { first.clone() } else { again.clone() };
    let over_time = {
        let run = run.clone();
        move || {
            let run = run();
            let lines = vec![
                line(lang.pick("已保留", "Reserved"), "line-reserved", column(&run, reserved)),
                line(lang.pick("已分配", "Allocated"), "line-allocated", column(&run, |moment| moment.allocated)),
                line(
                    lang.pick("分裂的空闲块", "Inactive split"),
                    "line-split",
                    column(&run, |moment| moment.inactive_split),
                ),
            ];
            let title =
                format!("{}: {}", lang.pick("随步变化", "Over time"), names(&run, lang)[usize::from(!drawn.get())]);
            view! { <Lines title along lines at=step /> }
        }
    };
    let moment = {
        let run = run.clone();
        move || view! { <Now run=run() step=step.get() lang /> }
    };
    let memory = move || {
        let (run, at) = (run(), step.get());
        view! { <Segments view=run.view(at) touched=run.touched(at) lang /> }
    };
    view! {
        {moment}
        {over_time}
        {memory}
        <Lines title=lang.pick("已保留：两次运行", "Reserved: the two runs").to_owned() along lines=both at=step />
        {table}
    }
    .into_any()
}

/// A step in words and figures.
#[component]
fn Now(run: Arc<Run>, step: u64, lang: Lang) -> impl IntoView {
    let count = run.count();
    let step = step.min(count);
    let now = run.moments().get(step as usize).copied().unwrap_or_default();
    let Moment { allocated, reserved, inactive_split } = now;
    let so_far = run.moments().iter().take(step as usize + 1);
    let peak = so_far.map(|moment| moment.reserved).max().unwrap_or(0);
    let number = |zh: &'static str, en: &'static str, bytes: u64| {
        view! {
            <span>
                <small>{lang.pick(zh, en)} " "</small>
                <strong>{units::human_binary(bytes)}</strong>
            </span>
        }
    };
    view! {
        <p class="ask" aria-live="polite">
            {format!("{} / {}: {}", units::group(step), units::group(count), run.told(step, lang))}
        </p>
        <output class="answer">
            {number("已分配", "Allocated", allocated)} {number("已保留", "Reserved", reserved)}
            {number("分裂的空闲块", "Inactive split", inactive_split)}
            {number("至此峰值保留", "Peak reserved so far", peak)}
        </output>
    }
    .into_any()
}

/// The peaks of both runs.
#[component]
fn Peaks(first: Arc<Run>, again: Arc<Run>, lang: Lang) -> impl IntoView {
    let [one, other] = names(&first, lang);
    let (before, after) = (first.peaks(), again.peaks());
    let rows = [
        (lang.pick("峰值已分配", "Peak allocated"), before.allocated, after.allocated),
        (lang.pick("峰值已保留", "Peak reserved"), before.reserved, after.reserved),
        (lang.pick("峰值分裂的空闲块", "Peak inactive split"), before.inactive_split, after.inactive_split),
    ];
    let size = |bytes: u64| {
        view! {
            <td class="n" title=format!("{} B", units::group(bytes))>
                {units::human_binary(bytes)}
            </td>
        }
    };
    let rows = rows
        .into_iter()
        .map(|(name, before, after)| {
            let sign = match before.cmp(&after) {
                std::cmp::Ordering::Less => "+",
                std::cmp::Ordering::Equal => "±",
                std::cmp::Ordering::Greater => "−",
            };
            let difference = format!("{sign}{}", units::human_binary(before.abs_diff(after)));
            view! {
                <tr>
                    <td>{name}</td>
                    {size(before)}
                    {size(after)}
                    <td class="n">{difference}</td>
                </tr>
            }
        })
        .collect_view();
    let faithful = first.mismatches().map(|mismatches| {
        let text = match (mismatches, lang) {
            (0, Lang::Zh) => "模拟与 GPU 一致：每次分配都落在记录的地址。".to_owned(),
            (0, Lang::En) => "The simulation agrees with the GPU: every allocation lies at its recorded address.".to_owned(),
            (count, Lang::Zh) => format!("{} 处与 GPU 的记录不同：「记录」一列是模拟得到的近似。", units::group(count)),
            (count, Lang::En) => {
                format!("{} places differ from the GPU's record: the first column is an approximation.", units::group(count))
            }
        };
        let rule = lang.pick(
            "记录开始之前的段与块保持原样；记录里归还驱动的地方，重放时清空缓存。",
            "Segments and blocks from before the recording stay as they were; where the recording returned memory to the driver, the second run empties its cache.",
        );
        view! { <p class="hint">{text} " " {rule}</p> }
    });
    view! {
        <div class="table" tabindex="0">
            <table class="peaks">
                <thead>
                    <tr>
                        <th>{lang.pick("峰值", "Peak")}</th>
                        <th class="n">{one}</th>
                        <th class="n">{other}</th>
                        <th class="n">{lang.pick("差", "Difference")}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        {faithful}
    }
    .into_any()
}
