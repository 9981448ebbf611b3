//! Questions worth asking, as links into the calculators.

use evidence::Lang;
use leptos::prelude::*;

use crate::state::query;

type Preset = (&'static str, &'static str, &'static str, &'static [(&'static str, &'static str)]);

/// The calculator, the question in both languages, and what its form is filled with.
const PRESETS: &[Preset] = &[
    ("inference", "24 GB 的卡放得下 8B 吗", "An 8B model on a 24 GB card", &[("card", "rtx4090"), ("batch", "1")]),
    (
        "inference",
        "KV 换成 FP8 省多少",
        "What an FP8 cache saves",
        &[("batch", "32"), ("seq", "16384"), ("vs", "kv"), ("to", "fp8")],
    ),
    (
        "inference",
        "MLA 对 GQA：DeepSeek-V3 的 KV",
        "Latent attention: the cache of DeepSeek-V3",
        &[("model", "DeepSeek-V3"), ("weights", "fp8"), ("batch", "64"), ("seq", "32768")],
    ),
    (
        "training",
        "checkpoint 压得下峰值吗",
        "Does checkpointing lower the peak?",
        &[("vs", "checkpointing"), ("to", "every_layer")],
    ),
    (
        "training",
        "长序列：峰值换到哪里",
        "A long sequence: where does the peak go?",
        &[("precision", "amp_bf16"), ("optimizer", "adamw_fused"), ("seq", "8192"), ("card", "rtx4090")],
    ),
    (
        "training",
        "8B 的 QLoRA 放进 24 GB",
        "QLoRA of an 8B model in 24 GB",
        &[
            ("model", "Llama-3-8B"),
            ("method", "qlora"),
            ("precision", "pure_bf16"),
            ("optimizer", "paged_adamw_8bit"),
            ("seq", "2048"),
            ("checkpointing", "every_layer"),
            ("card", "rtx4090"),
        ],
    ),
    (
        "parallel",
        "只开 ZeRO-3，不切张量",
        "ZeRO-3 alone, no tensor ranks",
        &[("data", "64"), ("tensor", "1"), ("sequence", "off"), ("pipeline", "1"), ("zero", "3")],
    ),
    ("parallel", "ZeRO-1 换成 ZeRO-3", "ZeRO-3 instead of ZeRO-1", &[("data", "8"), ("vs", "zero"), ("to", "3")]),
    (
        "parallel",
        "Mixtral 的专家并行",
        "Expert ranks of Mixtral",
        &[
            ("model", "Mixtral-8x7B-v0.1"),
            ("data", "8"),
            ("tensor", "1"),
            ("sequence", "off"),
            ("pipeline", "1"),
            ("expert", "8"),
        ],
    ),
    (
        "serving",
        "70B 的 AWQ 放进一张 80 GB",
        "A 70B model in AWQ on one 80 GB card",
        &[("model", "Llama-3-70B"), ("weights", "awq_4_128")],
    ),
    (
        "planner",
        "16 张卡训练 70B",
        "Train a 70B model on 16 cards",
        &[("model", "Llama-3-70B"), ("count", "16"), ("batch", "256")],
    ),
    ("planner-serve", "4 张卡、128 个并发", "128 requests on 4 cards", &[("count", "4"), ("concurrency", "128")]),
    ("decide", "4090 上微调 8B", "Fine-tune an 8B model on an RTX 4090", &[("task", "train")]),
    (
        "kv",
        "八个请求共享 512 个 token 的前缀",
        "Eight requests share a prefix of 512 tokens",
        &[("sequences", "8"), ("prefix", "512")],
    ),
    (
        "kv",
        "块越大，尾块浪费越多",
        "Larger blocks waste more at the end",
        &[("block", "128"), ("sequences", "8"), ("prefix", "0")],
    ),
    ("allocator", "同一段脚本，可扩展段", "The same script with expandable segments", &[("expandable", "on")]),
    ("allocator", "大块不许切开", "Large blocks stay whole", &[("max_split_mib", "8")]),
    (
        "quantisation",
        "离群通道：换成每通道的尺度",
        "An outlier channel: a scale for each channel",
        &[("granularity", "channel"), ("factor", "50")],
    ),
    ("quantisation", "没有离群值时的 INT8", "INT8 without an outlier", &[("factor", "1")]),
    ("offload", "传输藏在计算后面", "Copies hidden behind the computation", &[("hidden", "0.9")]),
    ("roofline", "只有一行的 GEMM", "A GEMM of a single row", &[("m", "1")]),
    ("roofline", "128 条序列的解码注意力", "Decode attention of 128 sequences", &[("batch", "128")]),
    ("flash", "128 × 128 的瓦片放得下吗", "Does a tile of 128 × 128 fit?", &[("key_rows", "128"), ("stages", "2")]),
    ("flash", "100 KiB 的共享内存", "100 KiB of shared memory", &[("shared_kib", "100")]),
    ("checkpoint", "96 层", "96 layers", &[("layers", "96")]),
    ("checkpoint", "一段到底", "One segment for all", &[("segments", "1")]),
];

/// Links that fill a calculator.
#[component]
pub fn Presets(tool: &'static str, lang: Lang) -> impl IntoView {
    let own = PRESETS.iter().filter(|(id, _, _, _)| *id == tool);
    let links = own
        .map(|(_, zh, en, fields)| {
            let fields: Vec<(&str, String)> = fields.iter().map(|(key, value)| (*key, (*value).to_owned())).collect();
            let href = format!("/{}/tools/{tool}{}", lang.code(), query(&fields));
            view! { <a href=href>{lang.pick(zh, en)}</a> }
        })
        .collect::<Vec<_>>();
    (!links.is_empty()).then(|| view! { <p class="presets">{lang.pick("试一试：", "Try: ")} {links}</p> }).into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{AllocatorState, PagingState, Problem, QuantisationState};
    use crate::tools::{find, split_change};

    /// What is wrong with the fields of a story.
    fn story_problems(story: &str, pairs: &[(String, String)]) -> Vec<Problem> {
        match story {
            "kv" => PagingState::from_pairs(pairs).problems,
            "allocator" => AllocatorState::from_pairs(pairs).problems,
            "quantisation" => QuantisationState::from_pairs(pairs).problems,
            _ => panic!("{story}"),
        }
    }

    #[test]
    fn every_preset_has_an_answer() {
        for (tool, _, en, fields) in PRESETS {
            let pairs: Vec<(String, String)> =
                fields.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
            let Some(tool) = find(tool) else {
                assert_eq!(story_problems(tool, &pairs), Vec::new(), "{en}");
                continue;
            };
            let (pairs, change) = split_change(pairs);
            tool.check(&pairs).unwrap_or_else(|why| panic!("{en}: {}", why.en));
            if let Some((input, to)) = change {
                assert!(tool.compares, "{en}");
                let pairs = tool.changed(&pairs, &input, &to).unwrap_or_else(|| panic!("{en}"));
                tool.run(&pairs).unwrap_or_else(|why| panic!("{en}: {}", why.en));
            }
        }
    }
}
