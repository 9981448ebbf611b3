//! Every calculator by its sheet: numbers worked out by hand, errors, and what holds for all.

use std::collections::BTreeMap;

use ledger::calculators::{Axis, CalculatorError, Kind, Quantity, Sheet, all, ridge_points, run};
use proptest::prelude::*;

fn typed(values: &[(&str, &str)]) -> BTreeMap<String, String> {
    values.iter().map(|(id, value)| ((*id).to_owned(), (*value).to_owned())).collect()
}

fn sheet(id: &str, values: &[(&str, &str)]) -> Sheet {
    run(id, &typed(values)).unwrap_or_else(|error| panic!("{id}: {error}"))
}

/// The value of a line, whatever its unit.
fn number(sheet: &Sheet, line: &str) -> f64 {
    match sheet.line(line).unwrap_or_else(|| panic!("no line {line}")).quantity {
        Quantity::Bytes(value) | Quantity::Count(value) | Quantity::Operations(value) => value as f64,
        Quantity::Seconds(value) | Quantity::BytesPerSecond(value) | Quantity::Ratio(value) => value,
    }
}

fn check(id: &str, values: &[(&str, &str)], expected: &[(&str, f64)]) {
    let sheet = sheet(id, values);
    for (line, value) in expected {
        let found = number(&sheet, line);
        assert!((found - value).abs() <= value.abs() * 1e-9, "{id}/{line}: {found}, expected {value}");
    }
}

#[test]
fn every_calculator_answers_with_its_defaults() {
    for calculator in all() {
        let sheet = sheet(calculator.id, &[]);
        assert!(!sheet.lines.is_empty() && !sheet.assumptions.is_empty(), "{}", calculator.id);
        for (at, line) in sheet.lines.iter().enumerate() {
            assert!(!line.formula.is_empty() && !line.name.zh.is_empty(), "{}/{}", calculator.id, line.id);
            assert!(sheet.lines[..at].iter().all(|other| other.id != line.id), "{}/{} twice", calculator.id, line.id);
            assert!(number(&sheet, &line.id).is_finite());
        }
        let json = serde_json::to_string(&sheet).expect("plain data");
        let read: Sheet = serde_json::from_str(&json).expect("as it was written");
        assert_eq!(read.lines.len(), sheet.lines.len(), "{}", calculator.id);
        assert!(read.lines.iter().zip(&sheet.lines).all(|(a, b)| (&a.id, &a.formula) == (&b.id, &b.formula)));
    }
}

#[test]
fn ranges_and_choices_hold_at_both_ends() {
    for calculator in all() {
        for input in &calculator.inputs {
            let ends = match &input.kind {
                Kind::Whole { min, max, .. } => vec![min.to_string(), max.to_string()],
                Kind::Decimal { min, max, .. } => vec![min.to_string(), max.to_string()],
                Kind::Choice { options, .. } => options.iter().map(|option| option.id.to_string()).collect(),
            };
            for end in ends {
                // What does not fit 64 bits or has no rate on this card is named; nothing else may go wrong.
                match run(calculator.id, &typed(&[(&input.id, &end)])) {
                    Ok(sheet) => {
                        assert!(
                            sheet.lines.iter().all(|line| number(&sheet, &line.id).is_finite()),
                            "{}",
                            calculator.id
                        );
                    }
                    Err(CalculatorError::Ledger(_)) => {}
                    Err(error) => panic!("{} {} = {end}: {error}", calculator.id, input.id),
                }
            }
        }
    }
}

fn mark(sheet: &Sheet, plot: &str, mark: &str) -> (f64, f64) {
    let plot = sheet.plots.iter().find(|known| known.id == plot).unwrap_or_else(|| panic!("no plot {plot}"));
    let mark = plot.mark(mark).unwrap_or_else(|| panic!("{}: no mark {mark}", plot.id));
    (mark.x, mark.y)
}

fn near((x, y): (f64, f64), (other_x, other_y): (f64, f64)) -> bool {
    (x - other_x).abs() <= other_x.abs() * 1e-9 && (y - other_y).abs() <= other_y.abs() * 1e-9
}

