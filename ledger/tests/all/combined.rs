//! Training on many cards: laws and numbers worked out by hand.

use ledger::{
    Object, catalogue,
    parallel::{
        self, Axis, Collective, Distributed, Layout, Links, Mesh, Offload, ParallelLedger, Place, Schedule, ZeroStage,
        shard_state_bytes,
    },
    training::{self, Checkpointing, Optimizer, Precision, Training},
};
use proptest::prelude::*;

/// Models whose sizes many meshes divide, dense ones and mixtures of experts, tied and not.
pub const DIVISIBLE: &[&str] = &[
    "Llama-3-8B",
    "Llama-3-70B",
    "gpt2-medium",
    "Qwen3-30B-A3B",
    "Mixtral-8x7B-v0.1",
    "DeepSeek-V2-Lite",
    "gemma-2-9b",
    "Qwen2.5-1.5B",
    "gpt-oss-20b",
];

pub fn model(name: &str) -> &'static ledger::Model {
    catalogue::model(name).expect("in the catalogue")
}

fn step(mesh: Mesh) -> Distributed {
    Distributed {
        training: Training {
            precision: Precision::Bf16MasterFp32Grad,
            optimizer: Optimizer::AdamWForeach,
            batch: 1,
            seq: 4096,
            checkpointing: Checkpointing::None,
        },
        micro_batches: 1,
        mesh,
        zero: ZeroStage::Zero,
        offload: Offload::NONE,
    }
}

fn ledger(name: &str, how: &Distributed) -> ParallelLedger {
    parallel::ledger(model(name), how).unwrap_or_else(|error| panic!("{name} {how:?}: {error}"))
}

fn bytes(ledger: &ParallelLedger, rank: usize, part: &str) -> u64 {
    let entries = &ledger.ranks[rank].ledger.entries;
    entries.iter().find(|entry| entry.part == part).map_or(0, |entry| entry.bytes)
}

/// Weights, gradients, master copy and states of a rank.
fn states(ledger: &ParallelLedger, rank: usize) -> u64 {
    let kept = |object| matches!(object, Object::Parameter | Object::Gradient | Object::OptimizerState);
    ledger.ranks[rank].ledger.entries.iter().filter(|entry| kept(entry.object)).map(|entry| entry.bytes).sum()
}

/// Megatron's count of the same layout, an independent formula: 18 bytes per parameter.
#[test]
fn states_agree_with_megatrons_count() {
    for (name, tensor, data, zero) in [
        ("Llama-2-7B", 8, 1, ZeroStage::Zero),
        ("Llama-3-70B", 8, 4, ZeroStage::One),
        ("Llama-3-8B", 4, 8, ZeroStage::One),
        ("Mixtral-8x7B-v0.1", 1, 1, ZeroStage::Zero),
    ] {
        let layout =
            Layout { tensor, data, distributed_optimizer: zero == ZeroStage::One, expert_data: data, ..Layout::SINGLE };
        let how = Distributed { zero, ..step(Mesh { tensor, data, ..Mesh::SINGLE }) };
        assert_eq!(Ok(states(&ledger(name, &how), 0)), shard_state_bytes(model(name), 0, layout), "{name}");
    }
}

