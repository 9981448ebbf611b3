//! The inputs by name, for those who type them: flags of the command line and parameters of the API.

/// An input and what may be typed.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub name: &'static str,
    pub help: &'static str,
}

const fn field(name: &'static str, help: &'static str) -> Field {
    Field { name, help }
}

/// The model, of every ledger.
pub const MODEL: [Field; 2] =
    [field("model", "A model of the catalogue"), field("config", "A Hugging Face config.json")];

const CARD: Field = field("card", "A card of the catalogue");

pub const INFERENCE: &[Field] = &[
    field("weights", "Format of the weights: fp32, bf16, fp16, fp8, int8, int4"),
    field("kv", "Format of the KV cache"),
    field("batch", "Sequences at the same time"),
    field("seq", "Tokens per sequence [default: 8192]"),
    CARD,
    field("reserve_mib", "Set aside for context and graphs, in MiB: an assumption [default: 1024]"),
];

pub const TRAINING: &[Field] = &[
    field(
        "precision",
        "fp32, tf32, amp_bf16, amp_fp16, bf16_master, bf16_master_fp32_grad, fp16_master, pure_bf16, fp8 [default: fp32]",
    ),
    field(
        "optimizer",
        "adamw_foreach, adamw_fused, adamw_in_backward, adamw_8bit, paged_adamw, paged_adamw_8bit, muon, lion, adafactor, \
         sgd, momentum [default: adamw_foreach]",
    ),
    field("batch", "Sequences per micro-batch [default: 1]"),
    field("seq", "Tokens per sequence [default: 768]"),
    field(
        "checkpointing",
        "none, selective, every_layer, sqrt_segments, segments_N, recompute_norms+mlp, … [default: none]",
    ),
    CARD,
    field("method", "full, lora, qlora, dora, qdora [default: full]"),
    field("rank", "Rank of the adapters [default: 16]"),
    field("targets", "Projections with an adapter: all, query_value [default: all]"),
    field("micro_batches", "Micro-batches per step [default: 1]"),
    field("gradients", "Where gradients are added up: of_weights, fp32 [default: of_weights]"),
    field("kernels", "transformers, fused, eager_attention [default: transformers]"),
    field("offload_layers", "Layers whose saved activations stay on the device; 0 for all [default: 0]"),
    field("loader", "in_place, host_copy, device_copy [default: in_place]"),
    field("file", "Format of the numbers in the file [default: bf16]"),
];

pub const SERVING: &[Field] = &[
    field("context_mib", "Set aside for the CUDA context, in MiB [default: 500]"),
    field("workspaces_mib", "Set aside for workspaces [default: 32]"),
    field("graphs_mib", "Set aside for CUDA graphs [default: 492]"),
    field("nccl_mib", "Set aside for buffers of NCCL [default: 0]"),
    field(
        "weights",
        "bf16, fp8, int4, gptq_4_128, awq_4_128, fp8_block_128, nf4_dq, mxfp4, nvfp4, Q4_K_M, … [default: bf16]",
    ),
    field("kv", "bf16, fp8, int8_per_token_head, int4_group64, fp8_ds_mla, … [default: bf16]"),
    field("block", "Tokens per block [default: 16]"),
    field("batch", "Sequences at the same time [default: 8]"),
    field("seq", "Tokens per sequence [default: 8192]"),
    field("step_tokens", "Tokens of one pass at most [default: 8192]"),
    field("attention", "Attention over the prompt: flash, eager [default: flash]"),
    field("logits", "Positions whose logits are computed: last, all [default: last]"),
    field("utilisation", "Percent of the card that the engine may use [default: 90]"),
    CARD,
];

pub const PARALLEL: &[Field] = &[
    field("precision", "fp32, tf32, amp_bf16, bf16_master, fp8, … [default: bf16_master]"),
    field("optimizer", "adamw_fused, adamw_8bit, muon, … [default: adamw_fused]"),
    field("batch", "Sequences per micro-batch [default: 1]"),
    field("seq", "Tokens per sequence [default: 4096]"),
    field("checkpointing", "none, selective, every_layer, sqrt_segments [default: selective]"),
    field("micro_batches", "Micro-batches per step [default: 16]"),
    field("data", "Data-parallel ranks [default: 2]"),
    field("tensor", "Tensor-parallel ranks [default: 8]"),
    field("sequence", "Sequence parallelism beside tensor parallelism: on, off [default: on]"),
    field("pipeline", "Pipeline stages [default: 4]"),
    field("schedule", "gpipe, 1f1b, interleaved_2, interleaved_4, interleaved_8 [default: 1f1b]"),
    field("expert", "Expert-parallel ranks, of the data and context ranks [default: 1]"),
    field("context", "Context-parallel ranks [default: 1]"),
    field("zero", "ZeRO stage: 0, 1, 2, 3 [default: 1]"),
    field("states", "Where optimizer states lie: device, host, nvme [default: device]"),
    field("weights", "Where weights lie (ZeRO-3): device, host, nvme [default: device]"),
    CARD,
    field("node", "Cards per machine [default: 8]"),
    field("between_gb", "GB/s per card between machines, per direction [default: 50]"),
];

