//! The small calculators against the figures that the course corrects.

use ledger::{
    Dtype,
    calculators::{
        Prefix, Tiles, flash_traffic, image_tokens, load_seconds, per_sample_gradients, recompute_seconds, score_bytes,
        segment_curve, standard_traffic, video_tokens,
    },
    catalogue,
};

#[test]
fn attention() {
    assert_eq!(score_bytes(8_192, Dtype::Bf16), Ok(134_217_728));
    assert_eq!(score_bytes(65_536, Dtype::Bf16), Ok(8_589_934_592));
    let tiles =
        Tiles { query_rows: 128, key_rows: 64, head_dim: 128, dtype: Dtype::Bf16, stages: 1, holds_output: false };
    assert_eq!(tiles.shared_memory(), Ok((32 + 16 + 16) << 10));
    let double = Tiles { query_rows: 64, stages: 2, ..tiles };
    assert_eq!(double.shared_memory(), Ok(80 << 10));
    let (standard, flash) = (standard_traffic(8_192, 128, Dtype::Bf16), flash_traffic(8_192, 128, 128, Dtype::Bf16));
    assert_eq!(standard, Ok(2 * (4 * 8_192 * 128 + 4 * 8_192 * 8_192)));
    assert_eq!(flash, Ok(2 * (2 * 8_192 * 128 + 64 * 2 * 8_192 * 128) + 4 * 8_192));
    assert!(flash_traffic(1, 1, 0, Dtype::Bf16).is_err());
}

#[test]
fn pictures_films_and_privacy() {
    assert_eq!(image_tokens(384, 16, false), Ok(576));
    assert_eq!(video_tokens(64, 256, 2, 4), Ok(2_048));
    assert!(image_tokens(224, 0, false).is_err() && video_tokens(1, 1, 0, 1).is_err());
    assert_eq!(per_sample_gradients(128, 7_000_000_000, Dtype::F16), Ok(1_792_000_000_000));
    assert!(per_sample_gradients(u64::MAX, 2, Dtype::F16).is_err());
}

/// Sixteen layers that save no more than their input: the optimum is four segments.
#[test]
fn the_square_root_is_the_optimum_of_equal_sizes() {
    let best = |layers, input, layer| {
        let curve = segment_curve(layers, input, layer).expect("small sizes");
        curve.into_iter().min_by_key(|point| point.bytes).map(|point| point.segments)
    };
    assert_eq!(best(16, 1, 1), Some(4));
    assert_eq!(best(64, 1, 1), Some(8));
    assert_eq!(best(16, 1, 16), Some(16), "with layers much larger than inputs every layer is checkpointed");
    let curve = segment_curve(16, 65_536, 1_052_672).expect("small sizes");
    assert_eq!(curve[15].bytes, 15 * 65_536 + 1_052_672);
    assert_eq!(curve[0].bytes, 16 * 1_052_672);
}

#[test]
fn loading_against_computing_again() {
    let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
    let prefix = Prefix { tokens: 8_192, cache: Dtype::Bf16 };
    let load = load_seconds(model, prefix, 7_000_000_000).expect("a rate");
    assert!((load - 1_073_741_824.0 / 7e9).abs() < 1e-12);
    let layers = 8_030_261_248.0 - 2.0 * 128_256.0 * 4_096.0;
    let operations = 2.0 * layers * 8_192.0 + 2.0 * 8_192.0 * 8_192.0 * 4_096.0 * 32.0;
    let compute = recompute_seconds(model, prefix, 989_400_000_000_000, 0.5).expect("a rate");
    assert!((compute - operations / 494.7e12).abs() < 1e-9);
    assert!(load_seconds(model, prefix, 0).is_err());
    assert!(recompute_seconds(model, prefix, 1, 0.0).is_err());
    assert!(recompute_seconds(model, prefix, 1, f64::NAN).is_err());
}