/// Llama-3-8B, two tensor ranks, 4096 tokens, 16 bit: `e·T·(2h + (2ad + 2kd + 4f) ÷ 2) + 2T(6h + 4) + 4aT ÷ 2`.
#[test]
fn tensor_ranks_divide_what_lies_inside_the_layers() {
    let (t, h, a, k, f) = (4096u64, 4096u64, 32u64, 8u64, 14_336u64);
    let rest = 2 * a * 128 + 2 * k * 128 + 4 * f;
    let layer = 2 * t * (2 * h + rest / 2) + 2 * t * (6 * h + 4) + 4 * a * t / 2;
    let plain = ledger("Llama-3-8B", &step(Mesh { tensor: 2, ..Mesh::SINGLE }));
    assert_eq!(bytes(&plain, 0, "layer_activations"), 32 * layer);
    // Sequence parallelism divides all of it.
    let whole = 2 * t * (2 * h + rest) + 2 * t * (6 * h + 4) + 4 * a * t;
    let divided = ledger("Llama-3-8B", &step(Mesh { tensor: 2, sequence: true, ..Mesh::SINGLE }));
    assert_eq!(bytes(&divided, 0, "layer_activations"), 32 * whole / 2);
    // 128,256 words on two ranks: each has half of the FP32 log-softmax.
    assert_eq!(bytes(&plain, 0, "log_softmax"), 4 * 64_128 * t);
    assert_eq!(bytes(&divided, 0, "log_softmax"), 4 * 64_128 * t);
    assert_eq!(bytes(&plain, 0, "rotary_tables"), bytes(&divided, 0, "rotary_tables"));
    assert_eq!(bytes(&divided, 0, "gathered_tokens"), 2 * t * h);
}

/// Sixteen tensor ranks, eight key-value heads: each rank has one, and every head exists twice.
#[test]
fn key_value_heads_are_repeated() {
    let how = step(Mesh { tensor: 16, ..Mesh::SINGLE });
    let (h, f, layers) = (8192u64, 28_672u64, 80u64);
    let per_layer = 2 * h * (64 * 128 / 16) + 2 * h * 128 + 3 * h * f / 16 + 2 * h;
    let parameters = layers * per_layer + 2 * (128_256 / 16) * h + h;
    assert_eq!(bytes(&ledger("Llama-3-70B", &how), 0, "weights"), 2 * parameters);
}

/// Four stages of Llama-3-8B: eight layers each, the embedding on the first, head and last norm on the last.
#[test]
fn stages_hold_their_layers() {
    let how = Distributed { micro_batches: 16, ..step(Mesh { pipeline: 4, ..Mesh::SINGLE }) };
    let ledger = ledger("Llama-3-8B", &how);
    let layer: u64 = 4096 * (4096 + 1024) * 2 + 3 * 4096 * 14_336 + 2 * 4096;
    let embedding = 128_256 * 4096;
    assert_eq!(bytes(&ledger, 0, "weights"), 2 * (8 * layer + embedding));
    assert_eq!(bytes(&ledger, 1, "weights"), 2 * 8 * layer);
    assert_eq!(bytes(&ledger, 2, "weights"), 2 * (8 * layer + embedding + 4096));
    assert_eq!(
        ledger.ranks.iter().map(|rank| (rank.stage, rank.alike, rank.live)).collect::<Vec<_>>(),
        [(0, 1, 4), (1, 2, 3), (3, 1, 1)]
    );
    let saved = bytes(&ledger, 0, "layer_activations") + bytes(&ledger, 0, "rotary_tables");
    assert_eq!(bytes(&ledger, 0, "waiting_micro_batches"), 3 * saved);
    assert_eq!(bytes(&ledger, 2, "waiting_micro_batches"), 0);
    assert!(ledger.why().en.starts_with("Stage 0 is the tightest"), "{}", ledger.why().en);
}

/// Megatron's warm-up: `2(p − 1) + (v − 1)p + 1` chunks on the first stage, 1 + (v − 1)p on the last.
#[test]
fn schedules_wait_differently() {
    let live = |schedule, micro_batches| {
        let how = Distributed { micro_batches, ..step(Mesh { pipeline: 4, schedule, ..Mesh::SINGLE }) };
        ledger("Llama-3-8B", &how).ranks.iter().map(|rank| rank.live).collect::<Vec<_>>()
    };
    assert_eq!(live(Schedule::GPipe, 16), [16, 16, 16]);
    assert_eq!(live(Schedule::OneForwardOneBackward, 16), [4, 3, 1]);
    assert_eq!(live(Schedule::OneForwardOneBackward, 2), [2, 2, 1]);
    assert_eq!(live(Schedule::Interleaved { chunks: 2 }, 16), [11, 9, 5]);
}

