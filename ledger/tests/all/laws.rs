//! Laws that hold for every model and workload.

use ledger::{
    Dtype, Family, Mlp, Model, Norm, catalogue, import_config,
    inference::{self, Inference},
    training::{self, Checkpointing, Optimizer, Precision, Training},
};
use proptest::prelude::*;

pub(crate) fn models() -> impl Strategy<Value = Model> {
    (
        (1u64..2000, 1u64..9, 1u64..5, 1u64..5, 1u64..5, 1u64..200),
        (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), 0u64..6),
    )
        .prop_map(|((vocab, layers, kv_heads, groups, width, inner), (tied, gpt, bias, qk_norm, slide))| {
            let heads = kv_heads * groups;
            let head_dim = 8 * width;
            Model {
                name: "drawn".to_owned(),
                family: if gpt { Family::Gpt2 } else { Family::Llama },
                vocab,
                hidden: heads * head_dim,
                layers,
                heads,
                kv_heads,
                head_dim,
                intermediate: inner,
                max_positions: 1 << 20,
                position_table: if gpt { 1 << 20 } else { 0 },
                tied,
                mlp: if gpt { Mlp::Plain } else { Mlp::Gated },
                norm: if gpt { Norm::Layer } else { Norm::Rms },
                norms_per_layer: 2,
                qk_norm: qk_norm && !gpt,
                biases: ledger::Biases { qkv: bias, out: bias, mlp: bias, head: false },
                window: (slide > 0).then(|| ledger::Window { tokens: 8 * slide, layers: layers.min(slide) }),
                sinks: false,
                experts: None,
                latent: None,
            }
        })
}

pub(crate) fn trainings() -> impl Strategy<Value = Training> {
    let choice = |length: usize| 0..length;
    (choice(Precision::ALL.len()), choice(Optimizer::ALL.len()), choice(Checkpointing::ALL.len()), 1u64..9, 1u64..3000)
        .prop_map(|(precision, optimizer, checkpointing, batch, seq)| Training {
            precision: Precision::ALL[precision],
            optimizer: Optimizer::ALL[optimizer],
            batch,
            seq,
            checkpointing: Checkpointing::ALL[checkpointing],
        })
}

