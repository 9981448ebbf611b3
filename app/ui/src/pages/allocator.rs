//! The page of the allocator's story, and the answer to a snapshot that was sent as a form.

use std::sync::Arc;

use evidence::Lang;
use leptos::prelude::*;

use super::presets::Presets;
use crate::islands::{AllocatorStory, Telling, Told};
use crate::state::AllocatorState;
use crate::state::tale::Run;

#[component]
pub fn AllocatorPage(lang: Lang, state: AllocatorState) -> impl IntoView {
    view! {
        <main id="main" class="wide tool">
            <h1>{lang.pick("缓存分配器", "Caching allocator")}</h1>
            <p class="lead">
                {lang
                    .pick(
                        "写一段分配与释放，或打开一个真实快照，按 ← → 一步步看显存：哪一块被切开，哪一块合并，哪些段还不回去；改一个设置，同样的操作再走一遍。",
                        "Write allocations and frees or open a real snapshot, then step with ← →: which block is split, which ones merge, which segments cannot return. Change a setting and the same operations run again.",
                    )}
            </p>
            <Presets tool="allocator" lang />
            <AllocatorStory state=state.clone() lang embedded=false />
            <div class="no-js">
                <h2>{lang.pick("真实快照", "A real snapshot")}</h2>
                <SnapshotForm state lang />
            </div>
        </main>
    }
    .into_any()
}

/// The two runs of a snapshot.
#[derive(Clone)]
pub struct Replayed {
    pub name: String,
    pub first: Arc<Run>,
    pub again: Arc<Run>,
}

/// The answer to a snapshot that was sent: as much as can be said without the reader's hand.
#[component]
pub fn SnapshotPage(lang: Lang, state: AllocatorState, replayed: Result<Replayed, String>) -> impl IntoView {
    let title = replayed.as_ref().map_or_else(|_| String::new(), |replayed| format!(" · {}", replayed.name));
    let told = |of: fn(&Replayed) -> &Arc<Run>| {
        let run = replayed.as_ref().map(|replayed| Told(of(replayed).clone())).map_err(Clone::clone);
        Signal::stored(run)
    };
    let (first, again) = (told(|both| &both.first), told(|both| &both.again));
    let count = replayed.as_ref().map_or(1, |replayed| replayed.again.count());
    let problems = state.problems.iter().map(|problem| problem.text(lang)).collect::<Vec<_>>();
    let problems = problems.into_iter().map(|text| view! { <p class="problem" role="alert">{text}</p> }).collect_view();
    let (step, drawn) = (Signal::stored(state.step.min(count)), Signal::stored(state.first));
    view! {
        <main id="main" class="wide tool">
            <h1>{lang.pick("缓存分配器", "Caching allocator")} {title}</h1>
            {problems}
            <section class="card ledger story" aria-label=lang.pick("快照", "Snapshot")>
                <div class="body">
                    <SnapshotForm state lang />
                    <Telling first again step drawn lang />
                </div>
            </section>
            <p class="hint">
                <a href=format!("/{}/tools/allocator", lang.code())>
                    {lang.pick("在浏览器里一步步走（需要 JavaScript）", "Step through it in the browser (needs JavaScript)")}
                </a>
            </p>
        </main>
    }
    .into_any()
}

/// A file and the settings under which it runs again; the server keeps nothing of it.
#[component]
fn SnapshotForm(state: AllocatorState, lang: Lang) -> impl IntoView {
    let number = |name: &'static str, label: &'static str, value: u64| {
        view! {
            <label class="number">
                <span>{label}</span>
                <input type="number" name=name min="0" value=value.to_string() />
            </label>
        }
    };
    let choice =
        |name: &'static str, label: &'static str, options: Vec<(&'static str, &'static str)>, now: &'static str| {
            let options = options
                .into_iter()
                .map(|(id, text)| view! { <option value=id selected=id == now>{text}</option> })
                .collect_view();
            view! {
                <label>
                    <span>{label}</span>
                    <select name=name>{options}</select>
                </label>
            }
        };
    view! {
        <form method="post" enctype="multipart/form-data" action=format!("/{}/tools/allocator", lang.code())>
            <p class="hint">
                {lang
                    .pick(
                        "torch.cuda.memory._dump_snapshot 的 pickle，最多 64 MiB；服务器读完就丢，不保存。设置留空就用快照自己的。",
                        "A pickle of torch.cuda.memory._dump_snapshot, 64 MiB at most; the server reads it and keeps nothing. A setting left empty is the snapshot's own.",
                    )}
            </p>
            <div class="fields">
                <label>
                    <span>{lang.pick("快照", "Snapshot")}</span>
                    <input type="file" name="snapshot" accept=".pickle,.pkl" required />
                </label>
                <label class="number">
                    <span>{lang.pick("max_split_size_mb（空 = 快照自己的）", "max_split_size_mb (empty: the snapshot's)")}</span>
                    <input type="number" name="max_split_mib" min="0" />
                </label>
                {choice(
                    "expandable",
                    "expandable_segments",
                    vec![
                        ("", lang.pick("快照自己的", "The snapshot's own")),
                        ("off", lang.pick("关", "Off")),
                        ("on", lang.pick("开", "On")),
                    ],
                    "",
                )}
                {choice(
                    "drawn",
                    lang.pick("画哪一次运行", "Which run is drawn"),
                    vec![("again", lang.pick("这些设置", "These settings")), ("first", lang.pick("记录", "As recorded"))],
                    if state.first { "first" } else { "again" },
                )}
                {number("step", lang.pick("第几步", "Step"), state.step)}
                <button class="button" type="submit">{lang.pick("计算", "Compute")}</button>
            </div>
        </form>
    }
    .into_any()
}