/// Experts on eight ranks: one of Mixtral's eight per layer; a token's activations stay the same.
#[test]
fn expert_ranks_divide_experts_only() {
    let name = "Mixtral-8x7B-v0.1";
    let alone = ledger(name, &step(Mesh { data: 8, ..Mesh::SINGLE }));
    let spread = ledger(name, &step(Mesh { data: 8, expert: 8, ..Mesh::SINGLE }));
    let experts = 32 * 8 * 3 * 4096 * 14_336u64;
    assert_eq!(bytes(&alone, 0, "weights") - bytes(&spread, 0, "weights"), 2 * (experts - experts / 8));
    assert_eq!(bytes(&alone, 0, "layer_activations"), bytes(&spread, 0, "layer_activations"));
    // Two of eight experts per token: 4096 tokens × 2 × 4096 × 2 B go to seven other ranks, four times per layer.
    let routed = spread.traffic.iter().find(|line| line.axis == Axis::Expert).expect("tokens travel");
    assert_eq!((routed.bytes, routed.calls, routed.sent), (67_108_864, 128, 128 * 67_108_864 / 8 * 7));
}

/// 8,030,261,248 parameters on eight ranks, 2-byte weights and 4-byte gradients.
#[test]
fn traffic_of_the_stages_of_zero() {
    let parameters = 8_030_261_248u64;
    let sent = |zero, micro_batches| {
        let how = Distributed { zero, micro_batches, ..step(Mesh { data: 8, ..Mesh::SINGLE }) };
        let lines = ledger("Llama-3-8B", &how).traffic;
        lines.iter().map(|line| (line.collective, line.sent)).collect::<Vec<_>>()
    };
    let (gradients, weights) = (parameters * 4 / 8 * 7, parameters * 2 / 8 * 7);
    assert_eq!(sent(ZeroStage::Zero, 4), [(Collective::AllReduce, 2 * gradients)]);
    let scattered = |times: u64, gathers: u64| {
        vec![(Collective::ReduceScatter, times * gradients), (Collective::AllGather, gathers * weights)]
    };
    assert_eq!(sent(ZeroStage::One, 4), scattered(1, 1));
    assert_eq!(sent(ZeroStage::Two, 4), scattered(4, 1));
    assert_eq!(sent(ZeroStage::Three, 4), scattered(4, 8));
    // 8 GPUs of one machine talk over its links, 16 over the network.
    let links = Links::of(&catalogue::card("h100-80gb").and_then(|card| card.speed).expect("typed in")).expect("links");
    let seconds = |data| {
        let how = Distributed { zero: ZeroStage::One, ..step(Mesh { data, ..Mesh::SINGLE }) };
        ledger("Llama-3-8B", &how).traffic[0].seconds(&links, &how.mesh).expect("a rate")
    };
    assert_eq!(seconds(8), gradients as f64 / 450e9);
    assert_eq!(seconds(16), (parameters * 4 / 16 * 15) as f64 / 50e9);
}

