//! The drill: the server's clock, first answers only, and the same questions for a class.

use std::time::Duration;

use ledger::drill::{self as engine, Topic};
use server::store::{
    DrillQuestionId, DrillSetId, User, Viewer, classes,
    drill::{self, Asked, GRACE_MS, LIMIT_MS, SetError},
};

use crate::bed::{Bed, START};

const LIMIT: Duration = Duration::from_millis(LIMIT_MS.unsigned_abs());
const GRACE: Duration = Duration::from_millis(GRACE_MS.unsigned_abs());

/// Answers `factor` times what is right; whether it counted.
async fn answer(bed: &Bed, asked: &Asked, factor: f64) -> bool {
    let question = engine::question(asked.seed(), &[asked.topic.0]).expect("the question again");
    let score = engine::score(&question, question.answer() * factor);
    drill::answer(&bed.store, asked, &question, &score).await.expect("an answer")
}

/// One question of a set, asked and answered.
pub async fn answer_in_set(bed: &Bed, of: &User, set: DrillSetId, position: usize, factor: f64) -> DrillQuestionId {
    let own = drill::own_set(&bed.store, of.id, set).await.expect("an answer").expect("a set of the learner's class");
    let question = &own.plan.draw().expect("questions")[position - 1];
    let asked = drill::ask_in_set(&bed.store, of.id, set, position, question.topic, question.seed).await;
    let asked = asked.expect("an answer").expect("a question");
    assert!(answer(bed, &asked, factor).await, "a first answer");
    asked.id
}

