//! Training runs beyond the workload: numbers worked out by hand, each from the rule in the module that prices it.

use ledger::{
    Dtype, Entry, LedgerError, Model, Phase, adapters, catalogue,
    formats::{Nf4, qlora_base_bytes},
    training::{
        self, AttentionKernel, Checkpointing, GradientBuffer, Implementation, Load, Loader, Lora, LoraBase, LoraMethod,
        LoraTargets, LossKernel, MlpKernel, Moment, Offload, Optimizer, Precision, Recompute, Run, RunLedger, Trained,
        Training, kept_layer_bytes, layer_bytes, lora_run_ledger, run_ledger,
    },
};

use crate::arithmetic;

const GIANT: &str = "Llama-3-8B";
/// Its weights, those of the layers' matrix products among them, and those of its 65 norms.
const PARAMETERS: u64 = 8_030_261_248;
const MATRICES: u64 = 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14_336);
const NORMS: u64 = 65 * 4096;

fn workload(precision: Precision, optimizer: Optimizer) -> Training {
    Training { precision, optimizer, batch: 1, seq: 1024, checkpointing: Checkpointing::None }
}

fn ledger(name: &str, run: Run) -> RunLedger {
    let model = catalogue::model(name).expect("in the catalogue");
    run_ledger(model, &run).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn bytes(entries: &[Entry], part: &str) -> u64 {
    entries.iter().filter(|entry| entry.part == part).map(|entry| entry.bytes).sum()
}

#[test]
fn tf32_stores_what_fp32_stores() {
    let one = ledger(GIANT, Run::from(workload(Precision::Fp32, Optimizer::Momentum)));
    let other = ledger(GIANT, Run::from(workload(Precision::Tf32, Optimizer::Momentum)));
    assert_eq!(one, other);
}

#[test]
fn fp16_with_a_master_copy_stores_what_bf16_does() {
    let one = ledger(GIANT, Run::from(workload(Precision::Bf16Master, Optimizer::AdamWForeach)));
    assert_eq!(one, ledger(GIANT, Run::from(workload(Precision::Fp16Master, Optimizer::AdamWForeach))));
}

#[test]
fn fp8_layers_keep_inputs_in_one_byte() {
    let model = catalogue::model(GIANT).expect("in the catalogue");
    let layer = |precision| layer_bytes(model, precision, 1, 1, Implementation::TRANSFORMERS, Trained::All);
    // Per token: 2 B × (2·4096 + 2·1024 + 3·14,336), two norms of 6 B × 4096 + 4 B, 32 log-sum-exps, and in one byte
    // the inputs of seven products: 3·4096, 2·4096, 4096 and 14,336.
    assert_eq!(layer(Precision::Fp8), Ok(106_496 + 49_160 + 128 + 38_912));
    assert_eq!(layer(Precision::Bf16Master), Ok(151_552 + 49_160 + 128));
    let run = ledger(GIANT, Run::from(workload(Precision::Fp8, Optimizer::AdamWFused)));
    assert_eq!(bytes(&run.device.entries, "fp8_weights"), 2 * MATRICES);
    // Seven products in 32 layers, five tensors each, 1,024 maxima and two scales.
    assert_eq!(bytes(&run.device.entries, "fp8_scales"), 7 * 32 * 5 * 1026 * 4);
    assert_eq!(bytes(&run.device.entries, "master_weights"), 4 * PARAMETERS);
}

/// One token through a layer of GPT-2 and of Mixtral.
#[test]
fn fp8_layers_of_other_kinds() {
    let layer = |name: &str| {
        let model = catalogue::model(name).expect("in the catalogue");
        layer_bytes(model, Precision::Fp8, 1, 1, Implementation::TRANSFORMERS, Trained::All)
    };
    // BF16: inputs of two norms, query, key, value and output, four of the five tensors of the written-out GELU. FP8:
    // inputs of four products. Then statistics of two norms and twelve log-sum-exps.
    let gpt2 = 2 * (2 * 768 + 4 * 768 + 4 * 3072) + (3 * 768 + 3072) + 2 * 2 * 2 + 4 * 12;
    assert_eq!(layer("gpt2"), Ok(gpt2));
    // Attention and the router's input in BF16, two norms; query, key, value and output in FP8; log-sum-exps.
    let attention = 2 * (2 * 4096 + 2 * 1024 + 4096) + 2 * (6 * 4096 + 4) + 4 * 4096 + 4 * 32;
    // Per chosen expert: two outputs, three widths and a weight in BF16, two inputs in FP8, two indices; the router.
    let expert = 2 * (2 * 4096 + 3 * 14_336 + 1) + 4096 + 14_336 + 2 * 8;
    assert_eq!(layer("Mixtral-8x7B-v0.1"), Ok(attention + 2 * expert + 4 * 8 + 12 * 2 + 4));
}

#[test]
fn muon_keeps_one_state_of_matrices_and_two_of_the_rest() {
    let run = ledger(GIANT, Run::from(workload(Precision::Fp32, Optimizer::Muon)));
    let entries = &run.device.entries;
    assert_eq!(bytes(entries, "muon_momentum"), 4 * MATRICES);
    assert_eq!(bytes(entries, "adam_m") + bytes(entries, "adam_v"), 8 * (PARAMETERS - MATRICES));
    // 4096 × 14,336: update in FP32, two BF16 matrices, two 4096 × 4096 in BF16: 512 MiB.
    assert_eq!(bytes(entries, "newton_schulz"), 512 << 20);
    let states = 8 * PARAMETERS + 4 * MATRICES + 8 * (PARAMETERS - MATRICES);
    assert_eq!(run.device.floor, states + (512 << 20));
    let model = catalogue::model(GIANT).expect("in the catalogue");
    assert_eq!(training::state_bytes(model, Precision::Fp32, Optimizer::Muon), Ok(states));
}

#[test]
fn paged_states_are_on_the_host_and_visit_the_device() {
    let run = ledger(GIANT, Run::from(workload(Precision::PureBf16, Optimizer::PagedAdamW)));
    // Norms have fewer than 100,000 numbers and stay; the largest tensor is the embedding.
    assert_eq!(bytes(&run.host, "host_states"), 8 * (PARAMETERS - NORMS));
    assert_eq!(bytes(&run.moved, "moved_states"), 16 * (PARAMETERS - NORMS));
    assert_eq!(bytes(&run.device.entries, "paged_states"), 8 * 128_256 * 4096);
    assert_eq!(run.device.floor, 4 * PARAMETERS + 8 * NORMS + 8 * 128_256 * 4096);
    let packed = ledger(GIANT, Run::from(workload(Precision::PureBf16, Optimizer::PagedAdamW8bit)));
    assert_eq!(bytes(&packed.host, "host_states"), 2 * (PARAMETERS - NORMS));
    // 4096 numbers are enough for 8 bits; every block's maximum stays on the device.
    let device = bytes(&packed.device.entries, "adam_m");
    assert_eq!(device, NORMS + 4 * PARAMETERS.div_ceil(256));
}

#[test]
fn gradients_stay_between_micro_batches() {
    let run = Run { micro_batches: 4, ..Run::from(workload(Precision::PureBf16, Optimizer::AdamWFused)) };
    let sum = ledger(GIANT, run);
    let forward = sum.device.phases.iter().find(|phase| phase.phase == Phase::Forward).expect("a forward");
    assert!(forward.parts.iter().any(|part| part.part == "gradients" && part.bytes == 2 * PARAMETERS));
    // One more gradient while it is added: of the embedding.
    assert_eq!(bytes(&sum.device.entries, "incoming_gradient"), 2 * 128_256 * 4096);
    let buffer = Run { gradients: GradientBuffer::Fp32, ..run };
    let buffered = ledger(GIANT, buffer);
    assert_eq!(bytes(&buffered.device.entries, "gradient_buffer"), 4 * PARAMETERS);
    assert_eq!(buffered.device.floor, sum.device.floor + 2 * PARAMETERS);
    assert_eq!(buffered.device.phases[0].bytes, 6 * PARAMETERS, "the buffer is there from loading on");
}

/// GPT layer, 2 B: sbh(34 + 5as/h) without dropout is 16·sbh·e + as²b·e, of which selective recomputation keeps 16.
#[test]
fn parts_that_are_computed_again_are_not_kept() {
    let model = catalogue::model("gpt2").expect("in the catalogue");
    let how =
        Implementation { attention: AttentionKernel::Eager, mlp: MlpKernel::Fused, ..Implementation::TRANSFORMERS };
    let tokens = 1024;
    let kept =
        |parts| kept_layer_bytes(model, Precision::PureBf16, 1, tokens, how, Trained::All, parts).expect("small");
    let whole = 2 * 16 * tokens * 768 + 2 * 12 * tokens * tokens + tokens * tokens + 4 * 2 * tokens;
    assert_eq!(kept(Recompute::NOTHING), whole);
    assert_eq!(kept(Recompute::CORE_ATTENTION), 2 * 16 * tokens * 768 + 4 * 2 * tokens);
    // Outputs of two norms and their statistics.
    let norms = Recompute { norms: true, ..Recompute::NOTHING };
    assert_eq!(whole - kept(norms), 2 * 2 * tokens * 768 + 4 * 2 * tokens);
    // The GELU's output; and its input as well.
    let activation = Recompute { activation: true, ..Recompute::NOTHING };
    assert_eq!(whole - kept(activation), 2 * tokens * 3072);
    let mlp = Recompute { mlp: true, ..Recompute::NOTHING };
    assert_eq!(whole - kept(mlp), 2 * 2 * tokens * 3072);
}

#[test]
fn recomputed_parts_of_a_llama_layer() {
    let model = catalogue::model(GIANT).expect("in the catalogue");
    let kept = |parts| {
        let how = Implementation::TRANSFORMERS;
        kept_layer_bytes(model, Precision::PureBf16, 1, 1, how, Trained::All, parts).expect("small")
    };
    let whole = kept(Recompute::NOTHING);
    assert_eq!(whole, 151_552 + 49_160 + 128);
    assert_eq!(whole - kept(Recompute::CORE_ATTENTION), 128, "flash attention has only its log-sum-exp to drop");
    // Two norms of 49,160 B and their outputs of 2 × 8,192 B, for two inputs of 8,192 B.
    assert_eq!(whole - kept(Recompute { norms: true, ..Recompute::NOTHING }), 49_160);
    assert_eq!(whole - kept(Recompute { activation: true, ..Recompute::NOTHING }), 2 * 2 * 14_336);
    assert_eq!(whole - kept(Recompute { mlp: true, ..Recompute::NOTHING }), 2 * 4 * 14_336);
}

#[test]
fn segments_keep_their_inputs_and_the_last_one_everything() {
    let model = catalogue::model("Llama-2-7B").expect("in the catalogue");
    let checkpointing = Checkpointing::Segments(5);
    let run = Run::from(Training { checkpointing, ..workload(Precision::PureBf16, Optimizer::Sgd) });
    let entries = ledger("Llama-2-7B", run).device.entries;
    // 32 layers in 5 segments: four of 6, the last of 8.
    assert_eq!(bytes(&entries, "checkpoints"), 4 * 2 * 1024 * 4096);
    let how = Implementation::TRANSFORMERS;
    let layer = layer_bytes(model, Precision::PureBf16, 1, 1024, how, Trained::All).expect("small");
    assert_eq!(bytes(&entries, "layer_activations"), 8 * layer);
    assert_eq!(bytes(&entries, "recomputed_layer"), 6 * layer - 2 * 1024 * 4096);
    for (segments, field) in [(0, "segments"), (33, "segments")] {
        let checkpointing = Checkpointing::Segments(segments);
        let error = training::ledger(model, &Training { checkpointing, ..run.workload }).expect_err("refused");
        assert!(error.to_string().contains(field), "{error}");
    }
    assert_eq!("segments_5".parse(), Ok(checkpointing));
    assert!("segments_five".parse::<Checkpointing>().is_err() && "recompute_".parse::<Checkpointing>().is_err());
}

#[test]
fn offloaded_layers_travel_there_and_back() {
    let model = catalogue::model(GIANT).expect("in the catalogue");
    let how = Implementation::TRANSFORMERS;
    let layer = layer_bytes(model, Precision::PureBf16, 1, 1024, how, Trained::All).expect("small");
    let plain = Run::from(workload(Precision::PureBf16, Optimizer::Sgd));
    let run = ledger(GIANT, Run { offload: Offload::Window { layers: 3 }, micro_batches: 2, ..plain });
    assert_eq!(bytes(&run.device.entries, "layer_activations"), 3 * layer);
    assert_eq!(bytes(&run.host, "offloaded_activations"), 29 * layer);
    assert_eq!(bytes(&run.moved, "moved_activations"), 2 * 2 * 29 * layer);
    let all = ledger(GIANT, Run { offload: Offload::Window { layers: 32 }, ..plain });
    assert_eq!((all.device, all.moved.len()), (ledger(GIANT, plain).device, 0));
    let segmented = Training { checkpointing: Checkpointing::SqrtSegments, ..plain.workload };
    let error = run_ledger(model, &Run { workload: segmented, offload: Offload::Window { layers: 1 }, ..plain });
    assert!(matches!(error, Err(LedgerError::NotModelled { .. })));
}

#[test]
fn naive_loaders_hold_the_weights_twice() {
    let run = Run::from(workload(Precision::PureBf16, Optimizer::Sgd));
    let with = |loader, file| ledger(GIANT, Run { load: Load { loader, file }, ..run });
    let device = with(Loader::DeviceCopy, Dtype::Bf16);
    assert_eq!(device.device.phases[0].bytes, 4 * PARAMETERS, "model and file in BF16");
    let host = with(Loader::HostCopy, Dtype::Bf16);
    assert_eq!(host.host_peak, 6 * PARAMETERS, "an FP32 model and a BF16 file");
    assert_eq!(host.device.phases[0].bytes, 2 * PARAMETERS);
    let mapped = with(Loader::InPlace, Dtype::F32);
    assert_eq!(mapped.host_peak, 4 * 128_256 * 4096, "one tensor");
}

#[test]
fn dora_learns_magnitudes_and_saves_two_outputs() {
    let model = catalogue::model("Llama-2-7B").expect("in the catalogue");
    let run = Run::from(workload(Precision::PureBf16, Optimizer::AdamWFused));
    let with = |method, base| {
        let lora = Lora { rank: 8, targets: LoraTargets::QueryValue, base, method };
        lora_run_ledger(model, &run, &lora).expect("modelled").device
    };
    let (lora, dora) = (with(LoraMethod::Lora, LoraBase::Nf4), with(LoraMethod::Dora, LoraBase::Nf4));
    let count = adapters::dora_parameters(model, 8, &["q", "v"]).expect("known targets");
    assert_eq!(bytes(&dora.entries, "adapter_weights"), 2 * count);
    let saved = |ledger: &training::TrainingLedger| bytes(&ledger.entries, "layer_activations");
    // Two targets of 4096 outputs, two tensors each, in BF16, per token and layer.
    assert_eq!(saved(&dora) - saved(&lora), 32 * 2 * 1024 * 2 * 2 * 4096);
    assert_eq!(bytes(&dora.entries, "dora_norm"), 3 * 2 * 4096 * 4096);
    assert_eq!(bytes(&dora.entries, "base_weights"), qlora_base_bytes(model, Nf4::QLORA).expect("known"));
    let mlp = Checkpointing::Parts(Recompute { mlp: true, ..Recompute::NOTHING });
    let run = Run { workload: Training { checkpointing: mlp, ..run.workload }, ..run };
    let lora = Lora { rank: 8, targets: LoraTargets::All, base: LoraBase::Plain, method: LoraMethod::Dora };
    assert!(matches!(lora_run_ledger(model, &run, &lora), Err(LedgerError::NotModelled { .. })));
}

#[test]
fn floors_say_what_no_strategy_goes_below() {
    let workload = Training { seq: 8192, ..workload(Precision::PureBf16, Optimizer::Sgd) };
    let run = ledger("SmolLM2-135M", Run::from(workload));
    let floor = |slug: &str| run.floors.iter().find(|floor| floor.slug == slug).expect("a floor").bytes;
    assert_eq!(floor("weights_floor"), 2 * 134_515_008);
    assert_eq!(floor("optimizer_floor"), 4 * 134_515_008);
    // Weights, last norm and head input, log-softmax and two more of its size: chunking the loss helps here, nothing
    // that is done about layers.
    let head = 8192 * (6 * 576 + 4) + 2 * 8192 * 576;
    assert_eq!(floor("loss_floor"), 2 * 134_515_008 + head + 12 * 49_152 * 8192);
    for floor in &run.floors {
        assert!(ledger::part_name(&floor.slug).is_some() && !floor.why.zh.is_empty() && !floor.why.en.is_empty());
    }
    let least = Training { checkpointing: Checkpointing::EveryLayer, ..workload };
    let checkpointed = ledger("SmolLM2-135M", Run::from(least));
    assert_eq!(checkpointed.device.peak.moment, Moment::LossBackward);
    assert!(checkpointed.device.peak.bytes > floor("loss_floor"));
}

#[test]
fn a_loss_in_chunks_never_holds_the_logits() {
    let workload = Training { seq: 8192, ..workload(Precision::PureBf16, Optimizer::Sgd) };
    let with = |loss| {
        let how = Implementation { loss, ..Implementation::TRANSFORMERS };
        ledger("SmolLM2-135M", Run { how, ..Run::from(workload) })
    };
    let native = with(LossKernel::Native);
    assert_eq!(bytes(&native.device.entries, "log_softmax"), 2 * 49_152 * 8192);
    let chunked = with(LossKernel::Chunked { tokens: 1024 });
    let entries = &chunked.device.entries;
    assert_eq!(bytes(entries, "logits_chunk"), 2 * 49_152 * 1024);
    assert_eq!(bytes(entries, "head_gradient") + bytes(entries, "head_gradient_chunk"), 2 * 2 * 49_152 * 576);
    assert_eq!(bytes(entries, "input_gradient"), 2 * 8192 * 576);
    assert_eq!(bytes(entries, "log_softmax") + bytes(entries, "head_input"), 0);
    let whole = with(LossKernel::Fp32);
    assert!(chunked.device.peak.bytes < native.device.peak.bytes && native.device.peak.bytes < whole.device.peak.bytes);
    let model = catalogue::model("SmolLM2-135M").expect("in the catalogue");
    let how = Implementation { loss: LossKernel::Chunked { tokens: 0 }, ..Implementation::TRANSFORMERS };
    let error = run_ledger(model, &Run { how, ..Run::from(workload) });
    assert_eq!(error, Err(LedgerError::Zero { field: "loss.tokens" }));
}

#[test]
fn printed_formulas_compute_their_bytes_and_have_names() {
    let parts = Recompute { norms: true, activation: true, ..Recompute::CORE_ATTENTION };
    let checkpointings = [
        Checkpointing::Selective,
        Checkpointing::Segments(4),
        Checkpointing::Parts(parts),
        Checkpointing::Parts(Recompute { mlp: true, ..Recompute::NOTHING }),
        Checkpointing::EveryLayer,
    ];
    let mut compared = 0;
    for model in catalogue::models() {
        for precision in [Precision::AmpBf16, Precision::Bf16Master, Precision::Fp8, Precision::Fp32] {
            for checkpointing in checkpointings {
                let workload = Training { checkpointing, ..workload(precision, Optimizer::PagedAdamW) };
                let segmented = matches!(checkpointing, Checkpointing::Segments(_));
                let run = Run {
                    micro_batches: 3,
                    gradients: GradientBuffer::Fp32,
                    offload: if segmented { Offload::None } else { Offload::Window { layers: 2 } },
                    load: Load { loader: Loader::DeviceCopy, file: Dtype::F16 },
                    ..Run::from(workload)
                };
                let ledger = run_ledger(model, &run).unwrap_or_else(|error| panic!("{}: {error}", model.name));
                for entry in ledger.device.entries.iter().chain(&ledger.host).chain(&ledger.moved) {
                    let value = arithmetic::evaluate(&entry.formula);
                    let place = || format!("{} {checkpointing:?} {}: {}", model.name, entry.part, entry.formula);
                    assert_eq!(value, Ok(u128::from(entry.bytes)), "{}", place());
                    assert!(ledger::part_name(&entry.part).is_some(), "{}", place());
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 8_000, "only {compared}");
}

/// Autocast's copies are made again with their segment, and each goes with the layer that used it: at the first layer
/// of a segment of three one is left. 8 layers of 1.26 GB of copies each would otherwise rise above the plain step.
#[test]
fn copies_of_a_segment_go_layer_by_layer() {
    let model = Model { layers: 8, ..catalogue::model("Qwen3-30B-A3B").expect("in the catalogue").clone() };
    let workload = |checkpointing| Training {
        precision: Precision::AmpBf16,
        optimizer: Optimizer::AdamWFused,
        batch: 1,
        seq: 512,
        checkpointing,
    };
    let copies = |checkpointing, layer| {
        let curve = training::by_layer(&model, &Run::from(workload(checkpointing))).expect("a short model");
        let at = curve.into_iter().find(|total| total.stage == training::Stage::Backward { layer });
        let parts = at.expect("a layer").parts;
        parts.iter().find(|part| part.part == "autocast_weights").map_or(0, |part| part.bytes)
    };
    let one = copies(Checkpointing::EveryLayer, 1);
    for (layer, held) in [(8, 2), (7, 1), (6, 3), (5, 2), (4, 1), (3, 3), (2, 2), (1, 1)] {
        assert_eq!(copies(Checkpointing::SqrtSegments, layer), held * one, "layer {layer}");
    }
    let peak = |checkpointing| training::ledger(&model, &workload(checkpointing)).expect("a short model").peak.bytes;
    assert!(peak(Checkpointing::SqrtSegments) <= peak(Checkpointing::None));
}
