//! The model of a calculator.

use evidence::Lang;
use ledger::catalogue;
use leptos::prelude::*;

use super::inputs::Choice;
use super::paste::PasteArea;
use crate::state::{self, ModelSource};

/// The model by name, or by a `config.json` that is pasted, dropped or chosen.
#[component]
pub fn ModelInput(source: RwSignal<ModelSource>, lang: Lang) -> impl IntoView {
    let name = RwSignal::new(source.get_untracked().name);
    let config = RwSignal::new(source.get_untracked().config);
    let open = !config.get_untracked().is_empty();
    Effect::new(move |_| {
        let next = ModelSource { name: name.get(), config: config.get() };
        if source.get_untracked() != next {
            source.set(next);
        }
    });
    // What an unknown family's file has in common with the others is filled in already.
    let form = move || format!("/{}/tools/model{}", lang.code(), state::query(&state::shape_of(&config.get())));
    let mut options: Vec<(String, String)> =
        catalogue::models().iter().map(|entry| (entry.name.clone(), entry.name.clone())).collect();
    options.sort();
    view! {
        <Choice name="model" label=lang.pick("模型", "Model") options value=name />
        <details class="config" open=open>
            <summary>{lang.pick("用自己的 config.json", "Use your own config.json")}</summary>
            <p>
                <a href=format!("/{}/tools/catalogue", lang.code())>
                    {lang.pick("查目录", "Search the catalogue")}
                </a>
                " · "
                <a href=form>{lang.pick("没有 config.json：填数字", "No config.json: type the numbers in")}</a>
            </p>
            <PasteArea
                name="config"
                rows="5"
                label="config.json"
                placeholder=lang
                    .pick(
                        "粘贴 config.json，或把文件拖到这里；清空就回到上面的模型",
                        "Paste config.json or drop the file here; empty it to return to the model above",
                    )
                accept=".json,application/json"
                file=lang.pick("config.json 文件", "File of config.json")
                value=config
                then=Callback::new(move |text| config.set(text))
            />
        </details>
    }
}