on_both_engines! {
    async fn the_first_answer_counts_and_no_other(bed: Bed) {
        let lin = bed.user("lin", server::store::Role::Learner).await;
        let asked = drill::ask(&bed.store, lin.id, Topic::KvCache, u64::MAX).await.expect("asked");
        assert_eq!(drill::question(&bed.store, lin.id, asked.id).await.expect("an answer"), Some(asked.clone()));
        assert_eq!((asked.seed(), asked.asked_ms), (u64::MAX, START));
        bed.clock.advance(Duration::from_secs(12));
        for (factor, counts) in [(3.0, true), (1.0, false), (3.0, false)] {
            assert_eq!(answer(&bed, &asked, factor).await, counts);
        }
        let kept = drill::answered(&bed.store, lin.viewer(), asked.id).await.expect("an answer").expect("the answer");
        assert!((kept.relative_error - 2.0).abs() < 1e-9 && (kept.answer / kept.exact - 3.0).abs() < 1e-9);
        assert_eq!((kept.in_time, kept.passed, kept.asked), (true, false, asked));
        let attempts = drill::attempts(&bed.store, lin.id).await.expect("a history");
        let only = engine::Attempt { topic: Topic::KvCache, passed: false, at: START.0.unsigned_abs() + 12_000 };
        assert_eq!(attempts, [only]);
    }

    async fn a_late_answer_is_kept_and_does_not_pass(bed: Bed) {
        let lin = bed.user("lin", server::store::Role::Learner).await;
        let cases = [(Duration::ZERO, true), (LIMIT, true), (LIMIT + GRACE, true), (LIMIT + GRACE + Duration::from_millis(1), false)];
        for (thought, in_time) in cases {
            let asked = drill::ask(&bed.store, lin.id, Topic::Weights, 5).await.expect("asked");
            bed.clock.advance(thought);
            assert!(answer(&bed, &asked, 1.0).await);
            let kept = drill::answered(&bed.store, lin.viewer(), asked.id).await.expect("an answer").expect("kept");
            assert_eq!((kept.in_time, kept.passed), (in_time, in_time), "{thought:?}");
            assert!(kept.relative_error < 1e-9);
        }
    }

    async fn a_question_goes_on_until_it_is_answered_or_over(bed: Bed) {
        let (lin, wen) = (bed.user("lin", server::store::Role::Learner).await, bed.user("wen", server::store::Role::Learner).await);
        let running = async |of: &User| drill::running(&bed.store, of.id).await.expect("an answer").map(|asked| asked.id);
        let asked = drill::ask(&bed.store, lin.id, Topic::Weights, 1).await.expect("asked");
        bed.clock.advance(Duration::from_secs(59));
        assert_eq!((running(&lin).await, running(&wen).await), (Some(asked.id), None));
        assert_eq!((asked.left_ms(START), asked.left_ms(bed.store.now())), (60_000, 1_000));
        bed.clock.advance(Duration::from_secs(1));
        assert_eq!((running(&lin).await, asked.left_ms(bed.store.now())), (None, 0));
        let next = drill::ask(&bed.store, lin.id, Topic::Weights, 2).await.expect("asked");
        assert_eq!(running(&lin).await, Some(next.id));
        answer(&bed, &next, 1.0).await;
        assert_eq!(running(&lin).await, None);
        // The one that ran out can still be answered; a day later, unanswered, it would be forgotten.
        let third = drill::ask(&bed.store, lin.id, Topic::Weights, 3).await.expect("asked");
        answer(&bed, &asked, 1.0).await;
        bed.clock.advance(Duration::from_secs(86_401));
        drill::ask(&bed.store, lin.id, Topic::Weights, 4).await.expect("asked");
        let found = async |id| drill::question(&bed.store, lin.id, id).await.expect("an answer").is_some();
        assert_eq!((found(asked.id).await, found(next.id).await, found(third.id).await), (true, true, false));
    }

    async fn a_question_is_its_learners_alone(bed: Bed) {
        let (mei, kai) = (bed.instructor("mei").await, bed.instructor("kai").await);
        let (_, code) = bed.class(&mei, "A").await;
        let (lin, wen) = (bed.learner("lin", &code).await, bed.learner("wen", &code).await);
        let asked = drill::ask(&bed.store, lin.id, Topic::Logits, 1).await.expect("asked");
        for other in [&mei, &kai, &wen] {
            assert_eq!(drill::question(&bed.store, other.id, asked.id).await.expect("an answer"), None);
        }
        answer(&bed, &asked, 1.0).await;
        assert_eq!(drill::attempts(&bed.store, wen.id).await.expect("a history"), []);
    }

    async fn what_was_asked_and_answered_stays(bed: Bed) {
        let lin = bed.user("lin", server::store::Role::Learner).await;
        let asked = drill::ask(&bed.store, lin.id, Topic::Logits, 1).await.expect("asked");
        answer(&bed, &asked, 5.0).await;
        for change in [
            "UPDATE drill_questions SET asked_ms = 0",
            "UPDATE drill_answers SET relative_error = 0",
            "UPDATE drill_answers SET passed = TRUE",
        ] {
            assert!(bed.sql(change).await.is_err(), "{change}");
        }
    }

    async fn a_set_is_the_same_for_all_and_its_clock_runs_once(bed: Bed) {
        let mei = bed.instructor("mei").await;
        let (class, code) = bed.class(&mei, "A").await;
        let (lin, wen) = (bed.learner("lin", &code).await, bed.learner("wen", &code).await);
        let set = drill::open_set(&bed.store, mei.viewer(), class, u64::MAX - 1, 10).await.expect("a set");
        let drawn = engine::set(u64::MAX - 1, 10).expect("questions");
        for of in [&lin, &wen] {
            let own = drill::own_set(&bed.store, of.id, set).await.expect("an answer").expect("the set");
            assert_eq!((own.plan.count(), own.plan.draw().expect("questions")), (10, drawn.clone()));
        }
        let ask = async |of: &User, position| {
            drill::ask_in_set(&bed.store, of.id, set, position, Topic::Weights, 1).await.expect("an answer")
        };
        let first = ask(&lin, 1).await.expect("asked");
        bed.clock.advance(Duration::from_secs(30));
        assert_eq!(ask(&lin, 1).await, Some(first.clone()), "the first time of asking stays");
        assert_ne!(ask(&wen, 1).await.expect("asked").id, first.id);
        assert_eq!((ask(&lin, 0).await, ask(&lin, 11).await, ask(&mei, 1).await), (None, None, None));
        // It is no question of the free drill.
        assert_eq!(drill::running(&bed.store, lin.id).await.expect("an answer"), None);

        answer(&bed, &first, 1.0).await;
        answer_in_set(&bed, &wen, set, 2, 2.0).await;
        let own = drill::own_sets(&bed.store, lin.id).await.expect("sets");
        assert_eq!(own.iter().map(|set| (set.answered, set.passed)).collect::<Vec<_>>(), [(1, 1)]);
        let own = drill::own_answers(&bed.store, wen.id, set).await.expect("answers");
        assert_eq!(own.iter().map(|answer| (answer.asked.position, answer.passed)).collect::<Vec<_>>(), [(Some(2), false)]);
    }

    async fn only_members_and_their_instructor_know_a_set(bed: Bed) {
        let (mei, kai) = (bed.instructor("mei").await, bed.instructor("kai").await);
        let ((class, code), (_, other)) = (bed.class(&mei, "A").await, bed.class(&kai, "B").await);
        let (lin, out) = (bed.learner("lin", &code).await, bed.learner("out", &other).await);
        for stranger in [kai.viewer(), lin.viewer(), Viewer::Instructor(lin.id)] {
            let refused = drill::open_set(&bed.store, stranger, class, 1, 10).await;
            assert!(matches!(refused, Err(SetError::NotTaught)), "{stranger:?}");
        }
        for count in [0, 101, usize::MAX] {
            assert!(matches!(drill::open_set(&bed.store, mei.viewer(), class, 1, count).await, Err(SetError::Count)));
        }
        let set = drill::open_set(&bed.store, mei.viewer(), class, 1, 3).await.expect("a set");
        assert_eq!(drill::own_set(&bed.store, out.id, set).await.expect("an answer"), None);
        assert_eq!(drill::own_sets(&bed.store, out.id).await.expect("sets"), []);
        assert_eq!(drill::ask_in_set(&bed.store, out.id, set, 1, Topic::Weights, 1).await.expect("an answer"), None);

        answer_in_set(&bed, &lin, set, 1, 1.0).await;
        answer_in_set(&bed, &lin, set, 3, 0.1).await;
        let seen = drill::answers_of_set(&bed.store, mei.viewer(), set).await.expect("answers");
        assert_eq!(seen.iter().map(|a| (a.user_id, a.position, a.passed)).collect::<Vec<_>>(), [(lin.id, 1, true), (lin.id, 3, false)]);
        classes::remove_member(&bed.store, mei.viewer(), class, lin.id).await.expect("removed");
        assert_eq!(drill::answers_of_set(&bed.store, mei.viewer(), set).await.expect("answers"), []);
        let sets = drill::sets_of_class(&bed.store, mei.viewer(), class).await.expect("sets");
        assert_eq!(sets.iter().map(|set| (set.plan.count(), set.answers)).collect::<Vec<_>>(), [(3, 0)]);
    }
}
