//! Laws and anchors of the parallel ledger.

use ledger::{
    Dtype, catalogue,
    inference::kv_per_token_per_rank,
    parallel::{
        Collective, Layout, Recompute, Schedule, StateBytes, TensorParallel, ZeroStage, check_divides,
        layer_activation_bytes, seconds, shard_state_bytes, tensor_parallel_bytes_sent, zero_bytes_sent,
        zero_state_bytes,
    },
};
use proptest::prelude::*;

#[test]
fn the_papers_example() {
    let cases = [
        (ZeroStage::Zero, 120_000_000_000),
        (ZeroStage::One, 31_406_250_000),
        (ZeroStage::Two, 16_640_625_000),
        (ZeroStage::Three, 1_875_000_000),
    ];
    for (stage, bytes) in cases {
        assert_eq!(zero_state_bytes(7_500_000_000, StateBytes::MIXED_ADAM, stage, 64), Ok(bytes), "{stage:?}");
    }
}

#[test]
fn one_device_holds_eighteen_bytes_per_parameter() {
    for name in ["Llama-2-7B", "Llama-3-8B", "Mixtral-8x7B-v0.1", "DeepSeek-V3"] {
        let model = catalogue::model(name).expect("in the catalogue");
        let parameters = model.parameters().expect("a known model");
        assert_eq!(shard_state_bytes(model, 0, Layout::SINGLE), Ok(18 * parameters), "{name}");
    }
}

#[test]
fn cache_on_ranks() {
    let cases = [
        ("Llama-3.1-70B", 8, 40_960),
        ("Llama-3.1-70B", 16, 40_960),
        ("Llama-3.1-70B", 1, 327_680),
        ("DeepSeek-V3", 8, 70_272),
    ];
    for (name, ranks, bytes) in cases {
        let model = catalogue::model(name).expect("in the catalogue");
        assert_eq!(kv_per_token_per_rank(model, Dtype::Bf16, ranks), Ok(bytes), "{name} on {ranks}");
    }
    let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
    assert!(kv_per_token_per_rank(model, Dtype::Bf16, 3).is_err());
    assert!(kv_per_token_per_rank(model, Dtype::Bf16, 0).is_err());
}

/// Per parameter of two bytes and rank, 64 ranks: twice, twice and three times 63/64 of it.
#[test]
fn traffic_of_a_step() {
    let bytes = 64_000;
    let cases = [
        (ZeroStage::Zero, 2 * 63_000),
        (ZeroStage::One, 2 * 63_000),
        (ZeroStage::Two, 2 * 63_000),
        (ZeroStage::Three, 3 * 63_000),
    ];
    for (stage, sent) in cases {
        assert_eq!(zero_bytes_sent(bytes, bytes, stage, 64), Ok(sent), "{stage:?}");
        assert_eq!(zero_bytes_sent(bytes, bytes, stage, 1), Ok(0), "{stage:?}");
    }
    assert_eq!(tensor_parallel_bytes_sent(8_000, 8), Ok(4 * 14_000));
    assert!(Collective::AllToAll.bytes_sent(1, 0).is_err());
    assert_eq!(seconds(13_476_831_232, 31_500_000_000), Ok(13_476_831_232.0 / 31.5e9));
    assert!(seconds(1, 0).is_err());
}

#[test]
fn pipelines() {
    let interleaved = Schedule::Interleaved { chunks: 2 };
    assert_eq!(Schedule::GPipe.live_micro_batches(4, 16), Ok(16.0));
    assert_eq!(Schedule::OneForwardOneBackward.live_micro_batches(4, 16), Ok(4.0));
    assert_eq!(Schedule::OneForwardOneBackward.live_micro_batches(4, 2), Ok(2.0));
    assert_eq!(interleaved.live_micro_batches(4, 16), Ok(5.5));
    assert_eq!(Schedule::GPipe.bubble(1, 5), Ok(0.0));
    assert_eq!(interleaved.bubble(4, 8), Ok(3.0 / 19.0));
    assert_eq!(Schedule::GPipe.bubble(4, 8), Ok(3.0 / 11.0));
    assert!(Schedule::Interleaved { chunks: 0 }.bubble(4, 8).is_err());
}

#[test]
fn what_does_not_divide_is_named() {
    let model = |name| catalogue::model(name).expect("in the catalogue");
    let cases = [
        ("Llama-3.1-70B", 8, 8, 1, Ok(())),
        ("Llama-3.1-70B", 16, 1, 1, Ok(())),
        ("Llama-3.1-70B", 3, 1, 1, Err("heads = 64 does not go with tensor = 3")),
        ("Llama-3.1-70B", 8, 3, 1, Err("layers = 80 does not go with pipeline = 3")),
        ("Llama-3.1-70B", 8, 1, 2, Err("experts.total = 1 does not go with expert = 2")),
        ("Qwen2.5-0.5B", 4, 1, 1, Err("heads = 14 does not go with tensor = 4")),
        ("Mixtral-8x7B-v0.1", 8, 4, 8, Ok(())),
        ("Mixtral-8x7B-v0.1", 1, 1, 3, Err("experts.total = 8 does not go with expert = 3")),
    ];
    for (name, tensor, pipeline, expert, expected) in cases {
        let got = check_divides(model(name), tensor, pipeline, expert).map_err(|error| error.to_string());
        match expected {
            Ok(()) => assert_eq!(got, Ok(()), "{name}"),
            Err(start) => assert!(got.as_ref().is_err_and(|text| text.starts_with(start)), "{name}: {got:?}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_rank_divides_nothing(parameters in 1u64..1 << 40, stage in 0u64..4) {
        let stage = ZeroStage::from_number(stage).unwrap();
        let bytes = |stage, ranks| zero_state_bytes(parameters, StateBytes::MIXED_ADAM, stage, ranks).unwrap();
        prop_assert_eq!(bytes(stage, 1), 16 * parameters);
    }

    #[test]
    fn more_ranks_and_higher_stages_never_hold_more(parameters in 1u64..1 << 40, ranks in 1u64..2000) {
        let bytes = |stage, ranks| zero_state_bytes(parameters, StateBytes::MIXED_ADAM, stage, ranks).unwrap();
        for stage in ZeroStage::ALL {
            prop_assert!(bytes(stage, ranks + 1) <= bytes(stage, ranks));
        }
        for pair in ZeroStage::ALL.windows(2) {
            prop_assert!(bytes(pair[1], ranks) <= bytes(pair[0], ranks));
        }
    }

    #[test]
    fn recomputing_more_saves_less(heads in 1u64..64, width in 1u64..64, batch in 1u64..9, seq in 1u64..2000, ranks in 1u64..9) {
        let hidden = heads * width;
        for sequence in [false, true] {
            let bytes = |recompute| {
                let parallel = TensorParallel { ranks, sequence };
                layer_activation_bytes(heads, hidden, batch, seq, parallel, recompute).unwrap()
            };
            prop_assert!(bytes(Recompute::Selective) <= bytes(Recompute::Nothing));
            if ranks == 1 {
                prop_assert!(bytes(Recompute::Full) <= bytes(Recompute::Selective));
            }
        }
    }
}
