//! Writing a kernel: the text, what is asked of it, and what became of the last one.

use evidence::{Lang, LearnerCode};
use leptos::prelude::*;

use super::kernel_resources::Resources;
use crate::html;

/// What the page shows of an exercise.
#[derive(Debug, Clone)]
pub struct KernelFacts {
    pub lab: String,
    pub lab_title: String,
    pub kernel: String,
    /// What is asked.
    pub text: String,
    /// `cuda` or `wgsl`
    pub language: &'static str,
    /// Those that the exercise can be written in.
    pub languages: Vec<&'static str>,
    /// What the field holds.
    pub source: String,
    /// It is not what the exercise starts with.
    pub changed: bool,
    pub bytes: usize,
    pub outcome: Option<KernelOutcome>,
    /// Why nothing was sent, in the reader's language.
    pub problem: Option<String>,
    /// Addresses of the editor's script and style.
    pub editor: (String, String),
}

/// What became of a kernel that was sent.
#[derive(Debug, Clone)]
pub struct KernelOutcome {
    pub job: String,
    /// `queued`, `running`, `graded`, `failed` or `cancelled`
    pub state: String,
    pub report: Option<String>,
    /// What the compiler or the checks said.
    pub message: Option<String>,
    /// Of the report, when it is there.
    pub code: Option<LearnerCode>,
}

impl KernelOutcome {
    /// The compilers' messages, in which lines of the text are named.
    fn said(&self) -> String {
        let refused = self.code.as_ref().and_then(|code| code.resources.as_ref()?.refused.as_deref());
        [self.message.as_deref(), refused].into_iter().flatten().collect::<Vec<_>>().join("\n")
    }
}

/// Lines of the text that a compiler's message names, from 1, each once.
pub fn named_lines(message: &str) -> Vec<usize> {
    let named = |file: &str| {
        let places = message.match_indices(file).map(|(at, name)| at + name.len());
        places.filter_map(|at| message.get(at..)?.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()).collect()
    };
    let mut lines: Vec<usize> =
        ["kernel.cu:", "kernel.wgsl:"].into_iter().flat_map(|file| -> Vec<usize> { named(file) }).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// Name of a language, and where a kernel written in it runs.
fn language(id: &str, lang: Lang) -> (&'static str, &'static str) {
    match id {
        "wgsl" => (
            "WGSL",
            lang.pick(
                "在 runner 的显卡上运行；没有显卡时由处理器代算",
                "runs on the runner's graphics card, or on the processor in its place",
            ),
        ),
        _ => ("CUDA C++", lang.pick("在处理器上运行", "runs on the processor")),
    }
}

#[component]
pub fn KernelPage(lang: Lang, facts: KernelFacts) -> impl IntoView {
    let at = format!("/{}/labs/{}", lang.code(), facts.lab);
    let message = facts.outcome.as_ref().map(KernelOutcome::said).unwrap_or_default();
    let marked = named_lines(&message).iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    let (script, style) = facts.editor;
    let rows = facts.source.lines().count().clamp(12, 40) + 2;
    let (name, place) = language(facts.language, lang);
    let limit = match lang {
        Lang::Zh => {
            format!("{name}，{place}，最多 {} KiB。Tab 缩进；先按 Esc 再按 Tab 离开编辑区。", facts.bytes / 1024)
        }
        Lang::En => {
            format!(
                "{name}, {place}; at most {} KiB. Tab indents; Esc, then Tab leaves the editor.",
                facts.bytes / 1024
            )
        }
    };
    let languages = facts
        .languages
        .iter()
        .map(|id| {
            let current = (*id == facts.language).then_some("page");
            view! { <a href=format!("{at}/kernel?language={id}") aria-current=current>{language(id, lang).0}</a> }
        })
        .collect_view();
    let several = facts.languages.len() > 1;
    view! {
        <main id="main" class="wide">
            <p class="hint">
                <a href=at.clone()>"← " {facts.lab_title}</a>
            </p>
            <h1>{lang.pick("写一个核", "Write a kernel")} " " <small class="hint"><code>{facts.kernel}</code></small></h1>
            <p class="lead">{facts.text}</p>
            {facts.problem.map(|problem| view! { <p class="problem" role="alert">{problem}</p> })}
            {facts
                .outcome
                .map(|outcome| {
                    let code = outcome.code.clone();
                    view! {
                        <Outcome lang outcome />
                        {code.map(|code| view! { <Resources lang code /> })}
                    }
                })}
            {several
                .then(|| view! { <nav class="tabs" aria-label=lang.pick("语言", "Language")>{languages}</nav> })}
            <form method="post" action=format!("{at}/kernel") class="kernel">
                <input type="hidden" name="language" value=facts.language />
                <label for="kernel">{lang.pick("核的源代码", "The kernel's source")}</label>
                <textarea
                    id="kernel"
                    name="kernel"
                    rows=rows.to_string()
                    spellcheck="false"
                    autocomplete="off"
                    aria-describedby="kernel-hint"
                    data-script=script
                    data-style=style
                    data-lines=marked
                    data-language=facts.language
                    inner_html=html::textarea(&facts.source)
                ></textarea>
                <p class="hint" id="kernel-hint">{limit}</p>
                <p class="actions">
                    <button class="button" type="submit">{lang.pick("▶ 编译并检查", "▶ Compile and check")}</button>
                    <button class="button quiet" type="reset">{lang.pick("撤销改动", "Undo changes")}</button>
                    {facts
                        .changed
                        .then(|| {
                            view! {
                                <a class="button quiet" href=format!("{at}/kernel?language={}&fresh=1", facts.language)>
                                    {lang.pick("回到起始代码", "Start afresh")}
                                </a>
                            }
                        })}
                </p>
            </form>
        </main>
    }
    .into_any()
}

#[component]
fn Outcome(lang: Lang, outcome: KernelOutcome) -> impl IntoView {
    let job = format!("/{}/jobs/{}", lang.code(), outcome.job);
    let (class, word) = match outcome.state.as_str() {
        "queued" | "running" => ("badge theory", lang.pick("◷ 还在运行", "◷ still running")),
        "graded" => ("badge ok", lang.pick("✓ 已检查", "✓ checked")),
        "failed" => ("badge bad", lang.pick("✕ 没有通过", "✕ did not pass")),
        _ => ("badge theory", lang.pick("已取消", "cancelled")),
    };
    view! {
        <section class="card kernel-outcome" aria-label=lang.pick("上一次的结果", "The last result")>
            <header>
                <b>{lang.pick("上一次", "Last time")}</b>
                <span>
                    <a href=job>{lang.pick("运行", "the run")}</a>
                </span>
            </header>
            <div class="body">
                <p>
                    <span class=class>{word}</span>
                    " "
                    {outcome
                        .report
                        .map(|id| {
                            let href = format!("/{}/reports/{id}", lang.code());
                            view! { <a href=href>{lang.pick("看报告与评分", "Report and grade")}</a> }
                        })}
                </p>
                {outcome.message.map(|message| view! { <pre class="said" tabindex="0">{message}</pre> })}
            </div>
        </section>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::named_lines;

    #[test]
    fn lines_are_those_of_the_learners_file_alone() {
        let message = "kernel.cu:12:5: error: expected ';'\nkernel.cu:3:1: note: here\nkernel.cu:12:9: error\nfile.h:7: no\nkernel.cu: x";
        assert_eq!(named_lines(message), [3, 12]);
        assert_eq!(named_lines("   ┌─ kernel.wgsl:21:15\n21 │"), [21]);
        assert_eq!(named_lines("kernel.cu:99999999999999999999999: no"), [] as [usize; 0]);
    }
}