#[test]
fn marks_by_hand() {
    // 989.4 TFLOP/s over 3.35 TB/s. The GEMM of 4096/3 operations per byte stands under the flat roof, the norm of
    // 4 · 2²⁴ FLOP in 67,117,056 B under the slope.
    let roof = sheet("roofline", &[]);
    assert!(near(mark(&roof, "roofline", "ridge"), (989.4e12 / 3.35e12, 989.4e12)));
    assert!(near(mark(&roof, "roofline", "gemm"), (4096.0 / 3.0, 989.4e12)));
    let norm = 67_108_864.0 / 67_117_056.0;
    assert!(near(mark(&roof, "roofline", "norm"), (norm, norm * 3.35e12)));
    // 63.015 GB out and back take two seconds; in two seconds half of 989.4 TFLOP/s does 989.4e12 operations.
    let link = [("bytes", "63015000000"), ("operations", "494700000000000")];
    let offload = sheet("offload", &link);
    assert!(near(mark(&offload, "break_even", "break_even"), (989.4e12 / 63.015e9, 2.0)));
    assert!(near(mark(&offload, "break_even", "layer"), (494.7e12 / 63.015e9, 1.0)));
    let hidden = sheet("offload", &[("hidden", "1")]);
    assert!(hidden.plots[0].mark("break_even").is_none(), "what is hidden costs nothing");
    // 64 rows of keys and values of 128 numbers take 32 KiB, a row of queries 256 B: 228 KiB hold 196 × 4 rows.
    let flash = sheet("flash_attention", &[]);
    assert!(near(mark(&flash, "shared_memory", "largest"), (784.0, 233_472.0)));
    assert!(near(mark(&flash, "shared_memory", "chosen"), (128.0, 65_536.0)));
    assert_eq!(mark(&flash, "traffic_by_sequence", "standard").1, number(&flash, "standard"));
    assert_eq!(mark(&flash, "traffic_by_rows", "chosen").1, number(&flash, "flash"));
    let small = sheet("flash_attention", &[("shared_kib", "1")]);
    assert!(number(&small, "largest_rows") == 0.0 && small.plots[0].mark("largest").is_none());
    // Sixteen layers of 1 KiB: without checkpoints 16 KiB; four segments hold 4 + 4 − 1 KiB, two 2 + 8 − 1.
    let sizes = [("layers", "16"), ("input_bytes", "1024"), ("layer_bytes", "1024"), ("segments", "2")];
    let segments = sheet("checkpointing", &sizes);
    assert_eq!(mark(&segments, "peak", "root"), (4.0, 7168.0));
    assert_eq!(mark(&segments, "peak", "chosen"), (2.0, 9216.0));
    assert_eq!(mark(&segments, "time", "none"), (1.0, 16_384.0));
    assert_eq!(mark(&segments, "time", "root"), (4.0 / 3.0, 7168.0));
    // With the last segment kept, two segments compute half of the layers again.
    let kept = sheet("checkpointing", &[sizes[0], sizes[1], sizes[2], sizes[3], ("last", "kept")]);
    assert_eq!(mark(&kept, "time", "chosen"), (3.5 / 3.0, 9216.0));
    assert!(kept.plots[1].lines[0].points.windows(2).all(|pair| pair[0].1 > pair[1].1), "more time, a lower peak");
}

/// Curves rise along their axis for the smallest inputs too.
#[test]
fn curves_rise_along_their_axis() {
    for calculator in all() {
        for input in &calculator.inputs {
            let Kind::Whole { min, .. } = &input.kind else { continue };
            let Ok(sheet) = run(calculator.id, &typed(&[(&input.id, &min.to_string())])) else { continue };
            for plot in &sheet.plots {
                assert!(!plot.lines.is_empty(), "{} {} = {min}", calculator.id, input.id);
                for line in &plot.lines {
                    let rises = line.points.windows(2).all(|pair| pair[0].0 < pair[1].0);
                    assert!(rises, "{} {} = {min}: {:?}", calculator.id, input.id, line.points);
                }
                // What a logarithmic axis shows is above zero; a mark lies on the picture.
                let marks = plot.marks.iter().map(|mark| (mark.x, mark.y));
                for (x, y) in plot.lines.iter().flat_map(|line| line.points.iter().copied()).chain(marks) {
                    let shown = |axis: &Axis, value: f64| value.is_finite() && (!axis.logarithmic || value > 0.0);
                    assert!(shown(&plot.along, x) && shown(&plot.up, y), "{}/{}: {x} {y}", calculator.id, plot.id);
                }
            }
        }
    }
}

