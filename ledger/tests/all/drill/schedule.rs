//! The boxes worked out by hand.

use ledger::drill::{
    Attempt, Reason, Standing, Topic,
    schedule::{INTERVALS_MS, next, standings},
};
use proptest::prelude::*;

const MINUTE: u64 = 60_000;
const DAY: u64 = 24 * 60 * MINUTE;
/// Some moment in 2026.
const START: u64 = 1_790_000_000_000;

fn attempt(topic: Topic, passed: bool, at: u64) -> Attempt {
    Attempt { topic, passed, at }
}

fn of(history: &[Attempt], topic: Topic) -> Standing {
    standings(history).into_iter().find(|standing| standing.topic == topic).expect("every topic stands somewhere")
}

#[test]
fn a_topic_climbs_and_falls() {
    assert_eq!(INTERVALS_MS, [MINUTE, 10 * MINUTE, DAY, 3 * DAY, 7 * DAY]);
    // Passed?, minutes after the start, then: box, minutes after the start until it is due.
    let day = 24 * 60;
    let story = [
        (false, 0, 1, 1),
        (true, 1, 2, 11),
        (true, 5, 2, 11), // Too early to prove anything.
        (true, 11, 3, 11 + day),
        (true, 11 + day, 4, 11 + 4 * day),
        (true, 12 + 4 * day, 5, 12 + 11 * day),
        (true, 20 * day, 5, 27 * day),      // There is no sixth box.
        (false, 21 * day, 1, 21 * day + 1), // A wrong answer counts at any time.
        (true, 21 * day, 1, 21 * day + 1),
        (true, 21 * day + 1, 2, 21 * day + 11),
    ];
    let mut history = Vec::new();
    for (at, (passed, minutes, level, due)) in story.into_iter().enumerate() {
        history.push(attempt(Topic::Logits, passed, START + minutes * MINUTE));
        let standing = of(&history, Topic::Logits);
        assert_eq!((standing.level, standing.due_at), (level, START + due * MINUTE), "after answer {}", at + 1);
    }
    let standing = of(&history, Topic::Logits);
    assert_eq!((standing.attempts, standing.passed), (10, 8));
    assert_eq!(
        of(&history, Topic::Weights),
        Standing { topic: Topic::Weights, level: 0, due_at: 0, attempts: 0, passed: 0 }
    );
}

#[test]
fn what_went_wrong_comes_first_then_what_is_new_then_what_is_soonest() {
    let asked = |history: &[Attempt], now| {
        let next = next(history, now);
        (next.topic, next.reason)
    };
    assert_eq!(asked(&[], START), (Topic::Weights, Reason::New));
    let mut history = vec![
        attempt(Topic::Weights, true, START),      // Box 2, due after 10 minutes.
        attempt(Topic::KvPerToken, false, START),  // Box 1, due after 1 minute.
        attempt(Topic::KvCache, false, START + 1), // Box 1, due a moment later.
    ];
    assert_eq!(asked(&history, START + MINUTE - 1), (Topic::TrainingStates, Reason::New));
    assert_eq!(asked(&history, START + MINUTE), (Topic::KvPerToken, Reason::Due));
    assert_eq!(asked(&history, START + 10 * MINUTE), (Topic::KvPerToken, Reason::Due), "the lowest box goes first");
    history.push(attempt(Topic::KvPerToken, true, START + 10 * MINUTE));
    assert_eq!(asked(&history, START + 10 * MINUTE), (Topic::KvCache, Reason::Due));
    history.push(attempt(Topic::KvCache, true, START + 10 * MINUTE));
    assert_eq!(asked(&history, START + 10 * MINUTE), (Topic::Weights, Reason::Due));
    // Everything known: the first that will be due.
    let known: Vec<Attempt> =
        Topic::ALL.into_iter().zip(0..).map(|(topic, at)| attempt(topic, true, START + 100 - at)).collect();
    let early = next(&known, START + 200);
    assert_eq!((early.topic, early.reason), (Topic::ALL[Topic::ALL.len() - 1], Reason::Early));
    assert_eq!(early.due_at, START + 100 - 20 + 10 * MINUTE);
}

#[test]
fn a_history_survives_as_json() {
    let one = attempt(Topic::LoraStates, true, START);
    let json = serde_json::to_string(&one).expect("plain data");
    assert_eq!(json, r#"{"topic":"lora_states","passed":true,"at":1790000000000}"#);
    assert_eq!(serde_json::from_str::<Attempt>(&json).expect("as it was written"), one);
}

fn histories() -> impl Strategy<Value = Vec<Attempt>> {
    let one = (0..Topic::ALL.len(), any::<bool>(), any::<u32>());
    prop::collection::vec(one.prop_map(|(topic, passed, at)| attempt(Topic::ALL[topic], passed, u64::from(at))), 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn order_does_not_matter_and_the_proposal_is_sound(history in histories(), now in any::<u32>()) {
        let now = u64::from(now);
        let mut distinct = history.clone();
        distinct.sort_by_key(|attempt| attempt.at);
        distinct.dedup_by_key(|attempt| attempt.at);
        let mut backwards = distinct.clone();
        backwards.reverse();
        prop_assert_eq!(standings(&distinct), standings(&backwards));
        let (found, all) = (next(&history, now), standings(&history));
        let due = |standing: &&Standing| standing.level > 0 && standing.due_at <= now;
        match found.reason {
            Reason::Due => prop_assert!(all.iter().filter(due).any(|standing| standing.topic == found.topic)),
            Reason::New => {
                prop_assert!(all.iter().filter(due).count() == 0);
                prop_assert!(of(&history, found.topic).attempts == 0);
            }
            Reason::Early => prop_assert!(all.iter().all(|standing| standing.level > 0 && standing.due_at > now)),
        }
    }

    #[test]
    fn no_time_overflows(topic in 0..Topic::ALL.len(), passed in any::<bool>()) {
        let standing = of(&[attempt(Topic::ALL[topic], passed, u64::MAX)], Topic::ALL[topic]);
        prop_assert_eq!(standing.due_at, u64::MAX);
    }
}
