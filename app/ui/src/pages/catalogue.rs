//! The models of the catalogue, searchable.

use evidence::Lang;
use ledger::inference::kv_per_token;
use ledger::{Dtype, Model, catalogue, units};
use leptos::prelude::*;

use crate::rows::Rows;
use crate::state::query;

/// Whether every word of a search is in a model's name or family.
pub fn finds(model: &Model, search: &str) -> bool {
    let text = format!("{} {}", model.name, model.family.id()).to_lowercase();
    search.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

/// `search` is what the reader typed; an empty one finds all.
#[component]
pub fn CataloguePage(lang: Lang, search: String) -> impl IntoView {
    let mut found: Vec<&Model> = catalogue::models().iter().filter(|model| finds(model, &search)).collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    let count = match lang {
        Lang::Zh => format!("{} / {} 个模型", found.len(), catalogue::models().len()),
        Lang::En => format!("{} of {} models", found.len(), catalogue::models().len()),
    };
    let none = found.is_empty();
    let rows = found.into_iter().map(|model| view! { <Row model lang /> }).collect_view();
    let base = format!("/{}/tools", lang.code());
    let head = vec![
        ("", lang.pick("模型", "Model")),
        ("", lang.pick("家族", "Family")),
        ("n", lang.pick("参数", "Parameters")),
        ("n", lang.pick("每 token 用到", "Per token")),
        ("n", lang.pick("层", "Layers")),
        ("n", lang.pick("头 / KV 头", "Heads / KV")),
        ("n", lang.pick("BF16 权重", "BF16 weights")),
        ("n", lang.pick("KV / token", "KV / token")),
    ];
    view! {
        <main id="main" class="wide tool">
            <h1>{lang.pick("模型目录", "Models")}</h1>
            <p class="lead">
                {lang
                    .pick(
                        "账本认识的模型，形状取自各自仓库的 config.json。点名字，用在任一账本里。",
                        "The models that the ledgers know, with the shapes of their own config.json. Take one into any ledger.",
                    )}
            </p>
            <form class="row-form" method="get" action=format!("{base}/catalogue") role="search">
                <label>
                    {lang.pick("名字或家族", "Name or family")}
                    <input type="search" name="q" value=search maxlength="80" />
                </label>
                <button class="button quiet" type="submit">
                    {lang.pick("查找", "Search")}
                </button>
                <span role="status">{count}</span>
            </form>
            {none
                .then(|| {
                    view! {
                        <p>
                            {lang.pick("没有找到。", "Nothing found. ")}
                            <a href=format!("{base}/model")>
                                {lang.pick("填出一个模型", "Type a model's numbers in")}
                            </a>
                            {lang.pick("，或把它的 config.json 贴进账本。", ", or paste its config.json into a ledger.")}
                        </p>
                    }
                })}
            <Rows class="entries" head>{rows}</Rows>
        </main>
    }
    .into_any()
}

#[component]
fn Row(model: &'static Model, lang: Lang) -> impl IntoView {
    let number = |value: Result<u64, ledger::LedgerError>| value.map_or_else(|_| "—".to_owned(), units::group);
    let link = |tool: &str, zh: &'static str, en: &'static str| {
        let address = query(&[("model", model.name.clone())]);
        view! {
            <a href=format!("/{}/tools/{tool}{address}", lang.code())>{lang.pick(zh, en)}</a>
            " "
        }
    };
    let weights = ledger::inference::weights(model, Dtype::Bf16).map(|entry| entry.bytes);
    let kv = kv_per_token(model, Dtype::Bf16);
    view! {
        <tr>
            <td>
                {model.name.clone()}
                <p class="into">
                    {link("inference", "推理", "inference")} {link("training", "训练", "training")}
                    {link("parallel", "并行", "parallel")} {link("planner", "规划", "planner")}
                </p>
            </td>
            <td>{model.family.id()}</td>
            <td class="n">{number(model.parameters())}</td>
            <td class="n">{number(model.active_parameters())}</td>
            <td class="n">{model.layers}</td>
            <td class="n">{format!("{} / {}", model.heads, model.kv_heads)}</td>
            <td class="n">{weights.map_or_else(|_| "—".to_owned(), units::gib)}</td>
            <td class="n">{kv.map_or_else(|_| "—".to_owned(), units::human_binary)}</td>
        </tr>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_by_words() {
        let model = catalogue::model("Qwen2.5-0.5B").expect("in the catalogue");
        assert!(finds(model, "qwen 0.5") && finds(model, "") && finds(model, "  QWEN2 "));
        assert!(!finds(model, "qwen 70b"));
    }
}
