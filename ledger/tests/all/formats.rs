//! Weight formats: sizes by arithmetic, and against published tables.

use ledger::{
    catalogue,
    formats::{GgmlType, Grouped, Mixture, Nf4, gguf_bits_per_weight, gguf_bytes, qlora_base_bytes},
    inference,
};

#[test]
fn blocks_of_ggml() {
    let cases = [
        ("Q4_0", 4.5),
        ("Q4_1", 5.0),
        ("Q8_0", 8.5),
        ("Q2_K", 2.625),
        ("Q3_K", 3.4375),
        ("Q4_K", 4.5),
        ("Q5_K", 5.5),
        ("Q6_K", 6.5625),
        ("IQ4_XS", 4.25),
        ("MXFP4", 4.25),
        ("NVFP4", 4.5),
    ];
    for (name, bits) in cases {
        assert_eq!(name.parse::<GgmlType>().map(GgmlType::bits_per_weight), Ok(bits), "{name}");
    }
    assert_eq!(GgmlType::Q4_K.bytes(257), Some(2 * 144), "a started block counts whole");
    assert!("Q9_9".parse::<GgmlType>().is_err());
}

/// Bits per weight of llama.cpp's quantisation README, to four decimals; Llama 2 and 70B by the same rules.
#[test]
fn mixtures_of_llama_cpp() {
    let cases = [
        ("Llama-3.1-8B", "IQ1_S", 2.0042),
        ("Llama-3.1-8B", "IQ1_M", 2.1460),
        ("Llama-3.1-8B", "IQ2_XXS", 2.3824),
        ("Llama-3.1-8B", "IQ2_XS", 2.5882),
        ("Llama-3.1-8B", "IQ2_S", 2.7403),
        ("Llama-3.1-8B", "IQ2_M", 2.9294),
        ("Llama-3.1-8B", "IQ3_XXS", 3.2548),
        ("Llama-3.1-8B", "IQ3_XS", 3.4977),
        ("Llama-3.1-8B", "IQ3_S", 3.6606),
        ("Llama-3.1-8B", "IQ3_M", 3.7628),
        ("Llama-3.1-8B", "IQ4_XS", 4.4597),
        ("Llama-3.1-8B", "IQ4_NL", 4.6818),
        ("Llama-3.1-8B", "Q2_K_S", 2.9697),
        ("Llama-3.1-8B", "Q2_K", 3.1593),
        ("Llama-3.1-8B", "Q3_K_S", 3.6429),
        ("Llama-3.1-8B", "Q3_K_L", 4.2979),
        ("Llama-3.1-8B", "Q4_K_S", 4.6672),
        ("Llama-3.1-8B", "Q4_K_M", 4.8944),
        ("Llama-3.1-8B", "Q5_K_S", 5.5704),
        ("Llama-3.1-8B", "Q5_K_M", 5.7036),
        ("Llama-3.1-8B", "Q6_K", 6.5633),
        ("Llama-3.1-8B", "Q8_0", 8.5008),
        ("Llama-3.1-8B", "F16", 16.0005),
        ("Llama-2-7B", "Q4_K_M", 4.8442),
        ("Llama-3.1-70B", "Q4_K_M", 4.8204),
    ];
    for (name, mixture, expected) in cases {
        let model = catalogue::model(name).expect("in the catalogue");
        let bits = gguf_bits_per_weight(model, mixture.parse().expect("a mixture")).expect("a known model");
        assert!((bits - expected).abs() < 0.000_05, "{name} {mixture}: {bits}");
    }
}

