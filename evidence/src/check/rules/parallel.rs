//! Several devices, architectures, transfers.

use super::{Rule, error, note, warning};

pub(super) const RULES: &[Rule] = &[
    error(
        "ranks_recorded",
        ["多卡证据是否有逐 rank 数字", "Every rank has its number"],
        [
            "写 step_time_ms_per_rank 与 peak_memory_mb_per_rank；单卡上通信写 not_applicable，不写 0。",
            "State step_time_ms_per_rank and peak_memory_mb_per_rank; on one device communication is not_applicable, not 0.",
        ],
    ),
    error(
        "rank_list_form",
        ["逐 rank 字段是否为列表", "A field per rank is a list"],
        ["用 all_gather 收集每个 rank 的值，写成列表。", "Gather the value of every rank and write the list."],
    ),
    error(
        "rank_count_agrees",
        ["列表长度是否等于 world_size", "The lists are as long as the world"],
        ["每个 rank 写一个数。", "Write one number for each rank."],
    ),
    error(
        "rank_maximum_agrees",
        ["最大值是否等于列表的最大值", "The maximum is that of the list"],
        ["由列表重新计算最大值。", "Compute the maximum from the list again."],
    ),
    error(
        "load_skew_agrees",
        ["负载偏斜是否与列表一致", "The skew agrees with the list"],
        ["load_skew_ratio =（最多 − 最少）/ 平均。", "load_skew_ratio = (most − fewest) / mean."],
    ),
    error(
        "strategy_named",
        ["是否写明并行策略", "The strategy is named"],
        [
            "每组结果写 strategy：ddp、zero1、zero2、zero3 或 fsdp。",
            "State the strategy of every run: ddp, zero1, zero2, zero3 or fsdp.",
        ],
    ),
    error(
        "rank_tokens_agree",
        ["tokens/s 与步时是否一致", "Tokens a second agree with the step"],
        [
            "tokens/s = micro_batch × seq × world_size / 步时；步时是 micro-step 的就不要再乘累积步数。",
            "tokens/s = micro_batch × seq × world_size / step; a micro-step's time is not multiplied by the accumulation.",
        ],
    ),
    warning(
        "optimizer_sharded",
        ["ZeRO 运行是否有优化器", "A ZeRO run has an optimizer"],
        [
            "在 DeepSpeed 配置里写优化器并真正更新；否则 ZeRO-1 没有可分的状态。",
            "Give DeepSpeed an optimizer and let it step; otherwise ZeRO-1 has no state to divide.",
        ],
    ),
    warning(
        "overflow_counted",
        ["有效吞吐是否扣除溢出", "Effective throughput leaves out the overflow"],
        [
            "分开写 throughput 与 effective_throughput；后者只算没有溢出的 token。",
            "State throughput and effective_throughput apart; the latter counts tokens that did not overflow.",
        ],
    ),
    error(
        "state_division_agrees",
        ["训练状态的划分是否正确", "The training state is divided rightly"],
        [
            "ddp 不分；zero1 分优化器；zero2 再分梯度；zero3 与 fsdp 再分权重。",
            "ddp divides nothing, zero1 the optimizer, zero2 gradients too, zero3 and fsdp weights too.",
        ],
    ),
    error(
        "cache_bytes_agree",
        ["缓存字节与账本是否一致", "Cache bytes are the ledger's"],
        [
            "KV = 2·B·S·L·H_kv·D·字节；MLA = B·S·L·（latent + rope）·字节。",
            "KV = 2·B·S·L·H_kv·D·bytes; MLA = B·S·L·(latent + rope)·bytes.",
        ],
    ),
    error(
        "cache_config_stated",
        ["缓存账本的配置是否写明", "The configuration of the cache is stated"],
        [
            "写 num_layers、num_attention_heads、num_kv_heads、head_dim、dtype_bytes、batch_size、seq_len，或写目录中的模型。",
            "State num_layers, num_attention_heads, num_kv_heads, head_dim, dtype_bytes, batch_size and seq_len, or a model of the catalogue.",
        ],
    ),
    error(
        "parameters_add_up",
        ["参数账本相加是否一致", "The parameters add up"],
        [
            "各模块之和等于 total_params；权重 = total × dtype_bytes。",
            "The modules sum to total_params; weights are total × dtype_bytes.",
        ],
    ),
    warning(
        "parameters_exact",
        ["参数总数是否与模型一致", "The total is the model's"],
        [
            "补上 QKV 偏置与最后的归一化，或说明账本省略了什么。",
            "Add QKV biases and the final norm, or say what is left out.",
        ],
    ),
    error(
        "citation_by_hash",
        ["引用是否写明 SHA-256", "A citation names its SHA-256"],
        [
            "引用写文件全部字节的 SHA-256（64 位十六进制）。",
            "Cite by the SHA-256 of the file's exact bytes, 64 hex digits.",
        ],
    ),
    note(
        "citation_found",
        ["所引用的报告是否已提交", "The cited report was handed in"],
        [
            "把引用的报告也提交；改动过的文件 SHA-256 会不同。",
            "Hand in the cited report too; a changed file has another SHA-256.",
        ],
    ),
    error(
        "kv_constant_agrees",
        ["每 token 的 KV 字节是否属于该模型", "The bytes per token are the model's"],
        ["用 2·层数·H_kv·D·字节 计算所写模型的常数。", "Compute 2·layers·H_kv·D·bytes for the model named."],
    ),
    warning(
        "transfer_time_agrees",
        ["传输时间、字节与带宽是否一致", "Time, bytes and bandwidth of a transfer agree"],
        [
            "写明带宽单位：GiB/s、GB/s 或 Gbit/s；单向与双向分开。",
            "State the bandwidth's unit: GiB/s, GB/s or Gbit/s; one direction apart from both.",
        ],
    ),
    warning(
        "single_replica_alone",
        ["单副本基线是否计入通信", "The single replica pays no communication"],
        ["单副本基线用 tp = 1 计算，不含通信。", "Compute the single replica with tp = 1, without communication."],
    ),
];
