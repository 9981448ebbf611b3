//! The paged cache, step by step: blocks with their references, a table for each sequence, and what is wasted or saved.

mod blocks;

use std::sync::Arc;

use evidence::Lang;
use ledger::paging::{Act, Change, PoolView};
use ledger::{Dtype, units};
use leptos::prelude::*;

use super::inputs::{Choice, Number};
use super::model_input::ModelInput;
use super::parts;
use super::share::{CopyTables, Share, keep_in_url};
use super::steps::{Steps, turn};
use super::table::headed;
use crate::chart::{Line, Lines};
use crate::markup::Markup;
use crate::state::paging::{self, BLOCK, Course, DECODE, Frame, LONGEST, PREFIX, SEQUENCES};
use crate::state::{self, PagingState};
use crate::words;
use blocks::{blocks, name, tables};

/// Requests, block size and model → blocks, tables, waste and savings at every step.
#[island]
pub fn KvPaging(
    state: PagingState,
    lang: Lang,
    /// Inside a lesson: the page's own address stays as it is.
    embedded: bool,
) -> impl IntoView {
    let source = RwSignal::new(state.source.clone());
    let kv = RwSignal::new(state.kv.id().to_owned());
    let block = RwSignal::new(state.block);
    let sequences = RwSignal::new(state.sequences);
    let prefix = RwSignal::new(state.prefix);
    let own = RwSignal::new(state.own.clone());
    let decode = RwSignal::new(state.decode);
    let longest = RwSignal::new(state.longest);
    let step = RwSignal::new(state.step);
    let problems = state.problems.iter().map(|problem| problem.text(lang)).collect::<Vec<_>>();
    let dtype = move || kv.get().parse().unwrap_or(Dtype::Bf16);
    let now = Memo::new(move |_| PagingState {
        source: source.get(),
        kv: dtype(),
        block: block.get(),
        sequences: sequences.get(),
        prefix: prefix.get(),
        own: own.get(),
        decode: decode.get(),
        longest: longest.get(),
        step: step.get(),
        problems: Vec::new(),
    });
    let story = Memo::new(move |_| now.get().story());
    let per_token = Memo::new(move |_| paging::per_token(&source.get(), dtype()));
    let course = Memo::new(move |_| story.with(paging::course));
    let frame = Memo::new(move |_| story.with(|story| paging::frame(story, step.get())));
    let count = Signal::derive(move || course.with(|all| all.as_ref().map_or(0, |all| all.held.len() as u64 - 1)));
    let address = Memo::new(move |_| format!("/{}/tools/kv{}", lang.code(), state::query(&now.get().pairs())));
    if !embedded {
        keep_in_url(address);
    }
    let dtypes = Dtype::ALL.iter().map(|dtype| (dtype.id().to_owned(), words::dtype(*dtype))).collect::<Vec<_>>();
    let moment = move || {
        Markup::of(|out| match (frame.get(), per_token.get()) {
            (Ok(Some(frame)), Ok(bytes)) => {
                let (at, count) = (step.get().min(count.get()), count.get());
                out.leaf(
                    "p",
                    &[("class", "ask"), ("aria-live", "polite")],
                    &format!("{} / {count}: {}", at.max(1), told(&frame, lang)),
                );
                figures(out, &frame.view, bytes, longest.get(), lang);
                blocks(out, &frame.view, &frame.changes, lang);
                tables(out, &frame.view, lang);
            }
            (Err(why), _) | (_, Err(why)) => parts::problem(out, &state::pick(&why, lang)),
            (Ok(None), Ok(_)) => {}
        })
    };
    view! {
        <section
            class="card ledger story"
            aria-label=lang.pick("KV Cache 与分页", "KV cache and paging")
            on:keydown=move |event| turn(&event, step, count.get_untracked())
        >
            <header>
                <b>{lang.pick("KV Cache 与分页", "KV cache and paging")}</b>
                <span>{lang.pick("按 PagedAttention 的规则模拟", "simulated by the rules of PagedAttention")}</span>
                <Share address lang />
            </header>
            <form class="body" method="get" action=format!("/{}/tools/kv", lang.code())>
                {problems.into_iter().map(|text| view! { <p class="problem" role="alert">{text}</p> }).collect_view()}
                <div class="fields">
                    <ModelInput source lang />
                    <Choice name="kv" label=lang.pick("KV 格式", "KV format") options=dtypes value=kv />
                    <Number name="block" label=lang.pick("每块 token 数", "Tokens per block") value=block slider=(1, 256) bounds=BLOCK />
                    <Number name="sequences" label=lang.pick("序列数", "Sequences") value=sequences slider=(1, 8) bounds=SEQUENCES />
                    <Number
                        name="prefix"
                        label=lang.pick("共享前缀 token 数（0 = 无）", "Tokens of the shared prefix (0: none)")
                        value=prefix
                        slider=(1, 1024)
                        bounds=PREFIX
                    />
                    <label>
                        <span>{lang.pick("前缀之后各自的提示长度（循环使用）", "Own tokens of the prompts behind it (repeated)")}</span>
                        <input
                            type="text"
                            name="own"
                            inputmode="numeric"
                            value=paging::listed(&own.get_untracked())
                            prop:value=move || paging::listed(&own.get())
                            on:change=move |event| {
                                if let Some(numbers) = paging::numbers(&event_target_value(&event)) {
                                    own.set(numbers);
                                } else {
                                    own.update(|_| ());
                                }
                            }
                        />
                    </label>
                    <Number
                        name="decode"
                        label=lang.pick("每个序列生成的 token", "Tokens that each generates")
                        value=decode
                        slider=(1, 512)
                        bounds=DECODE
                    />
                    <Number
                        name="longest"
                        label=lang.pick("不分页时每个序列预留的 token", "Tokens reserved for each without pages")
                        value=longest
                        slider=(128, 131_072)
                        bounds=LONGEST
                    />
                    <button class="button no-js" type="submit">{lang.pick("计算", "Compute")}</button>
                </div>
                <Steps step count lang />
                <div inner_html=moment></div>
                {move || match (course.get(), per_token.get()) {
                    (Ok(course), Ok(bytes)) => Some(view! { <OverTime course bytes step lang /> }),
                    _ => None,
                }}
            </form>
            <footer class="js-only">
                <CopyTables lang />
            </footer>
        </section>
    }
}

