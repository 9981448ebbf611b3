//! The serving engine: prefill, pools and capacity, by hand and as laws.

use ledger::{
    Dtype, LedgerError, Model, Phase, catalogue,
    formats::{Grouped, Mixture, Nf4, gguf_bytes, qlora_base_bytes},
    inference::{
        self, EngineCapacity, PageFormat, Prefill, PromptAttention, PromptLogits, Reserves, Serving, ServingLedger,
        WeightFormat, engine_capacity, kv_bytes_in, serving_ledger, shared_blocks,
    },
    units::GIB,
};
use proptest::prelude::*;

use crate::{arithmetic, laws::models};

const PLAIN: Serving = Serving {
    weights: WeightFormat::Plain(Dtype::Bf16),
    cache: PageFormat::Plain(Dtype::Bf16),
    block: 16,
    batch: 1,
    seq: 8192,
    prefill: Prefill::CHUNKED,
    reserves: Reserves::NONE,
};

fn model(name: &str) -> &'static Model {
    catalogue::model(name).expect("in the catalogue")
}

fn ledger(name: &str, serving: Serving) -> ServingLedger {
    serving_ledger(model(name), &serving).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn bytes(ledger: &ServingLedger, part: &str) -> u64 {
    ledger.entries.iter().find(|entry| entry.part == part).map_or(0, |entry| entry.bytes)
}

#[test]
fn prefill_of_a_dense_model() {
    let flash = ledger("Llama-3-8B", PLAIN);
    // Stream, its norm and gate, up, product: 2·4096 + 3·14,336 numbers of 2 B for 8,192 tokens.
    assert_eq!(bytes(&flash, "prefill_layer"), 2 * 8192 * (2 * 4096 + 3 * 14_336));
    // The last position's logits in BF16 and FP32, and the head's input.
    assert_eq!(bytes(&flash, "prefill_logits"), 2 * 8192 * 4096 + 6 * 128_256);
    let scores = Prefill { attention: PromptAttention::Eager, ..Prefill::CHUNKED };
    let eager = ledger("Llama-3-8B", Serving { prefill: scores, ..PLAIN });
    assert_eq!(bytes(&eager, "prefill_layer"), 2 * 8192 * 6 * 4096 + 8 * 32 * 8192 * 8192);
    let all = Prefill { logits: PromptLogits::All, ..Prefill::CHUNKED };
    let every = ledger("Llama-3-8B", Serving { prefill: all, ..PLAIN });
    assert_eq!(bytes(&every, "prefill_logits"), 2 * 8192 * 4096 + 6 * 128_256 * 8192);
    // Chunks bound a pass, not the cache.
    let chunked = Prefill { step_tokens: 2048, ..Prefill::CHUNKED };
    let smaller = ledger("Llama-3-8B", Serving { prefill: chunked, ..PLAIN });
    assert_eq!(4 * bytes(&smaller, "prefill_layer"), bytes(&flash, "prefill_layer"));
    assert_eq!(bytes(&smaller, "kv"), 1 << 30);
    assert_eq!(bytes(&flash, "block_table"), 4 * 512);
}

#[test]
fn prefill_of_experts_and_latent_attention() {
    // Two experts a token: 2 · (3·14,336 + 4096) beside the stream.
    let mixtral = ledger("Mixtral-8x7B-v0.1", PLAIN);
    assert_eq!(bytes(&mixtral, "prefill_layer"), 2 * 8192 * (2 * 4096 + 2 * (3 * 14_336 + 4096)));
    // DeepSeek-V3: eight experts of 2048, and the shared one's result; its attention, 128 heads of 2·192 + 256 + 128
    // numbers, needs less.
    let deepseek = ledger("DeepSeek-V3", PLAIN);
    assert_eq!(bytes(&deepseek, "prefill_layer"), 2 * 8192 * (2 * 7168 + 8 * (3 * 2048 + 7168) + 7168));
}

#[test]
fn weights_with_their_scales() {
    let model = model("Llama-2-7B");
    let of = |format| inference::weights_in(model, format).map(|entry| entry.bytes);
    let (linear, rest) = (6_476_005_376u64, 262_410_240u64);
    assert_eq!(linear + rest, 6_738_415_616);
    let grouped = |format| of(WeightFormat::Grouped(format));
    assert_eq!(grouped(Grouped::gptq(4, 128, true)), Ok(linear / 2 + linear / 128 * 2 + 2 * rest));
    assert_eq!(grouped(Grouped::microscaling(4, 32)), Ok(linear / 2 + linear / 32 + 2 * rest));
    assert_eq!(grouped(Grouped::NVFP4), Ok(linear / 2 + linear / 16 + 2 * rest));
    assert_eq!(grouped(Grouped::fp8_blocks(128, 128)), Ok(linear + linear / 16_384 * 4 + 2 * rest));
    assert_eq!(of(WeightFormat::Nf4(Nf4::QLORA)), qlora_base_bytes(model, Nf4::QLORA));
    let mixture: Mixture = "Q4_K_M".parse().expect("a mixture");
    assert_eq!(of(WeightFormat::Gguf(mixture)), gguf_bytes(model, mixture));
    let named = [
        ("fp8", WeightFormat::Plain(Dtype::Fp8)),
        ("gptq_4_128", WeightFormat::Grouped(Grouped::gptq(4, 128, true))),
        ("awq_4_64", WeightFormat::Grouped(Grouped::awq(4, 64))),
        ("fp8_block_128", WeightFormat::Grouped(Grouped::fp8_blocks(128, 128))),
        ("mxfp4", WeightFormat::Grouped(Grouped::microscaling(4, 32))),
        ("nvfp4", WeightFormat::Grouped(Grouped::NVFP4)),
        ("nf4_dq", WeightFormat::Nf4(Nf4::QLORA)),
        ("Q4_K_M", WeightFormat::Gguf(mixture)),
    ];
    for (name, format) in named {
        assert_eq!(name.parse(), Ok(format), "{name}");
    }
    for broken in ["", "gptq_4", "gptq_0_128", "awq_4_0", "awq_9_128", "fp8_block_0", "fp8_block_", "q4"] {
        assert!(broken.parse::<WeightFormat>().is_err(), "{broken}");
    }
    let none = Grouped { group: 0, ..Grouped::NVFP4 };
    assert_eq!(grouped(none), Err(LedgerError::Zero { field: "group" }));
}

#[test]
fn caches_with_their_scales() {
    let llama = model("Llama-3-8B");
    let of = |name: &str| kv_bytes_in(llama, name.parse().expect("a format"), 1, 8192).expect("small");
    assert_eq!(of("bf16"), 1 << 30);
    assert_eq!(of("fp8_per_tensor"), 1 << 29);
    // 2 × 8 heads × 32 layers × 8,192 tokens with an FP32 scale.
    assert_eq!(of("int8_per_token_head"), (1 << 29) + 4 * 2 * 8 * 32 * 8192);
    // 128 numbers of a head make two groups of 64: 4 B each.
    assert_eq!(of("int4_group64"), (1 << 28) + 4 * 2 * 2 * 8 * 32 * 8192);
    for broken in ["int4_group0", "int4_group", "int3_group64", "per_token_head"] {
        assert!(broken.parse::<PageFormat>().is_err(), "{broken}");
    }
    // A window keeps its length less one.
    let mistral = model("Mistral-7B-v0.1");
    assert_eq!(kv_bytes_in(mistral, PageFormat::Plain(Dtype::Bf16), 2, 8192), Ok(2 * 131_072 * 4095));
}

fn engine(name: &str, serving: Serving, capacity: u64, permille: u64) -> EngineCapacity {
    engine_capacity(model(name), &serving, capacity, permille).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn an_engine_divides_what_is_left() {
    let reserves = Reserves { context: 500 << 20, ..Reserves::NONE };
    let found = engine("Llama-3-8B", Serving { reserves, ..PLAIN }, 80 * GIB, 900);
    assert_eq!(found.budget, 72 * GIB);
    let activations = 2 * 8192 * (2 * 4096 + 3 * 14_336);
    assert_eq!(found.activations, activations);
    assert_eq!(found.available, 72 * GIB - 2 * 8_030_261_248 - activations - (500 << 20));
    // 2 × 16 tokens × 8 heads × 128 × 2 B, for 32 layers.
    assert_eq!((found.page, found.group_layers, found.groups), (65_536, 32, 1));
    assert_eq!(found.blocks, found.available / (32 * 65_536));
    assert_eq!((found.tokens, found.blocks_per_request), (found.blocks * 16, 512));
    assert_eq!(found.longest_request, Some(found.blocks * 16));
    assert_eq!((found.concurrency(), found.requests()), (found.blocks as f64 / 512.0, found.blocks / 512));
    // Ten at once have a tenth of the blocks each, whole ones.
    let ten = engine("Llama-3-8B", Serving { reserves, batch: 10, ..PLAIN }, 80 * GIB, 900);
    assert_eq!(ten.longest_context, Some(ten.blocks / 10 * 16));
    let none = engine("Llama-3-8B", PLAIN, 16 * GIB, 900);
    assert_eq!((none.available, none.blocks, none.longest_request), (0, 0, None));
    let error = engine_capacity(model("gpt2"), &Serving { seq: 512, ..PLAIN }, GIB, 1001).expect_err("refused");
    assert!(error.to_string().contains("utilisation"), "{error}");
}

#[test]
fn hybrid_models_are_put_into_groups_of_one_size() {
    // Gemma 3 27B: 10 full and 52 sliding layers make one and six groups of ten.
    let serving = Serving { seq: 131_072, ..PLAIN };
    let gemma = engine("gemma-3-27b-text", serving, 160 * GIB, 900);
    assert_eq!((gemma.group_layers, gemma.groups), (10, 7));
    // A full group has every block; a sliding one those of window and step, and one more.
    assert_eq!(gemma.blocks_per_request, 8192 + 6 * ((1023 + 8192u64).div_ceil(16) + 1));
    // Gemma 2: as many sliding as full layers, two groups.
    let half = engine("gemma-2-9b", Serving { seq: 8192, ..PLAIN }, 80 * GIB, 900);
    assert_eq!((half.group_layers, half.groups), (21, 2));
    // Every layer of Mistral v0.1 slides: one request never takes more than its window and step.
    let mistral = engine("Mistral-7B-v0.1", Serving { seq: 1 << 20, ..PLAIN }, 80 * GIB, 900);
    assert_eq!(mistral.blocks_per_request, (4095 + 8192u64).div_ceil(16) + 1);
    assert_eq!(mistral.longest_request, Some(model("Mistral-7B-v0.1").max_positions));
}

#[test]
fn refused_sizes() {
    let llama = model("Llama-3-8B");
    let zero = |serving: Serving| matches!(serving_ledger(llama, &serving), Err(LedgerError::Zero { .. }));
    assert!(
        zero(Serving { batch: 0, ..PLAIN }) && zero(Serving { seq: 0, ..PLAIN }) && zero(Serving { block: 0, ..PLAIN })
    );
    let narrow = Prefill { compute: Dtype::Int8, ..Prefill::CHUNKED };
    let error = serving_ledger(llama, &Serving { prefill: narrow, ..PLAIN });
    assert!(matches!(error, Err(LedgerError::NotModelled { .. })));
    let long = serving_ledger(model("gpt2"), &PLAIN);
    assert_eq!(long, Err(LedgerError::BeyondPositions { seq: 8192, positions: 1024 }));
    assert!(shared_blocks(2, 1, 1, 16).is_err());
}

#[test]
fn printed_formulas_compute_their_bytes_and_have_names() {
    for model in catalogue::models() {
        for attention in [PromptAttention::Flash, PromptAttention::Eager] {
            let serving = Serving {
                batch: 3,
                seq: 777,
                weights: WeightFormat::Grouped(Grouped::awq(4, 128)),
                prefill: Prefill { attention, ..Prefill::CHUNKED },
                reserves: Reserves { nccl: 5, ..Reserves::TYPICAL },
                ..PLAIN
            };
            let ledger = serving_ledger(model, &serving).expect("a catalogue model");
            for entry in &ledger.entries {
                let value = arithmetic::evaluate(&entry.formula);
                assert_eq!(value, Ok(u128::from(entry.bytes)), "{} {}: {}", model.name, entry.part, entry.formula);
                assert!(ledger::part_name(&entry.part).is_some(), "{}", entry.part);
            }
        }
    }
}

fn servings() -> impl Strategy<Value = Serving> {
    let formats = prop_oneof![
        Just(PageFormat::Plain(Dtype::Bf16)),
        Just(PageFormat::Plain(Dtype::Fp8)),
        Just(PageFormat::PerTokenHead(Dtype::Int8)),
        Just(PageFormat::Grouped { dtype: Dtype::Int4, group: 64 }),
    ];
    (formats, 1u64..64, 1u64..40, 1u64..5000, 1u64..4000, any::<bool>(), any::<bool>()).prop_map(
        |(cache, block, batch, seq, step_tokens, eager, all)| Serving {
            cache,
            block,
            batch,
            seq,
            prefill: Prefill {
                step_tokens,
                attention: if eager { PromptAttention::Eager } else { PromptAttention::Flash },
                logits: if all { PromptLogits::All } else { PromptLogits::Last },
                compute: Dtype::Bf16,
            },
            ..PLAIN
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn phases_add_up_and_grow(model in models(), serving in servings(), more in 1u64..50) {
        let ledger = serving_ledger(&model, &serving).unwrap();
        let in_phase = |phase: Phase| {
            let alive = ledger.entries.iter().filter(|entry| entry.span.contains(phase));
            alive.map(|entry| entry.bytes).sum::<u64>()
        };
        // A layer's activations and the logits are both listed, only the larger counts.
        let smaller = |parts: [&str; 2]| bytes(&ledger, parts[0]).min(bytes(&ledger, parts[1]));
        prop_assert_eq!(in_phase(Phase::Prefill) - smaller(["prefill_layer", "prefill_logits"]), ledger.prefill);
        prop_assert_eq!(in_phase(Phase::Decode) - smaller(["decode_layer", "decode_logits"]), ledger.decode);
        prop_assert_eq!(ledger.peak, ledger.prefill.max(ledger.decode));
        let grown = |batch, seq| serving_ledger(&model, &Serving { batch, seq, ..serving }).unwrap().peak;
        prop_assert!(grown(serving.batch + more, serving.seq) >= ledger.peak);
        prop_assert!(grown(serving.batch, serving.seq + more) >= ledger.peak);
    }

    #[test]
    fn a_pool_fits_and_one_block_more_does_not(
        model in models(), serving in servings(), capacity in 1u64..(1 << 34), permille in 0u64..1001,
    ) {
        let found = engine_capacity(&model, &serving, capacity, permille).unwrap();
        let block = found.page * found.group_layers;
        prop_assert!(found.blocks * block <= found.available && (found.blocks + 1) * block > found.available);
        prop_assert!(found.budget <= capacity);
        let longest = |seq| engine_capacity(&model, &Serving { seq, ..serving }, capacity, permille).unwrap();
        if let Some(seq) = found.longest_request.filter(|seq| *seq < model.max_positions) {
            prop_assert!(longest(seq).blocks_per_request <= found.blocks);
            prop_assert!(longest(seq + 1).blocks_per_request > found.blocks);
        }
        // More of the card never means fewer blocks.
        let whole = engine_capacity(&model, &serving, capacity, 1000).unwrap();
        prop_assert!(whole.blocks >= found.blocks);
    }

    #[test]
    fn a_shared_prefix_never_takes_more(
        prefix in 0u64..3000, rest in 0u64..3000, sequences in 0u64..200, block in 1u64..64,
    ) {
        let seq = prefix + rest;
        let shared = shared_blocks(prefix, seq, sequences, block).unwrap();
        let apart = sequences * inference::blocks(seq, block).unwrap();
        prop_assert!(shared <= apart);
        prop_assert_eq!(shared_blocks(0, seq, sequences, block).unwrap(), apart);
    }

    #[test]
    fn huge_engines_are_an_error_and_no_panic(
        model in models(), serving in servings(), batch in any::<u64>(), seq in any::<u64>(), step_tokens in any::<u64>(),
        capacity in any::<u64>(), block in any::<u64>(),
    ) {
        let prefill = Prefill { step_tokens, ..serving.prefill };
        let serving = Serving { batch, seq, block, prefill, ..serving };
        let _ = serving_ledger(&model, &serving);
        let _ = engine_capacity(&model, &serving, capacity, 900);
    }
}
