//! A model by its numbers, for a family that the importer does not know: the answer is a `config.json` that every
//! calculator takes.

use ledger::calculators::Input;
use ledger::{Dtype, Model, Text, inference, units};
use serde_json::{Value, json};

use super::answer::{Answer, File, Table, bytes, figure, plain};
use super::inputs::{choice, whole};
use super::{Pairs, Tool};
use crate::Client;
use crate::state::parallel::SWITCH;
use crate::state::reader::Reader;
use crate::state::{self, query};

const WIDTH: (u64, u64) = (1, 1 << 20);
const COUNT: (u64, u64) = (1, 4096);
const EXPERTS: (u64, u64) = (0, 4096);
const VOCAB: (u64, u64) = (1, 1 << 24);
const POSITIONS: (u64, u64) = (1, 1 << 26);

pub fn tool() -> Tool {
    Tool {
        id: "model",
        title: Text::new("填出一个模型", "A model by its numbers"),
        lead: Text::new(
            "目录和导入器都不认识的模型：填层数、宽度、头数，得到参数量和一份所有账本都能用的 config.json。",
            "A model that neither catalogue nor importer knows: type layers, widths and heads in, and take its parameters and a config.json that every ledger reads.",
        ),
        client: Client::Planner,
        model: None,
        inputs: inputs(),
        in_front: usize::MAX,
        matters: |_, _| true,
        compares: false,
        lesson: None,
        run: Box::new(run),
    }
}

fn yes_no(on: &bool) -> Text {
    if *on { Text::new("是", "Yes") } else { Text::new("否", "No") }
}

fn inputs() -> Vec<Input> {
    vec![
        whole("layers", "层数", "Layers", 32, COUNT),
        whole("hidden", "隐藏维", "Hidden size", 4096, WIDTH),
        whole("heads", "查询头数", "Query heads", 32, COUNT),
        whole("kv_heads", "KV 头数", "Key-value heads", 8, COUNT),
        whole("head_dim", "每头维度", "Size of a head", 128, WIDTH),
        whole("intermediate", "MLP 宽度（MoE：每个专家）", "Width of the MLP (of each expert)", 14_336, WIDTH),
        whole("vocab", "词表", "Vocabulary", 128_256, VOCAB),
        choice("tied", "输出头与词嵌入共用", "Output head is the embedding", "off", &SWITCH, yes_no),
        whole("experts", "专家数（0 = 稠密）", "Experts (0: dense)", 0, EXPERTS),
        whole("per_token", "每个 token 用几个专家", "Experts per token", 2, COUNT),
        whole("positions", "最长位置", "Longest position", 8192, POSITIONS),
    ]
}

fn run(pairs: &Pairs) -> Result<Answer, Text> {
    let mut reader = Reader::new(pairs);
    let mut number = |key, default, bounds| reader.number(key, default, bounds);
    let mut document = json!({
        "_name_or_path": "typed",
        "model_type": "llama",
        "num_hidden_layers": number("layers", 32, COUNT),
        "hidden_size": number("hidden", 4096, WIDTH),
        "num_attention_heads": number("heads", 32, COUNT),
        "num_key_value_heads": number("kv_heads", 8, COUNT),
        "head_dim": number("head_dim", 128, WIDTH),
        "intermediate_size": number("intermediate", 14_336, WIDTH),
        "vocab_size": number("vocab", 128_256, VOCAB),
        "max_position_embeddings": number("positions", 8192, POSITIONS),
    });
    let (experts, per_token) = (number("experts", 0, EXPERTS), number("per_token", 2, COUNT));
    let tied = reader.pick("tied", false, &SWITCH);
    state::refuse(&reader.finish())?;
    let mut set = |key: &str, value: Value| {
        if let Value::Object(map) = &mut document {
            map.insert(key.to_owned(), value);
        }
    };
    set("tie_word_embeddings", tied.into());
    if experts > 0 {
        set("model_type", "mixtral".into());
        set("num_local_experts", experts.into());
        set("num_experts_per_tok", per_token.into());
    }
    let compact = document.to_string();
    let model = state::ModelSource { name: String::new(), config: compact.clone() }.model()?;
    answer(&model, compact, document).map_err(|error| state::ledger_text(&error))
}

fn answer(model: &Model, compact: String, document: Value) -> Result<Answer, ledger::LedgerError> {
    let weights = inference::weights(model, Dtype::Bf16)?;
    let row = |tensors: &ledger::Tensors| {
        let shape = [tensors.stack, tensors.rows, tensors.columns].into_iter().filter(|size| *size > 1);
        let shape = shape.map(units::group).collect::<Vec<_>>().join(" × ");
        vec![
            plain(tensors.part),
            plain(units::group(tensors.count)),
            plain(shape),
            plain(units::group(tensors.elements)),
        ]
    };
    let tensors = Table {
        title: Text::new("张量", "Tensors"),
        columns: vec![
            Text::new("哪些", "Which"),
            Text::new("个数", "How many"),
            Text::new("形状", "Shape"),
            Text::new("每个的元素数", "Elements of each"),
        ],
        rows: model.tensors()?.iter().map(row).collect(),
    };
    let onward = |zh: &'static str, en: &'static str, tool: &str| {
        (Text::new(zh, en), format!("/tools/{tool}{}", query(&[("config", compact.clone())])))
    };
    Ok(Answer {
        figures: vec![
            figure("参数", "parameters", units::group(model.parameters()?)),
            figure("每个 token 用到的参数", "parameters per token", units::group(model.active_parameters()?)),
            bytes("weights", "BF16 权重", "weights in BF16", weights.bytes),
            figure(
                "每个 token 的 KV（BF16）",
                "KV per token in BF16",
                units::human_binary(inference::kv_per_token(model, Dtype::Bf16)?),
            ),
        ],
        tables: vec![tensors],
        file: Some(File {
            name: "config.json",
            text: serde_json::to_string_pretty(&document).unwrap_or(compact.clone()),
        }),
        links: vec![
            onward("用在推理账本", "Into the inference ledger", "inference"),
            onward("用在训练账本", "Into the training ledger", "training"),
            onward("用在并行账本", "Into the parallel ledger", "parallel"),
            onward("用在规划器", "Into the planner", "planner"),
        ],
        assumptions: vec![Text::new(
            "按 Llama（有专家时按 Mixtral）的结构：RMSNorm、门控 MLP、旋转位置、无偏置。结构不同的部分不在数字里。",
            "Built like Llama (with experts like Mixtral): RMSNorm, gated MLP, rotary positions, no biases. What your model builds otherwise is not in the numbers.",
        )],
        ..Answer::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_llama_3_8b() {
        let answer = run(&Vec::new()).expect("an answer");
        assert_eq!(answer.figures[0].value, "8,030,261,248");
        let file = answer.file.expect("a file");
        let model = ledger::import_config(&file.text).expect("every ledger reads it");
        let known = ledger::catalogue::model("Llama-3-8B").expect("in the catalogue");
        assert_eq!(Model { name: known.name.clone(), ..model }, *known);
    }

    #[test]
    fn experts_make_a_mixture() {
        let pairs = [("experts", "8"), ("hidden", "4096"), ("vocab", "32000"), ("positions", "32768")];
        let pairs = pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        let answer = run(&pairs).expect("an answer");
        assert_eq!(answer.figures[0].value, "46,702,792,704", "Mixtral 8x7B");
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        let pairs = vec![("heads".to_owned(), "30".to_owned())];
        let why = run(&pairs).expect_err("30 heads, 8 of keys");
        assert!(why.en.contains("num_key_value_heads") || why.en.contains("num_attention_heads"), "{}", why.en);
    }
}
