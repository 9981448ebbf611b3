//! What an author reads when an expression is wrong.

use ledger::expr::{self, ExprError};

#[test]
fn mistakes_are_named_with_their_place() {
    let cases = [
        ("", "the expression is empty"),
        ("42", "is only typed numbers"),
        (r#""8 GB""#, "is only typed numbers"),
        ("times 2 3", "is only typed numbers"),
        ("ratio (times 1 2) (times 3 4)", "is only typed numbers"),
        ("kv_cash", "at 1: unknown function \"kv_cash\": expected one of params, weights, kv_per_token, kv_cache"),
        (
            r#"kv_cache model="Llama-3-8B" sequence=1"#,
            "at 29: kv_cache has no argument \"sequence\": expected one of model, dtype, kv, seq, batch",
        ),
        (
            r#"kv_cache model="Llama-9" seq=1"#,
            "at 10: model=Llama-9 is no model of the catalogue: expected DeepSeek-V2-Lite",
        ),
        (r#"kv_cache seq=1"#, "at 1: kv_cache needs model="),
        (r#"kv_cache model="gpt2""#, "at 1: kv_cache needs seq="),
        (r#"kv_cache model="gpt2" seq=0"#, "at 23: seq must be a whole number from 1 to 2^53, found 0"),
        (r#"kv_cache model="gpt2" seq="8k""#, "at 23: seq must be a whole number from 1 to 2^53, found \"8k\""),
        (r#"kv_cache model="gpt2" seq=8k"#, "at 27: expected a number, found \"8k\""),
        (r#"kv_cache model="gpt2" seq=1 seq=2"#, "at 29: argument seq stands twice"),
        (r#"kv_cache model=gpt2 seq=1"#, "at 16: expected a number, a \"text\" or a parenthesis, found 'g'"),
        (r#"kv_cache model="gpt2 seq=1"#, "at 27: expected a closing quotation mark, found the end"),
        (r#"weights model="gpt2" dtype="fp7""#, "at 22: dtype=fp7 is no dtype: expected fp32, bf16"),
        (r#"weights model="gpt2" as="kg""#, "at 22: as=\"kg\" does not go with bytes: expected one of GiB, GB"),
        (r#"card_capacity card="abacus""#, "at 15: card=abacus is no card of the catalogue: expected "),
        (r#"ratio (params model="gpt2")"#, "at 1: ratio takes two expressions in parentheses, found 1"),
        (r#"ratio (params model="gpt2") (weights model="gpt2")"#, "at 1: ratio cannot join a count with bytes"),
        (r#"ratio (params model="gpt2") 2"#, "ratio must be an expression in parentheses, found 2"),
        (r#"ratio (params model="gpt2" "#, "expected a closing parenthesis, found the end"),
        (r#"params model="gpt2") "#, "at 20: expected the end of the expression, found ')'"),
        (
            r#"longest_context model="Llama-3-70B" card="t4""#,
            "at 1: longest_context: 0 B are left, 327,680 B are needed for one",
        ),
        (r#"params model="gpt2" digits=10"#, "at 21: digits must be a whole number from 0 to 9, found 10"),
        (r#"ridge card="h200" dtype="int4""#, "the catalogue does not have the dense int4 rate of that card"),
        (r#"ridge card="rtx5070ti-laptop""#, "the catalogue does not have the rates of rtx5070ti-laptop"),
        (r#"transfer_time (params model="gpt2") card="h200""#, "transfer_time cannot join bytes with a count"),
        (
            r#"transfer_time (weights model="gpt2") card="l4" link="nvlink""#,
            "the catalogue does not have the nvlink rate",
        ),
        (r#"transfer_time 7 card="l4""#, "is only typed numbers"),
        (r#"link_rate card="h100-80gb" link="c2c""#, "the catalogue does not have the c2c rate"),
        (r#"link_rate card="h100-80gb" link="tape""#, "link=tape is no link: expected memory, pcie, c2c, nvlink"),
        (r#"cards_needed (params model="gpt2") card="h200""#, "cards_needed cannot join bytes with a count"),
        (r#"cards_needed 7 card="h200""#, "is only typed numbers"),
        (r#"gguf model="Llama-2-7B" mixture="Q3""#, "mixture=Q3 is no GGUF mixture: expected F32, F16"),
        (r#"image_tokens side=224 patch=0"#, "patch must be a whole number from 1"),
        (r#"image_tokens side=224 patch=14 class=2"#, "class must be 0 or 1, found 2"),
        (r#"flash_tile q=64 kv=64"#, "flash_tile needs head_dim="),
        (r#"segment size="1 MiB""#, "size must be a whole number from 1"),
        (r#"zero_states model="gpt2" stage=4 ranks=2"#, "stage must be 0, 1, 2 or 3, found 4"),
        (r#"lora_params model="gpt2" rank=8 targets="q,x""#, "unknown target \"x\""),
        (r#"train_peak model="gpt2" seq=2000"#, "sequence 2000 exceeds the position table of 1024"),
    ];
    for (source, message) in cases {
        match expr::evaluate(source) {
            Err(error) => assert!(error.to_string().contains(message), "{source}: {error}"),
            Ok(computed) => panic!("{source} gave {}", computed.text),
        }
    }
}

#[test]
fn bounds() {
    let deep = format!("{}params model=\"gpt2\"{}", "sum (".repeat(40), ")".repeat(40));
    assert!(matches!(expr::evaluate(&deep), Err(ExprError::TooDeep { .. })));
    let long = format!("params model=\"gpt2\" {}", " ".repeat(3000));
    assert!(matches!(expr::evaluate(&long), Err(ExprError::TooLong { .. })));
}

#[test]
fn units_and_digits() {
    let cases = [
        (r#"weights model="gpt2" dtype="fp32""#, "474.70 MiB"),
        (r#"weights model="gpt2" dtype="fp32" as="B""#, "497,759,232 B"),
        (r#"weights model="gpt2" dtype="fp32" as="KB" digits=0"#, "497,759 KB"),
        (r#"params model="gpt2" as="million" digits=1"#, "124.4 × 10⁶"),
        (r#"difference (params model="gpt2") (params model="gpt2-medium")"#, "−230,383,360.00"),
        (r#"times 0.5 (kv_per_token model="gpt2")"#, "18.00 KiB"),
        (r#"percent (params model="gpt2") (params model="gpt2-medium")"#, "35.1%"),
        (r#"percent (params model="gpt2") (params model="gpt2-medium") digits=3"#, "35.071%"),
        (r#"ridge card="h100-80gb" digits=0"#, "295"),
        (r#"ridge card="v100-16gb" dtype="fp16" digits=0"#, "139"),
        (r#"transfer_time (weights model="Llama-2-7B") card="h100-80gb""#, "213.87 ms"),
        (r#"transfer_time (weights model="Llama-2-7B") card="h100-80gb" link="nvlink" as="s" digits=4"#, "0.0299 s"),
        (r#"active_params model="Mixtral-8x7B-v0.1""#, "12,879,925,248"),
        (r#"lora_params model="Llama-3-8B" rank=16 targets="q,k,v,o,gate,up,down""#, "41,943,040"),
        (r#"zero_states model="Llama-2-7B" stage=3 ranks=8 as="GB""#, "13.48 GB"),
        // 32 GT/s × 16 lanes × 128/130 ÷ 8; NVLink-C2C: half of 900 GB/s.
        (r#"link_rate card="h100-80gb" link="pcie" as="GB" digits=3"#, "63.015 GB"),
        (r#"link_rate card="gh200-96gb" link="c2c" as="GB" digits=0"#, "450 GB"),
        // 16 B × 70,553,706,496 ÷ (81,559 MiB).
        (
            r#"cards_needed (train_states model="Llama-3-70B" precision="bf16_master" optimizer="adamw_fused") card="h100-80gb""#,
            "14",
        ),
        // The bits per weight of llama.cpp's own table.
        (r#"gguf_bits model="Llama-3.1-8B" mixture="Q4_K_M" digits=4"#, "4.8944"),
        (r#"gguf_bits model="Llama-3.1-8B" mixture="Q5_K_S" digits=4"#, "5.5704"),
        (r#"gguf model="Llama-2-7B" as="GB""#, "4.08 GB"),
        // (224 ÷ 16)², (224 ÷ 14)² + 1, (336 ÷ 14)².
        (r#"image_tokens side=224 patch=16"#, "196"),
        (r#"image_tokens side=224 patch=14 class=1"#, "257"),
        (r#"image_tokens side=336 patch=14"#, "576"),
        (r#"score_matrix seq=8192 dtype="bf16" as="B""#, "134,217,728 B"),
        // Three tiles of 64 × 128 × 2 B; the output as a fourth; keys and values twice.
        (r#"flash_tile q=64 kv=64 head_dim=128"#, "48 KiB"),
        (r#"flash_tile q=64 kv=64 head_dim=128 output=1"#, "64 KiB"),
        (r#"flash_tile q=64 kv=64 head_dim=128 stages=2"#, "80 KiB"),
        (r#"segment size=1048576"#, "2 MiB"),
        (r#"segment size=1048577"#, "20 MiB"),
        (r#"segment size=11534337"#, "12 MiB"),
    ];
    for (source, text) in cases {
        let computed = expr::evaluate(source).unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_eq!(computed.text, text, "{source}");
    }
}