#[test]
fn what_is_wrong_is_named() {
    let message = |id: &str, values: &[(&str, &str)]| run(id, &typed(values)).expect_err("refused").to_string();
    assert!(message("nothing", &[]).contains("expected one of roofline, flash_attention"));
    assert!(message("dp_sgd", &[("sample", "1")]).contains("dp_sgd has no input \"sample\": expected samples, micro"));
    assert_eq!(message("dp_sgd", &[("samples", "0")]), "samples: expected an integer from 1 to 1048576, found \"0\"");
    assert_eq!(message("offload", &[("hidden", "NaN")]), "hidden: expected a number from 0 to 1, found \"NaN\"");
    assert!(message("offload", &[("link", "modem")]).contains("link: expected one of nvme, pcie3-x16"));
    let v100 = message("roofline", &[("card", "v100-16gb")]);
    assert!(v100.contains("\"bf16\": expected one of fp16, fp32"), "{v100}");
}

/// The course's figures: 295 operations per byte on an H100, 139 on a V100.
#[test]
fn roofline() {
    let ridge = |card, format| {
        let found = ridge_points().into_iter().find(|ridge| ridge.card == card && ridge.format == format);
        found.expect("typed in").operations_per_byte.round()
    };
    assert_eq!((ridge("h100-80gb", "bf16"), ridge("v100-16gb", "fp16")), (295.0, 139.0));
    let sheet = sheet("roofline", &[]);
    // 2 · 4096³ over 3 · 4096² · 2 B: 4096 / 3.
    assert!((number(&sheet, "gemm_intensity") - 4096.0 / 3.0).abs() < 1e-9);
    // 4 · 2²⁴ FLOP at 989.4 TFLOP/s takes less than 2 · 2²⁴ · 2 B and a weight at 3.35 TB/s.
    assert!((number(&sheet, "norm_seconds") - 67_117_056.0 / 3.35e12).abs() < 1e-12);
    // Four query heads share a key: 4 · 32 over 2 · 8 · 2 B, a little less for the queries themselves.
    let decode = number(&sheet, "decode_intensity");
    assert!(decode < 4.0 && decode > 3.99, "{decode}");
    assert_eq!(
        sheet.verdict.map(|text| text.en.contains("the GEMM is limited by arithmetic, the norm by memory")),
        Some(true)
    );
}

#[test]
fn attention_and_checkpoints() {
    check(
        "flash_attention",
        &[("heads", "1")],
        &[
            ("tile", 65_536.0),
            ("resident", 3.0),
            ("scores", 134_217_728.0),
            ("standard", 545_259_520.0),
            ("flash", 2.0 * (2.0 * 1_048_576.0 + 64.0 * 2.0 * 1_048_576.0) + 4.0 * 8192.0),
            // 228 KiB hold 116,736 numbers of 16 bit: ⌈2⁴⁰ ÷ 116,736⌉.
            ("bound", 9_418_788.0),
            ("operations", 34_359_738_368.0),
        ],
    );
    // Sixteen layers that save no more than their input: the optimum is four.
    let values = [("layers", "16"), ("input_bytes", "1024"), ("layer_bytes", "1024"), ("segments", "16")];
    check(
        "checkpointing",
        &values,
        &[("none", 16_384.0), ("chosen", 16_384.0), ("best_segments", 4.0), ("best", 7_168.0), ("root", 4.0)],
    );
    // Sixteen GPT layers measured with checkpoint_sequential(4): 4,407,296 bytes; twelve layers run again.
    let sizes = [("layers", "16"), ("input_bytes", "65536"), ("layer_bytes", "1052672"), ("segments", "4")];
    let kept = [sizes[0], sizes[1], sizes[2], sizes[3], ("last", "kept")];
    check("checkpointing", &kept, &[("none", 16_842_752.0), ("chosen", 4_407_296.0), ("time", 1.25)]);
    check("checkpointing", &sizes, &[("chosen", 4_407_296.0), ("time", 4.0 / 3.0)]);
    // Every layer: sixteen inputs, and the layer whose backward runs.
    let every = [sizes[0], sizes[1], sizes[2], ("segments", "16")];
    check("checkpointing", &every, &[("chosen", 15.0 * 65_536.0 + 1_052_672.0)]);
}