/// Llama-3-8B, 4096 tokens, 16 bit. A layer's input is 4096 × 4096 × 2 B = 33,554,432 B; keys and values of half the
/// tokens are 2 × 8 × 128 × 2048 × 2 B = 8,388,608 B.
#[test]
fn traffic_of_the_other_axes() {
    let input = 33_554_432u64;
    let lines = |mesh, micro_batches, checkpointing| {
        let base = step(mesh);
        let training = Training { checkpointing, ..base.training };
        let how = Distributed { training, micro_batches, ..base };
        let found = ledger("Llama-3-8B", &how).traffic;
        found.iter().map(|line| (line.axis, line.collective, line.bytes, line.calls, line.sent)).collect::<Vec<_>>()
    };
    let (none, every) = (Checkpointing::None, Checkpointing::EveryLayer);
    // Four per layer, one each for embedding and head; a ring of two sends what the tensor has.
    let tensor = Mesh { tensor: 2, ..Mesh::SINGLE };
    let calls = 32 * 4 + 2;
    assert_eq!(lines(tensor, 1, none), [(Axis::Tensor, Collective::AllReduce, input, calls, calls * input)]);
    let calls = 3 * (32 * 6 + 2);
    assert_eq!(lines(tensor, 3, every), [(Axis::Tensor, Collective::AllReduce, input, calls, calls * input)]);
    let sequence = Mesh { sequence: true, ..tensor };
    let (gathers, scatters) = (32 * 6 + 2, 32 * 4 + 2);
    assert_eq!(
        lines(sequence, 1, none),
        [
            (Axis::Tensor, Collective::AllGather, input, gathers, gathers * input / 2),
            (Axis::Tensor, Collective::ReduceScatter, input, scatters, scatters * input / 2),
        ]
    );
    // A middle stage sends each of eight micro-batches forward and its gradient back.
    let stages = Mesh { pipeline: 4, ..Mesh::SINGLE };
    assert_eq!(lines(stages, 8, none), [(Axis::Pipeline, Collective::PointToPoint, input, 16, 16 * input)]);
    let chunks = Mesh { schedule: Schedule::Interleaved { chunks: 2 }, ..stages };
    assert_eq!(lines(chunks, 8, none), [(Axis::Pipeline, Collective::PointToPoint, input, 32, 32 * input)]);
    // One neighbour: once forward, twice backward, in each of 32 layers. The weights are those of two data ranks.
    let ring = lines(Mesh { context: 2, ..Mesh::SINGLE }, 1, none);
    assert_eq!(ring[0].0, Axis::Data);
    assert_eq!(ring[1], (Axis::Context, Collective::PointToPoint, 8_388_608, 96, 96 * 8_388_608));
}

/// Gradients of a tied matrix on two stages meet: 151,936 × 1,536 FP32 numbers, reduced between two.
#[test]
fn tied_matrices_on_two_stages() {
    let how = Distributed { micro_batches: 4, ..step(Mesh { pipeline: 2, ..Mesh::SINGLE }) };
    let ledger = ledger("Qwen2.5-1.5B", &how);
    let matrix = 151_936 * 1_536u64;
    let tied = ledger.traffic.iter().find(|line| line.collective == Collective::AllReduce).expect("two copies");
    assert_eq!((tied.axis, tied.ranks, tied.sent), (Axis::Pipeline, 2, 4 * matrix));
    let whole = model("Qwen2.5-1.5B").parameters().expect("a known model");
    assert_eq!(bytes(&ledger, 0, "weights") + bytes(&ledger, 1, "weights"), 2 * (whole + matrix));
}

/// One card, everything offloaded: two units of weights and one of gradients stay.
#[test]
fn offload_moves_bytes_and_costs_seconds() {
    let parameters = 8_030_261_248u64;
    let offload = Offload { states: Place::Nvme, weights: Place::Host };
    let how = Distributed { zero: ZeroStage::Three, offload, ..step(Mesh::SINGLE) };
    let ledger = ledger("Llama-3-8B", &how);
    assert_eq!(states(&ledger, 0), 0);
    let (embedding, layer) = (128_256 * 4096u64, bytes(&ledger, 0, "gathered_weights") / 2 - 128_256 * 4096);
    assert!(layer.abs_diff(218_112_000) < 4096, "a layer of Llama-3-8B has 218,112,000 parameters");
    assert_eq!(bytes(&ledger, 0, "gradient_bucket"), 4 * embedding);
    // Weights and FP32 gradients in host memory; master copy and two states on the drive.
    assert_eq!((ledger.ranks[0].host, ledger.ranks[0].nvme), (6 * parameters, 12 * parameters));
    let sent: Vec<_> = ledger.traffic.iter().map(|line| (line.axis, line.sent)).collect();
    assert_eq!(
        sent,
        [
            (Axis::ToHost, 4 * parameters),
            (Axis::FromHost, 2 * 2 * parameters),
            (Axis::ToDrive, 12 * parameters),
            (Axis::FromDrive, 12 * parameters),
        ]
    );
}