/// What a step does, in words.
fn told(frame: &Frame, lang: Lang) -> String {
    let act = match frame.act {
        Act::Start { sequence, tokens } => match lang {
            Lang::Zh => format!("{} 到来，写入 {tokens} 个 token", name(sequence)),
            Lang::En => format!("{} comes with {tokens} tokens", name(sequence)),
        },
        Act::Fork { sequence } => match lang {
            Lang::Zh => format!("{} 到来，共享 {} 的前缀块", name(sequence), name(0)),
            Lang::En => format!("{} comes and shares the blocks of {}'s prefix", name(sequence), name(0)),
        },
        Act::Prompt { sequence, tokens } => match lang {
            Lang::Zh => format!("{} 写入自己的 {tokens} 个提示 token", name(sequence)),
            Lang::En => format!("{} goes on with {tokens} tokens of its own prompt", name(sequence)),
        },
        Act::Decode => lang.pick("每个序列生成一个 token", "every sequence generates a token").to_owned(),
        Act::End { sequence } => match lang {
            Lang::Zh => format!("{} 结束", name(sequence)),
            Lang::En => format!("{} ends", name(sequence)),
        },
    };
    let count = |of: fn(&Change) -> bool| frame.changes.iter().filter(|change| of(change)).count();
    let copied = frame.changes.iter().filter_map(|change| match change {
        Change::Copied { sequence, from, to } => Some(match lang {
            Lang::Zh => format!("{} 写入共享的块 {from}：先复制到块 {to}", name(*sequence)),
            Lang::En => format!("{} writes into shared block {from}: copied to block {to} first", name(*sequence)),
        }),
        _ => None,
    });
    let (taken, returned) = (
        count(|change| matches!(change, Change::Taken { .. })),
        count(|change| matches!(change, Change::Returned { .. })),
    );
    let number = |count: usize, zh: &str, en: &str| (count > 0).then(|| format!("{} {count}", lang.pick(zh, en)));
    let parts = std::iter::once(act).chain(copied);
    let parts = parts.chain(number(taken, "新块", "new blocks")).chain(number(returned, "归还的块", "blocks returned"));
    parts.collect::<Vec<_>>().join(" · ")
}

/// What is held, wasted and saved, in GiB and GB.
fn figures(out: &mut Markup, view: &PoolView, bytes: u64, longest: u64, lang: Lang) {
    let reserved = view.reserved(longest);
    let rows = [
        ("held", lang.pick("占用的块", "Blocks in use"), view.held()),
        ("empty", lang.pick("其中没有 token 的槽（尾块浪费）", "Of these without a token (tails)"), view.empty()),
        ("shared", lang.pick("共享省下", "Saved by sharing"), view.shared()),
        ("reserved", lang.pick("不分页、各自预留到最长", "Without pages, each reserved to its longest"), reserved),
        ("saved", lang.pick("分页省下", "Saved by paging"), reserved.saturating_sub(view.held())),
    ];
    let head =
        [("", lang.pick("项", "Line")), ("n", lang.pick("槽（token）", "Slots (tokens)")), ("n", "GiB"), ("n", "GB")];
    headed(out, "peaks", &head, &mut |out| {
        for (id, name, slots) in rows {
            let size = slots.checked_mul(bytes);
            let exact = size.map(|size| format!("{} B", units::group(size))).unwrap_or_default();
            let cell = |unit: u64| size.map_or_else(|| "> 16 EiB".to_owned(), |size| units::decimal(size, unit, 3));
            out.element("tr", &[("class", id)], &mut |out| {
                out.leaf("td", &[], name);
                out.leaf("td", &[("class", "n")], &units::group(slots));
                out.leaf("td", &[("class", "n"), ("title", &exact)], &cell(units::GIB));
                out.leaf("td", &[("class", "n")], &cell(units::GB));
            });
        }
    });
    let used = if view.held() == 0 { 0 } else { (view.held() - view.empty()) * 1000 / view.held() };
    let (each, used) = (units::human_binary(bytes), format!("{}.{}%", used / 10, used % 10));
    let hint = match lang {
        Lang::Zh => format!("每个 token {each}；占用的槽有 {used} 写着 token。"),
        Lang::En => format!("{each} a token; {used} of the slots in use hold a token."),
    };
    out.leaf("p", &[("class", "hint")], &hint);
}

/// The whole course as three lines.
#[component]
fn OverTime(course: Course, bytes: u64, step: RwSignal<u64>, lang: Lang) -> impl IntoView {
    let line = |name: &str, class, slots: &[u64]| Line {
        name: name.to_owned(),
        class,
        bytes: slots.iter().map(|slots| slots.saturating_mul(bytes)).collect::<Arc<[u64]>>(),
    };
    let lines = vec![
        line(lang.pick("不共享时", "Without sharing"), "line-again", &course.unshared),
        line(lang.pick("占用的块", "Blocks in use"), "line-reserved", &course.held),
        line(lang.pick("写着 token", "Slots with a token"), "line-allocated", &course.filled),
    ];
    let title = lang.pick("随步变化", "Over time").to_owned();
    view! { <Lines title along=lang.pick("步", "Step") lines at=step /> }.into_any()
}