/// Tensor data from a second implementation of the rules, tensor by tensor. Published files of the same name are larger
/// by their tokenizer only: Phi-3-mini Q5_K_M 2.82 GB, Mixtral Q4_0 26.44 GB, Gemma 2 9B Q4_K_M 5.76 GB,
/// Qwen3-30B-A3B Q4_K_M 18.56 GB, Qwen2.5-0.5B Q4_K_M 0.398 GB.
#[test]
fn mixtures_of_other_families() {
    let cases = [
        ("Phi-3-mini-4k-instruct", "Q5_K_M", 2_814_537_216),
        ("Phi-3-mini-4k-instruct", "Q2_K", 1_415_465_472),
        ("Mixtral-8x7B-v0.1", "Q4_0", 26_442_850_304),
        ("Mixtral-8x7B-v0.1", "Q4_K_M", 28_447_727_616),
        ("Mixtral-8x7B-v0.1", "Q8_0", 49_625_579_520),
        ("Qwen3-30B-A3B", "Q4_K_M", 18_550_716_416),
        ("Qwen3-30B-A3B", "MXFP4_MOE", 17_076_477_952),
        ("Qwen3-30B-A3B", "IQ2_M", 10_163_537_920),
        ("Qwen2.5-0.5B", "Q4_K_M", 391_859_712),
        ("Qwen2.5-0.5B", "Q2_K", 332_659_200),
        ("gemma-2-9b", "Q4_K_M", 5_755_000_832),
        ("Llama-2-7B", "Q3_K_M", 3_297_263_616),
        ("Llama-3.1-70B", "Q3_K_M", 34_259_632_128),
    ];
    for (name, mixture, expected) in cases {
        let model = catalogue::model(name).expect("in the catalogue");
        assert_eq!(gguf_bytes(model, mixture.parse().expect("a mixture")), Ok(expected), "{name} {mixture}");
    }
    // A plain format is the type itself, rows of any length included.
    let model = catalogue::model("gpt2").expect("in the catalogue");
    assert_eq!(gguf_bytes(model, Mixture::F32), model.parameters().map(|count| 4 * count));
    for mixture in Mixture::ALL {
        assert_eq!(mixture.id().parse(), Ok(*mixture));
        for model in catalogue::models() {
            let bytes = gguf_bytes(model, *mixture).expect("a catalogue model");
            assert!(bytes <= gguf_bytes(model, Mixture::F32).expect("a catalogue model"), "{}", model.name);
        }
    }
    assert_eq!("Q4_K".parse(), Ok(Mixture::Q4_K_M));
    // As many layers as a configuration may state: an answer at once.
    let deep = ledger::Model { layers: 1 << 40, ..catalogue::model("gpt2").expect("in the catalogue").clone() };
    assert!(gguf_bytes(&deep, Mixture::Q4_K_M).is_ok_and(|bytes| bytes > 1 << 60));
}

#[test]
fn groups_and_normal_floats() {
    assert_eq!(Grouped::awq(4, 128).bits_per_weight(), 4.15625);
    assert_eq!(Grouped::gptq(4, 128, true).bits_per_weight(), 4.125);
    assert_eq!(Grouped::gptq(4, 32, false).bits_per_weight(), 4.625);
    assert_eq!(Grouped::NVFP4.bits_per_weight(), 4.5);
    assert_eq!(Grouped::fp8_blocks(128, 128).bits_per_weight(), 8.001_953_125);
    assert_eq!(Grouped::awq(4, 128).bytes(4096 * 4096), Some(8_716_288));
    assert_eq!(Nf4::QLORA.overhead_bits(), 0.126_953_125);
    assert_eq!(Nf4 { block: 64, double_quant: false }.bytes(4096 * 4096), Ok(9_437_184));
    // The checkpoint of gpt-oss-20b: 13,761,264,768 B, experts in MXFP4 and everything else in BF16.
    let oss = catalogue::model("gpt-oss-20b").expect("in the catalogue");
    let stored = inference::weights_in(oss, "mxfp4_experts".parse().expect("a format")).map(|entry| entry.bytes);
    assert_eq!(stored, Ok(19_110_297_600 * 17 / 32 + 2 * 1_804_459_584));
    // Llama-2-7B in LLM.int8: a byte per weight of the layers, FP32 per output: 32 × (4 × 4096 + 2 × 11008 + 4096).
    let llama = catalogue::model("Llama-2-7B").expect("in the catalogue");
    let of = |format: &str| inference::weights_in(llama, format.parse().expect("a format")).map(|entry| entry.bytes);
    assert_eq!(of("int8_channel"), Ok(6_476_005_376 + 4 * 32 * 42_496 + 2 * 262_410_240));
    assert_eq!(of("fp8_tensor"), Ok(6_476_005_376 + 4 * 32 * 7 + 2 * 262_410_240));
    let model = catalogue::model("LLaMA-65B").expect("in the catalogue");
    let bytes = qlora_base_bytes(model, Nf4::QLORA).expect("a known model");
    assert!(bytes < 48_000_000_000 && bytes > 34_000_000_000, "fits a 48 GB card: {bytes}");
}
