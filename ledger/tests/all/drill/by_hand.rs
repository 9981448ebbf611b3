//! Each topic computed again from what its text tells, by formulas written down here: the text says enough, and the
//! ledger's answer is the one a reader would find.

use ledger::drill::{self, Question, Topic};

const GROUP: f64 = 4.0 + 20.0 / 128.0;
const NF4: f64 = 4.0 + 8.0 / 64.0 + 32.0 / (64.0 * 256.0);

/// Bytes per parameter of weights, gradients, master copy and states, by the words of the question.
const STATES: [(&str, &str, f64); 10] = [
    ("AdamW (fused)", "precision: FP32.", 16.0),
    ("AdamW (fused)", "AMP BF16", 16.0),
    ("AdamW (fused)", "precision: BF16 + FP32 master copy.", 16.0),
    ("AdamW (fused)", "FP16 + FP32 master copy", 16.0),
    ("AdamW (fused)", "BF16 + FP32 master copy and gradients", 18.0),
    ("AdamW (fused)", "Pure BF16", 8.0),
    ("AdamW (8-bit states)", "BF16 + FP32 master copy", 10.0 + 2.0 * 4.0 / 256.0),
    ("Lion", "BF16 + FP32 master copy", 12.0),
    ("SGD + momentum", "precision: FP32", 12.0),
    ("Optimizer: SGD;", "Pure BF16", 4.0),
];

fn expected(question: &Question) -> f64 {
    let find = |id: &str| question.numbers.iter().find(|number| number.id == id).map(|number| number.value as f64);
    let told = |id: &str| find(id).unwrap_or_else(|| panic!("{:?} tells no {id}", question.topic));
    let says = |words: &str| question.text.en.contains(words);
    let per_token = || 2.0 * told("layers") * told("kv_heads") * told("head_dim") * told("bits") / 8.0;
    let tokens = || told("batch") * told("seq");
    let four_bits = |bits: f64| (told("parameters") - told("sixteen_bit")) * bits / 8.0 + 2.0 * told("sixteen_bit");
    let room = || {
        let weights = told("parameters") * told("weight_bits") / 8.0;
        told("capacity_mib") * 1_048_576.0 - weights - told("reserve_gib") * 1_073_741_824.0
    };
    match question.topic {
        Topic::Weights | Topic::ExpertWeights => told("parameters") * told("bits") / 8.0,
        Topic::QuantisedWeights if says("AWQ") => four_bits(GROUP),
        Topic::QuantisedWeights => {
            let bits = [("Q4_K_M", 4.85), ("Q5_K_M", 5.7), ("Q6_K", 6.56), ("Q8_0", 8.5)];
            let (_, bits) = bits.into_iter().find(|(name, _)| says(name)).expect("a mixture");
            told("parameters") * bits / 8.0
        }
        Topic::QloraBase if says("not doubly quantised") => four_bits(4.0 + 32.0 / 64.0),
        Topic::QloraBase => four_bits(NF4),
        Topic::KvPerToken => per_token(),
        Topic::KvCache => per_token() * told("requests") * told("seq"),
        Topic::WindowCache => {
            let layer = per_token() / told("layers");
            let full = (told("layers") - told("sliding")) * told("seq");
            layer * told("requests") * (full + told("sliding") * (told("window") - 1.0))
        }
        Topic::LatentCache => {
            told("layers") * (told("kv_rank") + told("rope_dim")) * 2.0 * told("requests") * told("seq")
        }
        Topic::LongestContext => (room() / per_token() / told("requests")).floor(),
        Topic::LargestBatch => (room() / per_token() / told("seq")).floor(),
        Topic::PagingSaves => {
            let held = (told("used") / told("block")).ceil() * told("block");
            told("requests") * (told("reserved") - held) * per_token()
        }
        Topic::SharedPrefix => {
            let (block, prefix) = (told("block"), told("prefix"));
            let shared = (prefix / block).floor();
            let each = ((prefix + told("own")) / block).ceil() - shared;
            (shared + told("requests") * each) * block * per_token()
        }
        Topic::AttentionScores => 2.0 * told("batch") * told("heads") * told("seq") * told("seq"),
        Topic::Activations => {
            // 4h for queries and output, 12h for two norms, 4h for two inputs of products; the log-sum-exp is small.
            let kv = told("kv_heads") * told("hidden") / told("heads");
            let token = 20.0 * told("hidden") + 4.0 * kv + 8.0 * told("intermediate") + 4.0 * told("heads");
            told("layers") * tokens() * token
        }
        Topic::Checkpoints => told("layers") * tokens() * told("hidden") * 2.0,
        Topic::Logits => 12.0 * told("vocab") * tokens(),
        Topic::TrainingStates => {
            let fits = |(by, how, _): &&(&str, &str, f64)| says(by) && says(how);
            // The longest words win: a master copy with gradients is also one with a master copy.
            let found = STATES.iter().filter(fits).max_by_key(|(by, how, _)| by.len() + how.len());
            told("parameters") * found.expect("a known choice").2
        }
        Topic::OptimizerTemporary => told("parameters") * if says("Pure BF16") { 2.0 } else { 4.0 },
        Topic::ZeroStates => {
            let ranks = told("ranks");
            let bytes = match told("stage") as u64 {
                1 => 4.0 + 12.0 / ranks,
                2 => 2.0 + 14.0 / ranks,
                _ => 16.0 / ranks,
            };
            told("parameters") * bytes
        }
        Topic::FewestCards => (told("parameters") * 16.0 / (told("capacity_mib") * 1_048_576.0)).ceil(),
        Topic::LoraStates => {
            let (hidden, kv, inner) = (told("hidden"), told("kv_width"), told("intermediate"));
            // q and o: 2h each; k and v: h + kv each; gate, up, down: h + f each.
            let layer = 4.0 * hidden + 2.0 * (hidden + kv) + 3.0 * (hidden + inner);
            told("layers") * told("rank") * layer * 8.0
        }
    }
}

