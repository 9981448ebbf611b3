//! Regrades, threads, imports and comparisons in the store.

use std::time::Duration;

use evidence::{Likeness, Print};
use server::store::{
    GradeOutcome, ReportId, Store, User, audit,
    comments::{self, CommentError, CommentKind, Place},
    grades::{self, Earned, NewGrade},
    imports,
    likenesses::{self, Found},
    regrades::{self, Judged, Next, RegradeError, RegradeState},
    reports,
};

use crate::bed::json;

fn grade(report: ReportId, version: &'static str, cpu: u32) -> NewGrade<'static> {
    NewGrade {
        report,
        grader_version: version,
        outcome: GradeOutcome::Graded,
        cpu: Earned { earned: cpu, possible: 5 },
        gpu: Earned { earned: 0, possible: 5 },
        grade: json(&format!(r#"{{"cpu":{cpu},"by":"{version}"}}"#)),
    }
}

fn judged(changed: bool, cpu: u32) -> Judged {
    Judged::Graded {
        changed,
        outcome: GradeOutcome::Graded,
        cpu: Earned { earned: cpu, possible: 5 },
        gpu: Earned { earned: 0, possible: 5 },
        grade: json(&format!(r#"{{"cpu":{cpu},"by":"2"}}"#)),
    }
}

async fn count(store: &Store, user: &User, report: ReportId) -> Vec<(String, i64)> {
    let all = grades::of_report(store, user.viewer(), report).await.expect("grades");
    all.into_iter().map(|grade| (grade.grader_version, grade.cpu_earned)).collect()
}

on_both_engines! {
    /// A dry run shows and appends nothing; publishing appends, once, and only over the grade it was made beside.
    async fn a_regrade(bed: Bed) {
        let (mei, kai) = (bed.instructor("mei").await, bed.instructor("kai").await);
        let (class, code) = bed.class(&mei, "A").await;
        let (lin, wen) = (bed.learner("lin", &code).await, bed.learner("wen", &code).await);
        let mut all = Vec::new();
        for (user, raw) in [(&lin, "1"), (&lin, "2"), (&wen, "3"), (&wen, "4"), (&wen, "5")] {
            let report = bed.report(user.id, raw.as_bytes()).await;
            grades::append(&bed.store, &grade(report, "1", 3)).await.expect("graded");
            all.push(report);
        }
        let store = &bed.store;
        for (who, lab) in [(&kai, None), (&lin, None)] {
            let refused = regrades::start(store, who.viewer(), class, lab, "2").await;
            assert!(matches!(refused, Err(RegradeError::NotAllowed)), "{refused:?}");
        }
        let none = regrades::start(store, mei.viewer(), class, Some("76"), "2").await;
        assert!(matches!(none, Err(RegradeError::Empty)));
        let first = regrades::start(store, mei.viewer(), class, None, "2").await.expect("begun");
        bed.clock.advance(Duration::from_secs(1));
        let id = regrades::start(store, mei.viewer(), class, Some("rmsnorm"), "2").await.expect("begun");
        let state = |id| {
            let (store, viewer) = (store.clone(), mei.viewer());
            async move { regrades::get(&store, viewer, id).await.expect("an answer").expect("the regrade") }
        };
        assert_eq!(state(first).await.state, RegradeState::Discarded, "one at a time");
        assert!(regrades::get(store, kai.viewer(), id).await.expect("an answer").is_none());

        // Its reports come one by one; a stop in between loses nothing.
        let again = bed.reopen().await;
        let mut seen = Vec::new();
        while let Some(Next::Grade { regrade, report, old }) = regrades::next(&again, "2").await.expect("an answer") {
            assert_eq!((regrade, &old), (id, &json(r#"{"cpu":3,"by":"1"}"#)));
            let made = match all.iter().position(|one| *one == report) {
                Some(0) => judged(true, 5),
                Some(1) => judged(false, 3),
                Some(2) => Judged::Identical,
                Some(3) => Judged::Failed,
                _ => judged(true, 1),
            };
            let early = regrades::publish(store, mei.viewer(), id, "2").await;
            assert!(matches!(early, Err(RegradeError::NotNow)), "not before it is complete");
            regrades::write(&again, regrade, report, &made).await.expect("written");
            seen.push(report);
        }
        assert_eq!(seen.len(), 5);
        let ready = state(id).await;
        let counts = (ready.total, ready.waiting, ready.changed, ready.same, ready.failed);
        assert_eq!((ready.state, counts), (RegradeState::Ready, (5, 0, 2, 2, 1)));
        assert_eq!(count(store, &lin, all[0]).await, [("1".to_owned(), 3)], "a dry run");
        let lines = regrades::lines(store, mei.viewer(), id, 0, 50).await.expect("lines");
        assert_eq!(lines.len(), 5);
        assert_eq!(lines[0].new, Some(json(r#"{"cpu":5,"by":"2"}"#)), "what changed stands first");
        assert!(regrades::lines(store, lin.viewer(), id, 0, 50).await.expect("lines").is_empty());

        // Somebody was graded meanwhile.
        bed.clock.advance(Duration::from_secs(1));
        grades::append(store, &grade(all[4], "1b", 4)).await.expect("graded");
        for (who, version) in [(&kai, "2"), (&lin, "2"), (&mei, "3")] {
            let refused = regrades::publish(store, who.viewer(), id, version).await;
            assert!(matches!(refused, Err(RegradeError::NotNow)), "{version}");
        }
        bed.clock.advance(Duration::from_secs(1));
        regrades::publish(store, mei.viewer(), id, "2").await.expect("publishing");
        // Two processes at once.
        assert_eq!(regrades::next(store, "3").await.expect("an answer"), Some(Next::Publish(id)));
        let (a, b) = tokio::join!(regrades::publish_some(store, id, 1), regrades::publish_some(&again, id, 1));
        assert!(a.expect("some") && b.expect("some"));
        while regrades::publish_some(store, id, 1).await.expect("an answer") {}
        let two = |points| vec![("2".to_owned(), points), ("1".to_owned(), 3)];
        assert_eq!(count(store, &lin, all[0]).await, two(5));
        assert_eq!(count(store, &lin, all[1]).await, two(3), "the same result by the new version");
        assert_eq!(count(store, &wen, all[2]).await, [("1".to_owned(), 3)], "nothing to append");
        assert_eq!(count(store, &wen, all[3]).await, [("1".to_owned(), 3)], "the new grader could not read it");
        assert_eq!(count(store, &wen, all[4]).await, [("1b".to_owned(), 4), ("1".to_owned(), 3)], "overtaken");
        let done = state(id).await;
        assert_eq!((done.state, done.published, done.overtaken), (RegradeState::Published, 2, 1));
        assert!(matches!(regrades::discard(store, mei.viewer(), id).await, Err(RegradeError::NotNow)));
        let lines = regrades::lines(store, mei.viewer(), id, 0, 1).await.expect("lines");
        assert_eq!(lines[0].new, Some(json(r#"{"cpu":5,"by":"2"}"#)), "old and new are still shown");
    }

    async fn a_regrade_of_another_version_is_void(bed: Bed) {
        let mei = bed.instructor("mei").await;
        let (class, code) = bed.class(&mei, "A").await;
        let lin = bed.learner("lin", &code).await;
        let report = bed.report(lin.id, b"1").await;
        grades::append(&bed.store, &grade(report, "1", 3)).await.expect("graded");
        let id = regrades::start(&bed.store, mei.viewer(), class, None, "2").await.expect("begun");
        assert_eq!(regrades::next(&bed.store, "3").await.expect("an answer"), None);
        let there = regrades::get(&bed.store, mei.viewer(), id).await.expect("an answer").expect("the regrade");
        assert_eq!(there.state, RegradeState::Outdated);
        regrades::discard(&bed.store, mei.viewer(), id).await.expect("discarded");
        assert!(regrades::lines(&bed.store, mei.viewer(), id, 0, 9).await.expect("lines").is_empty());
    }

    async fn threads(bed: Bed) {
        let (mei, kai) = (bed.instructor("mei").await, bed.instructor("kai").await);
        let (class, code) = bed.class(&mei, "A").await;
        let (lin, wen) = (bed.learner("lin", &code).await, bed.learner("wen", &code).await);
        let report = bed.report(lin.id, b"1").await;
        let store = &bed.store;
        let place = Place { check: "copies_agree", pointer: "/a~1b" };
        for (who, body, expected) in [
            (&wen, "hi", "no such report, or not the writer's to see"),
            (&kai, "hi", "no such report, or not the writer's to see"),
            (&lin, " \n\u{200b}", "nothing was written"),
            (&lin, &*"x".repeat(comments::BODY_MAX + 1), "longer than 4000 characters"),
        ] {
            let refused = comments::say(store, who.viewer(), report, place, body).await.expect_err(expected);
            assert_eq!(refused.to_string(), expected);
        }
        comments::say(store, lin.viewer(), report, place, "why?\r\n<b>\u{0}x").await.expect("said");
        let unread = |user: &User, class| comments::unread(store, user.viewer(), class);
        let reports = |rows: Vec<comments::Unread>| rows.iter().map(|r| (r.report_id, r.entries)).collect::<Vec<_>>();
        assert_eq!(reports(unread(&mei, Some(class)).await.expect("a list")), [(report, 1)]);
        assert_eq!(reports(unread(&lin, None).await.expect("a list")), [], "one's own is read");
        assert_eq!(reports(unread(&kai, None).await.expect("a list")), []);
        bed.clock.advance(Duration::from_secs(1));
        comments::say(store, mei.viewer(), report, place, "because").await.expect("said");
        comments::seen(store, mei.viewer(), report, store.now()).await.expect("seen");
        assert_eq!(reports(unread(&mei, None).await.expect("a list")), []);
        assert_eq!(reports(unread(&lin, None).await.expect("a list")), [(report, 1)]);
        bed.clock.advance(Duration::from_secs(1));
        comments::mark(store, lin.viewer(), report, place, true).await.expect("resolved");
        bed.clock.advance(Duration::from_secs(1));
        comments::mark(store, mei.viewer(), report, place, false).await.expect("open again");
        let all = comments::of_report(store, lin.viewer(), report).await.expect("entries");
        let shown: Vec<_> = all.iter().map(|c| (c.kind, c.body.as_str(), c.own, c.unread)).collect();
        assert_eq!(
            shown,
            [
                (CommentKind::Said, "why?\n<b>x", true, false),
                (CommentKind::Said, "because", false, true),
                (CommentKind::Resolved, "", true, false),
                (CommentKind::Reopened, "", false, true),
            ]
        );
        assert_eq!((all[0].check_id.as_str(), all[0].pointer.as_str()), ("copies_agree", "/a~1b"));
        assert!(comments::of_report(store, wen.viewer(), report).await.expect("entries").is_empty());
        // A look that was late does not make read what came after.
        comments::seen(store, lin.viewer(), report, store.now()).await.expect("seen");
        comments::seen(store, lin.viewer(), report, crate::bed::START).await.expect("seen");
        assert_eq!(reports(unread(&lin, None).await.expect("a list")), []);
        assert!(bed.sql("UPDATE comments SET body = 'y' WHERE kind = 'said'").await.is_err(), "entries stay");
    }

    async fn a_report_takes_so_many_entries(bed: Bed) {
        let lin = bed.user("lin", server::store::Role::Learner).await;
        let report = bed.report(lin.id, b"1").await;
        let place = Place { check: "x", pointer: "" };
        comments::say(&bed.store, lin.viewer(), report, place, "first").await.expect("said");
        // Filled up behind the store's back.
        let digits = (1..comments::ENTRIES_MAX).map(|n| {
            format!("('{n}', '{report}', 'x', '', '{}', 'said', 'y', 1)", lin.id)
        });
        let rows = digits.collect::<Vec<_>>().join(", ");
        bed.sql(&format!(
            "INSERT INTO comments (id, report_id, check_id, pointer, author_id, kind, body, created_ms) VALUES {rows}"
        ))
        .await
        .expect("rows");
        let full = comments::say(&bed.store, lin.viewer(), report, place, "one more").await;
        assert!(matches!(full, Err(CommentError::Full)));
    }

    /// Only the instructor of both learners is shown a pair, and the earlier report stands first.
    async fn pairs_that_look_alike(bed: Bed) {
        let (mei, kai) = (bed.instructor("mei").await, bed.instructor("kai").await);
        let ((class, code), (other, other_code)) = (bed.class(&mei, "A").await, bed.class(&kai, "B").await);
        let (lin, wen) = (bed.learner("lin", &code).await, bed.learner("wen", &code).await);
        let far = bed.learner("far", &other_code).await;
        let store = &bed.store;
        let mut ids = Vec::new();
        for (user, raw) in [(&lin, "same"), (&lin, "mine"), (&wen, "same"), (&wen, "jitter"), (&far, "same")] {
            ids.push(bed.report(user.id, raw.as_bytes()).await);
            bed.clock.advance(Duration::from_secs(1));
        }
        let print: Print = serde_json::from_str(r#"{"workload":"w","lines":[]}"#).expect("a print");
        while let Some(id) = likenesses::unprinted(store).await.expect("an answer") {
            let row = reports::raw_for_grading(store, id).await.expect("an answer").expect("the report").0;
            let like = likenesses::comparable(store, row.user_id, "w").await.expect("rows");
            let like: Vec<_> = like.iter().map(|kept| kept.report_id).collect();
            let found = if id == ids[3] {
                // Of others, newest first; the own ones are not compared.
                assert_eq!(like, [ids[1], ids[0]]);
                vec![Found { other: ids[1], likeness: Likeness { times: 6, largest_difference: 0.001 } }]
            } else {
                vec![]
            };
            likenesses::write(store, &row, Some(&print), &found).await.expect("written");
            likenesses::write(store, &row, Some(&print), &found).await.expect("once");
        }
        let pairs = likenesses::of_class(store, mei.viewer(), class).await.expect("pairs");
        let shown: Vec<_> = pairs
            .iter()
            .map(|p| (p.first_report, p.first_name.as_str(), p.second_report, p.second_name.as_str(), p.times))
            .collect();
        assert_eq!(shown, [(ids[1], "lin", ids[3], "wen", Some(6)), (ids[0], "lin", ids[2], "wen", None)]);
        assert!(likenesses::of_class(store, kai.viewer(), class).await.expect("pairs").is_empty());
        assert!(likenesses::of_class(store, lin.viewer(), class).await.expect("pairs").is_empty());
        assert!(likenesses::of_class(store, kai.viewer(), other).await.expect("pairs").is_empty());
    }

    async fn imports_are_the_class_s(bed: Bed) {
        let (mei, kai) = (bed.instructor("mei").await, bed.instructor("kai").await);
        let ((class, _), (other, _)) = (bed.class(&mei, "A").await, bed.class(&kai, "B").await);
        let store = &bed.store;
        assert_eq!(imports::keep(store, kai.viewer(), class, "f", &json("{}")).await.expect("an answer"), None);
        let kept = imports::keep(store, mei.viewer(), class, "f\u{202e}.csv", &json("{}")).await.expect("an answer");
        let id = kept.expect("kept");
        let get = |user: &User, class| imports::get(store, user.viewer(), class, id);
        assert_eq!(get(&mei, class).await.expect("an answer").expect("it").file, "f.csv");
        assert!(get(&kai, class).await.expect("an answer").is_none());
        assert!(get(&kai, other).await.expect("an answer").is_none(), "not by way of another class");
        let row = get(&mei, class).await.expect("an answer").expect("it");
        for _ in 0..2 {
            imports::applied(store, mei.viewer(), &row, &serde_json::json!({"changed": 1})).await.expect("applied");
        }
        let told = audit::of_class(store, mei.viewer(), class, None, 10).await.expect("the log");
        let told = told.iter().filter(|entry| entry.action == audit::AuditAction::GradesImported).count();
        assert_eq!(told, 1, "applied once, told once");
        let all = imports::list(store, mei.viewer(), class).await.expect("a list");
        assert_eq!(all.iter().map(|row| row.applied_ms.is_some()).collect::<Vec<_>>(), [true]);
    }

    async fn attempts_and_the_newest_of_each_learner(bed: Bed) {
        let mei = bed.instructor("mei").await;
        let (class, code) = bed.class(&mei, "A").await;
        let (lin, wen) = (bed.learner("lin", &code).await, bed.learner("wen", &code).await);
        for (user, raw, points) in [(&lin, "1", 1), (&lin, "2", 2), (&wen, "3", 3)] {
            let report = bed.report(user.id, raw.as_bytes()).await;
            grades::append(&bed.store, &grade(report, "1", points)).await.expect("graded");
            bed.clock.advance(Duration::from_secs(1));
            grades::append(&bed.store, &grade(report, "2", points + 1)).await.expect("graded");
        }
        let attempts = grades::attempts(&bed.store, mei.viewer(), class).await.expect("attempts");
        let shown: Vec<_> = attempts.iter().map(|a| (a.login.as_str(), a.lab.as_str(), a.cpu_earned)).collect();
        assert_eq!(shown, [("lin", "rmsnorm", 2), ("lin", "rmsnorm", 3), ("wen", "rmsnorm", 4)]);
        let newest = grades::newest(&bed.store, mei.viewer(), class, "rmsnorm").await.expect("grades");
        let texts: Vec<_> = newest.iter().map(|newest| newest.grade.as_str()).collect();
        assert_eq!(texts.len(), 2);
        assert!(texts.contains(&json(r#"{"cpu":3,"by":"2"}"#).as_str()) && texts.contains(&json(r#"{"cpu":4,"by":"2"}"#).as_str()), "{texts:?}");
        assert!(grades::attempts(&bed.store, lin.viewer(), class).await.expect("attempts").is_empty());
        assert!(grades::newest(&bed.store, lin.viewer(), class, "rmsnorm").await.expect("grades").is_empty());
    }
}
