//! What holds for every question, whatever the seed.

use std::collections::{HashMap, HashSet};

use ledger::{
    calculators::Quantity,
    catalogue,
    drill::{self, MAX_SET, PASS, Question, Slip, Topic},
};
use proptest::prelude::*;

fn ask(seed: u64, topics: &[Topic]) -> Question {
    drill::question(seed, topics).unwrap_or_else(|error| panic!("seed {seed}, {topics:?}: {error}"))
}

fn check(question: &Question) {
    let what = format!("{:?} of seed {}: {}", question.topic, question.seed, question.text.en);
    assert!(question.exact > 0 && question.answer().is_finite() && question.answer() >= 0.01, "{what}");
    assert!(question.answer() < 200_000.0, "{what}: {} is beyond imagination", question.answer());
    let model = catalogue::model(&question.model).unwrap_or_else(|| panic!("{what}: unknown model"));
    assert!(question.text.zh.contains(&model.name) && question.text.en.contains(&model.name), "{what}");
    if let Some(card) = &question.card {
        let card = catalogue::card(card).unwrap_or_else(|| panic!("{what}: unknown card"));
        assert!(question.text.zh.contains(card.name) && question.text.en.contains(card.name), "{what}");
    }
    for number in &question.numbers {
        assert!(question.text.zh.contains(&*number.shown.zh), "{what}: {} in {}", number.shown.zh, question.text.zh);
        assert!(question.text.en.contains(&*number.shown.en), "{what}: {}", number.shown.en);
    }
    for text in [&question.text, &question.thumb.rule] {
        for (language, text) in [("zh", &text.zh), ("en", &text.en)] {
            let spaced = text.contains("  ") || text.trim() != *text || text.contains(['{', '}']);
            assert!(!text.is_empty() && !spaced, "{what}: {language} {text:?}");
        }
        assert!(text.en.is_ascii() || text.en.contains(['×', '÷', '−']), "{what}: {}", text.en);
    }
    let last = question.worked.lines.last().map(|line| line.quantity);
    assert!(matches!(last, Some(Quantity::Bytes(exact) | Quantity::Count(exact)) if exact == question.exact), "{what}");
    assert!(question.worked.lines.iter().all(|line| line.formula.chars().any(|letter| letter.is_ascii_digit())));
    assert!(!question.worked.assumptions.is_empty(), "{what}");
    let thumb = drill::score(question, question.thumb.estimate);
    assert!(
        thumb.passed,
        "{what}: the rule gives {} ({}), right is {}",
        thumb.answer, question.thumb.formula, thumb.exact
    );
}

#[test]
fn ten_thousand_seeds_ask_well() {
    let mut asked: HashMap<Topic, HashSet<String>> = HashMap::new();
    for seed in 0..10_000 {
        let question = ask(seed, &[]);
        check(&question);
        asked.entry(question.topic).or_default().insert(question.text.en.into_owned());
    }
    for topic in Topic::ALL {
        let different = asked.get(&topic).map_or(0, HashSet::len);
        assert!(different >= 20, "{topic:?}: {different} different questions");
    }
}

#[test]
fn a_question_comes_back_from_its_seed() {
    for seed in [0, 1, 42, u64::MAX] {
        let question = ask(seed, &[]);
        assert_eq!(question, ask(seed, &Topic::ALL), "no topics are all topics");
        let mut backwards = Topic::ALL;
        backwards.reverse();
        assert_eq!(question, ask(seed, &backwards), "their order does not matter");
        assert_eq!(question, ask(question.seed, &[question.topic]));
        let json = serde_json::to_string(&question).expect("plain data");
        let read: Question = serde_json::from_str(&json).expect("as it was written");
        assert_eq!((&read.text, read.exact, read.seed), (&question.text, question.exact, question.seed));
    }
}

#[test]
fn a_seed_means_the_same_question_for_good() {
    let question = ask(2026, &[Topic::KvCache]);
    assert_eq!(
        question.text.en,
        "Qwen2.5-7B has 28 layers, each with 4 KV heads of size 128; the KV cache is in FP16. 50 requests hold 32,768 \
         tokens each. How large is the cache?"
    );
    // 2 × 28 × 4 × 128 × 2 = 57,344 bytes per token.
    assert_eq!(question.exact, 57_344 * 50 * 32_768);
    let class: Vec<Topic> = drill::set(2026, 5).expect("a set").into_iter().map(|question| question.topic).collect();
    let expected =
        [Topic::ExpertWeights, Topic::LargestBatch, Topic::Checkpoints, Topic::WindowCache, Topic::KvPerToken];
    assert_eq!(class, expected);
}

