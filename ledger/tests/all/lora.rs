//! Adapters beside a frozen base.

use ledger::{
    LedgerError, adapters, catalogue,
    formats::{Nf4, qlora_base_bytes},
    training::{
        self, Checkpointing, Lora, LoraBase, LoraMethod, LoraTargets, Optimizer, Precision, Training, lora_ledger,
    },
};

use crate::arithmetic;

fn workload(precision: Precision, checkpointing: Checkpointing) -> Training {
    Training { precision, optimizer: Optimizer::AdamWForeach, batch: 2, seq: 1024, checkpointing }
}

const EVERY: [LoraTargets; 2] = [LoraTargets::QueryValue, LoraTargets::All];

#[test]
fn entries_add_up_and_recompute() {
    for name in ["Llama-3-8B", "Qwen3-0.6B", "gemma-2-2b", "Mistral-7B-v0.1"] {
        let model = catalogue::model(name).expect("in the catalogue");
        for targets in EVERY {
            for base in [LoraBase::Plain, LoraBase::Nf4] {
                for checkpointing in Checkpointing::ALL.iter().copied() {
                    let workload = workload(Precision::PureBf16, checkpointing);
                    let lora = Lora { rank: 16, targets, base, method: LoraMethod::Lora };
                    let ledger = lora_ledger(model, &workload, &lora).expect("modelled");
                    for entry in &ledger.entries {
                        assert!(ledger::part_name(&entry.part).is_some(), "{} has no name", entry.part);
                        let value = arithmetic::evaluate(&entry.formula);
                        assert_eq!(value, Ok(u128::from(entry.bytes)), "{name} {}: {}", entry.part, entry.formula);
                    }
                    for phase in &ledger.phases {
                        assert_eq!(phase.parts.iter().map(|part| part.bytes).sum::<u64>(), phase.bytes);
                    }
                    let full = training::ledger(model, &workload).expect("modelled");
                    assert!(ledger.peak.bytes < full.peak.bytes && ledger.floor < full.floor, "{name}");
                }
            }
        }
    }
}

#[test]
fn the_floor_is_base_and_sixteen_or_twenty_bytes_per_adapter_parameter() {
    let model = catalogue::model("Llama-2-7B").expect("in the catalogue");
    let parameters = model.parameters().expect("a known model");
    let adapter = adapters::lora_parameters(model, 8, &["q", "v"]).expect("known targets");
    let (rank, targets, method) = (8, LoraTargets::QueryValue, LoraMethod::Lora);
    let lora = |base| Lora { rank, targets, base, method };
    let floor = |precision, base| {
        lora_ledger(model, &workload(precision, Checkpointing::None), &lora(base)).map(|ledger| ledger.floor)
    };
    assert_eq!(floor(Precision::Fp32, LoraBase::Plain), Ok(4 * parameters + 20 * adapter));
    assert_eq!(floor(Precision::PureBf16, LoraBase::Plain), Ok(2 * parameters + 10 * adapter));
    let packed = qlora_base_bytes(model, Nf4::QLORA).expect("a known model");
    assert_eq!(floor(Precision::PureBf16, LoraBase::Nf4), Ok(packed + 10 * adapter));
}

#[test]
fn what_is_not_modelled_is_said() {
    let lora = Lora { rank: 8, targets: LoraTargets::All, base: LoraBase::Nf4, method: LoraMethod::Lora };
    let cases = [
        ("gpt2", Precision::PureBf16, lora),
        ("Mixtral-8x7B-v0.1", Precision::PureBf16, lora),
        ("DeepSeek-V3", Precision::PureBf16, lora),
        ("Llama-3-8B", Precision::AmpBf16, lora),
        ("Llama-3-8B", Precision::Fp32, lora),
    ];
    for (name, precision, lora) in cases {
        let model = catalogue::model(name).expect("in the catalogue");
        let error = lora_ledger(model, &workload(precision, Checkpointing::None), &lora).expect_err("refused");
        assert!(matches!(error, LedgerError::NotModelled { .. }), "{name}: {error}");
    }
    let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
    let none = Lora { rank: 0, ..lora };
    let error = lora_ledger(model, &workload(Precision::PureBf16, Checkpointing::None), &none);
    assert_eq!(error, Err(LedgerError::Zero { field: "rank" }));
}
