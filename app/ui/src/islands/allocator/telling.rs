//! The two runs: the memory at a step, sizes over time, peaks side by side.

use std::sync::Arc;

use evidence::Lang;
use ledger::allocator::Moment;
use ledger::units;
use leptos::either::Either;
use leptos::prelude::*;

use super::segments::segments;
use crate::chart::{Line, Lines};
use crate::islands::parts::number;
use crate::islands::table::headed;
use crate::markup::Markup;
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
    let table = Markup::of(|out| peaks(out, &first, &again, lang));
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
        move || Markup::of(|out| now(out, &run(), step.get(), lang))
    };
    let memory = move || {
        let (run, at) = (run(), step.get());
        Markup::of(|out| segments(out, run.view(at), run.touched(at), lang))
    };
    view! {
        <div inner_html=moment></div>
        {over_time}
        <div inner_html=memory></div>
        <Lines title=lang.pick("已保留：两次运行", "Reserved: the two runs").to_owned() along lines=both at=step />
        <div inner_html=table></div>
    }
    .into_any()
}

/// A step in words and figures.
fn now(out: &mut Markup, run: &Run, step: u64, lang: Lang) {
    let count = run.count();
    let step = step.min(count);
    let now = run.moments().get(step as usize).copied().unwrap_or_default();
    let Moment { allocated, reserved, inactive_split } = now;
    let so_far = run.moments().iter().take(step as usize + 1);
    let peak = so_far.map(|moment| moment.reserved).max().unwrap_or(0);
    let told = format!("{} / {}: {}", units::group(step), units::group(count), run.told(step, lang));
    let figures = [
        (lang.pick("已分配", "Allocated"), allocated),
        (lang.pick("已保留", "Reserved"), reserved),
        (lang.pick("分裂的空闲块", "Inactive split"), inactive_split),
        (lang.pick("至此峰值保留", "Peak reserved so far"), peak),
    ];
    out.leaf("p", &[("class", "ask"), ("aria-live", "polite")], &told);
    out.element("output", &[("class", "answer")], &mut |out| {
        figures.iter().for_each(|(name, bytes)| number(out, name, "", &units::human_binary(*bytes), ""));
    });
}

/// The peaks of both runs.
fn peaks(out: &mut Markup, first: &Run, again: &Run, lang: Lang) {
    let [one, other] = names(first, lang);
    let (before, after) = (first.peaks(), again.peaks());
    let rows = [
        (lang.pick("峰值已分配", "Peak allocated"), before.allocated, after.allocated),
        (lang.pick("峰值已保留", "Peak reserved"), before.reserved, after.reserved),
        (lang.pick("峰值分裂的空闲块", "Peak inactive split"), before.inactive_split, after.inactive_split),
    ];
    let head = [("", lang.pick("峰值", "Peak")), ("n", one), ("n", other), ("n", lang.pick("差", "Difference"))];
    headed(out, "peaks", &head, &mut |out| {
        for (name, before, after) in rows {
            let sign = match before.cmp(&after) {
                std::cmp::Ordering::Less => "+",
                std::cmp::Ordering::Equal => "±",
                std::cmp::Ordering::Greater => "−",
            };
            let difference = format!("{sign}{}", units::human_binary(before.abs_diff(after)));
            out.element("tr", &[], &mut |out| {
                out.leaf("td", &[], name);
                for bytes in [before, after] {
                    let exact = format!("{} B", units::group(bytes));
                    out.leaf("td", &[("class", "n"), ("title", &exact)], &units::human_binary(bytes));
                }
                out.leaf("td", &[("class", "n")], &difference);
            });
        }
    });
    if let Some(mismatches) = first.mismatches() {
        let text = match (mismatches, lang) {
            (0, Lang::Zh) => "模拟与 GPU 一致：每次分配都落在记录的地址。".to_owned(),
            (0, Lang::En) => {
                "The simulation agrees with the GPU: every allocation lies at its recorded address.".to_owned()
            }
            (count, Lang::Zh) => format!("{} 处与 GPU 的记录不同：「记录」一列是模拟得到的近似。", units::group(count)),
            (count, Lang::En) => {
                format!(
                    "{} places differ from the GPU's record: the first column is an approximation.",
                    units::group(count)
                )
            }
        };
        let rule = lang.pick(
            "记录开始之前的段与块保持原样；记录里归还驱动的地方，重放时清空缓存。",
            "Segments and blocks from before the recording stay as they were; where the recording returned memory to the driver, the second run empties its cache.",
        );
        out.leaf("p", &[("class", "hint")], &format!("{text} {rule}"));
    }
}
