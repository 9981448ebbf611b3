//! The word list in both languages.

use evidence::Lang;

/// A memory object by its id.
pub fn object(id: &str, lang: Lang) -> Option<&'static str> {
    Some(match id {
        "parameter" => lang.pick("参数", "Parameters"),
        "gradient" => lang.pick("梯度", "Gradients"),
        "optimizer_state" => lang.pick("优化器状态", "Optimizer state"),
        "optimizer_temporary" => lang.pick("优化器临时量", "Optimizer temporary"),
        "activation" => lang.pick("激活", "Activations"),
        "logits" => lang.pick("logits", "Logits"),
        "temporary" => lang.pick("临时量", "Temporary"),
        "kv_cache" => lang.pick("KV Cache", "KV cache"),
        "buffer" => lang.pick("缓冲", "Buffer"),
        "communication" => lang.pick("通信", "Communication"),
        "context" => lang.pick("CUDA 上下文", "CUDA context"),
        _ => return None,
    })
}

/// A phase by its id.
pub fn phase(id: &str, lang: Lang) -> &'static str {
    match id {
        "load" => lang.pick("加载", "load"),
        "forward" => lang.pick("前向", "forward"),
        "backward" => lang.pick("反向", "backward"),
        "step" => "step",
        "prefill" => "prefill",
        "decode" => "decode",
        _ => "",
    }
}

/// The CSS class of an object's colour: the same in every chart, table and legend.
pub fn object_class(id: &str) -> String {
    format!("o-{}", id.replace('_', "-"))
}

/// A part of a ledger by its slug; one without a name of its own carries its object's.
pub fn part(slug: &str, object_id: &str, lang: Lang) -> String {
    match ledger::part_name(slug) {
        Some(name) => lang.pick(&name.zh, &name.en).to_owned(),
        None => {
            let object = object(object_id, lang).unwrap_or(object_id);
            format!("{object} · {}", slug.replace('_', " "))
        }
    }
}

/// A format with its bytes.
pub fn dtype(dtype: ledger::Dtype) -> String {
    format!("{} · {} bit", dtype.id().to_uppercase(), dtype.bits())
}

/// The cards of the catalogue: id and name with capacity.
pub fn cards() -> Vec<(String, String)> {
    ledger::catalogue::cards()
        .iter()
        .map(|card| {
            let text = format!("{} · {}", card.name, ledger::units::gib(card.capacity_bytes));
            (card.id.to_string(), text)
        })
        .collect()
}

/// The choices of the training calculator: id and name.
pub fn precisions(lang: Lang) -> Vec<(String, String)> {
    let all = ledger::training::Precision::ALL.iter();
    all.map(|choice| named(choice.id(), &choice.name(), lang)).collect()
}

pub fn optimizers(lang: Lang) -> Vec<(String, String)> {
    let all = ledger::training::Optimizer::ALL.iter();
    all.map(|choice| named(choice.id(), &choice.name(), lang)).collect()
}

pub fn checkpointings(lang: Lang) -> Vec<(String, String)> {
    let all = ledger::training::Checkpointing::ALL.iter();
    all.map(|choice| named(choice.id(), &choice.name(), lang)).collect()
}

fn named(id: &str, name: &ledger::Text, lang: Lang) -> (String, String) {
    (id.to_owned(), lang.pick(&name.zh, &name.en).to_owned())
}

/// Why a ledger cannot be computed.
pub fn ledger_error(error: &ledger::LedgerError, lang: Lang) -> String {
    use ledger::LedgerError;
    match (lang, error) {
        (Lang::En, error) => error.to_string(),
        (Lang::Zh, LedgerError::Overflow { what, formula }) => {
            format!("{what}：{formula} 超过 2⁶⁴ − 1 字节，请缩小输入。")
        }
        (Lang::Zh, LedgerError::Zero { field }) => format!("{field} 为 0：至少要是 1。"),
        (Lang::Zh, LedgerError::Contradiction { field, value, other, other_value, why }) => {
            format!("{field} = {value} 与 {other} = {other_value} 矛盾：{why}")
        }
        (Lang::Zh, LedgerError::BeyondPositions { seq, positions }) => {
            format!("序列 {seq} 超过模型的位置表 {positions}。")
        }
        #[allow(unreachable_patterns)]
        (Lang::Zh, other) => other.to_string(),
    }
}

/// A class of evidence with its shape: ■ CPU, ◆ GPU.
pub fn class(class: evidence::EvidenceClass, lang: Lang) -> &'static str {
    use evidence::EvidenceClass::{Cpu, Gpu, Theory, Unproven};
    match class {
        Cpu => lang.pick("■ CPU 证据", "■ CPU evidence"),
        Gpu => lang.pick("◆ GPU 证据", "◆ GPU evidence"),
        Theory => lang.pick("┄ 理论", "┄ theory"),
        Unproven => lang.pick("○ 未证实", "○ unproven"),
    }
}

/// The CSS class of a class of evidence.
pub fn class_badge(class: evidence::EvidenceClass) -> &'static str {
    use evidence::EvidenceClass::{Cpu, Gpu, Theory, Unproven};
    match class {
        Cpu => "badge cpu",
        Gpu => "badge gpu",
        Theory | Unproven => "badge theory",
    }
}

/// How a report came.
pub fn origin(id: &str, lang: Lang) -> &'static str {
    match id {
        "runner" => lang.pick("✎ runner 签名", "✎ signed by a runner"),
        "browser" => lang.pick("⌂ 浏览器运行", "⌂ run in the browser"),
        _ => lang.pick("⇪ 自行上传", "⇪ self-reported upload"),
    }
}

/// An evidence level.
pub fn level(id: &str, lang: Lang) -> String {
    match id {
        "theoretical" => lang.pick("理论推算", "theoretical").to_owned(),
        "cpu_simulation" => lang.pick("CPU 模拟", "CPU simulation").to_owned(),
        "cpu_benchmark" => lang.pick("CPU 实测", "CPU benchmark").to_owned(),
        "preflight" => lang.pick("环境预检", "preflight").to_owned(),
        "gpu_smoke" => lang.pick("GPU 冒烟测试", "GPU smoke run").to_owned(),
        "gpu_benchmark" => lang.pick("GPU 实测", "GPU benchmark").to_owned(),
        "serving_backend" => lang.pick("推理后端", "serving backend").to_owned(),
        "profiler_trace" => lang.pick("profiler trace", "profiler trace").to_owned(),
        "multi_gpu" => lang.pick("多卡", "several GPUs").to_owned(),
        other => other.replace('_', " "),
    }
}

/// A decision with its sign.
pub fn decision(word: &str, lang: Lang) -> String {
    match word {
        "accept" => lang.pick("✓ accept 采纳", "✓ accept").to_owned(),
        "tune" => lang.pick("≈ tune 再调", "≈ tune").to_owned(),
        "reject" => lang.pick("✕ reject 放弃", "✕ reject").to_owned(),
        other => other.to_owned(),
    }
}
