//! The calculators on pages of their own.

use evidence::Lang;
use leptos::prelude::*;

use super::presets::Presets;
use crate::Client;
use crate::islands::{KvPaging, Quantisation, ToolForm};
use crate::route::PageRef;
use crate::state::{PagingState, QuantisationState, pick};
use crate::tools::{self, Tool};

/// Pages with an island of their own: place, title and lead in both languages.
const OWN: [(&str, [&str; 2], [&str; 2]); 6] = [
    (
        "kv",
        ["KV Cache 与分页", "KV cache and paging"],
        [
            "一步一步看块表：共享前缀、写时复制、尾块浪费，比各自预留到最长省多少。",
            "The block table step by step: a shared prefix, copy-on-write, the waste of the tails, and what it saves over reserving to the longest.",
        ],
    ),
    (
        "allocator",
        ["缓存分配器", "Caching allocator"],
        [
            "一步一步看 PyTorch 的缓存分配器：取整、切块、合并，保留为什么比分配多。",
            "PyTorch's caching allocator step by step: rounding, splitting, merging, and why more is reserved than allocated.",
        ],
    ),
    (
        "quantisation",
        ["量化误差与离群值", "Quantisation error and outliers"],
        [
            "同一个张量用不同的码和粒度量化：误差有多大，离群通道又毁掉多少。也可以粘贴自己的张量。",
            "One tensor, several codes and granularities: how large the error is, and what an outlier channel does to it. Paste your own.",
        ],
    ),
    (
        "budget",
        ["显存预算网格", "Budget grid"],
        [
            "把一份 76 或 75 报告放进一格格预算里重新判断：结论稳不稳，哪条线翻转它。",
            "A 76 or 75 report decided again under a grid of budgets: whether the decision is stable, and which limit flips it.",
        ],
    ),
    (
        "catalogue",
        ["模型目录", "Models"],
        ["账本认识的模型与形状，可以查找。", "The models that the ledgers know, their shapes, and a search."],
    ),
    (
        "drill",
        ["显存直觉练习", "Intuition drill"],
        [
            "一道真实的题，60 秒心算，误差 20 % 以内通过；答错的主题按间隔再问。",
            "A realistic question, a minute in the head, 20 % to pass; what went wrong is asked again at growing intervals.",
        ],
    ),
];

/// The list of calculators, and of the pages beside them.
#[component]
pub fn ToolsPage(lang: Lang, pages: Vec<PageRef>) -> impl IntoView {
    let base = format!("/{}/tools", lang.code());
    let (large, small): (Vec<&Tool>, Vec<&Tool>) = tools::all().iter().partition(|tool| tool.client == Client::Planner);
    let own = |(id, title, lead): &(&str, [&'static str; 2], [&'static str; 2])| {
        let (title, lead) = (lang.pick(title[0], title[1]).to_owned(), lang.pick(lead[0], lead[1]).to_owned());
        view! { <Entry href=format!("{base}/{id}") title lead /> }
    };
    let listed = |tool: &'static Tool| {
        let (title, lead) = (pick(&tool.title, lang), pick(&tool.lead, lang));
        view! { <Entry href=format!("/{}/tools/{}", lang.code(), tool.id) title lead /> }
    };
    let pages = pages
        .into_iter()
        .map(|page| {
            let (title, lead) = (page.title.get(lang).to_owned(), page.lead.get(lang).to_owned());
            view! { <Entry href=format!("/{}/{}", lang.code(), page.path) title lead /> }
        })
        .collect_view();
    view! {
        <main id="main" class="wide">
            <h1>{lang.pick("账本", "Ledgers")}</h1>
            <p class="lead">
                {lang
                    .pick(
                        "先预测，再测量。每一行都带着填好数字的公式；状态就在链接里，可以直接发给别人。",
                        "Predict first, then measure. Every line carries its formula with the numbers filled in; the state lives in the link, ready to share.",
                    )}
            </p>
            <ul class="tool-list large">
                {large.into_iter().map(listed).collect_view()}
                {OWN.iter().map(own).collect_view()}
            </ul>
            <h2>{lang.pick("小计算器", "Small calculators")}</h2>
            <ul class="tool-list">{small.into_iter().map(listed).collect_view()}</ul>
            <h2>{lang.pick("对照与勘误", "Beside the ledgers")}</h2>
            <ul class="tool-list">{pages}</ul>
        </main>
    }
    .into_any()
}