#[test]
fn a_class_gets_every_topic_once_before_one_comes_again() {
    for seed in 0..20 {
        let class = drill::set(seed, 10).expect("a set");
        assert_eq!(class, drill::set(seed, 10).expect("a set"));
        let topics: HashSet<Topic> = class.iter().map(|question| question.topic).collect();
        assert_eq!((class.len(), topics.len()), (10, 10));
        class.iter().for_each(check);
    }
    let all = drill::set(1, usize::MAX).expect("a set");
    let texts: HashSet<&str> = all.iter().map(|question| question.text.en.as_ref()).collect();
    assert_eq!((all.len(), texts.len()), (MAX_SET, MAX_SET));
    let first: HashSet<Topic> = all[..Topic::ALL.len()].iter().map(|question| question.topic).collect();
    assert_eq!(first.len(), Topic::ALL.len());
    assert!(drill::set(1, 0).expect("a set").is_empty());
    assert_ne!(drill::set(1, 10).expect("a set"), drill::set(2, 10).expect("a set"));
}

#[test]
fn topics_have_ids_and_names() {
    for (at, topic) in Topic::ALL.into_iter().enumerate() {
        assert_eq!(Topic::from_id(topic.id()), Some(topic));
        assert_eq!(serde_json::to_string(&topic).expect("a name"), format!("{:?}", topic.id()));
        let same = |other: &Topic| other.name().zh == topic.name().zh || other.name().en == topic.name().en;
        assert!(!Topic::ALL[..at].iter().any(same), "{topic:?}: a name of its own");
    }
    assert_eq!(Topic::from_id("nothing"), None);
}

#[test]
fn the_boundary_passes_and_slips_are_named() {
    for seed in 0..50 {
        let question = ask(seed, &[]);
        let score = |factor: f64| drill::score(&question, question.answer() * factor);
        let cases = [
            (1.0, true, None),
            (1.0 + PASS, true, None),
            (1.0 - PASS, true, None),
            (1.200_01, false, None),
            (0.799_99, false, None),
            (0.5, false, Some(Slip::Half)),
            (2.0, false, Some(Slip::Double)),
            (8.0, false, Some(Slip::Bits)),
            (0.125, false, Some(Slip::Bits)),
            (1_024.0, false, Some(Slip::Thousand)),
            (1.0 / 1_000.0, false, Some(Slip::Thousand)),
            (4.0, false, None),
            (0.0, false, None),
            (-1.0, false, None),
        ];
        for (factor, passed, slip) in cases {
            let score = score(factor);
            assert_eq!((score.passed, score.slip), (passed, slip), "{factor} × {}", question.answer());
            assert!((score.relative_error - (factor - 1.0).abs()).abs() < 1e-9 * factor.abs().max(1.0));
        }
        for no_number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let score = drill::score(&question, no_number);
            assert_eq!((score.passed, score.relative_error), (false, 1.0));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_seed_and_any_topics_will_do(seed in any::<u64>(), picked in prop::collection::vec(0..Topic::ALL.len(), 0..5)) {
        let topics: Vec<Topic> = picked.into_iter().map(|at| Topic::ALL[at]).collect();
        let question = ask(seed, &topics);
        check(&question);
        prop_assert!(topics.is_empty() || topics.contains(&question.topic));
        prop_assert_eq!(ask(seed, &[question.topic]), question);
    }

    #[test]
    fn a_better_answer_has_a_smaller_error(seed in any::<u64>(), near in 0.0f64..3.0, far in 0.0f64..3.0) {
        let question = ask(seed, &[]);
        let score = |factor: f64| drill::score(&question, question.answer() * factor);
        let (near, far) = if (near - 1.0).abs() < (far - 1.0).abs() { (near, far) } else { (far, near) };
        prop_assert!(score(near).relative_error <= score(far).relative_error);
        prop_assert!(score(near).passed || !score(far).passed);
    }
}