#[test]
fn the_text_tells_enough_for_the_answer() {
    for topic in Topic::ALL {
        for seed in 0..60 {
            let question = drill::question(seed, &[topic]).expect("a question");
            let (exact, found) = (question.exact as f64, expected(&question));
            // Averages of mixtures and the small tensors are rules, the rest is exact.
            let tolerance = match topic {
                Topic::QuantisedWeights if question.text.en.contains("llama.cpp") => 0.12,
                _ => 0.002,
            };
            assert!(
                (exact - found).abs() <= exact * tolerance,
                "{topic:?} of seed {seed}: {exact}, by hand {found}: {}",
                question.text.en
            );
        }
    }
}

/// The numbers as written say what they are, to half a percent.
#[test]
fn rounded_numbers_are_close() {
    for topic in Topic::ALL {
        for seed in 0..20 {
            for number in drill::question(seed, &[topic]).expect("a question").numbers {
                let (zh, en) = (written(&number.shown.zh), written(&number.shown.en));
                let Some((zh, en)) = zh.zip(en) else {
                    assert!(number.id.ends_with("bits"), "{}", number.shown.en);
                    continue;
                };
                for shown in [zh, en] {
                    let error = (shown - number.value as f64).abs() / number.value as f64;
                    assert!(error <= 0.005, "{}: {shown} for {}", number.id, number.value);
                }
            }
        }
    }
}

/// `8.03 billion`, `80.3 亿`, `1,024`; `None` for the name of a format.
fn written(shown: &str) -> Option<f64> {
    let (digits, word) = shown.split_once(' ').unwrap_or((shown, ""));
    let scale = match word {
        "" => 1.0,
        "million" => 1e6,
        "billion" => 1e9,
        "亿" => 1e8,
        _ => return None,
    };
    digits.replace(',', "").parse::<f64>().ok().map(|number| number * scale)
}
