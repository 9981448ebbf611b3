//! Every printed formula, read back and computed again, gives the bytes beside it.

use crate::arithmetic;

use ledger::{
    Dtype, Entry, catalogue, expr,
    inference::{self, Inference},
    training::{self, Checkpointing, Optimizer, Precision, Training},
};

fn agrees(entry: &Entry, whose: &str) {
    let value = arithmetic::evaluate(&entry.formula)
        .unwrap_or_else(|error| panic!("{whose} {}: {error}: {}", entry.part, entry.formula));
    assert_eq!(value, u128::from(entry.bytes), "{whose} {}: {}", entry.part, entry.formula);
    let name = ledger::part_name(&entry.part).unwrap_or_else(|| panic!("{} has no name", entry.part));
    assert!(!name.zh.is_empty() && !name.en.is_empty());
}

#[test]
fn the_reader_reads() {
    let cases = [
        ("2 × 32 × 8 × 128 × 2 B × 8,192 × 40", 42_949_672_960),
        ("⌈5 × 4 ÷ 8⌉", 3),
        ("⌊(10 B − 3 B) ÷ 2 B⌋", 3),
        ("⌈1,000 ÷ 16⌉ × 16 − 1,000", 8),
        ("2 × (3 + 4) + 1", 15),
    ];
    for (formula, value) in cases {
        assert_eq!(arithmetic::evaluate(formula), Ok(value), "{formula}");
    }
    for broken in ["", "2 ×", "(2", "2 3", "x"] {
        assert!(arithmetic::evaluate(broken).is_err(), "{broken}");
    }
}

#[test]
fn serving_formulas_compute_their_bytes() {
    for model in catalogue::models() {
        for dtype in Dtype::ALL {
            for (batch, seq) in [(1, 1), (3, 777), (40, 1024)] {
                let workload = Inference { weights: dtype, kv: dtype, batch, seq, reserve: 1_234_567 };
                let ledger = inference::ledger(model, &workload).expect("a catalogue model");
                assert_eq!(ledger.entries.iter().map(|entry| entry.bytes).sum::<u64>(), ledger.total);
                ledger.entries.iter().for_each(|entry| agrees(entry, &model.name));
            }
        }
    }
}

#[test]
fn training_formulas_compute_their_bytes() {
    for model in catalogue::models() {
        for precision in Precision::ALL.iter().copied() {
            for optimizer in Optimizer::ALL.iter().copied() {
                for checkpointing in Checkpointing::ALL.iter().copied() {
                    let workload = Training { precision, optimizer, batch: 3, seq: 777, checkpointing };
                    let ledger = training::ledger(model, &workload).expect("a catalogue model");
                    ledger.entries.iter().for_each(|entry| agrees(entry, &model.name));
                }
            }
        }
    }
}

#[test]
fn expressions_compute_their_values() {
    let sources = [
        r#"params model="gpt2""#,
        r#"weights model="Llama-3-8B" dtype="int4""#,
        r#"kv_cache model="Mistral-7B-v0.1" seq=8192"#,
        r#"train_states model="Llama-3-8B" precision="bf16_master""#,
        r#"train_states model="Qwen2.5-0.5B" optimizer="adamw_8bit""#,
        r#"optimizer_floor model="Qwen2.5-0.5B""#,
        r#"optimizer_floor model="Qwen2.5-0.5B" optimizer="adamw_in_backward""#,
        r#"optimizer_floor model="Qwen2.5-0.5B" optimizer="adamw_fused""#,
        r#"train_peak model="Llama-3-8B" seq=2048 precision="amp_bf16""#,
        r#"activations model="gpt2" seq=1024 checkpointing="every_layer""#,
        r#"attention_scores model="Llama-3-8B" seq=8192"#,
        r#"longest_context model="Llama-3-8B" card="h100-80gb" reserve_gib=1"#,
        r#"largest_batch model="Llama-3-8B" card="h100-80gb" seq=8192"#,
        r#"blocks seq=1000"#,
        r#"block_waste seq=1000"#,
        r#"times 3 (sum (weights model="gpt2") (kv_cache model="gpt2" seq=1024))"#,
        r#"difference (card_capacity card="h200") (card_capacity card="h100-80gb")"#,
    ];
    for source in sources {
        let computed = expr::evaluate(source).unwrap_or_else(|error| panic!("{source}: {error}"));
        let value = arithmetic::evaluate(&computed.formula)
            .unwrap_or_else(|error| panic!("{source}: {error}: {}", computed.formula));
        assert_eq!(value as f64, computed.value, "{source}: {}", computed.formula);
    }
}

#[test]
fn limits_are_the_divisions_that_they_show() {
    let mut compared = 0;
    for model in catalogue::models().iter().filter(|model| model.position_table == 0) {
        for card in ["t4", "h100-80gb", "h200"] {
            for (function, rest) in [("longest_context", "batch=3"), ("largest_batch", "seq=6000")] {
                for kv in ["bf16", "int4"] {
                    let name = &model.name;
                    let source = format!(
                        r#"{function} model="{name}" weights="int8" kv="{kv}" card="{card}" reserve_gib=1.5 {rest}"#
                    );
                    let Ok(computed) = expr::evaluate(&source) else { continue };
                    let value = arithmetic::evaluate(&computed.formula).map(|value| value as f64);
                    assert_eq!(value, Ok(computed.value), "{source}: {}", computed.formula);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 200, "only {compared} limits exist");
}
