//! The audit log of a class: who did what, to whom, and when.

use evidence::Lang;
use leptos::prelude::*;

use super::back::Back;
use crate::pages::account::When;
use crate::rows::Rows;

#[derive(Debug, Clone)]
pub struct AuditLine {
    pub at: String,
    pub actor: String,
    /// In the reader's language.
    pub action: String,
    pub subject: String,
    /// Names and values.
    pub detail: Vec<(String, String)>,
}

#[component]
pub fn AuditPage(
    lang: Lang,
    class: String,
    name: String,
    lines: Vec<AuditLine>,
    /// The last entry of this page, where older ones follow.
    older: Option<String>,
    /// This is not the first page.
    later: bool,
) -> impl IntoView {
    let at = format!("/{}/class/{class}/audit", lang.code());
    let empty = lines.is_empty();
    let head = [
        ("", lang.pick("时间", "When")),
        ("", lang.pick("谁", "Who")),
        ("", lang.pick("做了什么", "What")),
        ("", lang.pick("对象", "Subject")),
        ("", lang.pick("细节", "Detail")),
    ];
    let rows = lines
        .into_iter()
        .map(|line| {
            let detail = line
                .detail
                .into_iter()
                .map(|(name, value)| view! { <div><small>{name} ": "</small> <bdi>{value}</bdi></div> })
                .collect_view();
            view! {
                <tr>
                    <td data-label=head[0].1>
                        <When iso=line.at />
                    </td>
                    <td data-label=head[1].1><bdi>{line.actor}</bdi></td>
                    <td data-label=head[2].1>{line.action}</td>
                    <td data-label=head[3].1><bdi>{line.subject}</bdi></td>
                    <td data-label=head[4].1 class="detail">{detail}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <main id="main" class="wide">
            <Back lang class name />
            <h1>{lang.pick("操作记录", "Audit log")}</h1>
            {if empty {
                view! { <p class="empty">{lang.pick("没有记录。", "No entries.")}</p> }.into_any()
            } else {
                view! { <Rows class="audit stacked" head=head.to_vec()>{rows}</Rows> }.into_any()
            }}
            <p class="actions">
                {later.then(|| view! { <a class="button quiet" href=at.clone()>{lang.pick("回到最新", "Newest")}</a> })}
                {older
                    .map(|id| {
                        view! {
                            <a class="button quiet" href=format!("{at}?before={id}") rel="next">
                                {lang.pick("更早的", "Older")}
                            </a>
                        }
                    })}
            </p>
        </main>
    }
    .into_any()
}
