//! Laws of training runs: for every model, precision, optimizer and way of saving memory.

use ledger::{
    Dtype, Experts, Mlp, Model, catalogue, export_config, import_config,
    training::{
        self, AttentionKernel, Checkpointing, GradientBuffer, Implementation, Load, Loader, LossKernel, MlpKernel,
        NormKernel, Offload, Optimizer, Precision, Recompute, Run, Stage, Training, run_ledger,
    },
};
use proptest::prelude::*;

use crate::laws::{self, trainings};

/// Models of the other laws, some of them with experts behind a few dense layers.
fn models() -> impl Strategy<Value = Model> {
    let experts = (any::<bool>(), 0u64..4, 1u64..6, 1u64..6, 1u64..90, 0u64..90);
    (laws::models(), experts).prop_map(|(model, (mixed, dense, per_token, more, intermediate, shared))| {
        if !mixed || model.mlp == Mlp::Plain {
            return model;
        }
        let experts = Experts {
            total: per_token + more,
            per_token,
            intermediate,
            shared_intermediate: shared,
            dense_layers: dense.min(model.layers),
            biases: false,
            shared_gate: false,
            correction: false,
        };
        Model { experts: Some(experts), ..model }
    })
}

fn runs() -> impl Strategy<Value = Run> {
    let kernels = (0usize..3, 0usize..3, any::<bool>(), 0u64..500);
    let ways = (1u64..4, any::<bool>(), 0u64..4, 0usize..3);
    (trainings(), kernels, ways).prop_map(
        |(workload, (norm, attention, fused, chunk), (micro_batches, fp32, window, loader))| {
            let in_backward = workload.optimizer == Optimizer::AdamWInBackward;
            let segmented = workload.checkpointing == Checkpointing::SqrtSegments;
            Run {
                workload,
                how: Implementation {
                    norm: [NormKernel::Eager, NormKernel::Composite, NormKernel::Fused][norm],
                    attention: [AttentionKernel::Eager, AttentionKernel::Flash, AttentionKernel::FlashRepeated]
                        [attention],
                    mlp: if fused { MlpKernel::Fused } else { MlpKernel::Eager },
                    loss: match chunk {
                        0..250 => LossKernel::Fp32,
                        250..400 => LossKernel::Native,
                        _ => LossKernel::Chunked { tokens: chunk - 399 },
                    },
                    ..Implementation::TRANSFORMERS
                },
                micro_batches: if in_backward { 1 } else { micro_batches },
                gradients: if fp32 && !in_backward { GradientBuffer::Fp32 } else { GradientBuffer::OfWeights },
                offload: if window == 0 || segmented { Offload::None } else { Offload::Window { layers: window } },
                load: Load {
                    loader: [Loader::InPlace, Loader::HostCopy, Loader::DeviceCopy][loader],
                    file: Dtype::Bf16,
                },
            }
        },
    )
}

fn recomputes() -> impl Strategy<Value = Recompute> {
    (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>())
        .prop_map(|(core_attention, norms, activation, mlp)| Recompute { core_attention, norms, activation, mlp })
}

fn peak(model: &Model, run: &Run) -> u64 {
    run_ledger(model, run).unwrap().device.peak.bytes
}

