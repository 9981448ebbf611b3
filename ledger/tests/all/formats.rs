//! Weight formats: sizes by arithmetic, and against published tables.

use ledger::{
    catalogue,
    formats::{GgmlType, Grouped, Mixture, Nf4, gguf_bits_per_weight, qlora_base_bytes},
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

/// Bits per weight of llama.cpp's quantisation README, to four decimals.
#[test]
fn mixtures_of_llama_cpp() {
    let cases = [
        ("Llama-3.1-8B", Mixture::Q4_K_S, 4.6672),
        ("Llama-3.1-8B", Mixture::Q4_K_M, 4.8944),
        ("Llama-3.1-8B", Mixture::Q5_K_S, 5.5704),
        ("Llama-3.1-8B", Mixture::Q5_K_M, 5.7036),
        ("Llama-3.1-8B", Mixture::Q6_K, 6.5633),
        ("Llama-3.1-8B", Mixture::Q8_0, 8.5008),
        ("Llama-3.1-8B", Mixture::F16, 16.0005),
        ("Llama-2-7B", Mixture::Q4_K_M, 4.8442),
        ("Llama-3.1-70B", Mixture::Q4_K_M, 4.8204),
    ];
    for (name, mixture, expected) in cases {
        let model = catalogue::model(name).expect("in the catalogue");
        let bits = gguf_bits_per_weight(model, mixture).expect("a known model");
        assert!((bits - expected).abs() < 0.000_05, "{name} {mixture:?}: {bits}");
    }
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
    let model = catalogue::model("LLaMA-65B").expect("in the catalogue");
    let bytes = qlora_base_bytes(model, Nf4::QLORA).expect("a known model");
    assert!(bytes < 48_000_000_000 && bytes > 34_000_000_000, "fits a 48 GB card: {bytes}");
}
