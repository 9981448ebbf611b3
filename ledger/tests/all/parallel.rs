//! Laws and anchors of the parallel ledger.

use ledger::{
    Dtype, catalogue,
    inference::kv_per_token_per_rank,
    parallel::{
        Layout, Recompute, StateBytes, TensorParallel, ZeroStage, layer_activation_bytes, shard_state_bytes,
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