#[test]
fn what_does_not_go_together_is_named() {
    let base = step(Mesh::SINGLE);
    let at = |mesh: Mesh| Distributed { mesh, ..base };
    let moe = "Mixtral-8x7B-v0.1";
    let in_backward = Training { optimizer: Optimizer::AdamWInBackward, ..base.training };
    let offload = Offload { states: Place::Device, weights: Place::Host };
    let interleaved = Mesh { pipeline: 4, schedule: Schedule::Interleaved { chunks: 3 }, ..Mesh::SINGLE };
    let cases = [
        ("Llama-3-8B", at(Mesh { data: 0, ..Mesh::SINGLE }), "data is 0"),
        ("Llama-3-8B", at(Mesh { tensor: 3, ..Mesh::SINGLE }), "heads = 32 does not go with tensor = 3"),
        ("Llama-3-8B", at(Mesh { context: 3, ..Mesh::SINGLE }), "seq = 4096 does not go with 2 × context = 6"),
        (moe, at(Mesh { expert: 8, ..Mesh::SINGLE }), "data × context = 1 does not go with expert = 8"),
        (moe, at(Mesh { expert: 2, data: 2, tensor: 2, ..Mesh::SINGLE }), "expert = 2 does not go with tensor = 2"),
        ("Llama-3-8B", at(interleaved), "layers = 32 does not go with pipeline × chunks = 12"),
        ("Llama-3-8B", Distributed { offload, ..base }, "not modelled: offloaded weights without ZeRO stage 3"),
        ("Llama-3-8B", Distributed { training: in_backward, micro_batches: 2, ..base }, "micro_batches = 2"),
    ];
    for (name, how, expected) in cases {
        let error = parallel::ledger(model(name), &how).expect_err(expected).to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

pub fn trainings() -> impl Strategy<Value = Training> {
    let choice = |length: usize| 0..length;
    (choice(Precision::ALL.len()), choice(Optimizer::ALL.len()), choice(Checkpointing::ALL.len()), 1u64..5, 1u64..500)
        .prop_map(|(precision, optimizer, checkpointing, batch, seq)| Training {
            precision: Precision::ALL[precision],
            optimizer: Optimizer::ALL[optimizer],
            batch,
            seq,
            checkpointing: Checkpointing::ALL[checkpointing],
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// On one card the ledger is the single card's, entry by entry; ZeRO-3 is plain but for the gradient that a
    /// bucket would hold while micro-batches are added up.
    #[test]
    fn one_rank_is_the_single_card(
        at in 0..catalogue::models().len(), training in trainings(), stage in 0u64..4, micro_batches in 1u64..4,
    ) {
        let model = &catalogue::models()[at];
        let in_backward = training.optimizer == Optimizer::AdamWInBackward;
        let micro_batches = if in_backward { 1 } else { micro_batches };
        let zero = ZeroStage::from_number(if micro_batches > 1 { stage.min(1) } else { stage }).unwrap();
        let how = Distributed { training, micro_batches, mesh: Mesh::SINGLE, zero, offload: Offload::NONE };
        let parallel = parallel::ledger(model, &how).unwrap();
        prop_assert_eq!(parallel.ranks.len(), 1);
        let run = training::Run { micro_batches, ..training::Run::from(training) };
        prop_assert_eq!(&parallel.ranks[0].ledger, &training::run_ledger(model, &run).unwrap().device);
        prop_assert!(parallel.traffic.is_empty());
    }

    /// Weights of all stages together are the model, a tied head once more; no later stage of a kind holds more.
    #[test]
    fn stages_share_the_model(at in 0..catalogue::models().len(), pipeline in 1u64..9, training in trainings()) {
        let model = &catalogue::models()[at];
        let mesh = Mesh { pipeline, ..Mesh::SINGLE };
        let training = Training { optimizer: Optimizer::Sgd, ..training };
        let how = Distributed { training, micro_batches: 4, mesh, zero: ZeroStage::Zero, offload: Offload::NONE };
        let Ok(parallel) = parallel::ledger(model, &how) else { return Ok(()) };
        let weights: u64 = (0..parallel.ranks.len()).map(|at| parallel.ranks[at].alike * bytes(&parallel, at, "weights")).sum();
        let copy = if model.tied && pipeline > 1 { model.embedding_parameters().unwrap() } else { 0 };
        prop_assert_eq!(weights, training.precision.weight_bytes() * (model.parameters().unwrap() + copy));
    }

    /// More tokens, more micro-batches and more live stages never need less; parts add up to their phase.
    #[test]
    fn a_larger_step_never_needs_less(
        at in 0..DIVISIBLE.len(), training in trainings(), mesh in meshes(), micro_batches in 1u64..9, more in 1u64..5,
    ) {
        let model = model(DIVISIBLE[at]);
        let training = Training { seq: training.seq.next_multiple_of(32), ..training };
        let how = Distributed { training, micro_batches, mesh, zero: ZeroStage::One, offload: Offload::NONE };
        let Ok(now) = parallel::ledger(model, &how) else { return Ok(()) };
        let larger = [
            Distributed { training: Training { batch: training.batch + more, ..training }, ..how },
            Distributed { training: Training { seq: training.seq + 32 * more, ..training }, ..how },
            Distributed { micro_batches: micro_batches + more * mesh.pipeline, ..how },
        ];
        for other in larger {
            let Ok(other) = parallel::ledger(model, &other) else { continue };
            prop_assert!(other.worst().unwrap().ledger.peak.bytes >= now.worst().unwrap().ledger.peak.bytes);
        }
        for rank in &now.ranks {
            prop_assert!(rank.ledger.peak.bytes <= now.worst().unwrap().ledger.peak.bytes);
            prop_assert!(rank.ledger.peak.bytes >= rank.ledger.floor);
            for phase in &rank.ledger.phases {
                prop_assert_eq!(phase.parts.iter().map(|part| part.bytes).sum::<u64>(), phase.bytes);
                for part in &phase.parts {
                    prop_assert!(ledger::part_name(&part.part).is_some(), "{} has no name", part.part);
                }
            }
        }
    }

    /// Higher stages of ZeRO never hold more states, and never send less.
    #[test]
    fn zero_trades_memory_for_traffic(at in 0..catalogue::models().len(), data in 2u64..20, training in trainings()) {
        let model = &catalogue::models()[at];
        // Of these optimizers a rank's share is not modelled.
        let shared = !matches!(training.optimizer, Optimizer::Muon | Optimizer::PagedAdamW | Optimizer::PagedAdamW8bit);
        prop_assume!(shared);
        let of = |zero| {
            let how = Distributed {
                training, micro_batches: 1, mesh: Mesh { data, ..Mesh::SINGLE }, zero, offload: Offload::NONE,
            };
            let ledger = parallel::ledger(model, &how).unwrap();
            (states(&ledger, 0), ledger.traffic.iter().map(|line| line.sent).sum::<u64>())
        };
        for pair in ZeroStage::ALL.windows(2) {
            let (lower, higher) = (of(pair[0]), of(pair[1]));
            prop_assert!(higher.0 <= lower.0, "{:?}", pair);
            // Gradients in FP32 beside 16-bit weights make plain data parallelism send more than ZeRO-1.
            prop_assert!(pair[0] == ZeroStage::Zero || higher.1 >= lower.1, "{:?}", pair);
        }
    }
}

pub fn meshes() -> impl Strategy<Value = Mesh> {
    let power = |most: u32| (0..=most).prop_map(|exponent| 1u64 << exponent);
    (power(3), power(3), any::<bool>(), power(2), 0..4u64, power(2), power(1)).prop_map(
        |(data, tensor, sequence, pipeline, schedule, expert, context)| Mesh {
            data,
            tensor,
            sequence,
            pipeline,
            schedule: match schedule {
                0 => Schedule::GPipe,
                1 => Schedule::OneForwardOneBackward,
                chunks => Schedule::Interleaved { chunks },
            },
            expert,
            context,
        },
    )
}
