//! The home page: what this is, the road map, and what which evidence can show.

use evidence::Lang;
use leptos::prelude::*;

use super::task_table::TaskTable;
use crate::chart::Roadmap;
use crate::route::Route;

#[component]
pub fn Home(route: Route, lang: Lang) -> impl IntoView {
    let start = route.tasks.first().map(|task| format!("/{}/{}", lang.code(), task.id));
    view! {
        <main id="main" class="wide home">
            <h1>{lang.pick("显存优化：每一个字节都有账", "GPU memory: every byte has an entry")}</h1>
            <p class="lead">
                {lang
                    .pick(
                        "账本预测字节，实验测量字节，报告把两者并排放在一起。从 Task0 开始，按需要走训练或推理分支；结论只认同一工作负载下的证据。",
                        "A ledger predicts bytes, a lab measures them, a report lays both side by side. Start at Task0, then follow training or inference as you need; conclusions stand only on evidence from one fixed workload.",
                    )}
            </p>
            <p class="actions">
                {start.map(|href| view! { <a class="button" href=href>{lang.pick("从 Task0 开始", "Start with Task0")}</a> })}
                <a class="button quiet" href=format!("/{}/tools/inference", lang.code())>
                    {lang.pick("打开推理账本", "Open the inference ledger")}
                </a>
            </p>
            <h2 id="map">{lang.pick("路线图", "Road map")}</h2>
            <Roadmap route=route.clone() lang />
            <ul class="legend">
                <li><i class="line core"></i>{lang.pick("主干（Task0–2）", "common core (Task0–2)")}</li>
                <li><i class="line training"></i>{lang.pick("训练分支", "training branch")}</li>
                <li><i class="line inference"></i>{lang.pick("推理分支", "inference branch")}</li>
                <li><i class="line optional"></i>{lang.pick("虚线：可选（扩展、跨分支）", "dashed: optional (extension, across)")}</li>
            </ul>
            <h2 id="evidence">{lang.pick("CPU 能确认什么，什么非 GPU 不可", "What the CPU can confirm, and what it cannot")}</h2>
            <TaskTable route lang />
        </main>
    }
    .into_any()
}
