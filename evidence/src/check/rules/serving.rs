//! Serving, its strategies, and fewer bits.

use super::{Rule, error, note, warning};

pub(super) const RULES: &[Rule] = &[
    warning(
        "backend_named",
        ["是否写明服务后端", "The serving backend is named"],
        [
            "在 config 写 backend 与 backend_version，例如 vllm、0.11.0。",
            "State backend and backend_version in config, for example vllm and 0.11.0.",
        ],
    ),
    warning(
        "serving_record_complete",
        ["推理测量的记录是否完整", "The serving record is complete"],
        [
            "补上设备、dtype、backend_version、model_revision、peak_memory_mb，并保留逐请求的 results。",
            "Add device, dtype, backend_version, model_revision and peak_memory_mb, and keep the results of the requests.",
        ],
    ),
    warning(
        "percentile_requests",
        ["分位数是否有足够的请求", "A percentile has enough requests"],
        [
            "p99 至少 100 个请求，p95 至少 20 个；不够就只写 p50。",
            "At least 100 requests for a p99 and 20 for a p95; with fewer give the p50 alone.",
        ],
    ),
    error(
        "percentiles_ordered",
        ["分位数与 TTFT、E2E 的大小关系", "Percentiles rise, and the first token precedes the whole"],
        ["由逐请求结果重新计算分位数。", "Compute the percentiles again from the requests."],
    ),
    error(
        "tpot_agrees",
        ["TPOT 与 E2E、TTFT 是否一致", "TPOT agrees with E2E and TTFT"],
        ["TPOT =（E2E − TTFT）/（tokens − 1）。", "TPOT = (E2E − TTFT) / (tokens − 1)."],
    ),
    error(
        "throughput_agrees",
        ["吞吐、时长与计数是否一致", "Rates agree with duration and counts"],
        ["吞吐 = token 数（或请求数）/ 时长。", "A rate is the count of tokens (or requests) divided by the duration."],
    ),
    error(
        "requests_counted",
        ["请求数是否对得上", "Requests are counted"],
        ["成功加失败应等于发送的请求数（乘重复次数）。", "Answered plus failed is what was sent, times the repeats."],
    ),
    warning(
        "requests_answered",
        ["请求是否都成功", "All requests were answered"],
        ["先查明失败原因；否则延迟只来自成功的请求。", "Find out why some failed; the times are of the others only."],
    ),
    error(
        "tokens_positive",
        ["每个请求是否生成了 token", "Every request generates a token"],
        ["去掉生成 0 个 token 的请求。", "Leave out requests that generate no token."],
    ),
    note(
        "ttft_meaning",
        ["TTFT 是否含排队时间", "Whether TTFT holds the queue"],
        ["排队、预填充、首 token 分开写。", "Give queue wait, prefill and first token apart."],
    ),
    error(
        "serving_runs_match",
        ["两次运行是否只改变一个变量", "Two runs share their workload"],
        ["其余条件保持相同后重跑其中一次。", "Run one of the two again with everything else equal."],
    ),
    warning(
        "comparison_complete",
        ["是否有基线与候选可比", "There are a baseline and a candidate"],
        [
            "把基线与候选写在一份报告里，或把两份报告都提交；候选的报告写结论。",
            "Put both into one report, or hand in both reports; the candidate's carries the conclusion.",
        ],
    ),
    error(
        "share_in_range",
        ["比例是否在 0 到 1 之间", "Shares lie between 0 and 1"],
        ["比例写小数：0.68，不写 68。", "Write a share as a fraction: 0.68, not 68."],
    ),
    error(
        "acceptance_agrees",
        ["接受率与计数是否一致", "The acceptance rate agrees with its counts"],
        ["acceptance_rate = accepted / proposed。", "acceptance_rate = accepted / proposed."],
    ),
    error(
        "cache_tokens_agree",
        ["复用与未命中的 token 是否一致", "Reused and missed tokens agree"],
        [
            "reused + miss = total_prompt_tokens；token_reuse_rate = reused / total。",
            "reused + miss = total_prompt_tokens; token_reuse_rate = reused / total.",
        ],
    ),
    error(
        "hit_rate_evidence",
        ["命中率是否有后端证据", "The hit rate has a backend's evidence"],
        [
            "写 hit_rate_evidence：后端指标或日志的名称；不能由 TTFT 推断，按整段前缀判断命中。",
            "State hit_rate_evidence, the backend's metric or log; never infer it from TTFT, and count hits of whole prefixes.",
        ],
    ),
    error(
        "fairness_agrees",
        ["公平性与逐请求等待是否一致", "Fairness agrees with the waits"],
        [
            "fairness = max(0, 1 −（最长等待 − 最短等待）/ max(平均等待, 1))。",
            "fairness = max(0, 1 − (longest − shortest wait) / max(mean wait, 1)).",
        ],
    ),
    warning(
        "load_is_no_scheduler",
        ["负载扫描是否被当作调度器对比", "A sweep of the load is no comparison of schedulers"],
        [
            "固定并发与请求流，只换调度策略；否则写明是负载敏感性。",
            "Fix load and requests and change the policy alone; otherwise call it load sensitivity.",
        ],
    ),
    error(
        "blocks_agree",
        ["分页缓存的块账是否一致", "The blocks of the paged cache add up"],
        [
            "块数 = ⌈tokens / block⌉；尾部 = 已分配 − 逻辑；利用率 = 逻辑 / 已分配。",
            "Blocks are ⌈tokens / block⌉, the tail is allocated − logical, utilisation is logical / allocated.",
        ],
    ),
    warning(
        "compression_base",
        ["压缩比以几字节为原始大小", "The ratio counts the model's own bytes"],
        ["16 位模型的原始权重按 2 字节计。", "Count 2 bytes for a weight of a 16-bit model."],
    ),
    error(
        "peak_holds_weights",
        ["显存峰值是否放得下权重", "The peak holds the weights"],
        [
            "检查单位、模型或 dtype：峰值不会低于权重本身。",
            "See unit, model or dtype: no peak is below the weights themselves.",
        ],
    ),
    error(
        "layer_ratios_agree",
        ["量化比值是否与两次运行一致", "Ratios agree with both runs"],
        [
            "存储缩减 = 1 − 候选 / 基线；延迟比 = 候选 / 基线。",
            "Storage reduction = 1 − candidate / baseline; latency ratio = candidate / baseline.",
        ],
    ),
    error(
        "quantised_deltas_agree",
        ["67 的差值是否一致", "The deltas of 67 agree"],
        [
            "延迟与显存为 baseline − candidate，吞吐与误差为 candidate − baseline。",
            "Latency and memory: baseline − candidate; throughput and error: candidate − baseline.",
        ],
    ),
    error(
        "kernel_and_quality_confirmed",
        ["量化 kernel 与质量是否确认", "Kernel and quality are confirmed"],
        [
            "先从后端日志确认 kernel，并用同样输入测任务质量，再写 accept。",
            "See the kernel in the backend's log and measure the task's quality on the same inputs before accepting.",
        ],
    ),
];