#[component]
fn Entry(href: String, title: String, lead: String) -> impl IntoView {
    view! {
        <li>
            <a href=href>{title}</a>
            <p>{lead}</p>
        </li>
    }
    .into_any()
}

/// A calculator of the catalogue of tools, with the inputs that the address brings.
#[component]
pub fn ToolPage(lang: Lang, tool: &'static Tool, pairs: Vec<(String, String)>) -> impl IntoView {
    let lesson = tool.lesson.as_ref().map(|(path, title)| {
        view! {
            <p class="hint">
                {lang.pick("怎么读这张表：", "How to read this: ")}
                <a href=format!("/{}/{path}", lang.code())>{pick(title, lang)}</a>
            </p>
        }
    });
    view! {
        <main id="main" class="wide tool">
            <h1>{pick(&tool.title, lang)}</h1>
            <p class="lead">{pick(&tool.lead, lang)}</p>
            <Presets tool=tool.id lang />
            <ToolForm id=tool.id.to_owned() pairs lang embedded=false />
            {lesson}
        </main>
    }
    .into_any()
}

#[component]
pub fn PagingPage(lang: Lang, state: PagingState) -> impl IntoView {
    view! {
        <main id="main" class="wide tool">
            <h1>{lang.pick("KV Cache 与分页", "KV cache and paging")}</h1>
            <p class="lead">
                {lang
                    .pick(
                        "几个请求共享一段前缀，再各走各的：每一步看物理块归谁、引用几次，谁写入时要复制，尾块空着多少。",
                        "Requests share a prefix and then part: at every step, whose each physical block is, how often it is named, who must copy before writing, and what stays empty.",
                    )}
            </p>
            <Presets tool="kv" lang />
            <KvPaging state lang embedded=false />
            <p class="hint">
                {lang.pick("规则取自 PagedAttention 论文（SOSP 2023，§4.2–4.4）与 vLLM 的块池。", "Rules of the PagedAttention paper (SOSP 2023, §4.2–4.4) and of vLLM's block pool.")}
                " "
                <a href=format!("/{}/tools/serving", lang.code())>
                    {lang.pick("一张卡放得下多少块", "How many blocks fit a card")}
                </a>
                " · "
                <a href=format!("/{}/task4/kv-cache", lang.code())>
                    {lang.pick("推理 KV Cache 与显存预算", "KV cache and memory budget")}
                </a>
            </p>
        </main>
    }
    .into_any()
}

#[component]
pub fn QuantisationPage(lang: Lang, state: QuantisationState) -> impl IntoView {
    view! {
        <main id="main" class="wide tool">
            <h1>{lang.pick("量化误差与离群值", "Quantisation error and outliers")}</h1>
            <p class="lead">
                {lang
                    .pick(
                        "一个尺度要照顾到组里最大的数。拖动离群倍数，看其余的数还剩几个取值；再换一种粒度，看代价是多少字节。",
                        "A scale must reach the largest number of its group. Move the outlier and see how few values are left for the rest; then change the granularity and see what that costs in bytes.",
                    )}
            </p>
            <Presets tool="quantisation" lang />
            <Quantisation state lang embedded=false />
            <p class="hint">
                {lang.pick("背景：", "Background: ")}
                <a href=format!("/{}/task5", lang.code())>
                    {lang.pick("Task5：量化作为显存工具", "Task5: quantisation as a memory tool")}
                </a>
            </p>
        </main>
    }
    .into_any()
}