fn dtypes() -> impl Strategy<Value = Dtype> {
    (0..Dtype::ALL.len()).prop_map(|at| Dtype::ALL[at])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parts_sum_to_the_whole(model in models(), workload in trainings()) {
        let ledger = training::ledger(&model, &workload).unwrap();
        prop_assert_eq!(ledger.phases.len(), 4);
        for phase in &ledger.phases {
            prop_assert_eq!(phase.parts.iter().map(|part| part.bytes).sum::<u64>(), phase.bytes);
            for part in &phase.parts {
                let entry = ledger.entries.iter().find(|entry| entry.part == part.part).unwrap();
                prop_assert!(part.bytes <= entry.bytes && entry.span.contains(phase.phase));
            }
            prop_assert!(phase.parts.iter().any(|part| part.part == phase.cause_part));
        }
        let timeline = training::timeline(&model, &workload).unwrap();
        prop_assert_eq!(Some(ledger.peak.bytes), timeline.iter().map(|total| total.bytes).max());
        prop_assert_eq!(Some(ledger.peak.bytes), ledger.phases.iter().map(|phase| phase.bytes).max());
        prop_assert!(ledger.peak.bytes >= ledger.floor);
        // What is alive in `step()` is the floor; an optimizer in the backward pass has its floor there.
        let step = ledger.phases.iter().find(|phase| phase.phase == ledger::Phase::Step).unwrap();
        prop_assert!(step.bytes == ledger.floor || workload.optimizer == Optimizer::AdamWInBackward);
    }

    #[test]
    fn more_tokens_never_need_less(model in models(), workload in trainings(), more in 1u64..50) {
        let peak = |batch, seq| {
            training::ledger(&model, &Training { batch, seq, ..workload }).unwrap().peak.bytes
        };
        let now = peak(workload.batch, workload.seq);
        prop_assert!(peak(workload.batch + more, workload.seq) >= now);
        prop_assert!(peak(workload.batch, workload.seq + more) >= now);
    }

    #[test]
    fn checkpointing_never_needs_more(model in models(), workload in trainings()) {
        let peak = |checkpointing| {
            training::ledger(&model, &Training { checkpointing, ..workload }).unwrap().peak.bytes
        };
        prop_assert!(peak(Checkpointing::EveryLayer) <= peak(Checkpointing::None));
        prop_assert!(peak(Checkpointing::SqrtSegments) <= peak(Checkpointing::None));
    }

    #[test]
    fn a_tied_head_never_counts_more(model in models()) {
        let count = |tied| Model { tied, ..model.clone() }.parameters().unwrap();
        prop_assert!(count(true) <= count(false));
        prop_assert_eq!(count(false) - count(true), model.vocab * model.hidden);
        prop_assert_eq!(count(false), model.parameters_untied().unwrap());
    }

    #[test]
    fn tensors_add_up(model in models()) {
        let groups = model.tensors().unwrap();
        let sum: u64 = groups.iter().map(|group| group.elements * group.count).sum();
        prop_assert_eq!(sum, model.parameters().unwrap());
        prop_assert!(model.matmul_weights().unwrap() <= sum);
        prop_assert!(model.largest_tensor().unwrap() <= sum);
    }

    #[test]
    fn limits_fit_and_one_more_does_not(
        model in models(), weights in dtypes(), kv in dtypes(), batch in 1u64..50, seq in 1u64..5000,
        reserve in 0u64..1000, capacity in 1u64..(1 << 32),
    ) {
        let workload = Inference { weights, kv, batch, seq, reserve };
        let total = |batch, seq| {
            inference::ledger(&model, &Inference { batch, seq, ..workload }).unwrap().total
        };
        let fit = inference::fit(&model, &workload, capacity).unwrap();
        prop_assert_eq!(fit.fits, total(batch, seq) <= capacity);
        prop_assert_eq!(fit.free + total(batch, seq), capacity + fit.short);
        prop_assert!(fit.free == 0 || fit.short == 0);
        match fit.longest_context {
            None => prop_assert!(total(batch, 1) > capacity),
            Some(longest) => {
                prop_assert!(total(batch, longest) <= capacity);
                // Nothing limits a model whose every layer slides but what it was made for.
                let bound = if model.position_table > 0 { model.position_table } else { model.max_positions };
                prop_assert!(longest == bound || total(batch, longest + 1) > capacity);
            }
        }
        match fit.largest_batch {
            None => prop_assert!(total(1, seq) > capacity),
            Some(largest) => {
                prop_assert!(total(largest, seq) <= capacity);
                prop_assert!(total(largest + 1, seq) > capacity);
            }
        }
    }

    #[test]
    fn a_cache_grows_with_tokens_and_bits(model in models(), batch in 1u64..50, seq in 1u64..5000) {
        let bytes = |dtype, batch, seq| inference::kv_bytes(&model, dtype, batch, seq).unwrap();
        prop_assert!(bytes(Dtype::Bf16, batch, seq) <= bytes(Dtype::Bf16, batch, seq + 1));
        prop_assert_eq!(2 * bytes(Dtype::Bf16, batch, seq), bytes(Dtype::F32, batch, seq));
        prop_assert_eq!(bytes(Dtype::Bf16, batch, seq), batch * bytes(Dtype::Bf16, 1, seq));
        let full = inference::kv_per_token(&model, Dtype::Bf16).unwrap() * batch * seq;
        prop_assert!(bytes(Dtype::Bf16, batch, seq) <= full);
    }

    #[test]
    fn an_exported_model_comes_back(model in models()) {
        let json = serde_json::to_string(&model).unwrap();
        prop_assert_eq!(serde_json::from_str::<Model>(&json).unwrap(), model);
    }

    #[test]
    fn huge_numbers_are_an_error_and_no_panic(
        scale in 20u32..64, batch in any::<u64>(), seq in any::<u64>(), workload in trainings(),
    ) {
        let mut model = catalogue::models()[0].clone();
        model.hidden = 1 << scale;
        model.vocab = u64::MAX >> (64 - scale);
        model.position_table = 0;
        let _ = training::ledger(&model, &Training { batch, seq, ..workload });
        let serving = Inference { weights: Dtype::Int4, kv: Dtype::Bf16, batch, seq, reserve: batch };
        let _ = inference::ledger(&model, &serving);
        let _ = inference::fit(&model, &serving, seq);
        let _ = training::tracked(
            &model, workload.precision, workload.optimizer, batch, seq, workload.checkpointing,
        );
    }

    #[test]
    fn any_text_is_read_without_panic(text in ".{0,200}") {
        let _ = import_config(&text);
        let _ = ledger::expr::evaluate(&text);
    }

    #[test]
    fn any_values_under_known_keys_are_read_without_panic(
        family in prop_oneof![Just("llama"), Just("qwen2"), Just("qwen3"), Just("mistral"), Just("gpt2"), Just("x")],
        values in prop::collection::vec(
            (
                prop_oneof![
                    Just("hidden_size"), Just("num_hidden_layers"), Just("num_attention_heads"),
                    Just("num_key_value_heads"), Just("vocab_size"), Just("intermediate_size"), Just("head_dim"),
                    Just("n_embd"), Just("n_head"), Just("n_layer"), Just("n_positions"), Just("sliding_window"),
                    Just("tie_word_embeddings"), Just("text_config"), Just("architectures"), Just("_name_or_path"),
                ],
                prop_oneof![
                    Just(serde_json::json!(null)), Just(serde_json::json!("4096")), Just(serde_json::json!(true)),
                    Just(serde_json::json!([1, {"a": []}])), Just(serde_json::json!({})),
                    any::<u64>().prop_map(|number| serde_json::json!(number)),
                    any::<i64>().prop_map(|number| serde_json::json!(number)),
                    any::<f64>().prop_map(|number| serde_json::json!(number)),
                    (1u64..64).prop_map(|number| serde_json::json!(number)),
                ],
            ),
            0..14,
        ),
    ) {
        let mut document = serde_json::json!({"model_type": family});
        for (key, value) in values {
            document[key] = value;
        }
        match import_config(&document.to_string()) {
            Ok(model) => {
                let _ = model.parameters();
                let json = serde_json::to_string(&model).unwrap();
                prop_assert_eq!(serde_json::from_str::<Model>(&json).unwrap(), model);
            }
            Err(error) => prop_assert!(!error.to_string().is_empty() && !error.fix().zh.is_empty()),
        }
    }
}