/// Of both goals of the planner.
pub const PLAN: &[Field] = &[
    field("batch", "Training: sequences per optimizer step on all cards together [default: 64]"),
    field("seq", "Training: tokens per sequence [default: 4096]"),
    field("context", "Serving: tokens per sequence, prompt and output together [default: 8192]"),
    field("concurrency", "Serving: sequences at the same time [default: 32]"),
    field("weights", "Serving: acceptable formats of weights, separated by commas [default: bf16]"),
    field("kv", "Serving: acceptable formats of the KV cache [default: bf16]"),
    field(
        "cards",
        "Cards at hand: CARD:COUNT, several separated by commas, each searched by itself [default: h100-80gb:8]",
    ),
    field("precisions", "Training: acceptable precisions [default: bf16_master,amp_bf16]"),
    field("optimizers", "Training: acceptable optimizers [default: adamw_fused,adamw_8bit]"),
    field("checkpointing", "Training: acceptable checkpointing [default: all]"),
    field("offload", "Training: how far states may leave the card: device, host, nvme [default: nvme]"),
    field("max_tensor", "Training: most tensor ranks [default: 8]"),
    field("max_pipeline", "Training: most stages [default: 64]"),
    field("max_expert", "Training: most expert ranks [default: 64]"),
    field("max_context", "Training: most context ranks [default: 1]"),
    field("efficiency_percent", "Share of the dense peak that matrix products reach [default: 45]"),
    field("memory_percent", "Share of the memory's peak rate that is reached [default: 70]"),
    field("reserve_mib", "Set aside on each card, in MiB [default: 2048]"),
    field("node", "Cards per machine [default: 8]"),
    field("between_gb", "GB/s per card between machines, per direction [default: 50]"),
    field("host_gib", "Host memory for each card, in GiB [default: 128]"),
    field("drive_gib", "Drive for each card, in GiB [default: 1024]"),
];

pub const DECIDE: &[Field] = &[
    field("task", "serve or train [default: serve]"),
    field("cards", "Cards at hand: CARD:COUNT, several separated by commas [default: rtx4090:1]"),
    field("context", "Serving: longest sequence that must fit [default: 8192]"),
    field("median_context", "Serving: median of the lengths, as measured [default: 2048]"),
    field("concurrency", "Serving: sequences at the same time [default: 8]"),
    field("tolerance", "Serving: quality that may be lost: strict, some [default: some]"),
    field("shared_percent", "Serving: share of the input that requests have in common [default: 30]"),
    field("offline", "Serving: requests may wait: on, off [default: off]"),
    field("fragmentation_percent", "Serving: measured share of split, free blocks [default: not measured]"),
    field("full", "Training: all parameters are trained: on, off [default: off]"),
    field("batch", "Training: sequences per step [default: 16]"),
    field("seq", "Training: tokens per sequence [default: 2048]"),
    field("rank", "Training: rank of adapters [default: 16]"),
];

/// Of a script of the allocator.
pub const SCRIPT: &[Field] = &[
    field("capacity_mib", "Memory of the device in MiB; 0 for no end [default: 0]"),
    field("max_split_mib", "max_split_size_mb; 0 for none [default: 0]"),
    field("divisions", "roundup_power2_divisions; 0 for none [default: 0]"),
    field("gc_percent", "garbage_collection_threshold in percent; 0 for none [default: 0]"),
    field("expandable", "expandable_segments: on, off [default: off]"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{DecideState, InferenceState, ParallelState, PlanState, Problem, ServingState, TrainingState};

    /// Every state reads exactly the names that are listed here.
    #[test]
    fn lists_and_readers_agree() {
        type Read = fn(&[(String, String)]) -> Vec<Problem>;
        let all: [(&[Field], &[&str], Read); 6] = [
            (INFERENCE, &[], |pairs| InferenceState::from_pairs(pairs).problems),
            (TRAINING, &[], |pairs| TrainingState::from_pairs(pairs).problems),
            (SERVING, &[], |pairs| ServingState::from_pairs(pairs).problems),
            (PARALLEL, &[], |pairs| ParallelState::from_pairs(pairs).problems),
            (DECIDE, &[], |pairs| DecideState::from_pairs(pairs).problems),
            (PLAN, &["goal"], |pairs| PlanState::from_pairs(pairs).problems),
        ];
        for (fields, more, read) in all {
            let problems = read(&[("nothing".to_owned(), String::new())]);
            let mut known: Vec<&str> = problems[0].expected.split(", ").collect();
            let listed = MODEL.iter().chain(fields).map(|field| field.name);
            let mut listed: Vec<&str> = listed.chain(more.iter().copied()).collect();
            known.sort_unstable();
            listed.sort_unstable();
            assert_eq!(listed, known);
        }
    }
}