#[test]
fn links_and_tiers() {
    check("offload", &[("bytes", "63015000000")], &[("gap", 3350.0 / 63.015), ("out", 1.0), ("visible", 2.0)]);
    check("offload", &[("link", "nvlink-c2c")], &[("gap", 3350.0 / 450.0)]);
    // With nothing hidden a byte travels twice: 2 × 494.7 TFLOP/s ÷ 63.015 GB/s.
    check("offload", &[], &[("break_even", 2.0 * 494.7e12 / 63.015e9)]);
    let sheet = sheet("prefix_tier", &[("latency", "0")]);
    assert_eq!(number(&sheet, "cache"), 1_073_741_824.0);
    assert!((number(&sheet, "transfer") - 1_073_741_824.0 / 7e9).abs() < 1e-12);
    let operations = 2.0 * (8_030_261_248.0 - 2.0 * 128_256.0 * 4_096.0) * 8_192.0 + 2.0 * 8_192f64.powi(2) * 131_072.0;
    assert_eq!(number(&sheet, "operations"), operations);
    assert!(sheet.verdict.is_some_and(|text| text.en == "Loading is faster."));
    // Qwen3-30B-A3B: 48 layers of 128 experts of 3 × 2048 × 768, 8 used.
    check(
        "expert_paging",
        &[("hit", "0.75")],
        &[
            ("expert", 9_437_184.0),
            ("all", 48.0 * 128.0 * 9_437_184.0),
            ("on_card", 48.0 * 32.0 * 9_437_184.0),
            ("routes", 384.0),
            ("misses", 96.0),
            ("stall", 96.0 * 9_437_184.0 / 63.015e9),
        ],
    );
    check("expert_paging", &[("resident", "0")], &[("misses", 384.0), ("on_card", 0.0)]);
    check("expert_paging", &[("resident", "4096")], &[("misses", 0.0), ("on_tier", 0.0)]);
}

#[test]
fn contexts_pictures_films() {
    let values = [("system", "1000"), ("per_turn", "500"), ("turns", "3"), ("agents", "2")];
    // Llama-3.1-8B: 131,072 B per token. Turns read 1500 + 2000 + 2500 tokens.
    check(
        "agent_context",
        &values,
        &[
            ("context", 2500.0),
            ("one", 2500.0 * 131_072.0),
            ("all", 5000.0 * 131_072.0),
            ("shared", 4000.0 * 131_072.0),
            ("read", 6000.0),
            ("new", 2500.0),
        ],
    );
    let folded = [values[0], values[1], ("turns", "4"), ("limit", "1900"), ("summary", "200")];
    // 1500, 2000 → 1200, 1700, 2200 → 1200: two summaries.
    check("agent_context", &folded, &[("context", 2200.0), ("summaries", 2.0), ("read", 7400.0)]);
    check("image_tokens", &[], &[("tokens", 576.0), ("cache", 576.0 * 131_072.0), ("encoder", 608_000_000.0)]);
    check(
        "image_tokens",
        &[("width", "224"), ("height", "224"), ("class_token", "yes")],
        &[("tokens", 257.0), ("patches", 256.0)],
    );
    check("image_tokens", &[("merge", "2")], &[("tokens", 144.0), ("patches", 576.0)]);
    // 120 frames → 60 of 256 tokens → a quarter.
    check("video_tokens", &[], &[("frames", 120.0), ("tokens", 3_840.0), ("plain", 30_720.0), ("saved", 8.0)]);
    // Llama-3.2-1B: 2 · 16 · 8 · 64 · 2 B = 32,768 B per token; 4096 + 16 · 64 tokens.
    check(
        "world_rollouts",
        &[],
        &[
            ("tokens", 5_120.0),
            ("one", 167_772_160.0),
            ("copies", 64.0 * 167_772_160.0),
            ("shared", 32_768.0 * (4_096.0 + 64.0 * 1_024.0)),
        ],
    );
}

