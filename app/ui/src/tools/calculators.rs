//! Tools that are one sheet of the ledger's small calculators.

use ledger::Text;
use ledger::calculators::{self, Calculator, CalculatorError};

use super::{Answer, Pairs, Tool};
use crate::Client;

/// Place, calculator and lead.
type Listed = (&'static str, &'static str, &'static str, &'static str);

/// In the order in which the page lists them.
#[cfg(feature = "sheets")]
const MECHANISMS: [Listed; 4] = [
    (
        "offload",
        "offload",
        "把激活搬去主机，还是反向时重算？链路与算力的盈亏平衡点在哪里。",
        "Send activations to the host or compute them again? Where link and arithmetic break even.",
    ),
    (
        "roofline",
        "roofline",
        "一个算子受限于带宽还是算力：算术强度放到屋顶线上看。",
        "Whether bandwidth or arithmetic limits a kernel: its intensity under the roofline.",
    ),
    (
        "flash",
        "flash_attention",
        "FlashAttention 的分块放得进共享内存吗，又省下多少 HBM 读写。",
        "Whether FlashAttention's tiles fit shared memory, and how much HBM traffic they save.",
    ),
    (
        "checkpoint",
        "checkpointing",
        "段数与峰值、时间的曲线：为什么最优在 √n 附近。",
        "Segments against peak and time: why the best lies near √n.",
    ),
];

#[cfg(feature = "workloads")]
const WORKLOADS: [Listed; 12] = [
    (
        "prefix_tier",
        "prefix_tier",
        "前缀的 KV 放在 CXL 内存或 NVMe 上：读回来快，还是重算快。",
        "The KV cache of a prefix on CXL memory or NVMe: reading it back against computing it again.",
    ),
    (
        "expert_paging",
        "expert_paging",
        "MoE 的专家只有一部分留在卡上：换入要多久，命中率要多高才值得。",
        "Only some experts stay on the card: what fetching the others costs, and which hit rate makes it worthwhile.",
    ),
    (
        "agent_context",
        "agent_context",
        "智能体每一轮都把历史带上：上下文和 KV 怎样随轮数增长。",
        "An agent carries its history into every turn: how context and cache grow.",
    ),
    (
        "image_tokens",
        "image_tokens",
        "一张图切成多少 token，占多少 KV。",
        "How many tokens an image becomes, and the cache they take.",
    ),
    (
        "video_tokens",
        "video_tokens",
        "一段视频按帧率采样后有多少 token。",
        "How many tokens a clip has at its sampling rate.",
    ),
    (
        "world_rollouts",
        "world_rollouts",
        "世界模型并行展开多条轨迹：状态与缓存各要多少。",
        "A world model unrolls many trajectories at once: what their states and caches take.",
    ),
    (
        "distillation",
        "distillation",
        "冻结的教师和学生放在同一张卡上：多出来的是权重，还是 logits。",
        "A frozen teacher beside its student: whether weights or logits are what it adds.",
    ),
    (
        "continual_learning",
        "continual_learning",
        "回放缓冲与不断增加的模块：内存随任务数怎样涨。",
        "A replay buffer and modules that are added: how memory grows with the number of tasks.",
    ),
    (
        "dp_sgd",
        "dp_sgd",
        "差分隐私要逐样本梯度：朴素做法多占多少，ghost clipping 省回多少。",
        "Differential privacy wants gradients per sample: what the naive way takes, and what ghost clipping gives back.",
    ),
    (
        "federated",
        "federated",
        "手机上的一个联邦客户端：训练要多少内存，一轮传多少字节。",
        "A federated client on a phone: memory to train, and bytes per round.",
    ),
    (
        "recommender_embeddings",
        "recommender_embeddings",
        "推荐模型的嵌入表：稀疏优化器状态比稠密的省多少。",
        "Embedding tables of a recommender: what sparse optimizer states save over dense ones.",
    ),
    (
        "pair_tensors",
        "pair_tensors",
        "结构预测的 MSA 与成对张量：哪一项按长度的平方、立方增长。",
        "MSA and pair tensors of structure prediction: what grows with the square and the cube of the length.",
    ),
];

#[cfg(feature = "sheets")]
pub fn mechanisms() -> Vec<Tool> {
    tools(&MECHANISMS, calculators::mechanisms(), Client::Sheets)
}

#[cfg(feature = "workloads")]
pub fn workloads() -> Vec<Tool> {
    tools(&WORKLOADS, calculators::workloads(), Client::Workloads)
}

fn tools(listed: &[Listed], all: &'static [Calculator], client: Client) -> Vec<Tool> {
    let tool = |(page, id, zh, en): &Listed| {
        let calculator = all.iter().find(|calculator| calculator.id == *id)?;
        Some(Tool {
            id: page,
            title: calculator.name.clone(),
            lead: Text::new(*zh, *en),
            client,
            model: None,
            inputs: calculator.inputs.clone(),
            in_front: usize::MAX,
            matters: |_, _| true,
            compares: false,
            lesson: None,
            run: Box::new(|pairs| run(calculator, pairs)),
        })
    };
    listed.iter().filter_map(tool).collect()
}

fn run(calculator: &Calculator, pairs: &Pairs) -> Result<Answer, Text> {
    calculator.run(&pairs.iter().cloned().collect()).map(Answer::from).map_err(|error| text(&error))
}

fn text(error: &CalculatorError) -> Text {
    match error {
        CalculatorError::Value { input, found, expected } => Text::new(
            format!("{input}：应为 {expected}，实际是「{found}」。"),
            format!("{input}: expected {expected}, found “{found}”."),
        ),
        other => {
            let text = other.to_string();
            Text::new(text.clone(), text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_calculator_is_listed_once() {
        // That of quantisation has a page with an island of its own.
        let mut listed: Vec<&str> =
            MECHANISMS.iter().chain(&WORKLOADS).map(|(_, id, _, _)| *id).chain(["quantisation"]).collect();
        let mut all: Vec<&str> = calculators::all().iter().map(|calculator| calculator.id).collect();
        listed.sort_unstable();
        all.sort_unstable();
        assert_eq!(listed, all);
    }
}