fn with(run: &Run, checkpointing: Checkpointing) -> Run {
    Run { workload: Training { checkpointing, ..run.workload }, ..*run }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parts_sum_and_floors_lie_below(model in models(), run in runs()) {
        let ledger = run_ledger(&model, &run).unwrap();
        for phase in &ledger.device.phases {
            prop_assert_eq!(phase.parts.iter().map(|part| part.bytes).sum::<u64>(), phase.bytes);
        }
        for floor in &ledger.floors {
            prop_assert!(floor.bytes <= ledger.device.peak.bytes, "{} {}", floor.slug, floor.bytes);
        }
        let host: u64 = ledger.host.iter().map(|entry| entry.bytes).sum();
        prop_assert!(ledger.host_peak <= host);
        let plain = Run { how: Implementation::TRANSFORMERS, ..Run::from(run.workload) };
        let same = training::ledger(&model, &run.workload).unwrap();
        prop_assert_eq!(run_ledger(&model, &plain).unwrap().device, same.clone());
        let floor = training::optimizer_floor(&model, run.workload.precision, run.workload.optimizer).unwrap();
        prop_assert_eq!(same.floor, floor);
    }

    #[test]
    fn more_tokens_never_need_less(model in models(), run in runs(), more in 1u64..50) {
        let Training { batch, seq, .. } = run.workload;
        let now = peak(&model, &run);
        let grown = |batch, seq| Run { workload: Training { batch, seq, ..run.workload }, ..run };
        prop_assert!(peak(&model, &grown(batch + more, seq)) >= now);
        prop_assert!(peak(&model, &grown(batch, seq + more)) >= now);
    }

    #[test]
    fn recomputing_more_never_needs_more(model in models(), run in runs(), parts in recomputes(), cut in 1u64..9) {
        // A block narrower than the stream is no transformer; recomputing it would keep more than it drops.
        let model = Model { intermediate: model.intermediate + model.hidden, ..model };
        let run = with(&run, Checkpointing::None);
        let none = peak(&model, &run);
        let some = peak(&model, &with(&run, Checkpointing::Parts(parts)));
        let selective = peak(&model, &with(&run, Checkpointing::Selective));
        let every = peak(&model, &with(&run, Checkpointing::EveryLayer));
        prop_assert!(every <= some && some <= none, "{} {} {}", every, some, none);
        prop_assert!(every <= selective && selective <= none, "{} {} {}", every, selective, none);
        let here = Run { offload: Offload::None, ..run };
        prop_assert!(none <= peak(&model, &here));
        let segments = Checkpointing::Segments(cut.min(model.layers));
        prop_assert!(peak(&model, &with(&here, segments)) <= peak(&model, &here));
    }

    #[test]
    fn the_curve_over_layers_touches_the_peak(model in models(), run in runs(), cut in 0u64..9) {
        let cuts = run.offload == Offload::None && (1..=model.layers).contains(&cut);
        let run = if cuts { with(&run, Checkpointing::Segments(cut)) } else { run };
        let curve = training::by_layer(&model, &run).unwrap();
        prop_assert_eq!(curve.len() as u64, 2 * model.layers + 6);
        let (first, last) = (&curve[0], &curve[curve.len() - 1]);
        prop_assert_eq!((first.stage, last.stage), (Stage::Load, Stage::Step));
        for total in &curve {
            prop_assert_eq!(total.parts.iter().map(|part| part.bytes).sum::<u64>(), total.bytes);
        }
        let highest = curve.iter().map(|total| total.bytes).max().unwrap();
        let peak = peak(&model, &run);
        // Segments that cut across two kinds of layers are priced but for the checkpoints at that place.
        let segmented =
            matches!(run.workload.checkpointing, Checkpointing::SqrtSegments | Checkpointing::Segments(2..));
        let ledger = run_ledger(&model, &run).unwrap().device;
        let inputs = ledger.entries.iter().find(|entry| entry.part == "checkpoints");
        let across = segmented && model.experts.is_some();
        let slack = inputs.filter(|_| across).map_or(0, |entry| entry.bytes);
        prop_assert!(highest <= peak + slack, "{} {} {}", highest, peak, slack);
        // Segments of unequal length are priced by the longest, a window and what is computed again by the layers that
        // need most.
        let alike = model.experts.is_none() && run.workload.checkpointing != Checkpointing::SqrtSegments;
        prop_assert!(highest == peak || !alike);
    }

    #[test]
    fn a_tied_head_never_needs_more(model in models(), run in runs()) {
        let of = |tied| peak(&Model { tied, ..model.clone() }, &run);
        prop_assert!(of(true) <= of(false));
    }

    #[test]
    fn a_drawn_model_is_exported_and_read_back(model in models()) {
        match export_config(&model) {
            Ok(json) => {
                let read = import_config(&json).unwrap();
                prop_assert_eq!(&read, &model);
                prop_assert_eq!(export_config(&read).unwrap(), json);
            }
            // A Llama without the drawn norm or biases has no configuration.
            Err(_) => prop_assert!(
                model.qk_norm || model.biases.qkv || model.position_table > 0 || model.window.is_some()
                    || model.experts.is_some()
            ),
        }
    }

    #[test]
    fn huge_runs_are_an_error_and_no_panic(scale in 20u32..64, run in runs(), parts in recomputes(), cut in any::<u64>()) {
        let mut model = catalogue::models()[0].clone();
        model.hidden = 1 << scale;
        model.vocab = u64::MAX >> (64 - scale);
        model.layers = cut;
        model.position_table = 0;
        for checkpointing in [Checkpointing::Parts(parts), Checkpointing::Segments(cut), Checkpointing::EveryLayer] {
            let run = with(&run, checkpointing);
            let _ = run_ledger(&model, &run);
            let _ = training::by_layer(&model, &run);
        }
    }
}

#[test]
fn every_catalogue_model_is_exported_and_read_back() {
    for model in catalogue::models() {
        let json = export_config(model).unwrap_or_else(|error| panic!("{}: {error}", model.name));
        assert_eq!(import_config(&json).as_ref(), Ok(model), "{}", model.name);
    }
}

#[test]
fn models_with_two_kinds_of_layers_stay_below_their_peak() {
    for name in ["DeepSeek-V2-Lite", "DeepSeek-V3", "Mixtral-8x7B-v0.1", "Qwen3-30B-A3B"] {
        let model = catalogue::model(name).expect("in the catalogue");
        for checkpointing in Checkpointing::ALL.iter().copied() {
            for precision in [Precision::AmpBf16, Precision::Fp8, Precision::PureBf16] {
                let workload =
                    Training { precision, optimizer: Optimizer::AdamWFused, batch: 2, seq: 4096, checkpointing };
                let run = Run::from(workload);
                let curve = training::by_layer(model, &run).expect("modelled");
                let sum = |moment: Stage| curve.iter().find(|total| total.stage == moment).map(|total| total.bytes);
                let ledger = training::ledger(model, &workload).expect("modelled");
                // Segments across both kinds are priced but for the checkpoints at that place.
                let inputs = ledger.entries.iter().find(|entry| entry.part == "checkpoints");
                let across = checkpointing == Checkpointing::SqrtSegments;
                let slack = inputs.filter(|_| across).map_or(0, |entry| entry.bytes);
                let bound = ledger.peak.bytes + slack;
                assert!(curve.iter().all(|total| total.bytes <= bound), "{name} {checkpointing:?}");
                assert_eq!(sum(Stage::Step), Some(ledger.floor), "{name}");
            }
        }
    }
}
