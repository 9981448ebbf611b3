//! Anchors: numbers that the course is built on, each with where it comes from.

use ledger::{
    catalogue, expr,
    training::{self, Checkpointing, Optimizer, Precision, Training},
    units,
};

/// Parameters counted with transformers on the meta device, tied tensors once.
const PARAMETERS: &[(&str, u64)] = &[
    ("gpt2", 124_439_808),
    ("gpt2-medium", 354_823_168),
    ("gpt2-xl", 1_557_611_200),
    ("LLaMA-65B", 65_285_660_672),
    ("Llama-2-7B", 6_738_415_616),
    ("Llama-2-13B", 13_015_864_320),
    ("Llama-2-70B", 68_976_648_192),
    ("Llama-3-8B", 8_030_261_248),
    ("Llama-3-70B", 70_553_706_496),
    ("Llama-3.1-405B", 405_853_388_800),
    ("Llama-3.2-1B", 1_235_814_400),
    ("Llama-3.2-3B", 3_212_749_824),
    ("TinyLlama-1.1B", 1_100_048_384),
    ("SmolLM2-135M", 134_515_008),
    ("Qwen2.5-0.5B", 494_032_768),
    ("Qwen2.5-1.5B", 1_543_714_304),
    ("Qwen2.5-7B", 7_615_616_512),
    ("Qwen2.5-72B", 72_706_203_648),
    ("Qwen3-0.6B", 596_049_920),
    ("Qwen3-8B", 8_190_735_360),
    ("Qwen3-32B", 32_762_123_264),
    ("Mistral-7B-v0.1", 7_241_732_096),
    ("Mistral-7B-v0.3", 7_248_023_552),
    ("Mixtral-8x7B-v0.1", 46_702_792_704),
    ("Mixtral-8x22B-v0.1", 140_620_634_112),
    ("Qwen3-30B-A3B", 30_532_122_624),
    ("Qwen3-235B-A22B", 235_093_634_560),
    ("DeepSeek-V2-Lite", 15_706_484_224),
    ("DeepSeek-V3", 671_026_404_352),
    ("gemma-2-2b", 2_614_341_888),
    ("gemma-2-9b", 9_241_705_984),
    ("gemma-2-27b", 27_227_128_320),
    ("gemma-3-1b", 999_885_952),
    ("gemma-3-27b-text", 27_009_346_304),
    ("Phi-3-mini-4k-instruct", 3_821_079_552),
    ("phi-2", 2_779_683_840),
    ("gpt-oss-20b", 20_914_757_184),
    ("gpt-oss-120b", 116_829_156_672),
];

#[test]
fn parameters_are_exact() {
    for (name, expected) in PARAMETERS {
        let model = catalogue::model(name).unwrap_or_else(|| panic!("{name} is in the catalogue"));
        assert_eq!(model.parameters().ok(), Some(*expected), "{name}");
    }
}

#[test]
fn active_parameters_are_exact() {
    let cases = [
        ("Qwen3-30B-A3B", 3_353_032_704),
        ("Mixtral-8x7B-v0.1", 12_879_925_248),
        ("DeepSeek-V3", 37_552_282_624),
        ("Llama-3-8B", 8_030_261_248),
    ];
    for (name, expected) in cases {
        let model = catalogue::model(name).expect("in the catalogue");
        assert_eq!(model.active_parameters().ok(), Some(expected), "{name}");
    }
}

#[test]
fn untied_heads_count_twice() {
    for (name, expected) in [("Llama-3.2-1B", 1_498_482_688), ("Qwen2.5-0.5B", 630_167_424)] {
        let model = catalogue::model(name).expect("in the catalogue");
        assert_eq!(model.parameters_untied().ok(), Some(expected), "{name}");
    }
}

#[test]
fn the_optimizer_floor_explains_the_measured_peaks() {
    let model = catalogue::model("Qwen2.5-0.5B").expect("in the catalogue");
    let cases = [
        (Precision::Fp32, Optimizer::AdamWForeach, "9,422.9 MiB"),
        (Precision::Fp32, Optimizer::AdamWFused, "7,538.3 MiB"),
        (Precision::AmpBf16, Optimizer::AdamWForeach, "9,422.9 MiB"),
        (Precision::PureBf16, Optimizer::AdamWForeach, "4,711.5 MiB"),
        (Precision::PureBf16, Optimizer::AdamWFused, "3,769.2 MiB"),
    ];
    for (precision, optimizer, expected) in cases {
        let floor = training::optimizer_floor(model, precision, optimizer).expect("a small model");
        assert_eq!(units::mib(floor), expected, "{precision:?} {optimizer:?}");
    }
    assert_eq!(
        training::state_bytes(model, Precision::Fp32, Optimizer::AdamWForeach).map(units::mib),
        Ok("7,538.3 MiB".to_owned())
    );
}