#[test]
fn more_than_one_model_and_many_clients() {
    check(
        "distillation",
        &[("student", "1000"), ("teacher", "4000"), ("tokens", "10"), ("vocab", "100")],
        &[("student", 16_000.0), ("teacher", 8_000.0), ("student_logits", 4_000.0), ("total", 32_000.0)],
    );
    check(
        "distillation",
        &[("tokens", "10"), ("vocab", "100"), ("top", "8")],
        &[("teacher_logits", 10.0 * 8.0 * 12.0)],
    );
    let values = [("parameters", "1000"), ("module", "100"), ("tasks", "5"), ("samples", "10"), ("sample_bytes", "8")];
    check(
        "continual_learning",
        &values,
        &[
            ("trunk", 16_000.0),
            ("module", 1_600.0),
            ("modules", 800.0),
            ("replay", 400.0),
            ("old_tasks", 8_000.0),
            ("card", 26_400.0),
        ],
    );
    check("dp_sgd", &[], &[("naive", 1_792e9), ("micro", 56e9), ("ghost", 14_000_000_512.0)]);
    // 2 · 1024² < 4096², 2 · 4096² is not.
    let ghost =
        |tokens: &str| sheet("dp_sgd", &[("tokens", tokens)]).verdict.map(|text| text.en.contains("ghost norm"));
    assert_eq!((ghost("1024"), ghost("4096")), (Some(true), Some(false)));
    check(
        "federated",
        &[("capacity", "1024"), ("reserve", "0"), ("parameters", "1000000"), ("uplink", "1000000")],
        &[("states", 16e6), ("largest", 67_108_864.0), ("update", 2e6), ("upload", 2.0), ("round", 200e6)],
    );
    check("federated", &[("method", "adapter"), ("parameters", "100"), ("adapter", "10")], &[("states", 360.0)]);
}

#[test]
fn tables_and_pairs() {
    let values = [("tables", "2"), ("rows", "1000"), ("dim", "16"), ("batch", "100"), ("dense", "1000")];
    check(
        "recommender_embeddings",
        &values,
        &[
            ("weights", 128_000.0),
            ("state", 8_000.0),
            ("touched", 200.0),
            ("sparse_gradient", 200.0 * 72.0),
            ("share", 32_000.0 / 33_000.0),
            ("hot", 6_400.0),
            ("per_card", 17_000.0),
            ("all_to_all", 12_800.0),
        ],
    );
    check("recommender_embeddings", &[values[0], values[1], values[2], ("optimizer", "adam")], &[("state", 256_000.0)]);
    let half = 512f64 * 512.0;
    check(
        "pair_tensors",
        &[],
        &[
            ("msa", half * 256.0 * 2.0),
            ("pair", half * 128.0 * 2.0),
            ("logits", 4.0 * half * 512.0 * 2.0),
            ("chunked", 4.0 * half * 4.0 * 2.0),
            ("saved", 128.0),
        ],
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// More of anything never needs less, and no text that is typed panics.
    #[test]
    fn sheets_are_monotone(turns in 1u64..200, more in 0u64..200, residues in 1u64..4000) {
        let context = |turns: u64| number(&sheet("agent_context", &[("turns", &turns.to_string())]), "all");
        prop_assert!(context(turns) <= context(turns + more));
        let logits = |length: u64| number(&sheet("pair_tensors", &[("residues", &length.to_string())]), "logits");
        prop_assert!(logits(residues) <= logits(residues + more));
    }

    #[test]
    fn any_text_is_answered(text in ".{0,30}") {
        for calculator in all() {
            for input in &calculator.inputs {
                let _ = run(calculator.id, &typed(&[(&input.id, &text)]));
            }
            let stranger = text.clone() + "?";
            prop_assert!(run(&stranger, &BTreeMap::new()).is_err());
        }
    }
}
