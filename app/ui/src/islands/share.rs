//! The state of a calculator as a link.

use std::time::Duration;

use evidence::Lang;
use leptos::prelude::*;

use super::browser;
use crate::block::{Block, Format};

/// How long a hand may rest before the address follows; browsers refuse more than a few changes a second.
const REST: Duration = Duration::from_millis(250);

/// Keeps the page's address equal to the state.
pub fn keep_in_url(address: Memo<String>) {
    Effect::new(move |before: Option<(String, Option<TimeoutHandle>)>| {
        let next = address.get();
        let Some((last, waiting)) = before else { return (next, None) };
        if let Some(waiting) = waiting {
            waiting.clear();
        }
        let timer = (last != next)
            .then(|| {
                let next = next.clone();
                set_timeout_with_handle(move || browser::replace_query(&next), REST).ok()
            })
            .flatten();
        (next, timer)
    });
}

/// A link to this state that can be copied.
#[component]
pub fn Share(address: Memo<String>, lang: Lang) -> impl IntoView {
    let copied = RwSignal::new(false);
    view! {
        <span class="tools">
            <a class="share" href=move || address.get()>
                {lang.pick("链接", "Link")}
            </a>
            <button
                type="button"
                class="js-only"
                on:click=move |_| {
                    browser::copy(browser::link_here(&address.get_untracked()));
                    copied.set(true);
                }
            >
                {move || if copied.get() { lang.pick("已复制", "Copied") } else { lang.pick("复制链接", "Copy link") }}
            </button>
        </span>
    }
}

/// The tables of this island as text. What they hold changes with the hand, so they are read from the page.
#[component]
pub fn CopyTables(lang: Lang) -> impl IntoView {
    let copied = RwSignal::new(None::<Format>);
    let one = move |format: Format| {
        let copy = move |event: leptos::ev::MouseEvent| {
            browser::copy(written(&browser::tables(&event), format));
            copied.set(Some(format));
        };
        view! {
            <button type="button" class="button quiet" on:click=copy>
                {format.name()}
            </button>
        }
    };
    view! {
        <p class="copy-as js-only">
            {lang.pick("把表格复制为", "Copy the tables as")} {Format::ALL.map(one).to_vec().collect_view()}
            <span role="status">{move || copied_words(copied.get(), lang)}</span>
        </p>
    }
    .into_any()
}

/// Says that a text was copied.
pub fn copied_words(format: Option<Format>, lang: Lang) -> Option<String> {
    format.map(|format| format!("✓ {} {}", format.name(), lang.pick("已复制", "copied")))
}

/// Tables, the first row of each its head.
fn written(tables: &[Vec<Vec<String>>], format: Format) -> String {
    let blocks = tables.iter().filter_map(|rows| {
        let (head, rows) = rows.split_first()?;
        Some(Block { title: String::new(), head: head.clone(), rows: rows.to_vec() })
    });
    match format {
        Format::Markdown => blocks.map(|block| block.markdown()).collect::<Vec<_>>().join("\n"),
        Format::Csv => blocks.map(|block| block.csv()).collect::<Vec<_>>().join("\n"),
        Format::Json => serde_json::to_string(tables).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_become_text() {
        let tables = [vec![vec!["a|b".to_owned(), "c".to_owned()], vec!["1,2".to_owned(), "3".to_owned()]]];
        assert_eq!(written(&tables, Format::Markdown), "| a\\|b | c |\n|---|---|\n| 1,2 | 3 |\n");
        assert_eq!(written(&tables, Format::Csv), "a|b,c\r\n\"1,2\",3\r\n");
        assert_eq!(written(&tables, Format::Json), r#"[[["a|b","c"],["1,2","3"]]]"#);
    }
}