#[test]
fn states_of_other_optimizers() {
    let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
    let parameters: u64 = 8_030_261_248;
    // Rows and columns of two vocabulary matrices, seven matrices in each of 32 layers, and 65 norms.
    let factored = 2 * (128_256 + 4_096) + 32 * (2 * 8_192 + 2 * 5_120 + 3 * 18_432) + 65 * 4_096;
    let cases = [
        (Optimizer::Sgd, 8 * parameters),
        (Optimizer::Momentum, 12 * parameters),
        (Optimizer::Lion, 12 * parameters),
        (Optimizer::Adafactor, 8 * parameters + 4 * factored),
        (Optimizer::AdamW8bit, 8 * parameters + 2 * parameters + 8 * parameters.div_ceil(256)),
    ];
    for (optimizer, bytes) in cases {
        assert_eq!(training::state_bytes(model, Precision::Fp32, optimizer), Ok(bytes), "{optimizer:?}");
    }
}

/// Sixteen layers in four segments keep four inputs, and compute four layers again together.
#[test]
fn segments_trade_inputs_for_layers() {
    let model = catalogue::model("Llama-3.2-1B").expect("in the catalogue");
    let workload = |checkpointing| Training {
        precision: Precision::Fp32,
        optimizer: Optimizer::AdamWFused,
        batch: 1,
        seq: 1024,
        checkpointing,
    };
    let bytes = |checkpointing, part: &str| {
        let ledger = training::ledger(model, &workload(checkpointing)).expect("a known model");
        ledger.entries.iter().find(|entry| entry.part == part).map(|entry| entry.bytes)
    };
    let input = 4 * 1024 * 2048;
    let all = bytes(Checkpointing::None, "layer_activations").expect("saved");
    assert_eq!(bytes(Checkpointing::EveryLayer, "checkpoints"), Some(16 * input));
    assert_eq!(bytes(Checkpointing::EveryLayer, "recomputed_layer"), Some(all / 16 - input));
    assert_eq!(bytes(Checkpointing::SqrtSegments, "checkpoints"), Some(4 * input));
    assert_eq!(bytes(Checkpointing::SqrtSegments, "recomputed_layer"), Some(all / 4 - input));
}

#[test]
fn a_short_sequence_peaks_in_the_optimizer_step() {
    let model = catalogue::model("Qwen2.5-0.5B").expect("in the catalogue");
    let workload = Training {
        precision: Precision::Fp32,
        optimizer: Optimizer::AdamWForeach,
        batch: 1,
        seq: 256,
        checkpointing: Checkpointing::None,
    };
    let ledger = training::ledger(model, &workload).expect("a small model");
    assert_eq!((ledger.peak.phase.id(), ledger.peak.bytes), ("step", ledger.floor));
    assert_eq!(ledger.peak.cause.id(), "optimizer_temporary");
}

#[test]
fn expressions_give_the_ledgers_numbers() {
    let cases = [
        (r#"kv_cache model="Llama-3-8B" seq=8192 dtype="bf16""#, "1.00 GiB", "1,073,741,824 B"),
        (r#"kv_per_token model="Llama-3-8B""#, "128 KiB", "131,072 B"),
        (r#"params model="Llama-3-8B""#, "8,030,261,248", "8,030,261,248"),
        (r#"params model="Llama-3-8B" as="billion""#, "8.03 × 10⁹", "8,030,261,248"),
        (r#"weights model="Llama-3-8B" dtype="int4" as="GB""#, "4.02 GB", "4,015,130,624 B"),
        (r#"optimizer_floor model="Qwen2.5-0.5B" as="MiB" digits=1"#, "9,422.9 MiB", "9,880,655,360 B"),
        (r#"logits model="Qwen2.5-0.5B" tokens=768 as="MiB" digits=1"#, "445.1 MiB", "466,747,392 B"),
        (r#"card_capacity card="h100-80gb" as="GB" digits=1"#, "85.5 GB", "85,520,809,984 B"),
        (r#"bytes_per_param precision="fp32""#, "20 B", "20 B"),
        (r#"blocks seq=1000 block=16"#, "63", "63"),
        (r#"block_waste seq=1000 block=16"#, "8", "8"),
        (r#"times 100 (kv_cache model="Llama-3-8B" seq=8192)"#, "100.00 GiB", "107,374,182,400 B"),
        (r#"ratio (kv_per_token model="Llama-2-7B") (kv_per_token model="Llama-3-8B") digits=0"#, "4", "4"),
        (r#"percent (kv_cache model="Llama-3-8B" seq=131072) (weights model="Llama-3-8B")"#, "107.0%", "106.969553%"),
    ];
    for (source, text, exact) in cases {
        let computed = expr::evaluate(source).unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_eq!((computed.text.as_str(), computed.exact.as_str()), (text, exact), "{source}");
    }
}
