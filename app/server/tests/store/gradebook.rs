//! The rules of a gradebook: dates, release, points by hand, rights, and the credit that follows from them.

use std::time::Duration;

use evidence::{Backend, DeviceFacts, EvidenceClass, Part};
use server::{
    credit::{Chosen, Field, Step, Timeline, TimelineError},
    store::{
        AuditId, ClassId, Counting, GradeOutcome, JobId, ReportId, User, UtcMs, Viewer,
        audit::{self, AuditAction},
        classes::{self, ClassError, JoinCode, Rights},
        drill, grades,
        grades::{Earned, NewGrade},
        jobs,
        overrides::{self, Cell, OverrideError},
        reports::{self, NewReport, UploadedBy},
        runners,
        terms::{self, Shown, TermsError},
    },
};

use crate::bed::{Bed, START, cpu_report, json, json_as};

const HOUR: Duration = Duration::from_secs(3600);
const LAB: &str = "rmsnorm";

fn after(hours: i64) -> UtcMs {
    UtcMs(START.0 + hours * 3_600_000)
}

/// Opens at once, early until hour 10 at 110 %, due at hour 20, half until hour 30.
fn dates() -> Timeline {
    Timeline {
        open_ms: None,
        early_ms: Some(after(10)),
        early_percent: Some(110),
        due_ms: Some(after(20)),
        late_percent: Some(50),
        closed_ms: Some(after(30)),
    }
}

struct Class {
    mei: User,
    lin: User,
    class: ClassId,
    code: JoinCode,
}

async fn class(bed: &Bed) -> Class {
    let mei = bed.instructor("mei").await;
    let (class, code) = bed.class(&mei, "A").await;
    let lin = bed.learner("lin", &code).await;
    Class { mei, lin, class, code }
}

async fn grade(bed: &Bed, report: ReportId, cpu: u32, gpu: u32) {
    let new = NewGrade {
        report,
        grader_version: "1",
        outcome: GradeOutcome::Graded,
        cpu: Earned { earned: cpu, possible: 8 },
        gpu: Earned { earned: gpu, possible: 12 },
        grade: json("{}"),
    };
    grades::append(&bed.store, &new).await.expect("graded");
}

/// A graded report of a processor, handed in now.
async fn hand_in(bed: &Bed, who: &User, name: &str, cpu: u32) -> ReportId {
    let report = bed.report(who.id, name.as_bytes()).await;
    grade(bed, report, cpu, 0).await;
    report
}

/// A graded report of a GPU, handed in now.
async fn hand_in_gpu(bed: &Bed, who: &User, name: &str, cpu: u32, gpu: u32) -> ReportId {
    let facts: DeviceFacts = serde_json::from_value(
        serde_json::json!({ "backend": Backend::Reported, "name": "NVIDIA H200", "kind": "other" }),
    )
    .expect("device facts");
    let new = NewReport { class: EvidenceClass::Gpu, device: Some(&facts), ..cpu_report(name.as_bytes()) };
    let report = reports::upload(&bed.store, who.id, new, UploadedBy::File).await.expect("stored").id();
    grade(bed, report, cpu, gpu).await;
    report
}

async fn credit(bed: &Bed, c: &Class, part: Part) -> Option<i64> {
    let line = grades::effective(&bed.store, c.mei.viewer(), c.class, c.lin.id, LAB, part).await.expect("an answer");
    line.expect("a line").standing.credit()
}

fn cell(c: &Class, part: Part) -> Cell<'static> {
    Cell { class: c.class, learner: c.lin.id, lab: LAB, part }
}

on_both_engines! {
    /// Nothing of a credit is stored: dates that move take it along.
    async fn credit_follows_the_dates(bed: Bed) {
        let c = class(&bed).await;
        bed.clock.advance(12 * HOUR);
        hand_in(&bed, &c.lin, "one", 6).await;
        assert_eq!(credit(&bed, &c, Part::Cpu).await, Some(600), "without dates all counts");
        let set = async |timeline: Timeline| {
            terms::set_dates(&bed.store, c.mei.viewer(), c.class, LAB, &timeline).await.expect("set");
        };
        for (timeline, expected) in [
            (dates(), 600),
            (Timeline { early_ms: Some(after(12)), ..dates() }, 660),
            (Timeline { early_ms: None, early_percent: None, due_ms: Some(after(11)), ..dates() }, 300),
            (Timeline { early_ms: None, early_percent: None, due_ms: Some(after(12)), ..dates() }, 600),
            (Timeline { due_ms: Some(after(1)), ..Timeline::default() }, 0),
            (Timeline { open_ms: Some(after(13)), ..Timeline::default() }, 0),
        ] {
            set(timeline).await;
            assert_eq!(credit(&bed, &c, Part::Cpu).await, Some(expected), "{timeline:?}");
        }
        // An extension stands for its learner, whatever the class does.
        terms::extend(&bed.store, c.mei.viewer(), c.class, LAB, c.lin.id, &dates()).await.expect("extended");
        let other = bed.learner("wen", &c.code).await;
        hand_in(&bed, &other, "two", 6).await;
        let sheet = grades::sheet(&bed.store, c.mei.viewer(), c.class, None).await.expect("a sheet");
        let credit_of = |user: &User| sheet.line(user.id, LAB, Part::Cpu).and_then(|line| line.standing.credit());
        assert_eq!((credit_of(&c.lin), credit_of(&other)), (Some(600), Some(0)));
        assert!(sheet.line(c.lin.id, LAB, Part::Cpu).is_some_and(|line| line.standing.extended));
        terms::end_extension(&bed.store, c.mei.viewer(), c.class, LAB, c.lin.id).await.expect("ended");
        assert_eq!(credit(&bed, &c, Part::Cpu).await, Some(0));
        let again = terms::end_extension(&bed.store, c.mei.viewer(), c.class, LAB, c.lin.id).await;
        assert!(matches!(again, Err(TermsError::NotAllowed)), "there is none any more");
    }

    async fn best_or_latest(bed: Bed) {
        let c = class(&bed).await;
        terms::set_dates(&bed.store, c.mei.viewer(), c.class, LAB, &dates()).await.expect("set");
        hand_in_gpu(&bed, &c.lin, "gpu", 4, 9).await;
        bed.clock.advance(15 * HOUR);
        let better = hand_in(&bed, &c.lin, "better", 8).await;
        bed.clock.advance(10 * HOUR);
        let late = hand_in(&bed, &c.lin, "late", 7).await;
        let line = async |part| {
            grades::effective(&bed.store, c.mei.viewer(), c.class, c.lin.id, LAB, part)
                .await.expect("an answer").expect("a line")
        };
        let cpu = line(Part::Cpu).await;
        let steps: Vec<_> = cpu.standing.attempts.iter().map(|a| (a.attempt.earned, a.step, a.credit)).collect();
        assert_eq!(steps, [(4, Step::Early, 440), (8, Step::OnTime, 800), (7, Step::Late, 350)]);
        assert_eq!(cpu.standing.best().map(|best| best.attempt.report), Some(better));
        assert_eq!(cpu.standing.latest().map(|latest| latest.attempt.report), Some(late));
        assert_eq!((cpu.standing.credit(), cpu.possible), (Some(800), 8));
        // Reports of a processor are no attempts at the GPU part: the last one does not stand before the first.
        assert_eq!((line(Part::Gpu).await.standing.credit(), line(Part::Gpu).await.possible), (Some(990), 12));

        terms::set_counting(&bed.store, c.mei.viewer(), c.class, Counting::Latest).await.expect("set");
        assert_eq!(line(Part::Cpu).await.standing.credit(), Some(350));
        assert_eq!(line(Part::Gpu).await.standing.credit(), Some(990));
    }

    /// A run that was asked for in time is in time, however long the queue is.
    async fn a_queue_makes_nobody_late(bed: Bed) {
        let c = class(&bed).await;
        terms::set_dates(&bed.store, c.mei.viewer(), c.class, LAB, &dates()).await.expect("set");
        bed.clock.advance(19 * HOUR);
        let job: JobId = bed.job(c.lin.id, LAB).await;
        let offered = json_as(&format!(r#"{{"labs":["{LAB}"],"offer":{{}}}}"#));
        let runner = bed.runner_with("gpu-1", Some(c.mei.id), offered).await;
        runners::bind_identity(&bed.store, runner, &[7; 32], "gpu-1", &json("{}")).await.expect("bound");
        bed.clock.advance(5 * HOUR);
        let claimed = jobs::claim(&bed.store, runner, &Default::default()).await.expect("an answer").expect("the job");
        assert_eq!(claimed.id, job);
        let new = cpu_report(b"run");
        let stored = jobs::finish(&bed.store, runner, job, &claimed.nonce, new, &[1], &[]).await.expect("done");
        grade(&bed, stored.id(), 8, 0).await;
        assert_eq!(credit(&bed, &c, Part::Cpu).await, Some(800));
    }

    async fn dates_out_of_order_are_refused(bed: Bed) {
        let c = class(&bed).await;
        let wrong = Timeline { closed_ms: Some(after(1)), ..dates() };
        let refused = terms::set_dates(&bed.store, c.mei.viewer(), c.class, LAB, &wrong).await;
        let expected = TimelineError::Order { earlier: Field::Due, later: Field::Closed };
        assert!(matches!(refused, Err(TermsError::Timeline(found)) if found == expected));
        // The database refuses them as well.
        terms::set_dates(&bed.store, c.mei.viewer(), c.class, LAB, &dates()).await.expect("set");
        for statement in [
            "UPDATE lab_terms SET closed_ms = due_ms",
            "UPDATE lab_terms SET open_ms = early_ms",
            "UPDATE lab_terms SET early_percent = 99",
            "UPDATE lab_terms SET late_percent = 101",
            "UPDATE lab_terms SET early_ms = NULL",
            "UPDATE lab_terms SET release = 'at'",
            "UPDATE lab_terms SET release = 'never'",
        ] {
            assert!(bed.sql(statement).await.is_err(), "{statement}");
        }
        assert_eq!(bed.sql("UPDATE lab_terms SET open_ms = early_ms - 1").await.expect("a row"), 1);
    }

    /// What is held is not read by the learner, by no way; the teacher reads it all along.
    async fn held_points_stay_with_the_teachers(bed: Bed) {
        let c = class(&bed).await;
        let report = hand_in(&bed, &c.lin, "one", 6).await;
        overrides::set(&bed.store, c.mei.viewer(), cell(&c, Part::Gpu), Some(300), "shown in the lab").await.expect("set");
        let s = &bed.store;
        let seen = async |viewer: Viewer| {
            let lin = c.lin.id;
            let sheet = grades::sheet(s, viewer, c.class, Some(lin)).await.expect("a sheet");
            [
                grades::latest(s, viewer, report).await.expect("an answer").into_iter().count(),
                grades::of_report(s, viewer, report).await.expect("an answer").len(),
                grades::latest_of_user(s, viewer, lin).await.expect("an answer").len(),
                sheet.lines.iter().map(|line| line.standing.attempts.len()).sum(),
                sheet.lines.iter().filter(|line| line.standing.by_hand.is_some()).count(),
                overrides::history(s, viewer, c.class, Some(lin)).await.expect("an answer").len(),
                grades::effective(s, viewer, c.class, lin, LAB, Part::Cpu).await.expect("an answer").into_iter().count(),
            ]
        };
        let hold = async |shown: Shown| terms::set_release(s, c.mei.viewer(), c.class, LAB, shown).await.expect("set");
        let (all, nothing) = ([1; 7], [0; 7]);
        assert_eq!(seen(c.lin.viewer()).await, all, "nothing was set: at once");
        for (shown, learner) in [
            (Shown::Held, nothing),
            (Shown::AtOnce, all),
            (Shown::At(after(2)), nothing),
            (Shown::At(START), all),
        ] {
            hold(shown).await;
            assert_eq!(seen(c.lin.viewer()).await, learner, "{shown:?}");
            assert_eq!(seen(c.mei.viewer()).await, all, "{shown:?}");
            assert_eq!(grades::held_labs(s, c.lin.id).await.expect("labs").len(), usize::from(learner == nothing));
        }
        hold(Shown::At(after(2))).await;
        assert_eq!(grades::held_labs(s, c.lin.id).await.expect("labs")[0].until(), Some(after(2)));
        bed.clock.advance(2 * HOUR);
        assert_eq!(seen(c.lin.viewer()).await, all, "the instant came");
        // The file itself and the fact that it was graded are the learner's to know.
        hold(Shown::Held).await;
        assert!(reports::get(s, c.lin.viewer(), report).await.expect("an answer").is_some());
        assert!(grades::is_graded(s, report).await.expect("an answer"));
        // Another class of the learner that shows at once does not open what this one holds.
        let kai = bed.instructor("kai").await;
        let (other, code) = bed.class(&kai, "B").await;
        classes::join(s, &code, c.lin.id).await.expect("joined");
        terms::set_release(s, kai.viewer(), other, LAB, Shown::AtOnce).await.expect("set");
        assert_eq!(seen(c.lin.viewer()).await, nothing);
        let own = grades::sheet(s, c.lin.viewer(), other, Some(c.lin.id)).await.expect("a sheet");
        assert_eq!(own.lines, []);
        // A class that the learner is not in holds nothing of hers.
        classes::remove_member(s, c.mei.viewer(), c.class, c.lin.id).await.expect("removed");
        assert_eq!(grades::latest(s, c.lin.viewer(), report).await.expect("an answer").into_iter().count(), 1);
    }

    async fn points_by_hand_are_appended(bed: Bed) {
        let c = class(&bed).await;
        let s = &bed.store;
        let set = async |points, why| overrides::set(s, c.mei.viewer(), cell(&c, Part::Cpu), points, why).await;
        assert!(matches!(set(None, "nothing there").await, Err(OverrideError::NothingSet)));
        assert!(matches!(set(Some(1), " —\u{200b} ").await, Err(OverrideError::NoReason)));
        assert!(matches!(set(Some(-1), "why").await, Err(OverrideError::Points)));
        assert!(matches!(set(Some(100_001), "why").await, Err(OverrideError::Points)));
        assert_eq!(bed.column("point_overrides", "id").await.len(), 0, "nothing of that is kept");

        // Without a submission.
        set(Some(550), "oral exam").await.expect("set");
        assert_eq!(credit(&bed, &c, Part::Cpu).await, Some(550));
        assert_eq!(credit(&bed, &c, Part::Gpu).await, None, "the other part is untouched");
        hand_in(&bed, &c.lin, "one", 3).await;
        assert_eq!(credit(&bed, &c, Part::Cpu).await, Some(550));
        set(Some(600), "counted again").await.expect("set");
        assert_eq!(credit(&bed, &c, Part::Cpu).await, Some(600), "the newest counts");
        set(None, "the report says it now").await.expect("withdrawn");
        assert_eq!(credit(&bed, &c, Part::Cpu).await, Some(300));
        assert!(matches!(set(None, "twice").await, Err(OverrideError::NothingSet)));

        // The learner reads all of it, with reasons.
        let history = overrides::history(s, c.lin.viewer(), c.class, None).await.expect("a history");
        let told: Vec<_> = history.iter().map(|row| (row.hundredths, row.reason.as_str(), row.author.as_str())).collect();
        assert_eq!(
            told,
            [(None, "the report says it now", "mei"), (Some(600), "counted again", "mei"), (Some(550), "oral exam", "mei")]
        );
        for statement in [
            "UPDATE point_overrides SET hundredths = 800",
            "UPDATE point_overrides SET reason = 'x'",
            "INSERT INTO point_overrides SELECT 'x', class_id, user_id, lab, 'both', hundredths, reason, author_id, \
             created_ms FROM point_overrides",
        ] {
            assert!(bed.sql(statement).await.is_err(), "{statement}");
        }
        let chosen = grades::sheet(s, c.mei.viewer(), c.class, None).await.expect("a sheet");
        let line = chosen.line(c.lin.id, LAB, Part::Cpu).expect("a line");
        assert!(matches!(line.standing.chosen(), Chosen::Attempt(credited) if credited.credit == 300));
    }

    /// Each right opens its own half and nothing of the other.
    async fn two_rights_apart(bed: Bed) {
        let c = class(&bed).await;
        let s = &bed.store;
        let report = hand_in(&bed, &c.lin, "one", 6).await;
        let ta = bed.learner("tao", &c.code).await;
        let viewer = ta.viewer();
        let set = drill::open_set(s, c.mei.viewer(), c.class, 7, 3).await.expect("a set");
        let may = async || {
            let kept = |done: bool| u8::from(done);
            let (class, lin) = (c.class, c.lin.id);
            let edits = [
                kept(terms::set_dates(s, viewer, class, LAB, &dates()).await.is_ok()),
                kept(terms::set_release(s, viewer, class, LAB, Shown::AtOnce).await.is_ok()),
                kept(terms::set_counting(s, viewer, class, Counting::Best).await.is_ok()),
                kept(classes::set_open(s, viewer, class, true).await.is_ok()),
                kept(drill::open_set(s, viewer, class, 8, 3).await.is_ok()),
            ];
            let grades = [
                kept(!classes::members(s, viewer, class).await.expect("members").is_empty()),
                kept(!grades::gradebook(s, viewer, class).await.expect("lines").is_empty()),
                kept(!grades::sheet(s, viewer, class, None).await.expect("lines").lines.is_empty()),
                kept(reports::get(s, viewer, report).await.expect("an answer").is_some()),
                kept(grades::latest(s, viewer, report).await.expect("an answer").is_some()),
                kept(overrides::set(s, viewer, cell(&c, Part::Cpu), Some(700), "seen").await.is_ok()),
                kept(!audit::of_class(s, viewer, class, None, 9).await.expect("a log").is_empty()),
            ];
            let both = [
                kept(terms::extend(s, viewer, class, LAB, lin, &dates()).await.is_ok()),
                kept(terms::end_extension(s, viewer, class, LAB, lin).await.is_ok()),
            ];
            let help = [
                kept(classes::get(s, viewer, class).await.expect("an answer").is_some()),
                kept(drill::set(s, viewer, set).await.expect("an answer").is_some()),
                kept(!classes::staff(s, viewer, class).await.expect("staff").is_empty()),
            ];
            (edits, grades, both, help)
        };
        let give = async |may_edit, may_grade| {
            classes::set_rights(s, c.mei.viewer(), c.class, ta.id, Rights { may_edit, may_grade }).await.expect("given");
        };
        assert_eq!(may().await, ([0; 5], [0; 7], [0; 2], [0; 3]), "a learner");
        give(true, false).await;
        assert_eq!(may().await, ([1; 5], [0; 7], [0; 2], [1; 3]), "content");
        give(false, true).await;
        assert_eq!(may().await, ([0; 5], [1; 7], [0; 2], [1; 3]), "learners");
        give(true, true).await;
        assert_eq!(may().await, ([1; 5], [1; 7], [1; 2], [1; 3]), "both");
        // Neither says who belongs to the class or helps in it.
        let rights = Rights { may_edit: true, may_grade: true };
        assert!(matches!(classes::set_rights(s, viewer, c.class, c.lin.id, rights).await, Err(ClassError::NotTaught)));
        assert!(matches!(classes::remove_member(s, viewer, c.class, c.lin.id).await, Err(ClassError::NotTaught)));
        // An assistant is no learner of the class: no line, and no points by their own hand.
        let own = Cell { learner: ta.id, ..cell(&c, Part::Cpu) };
        assert!(matches!(overrides::set(s, viewer, own, Some(800), "mine").await, Err(OverrideError::NotAllowed)));
        give(false, false).await;
        assert_eq!(may().await, ([0; 5], [0; 7], [0; 2], [0; 3]), "a learner again");
        // The instructor's own membership is not to be had this way.
        let own = classes::set_rights(s, c.mei.viewer(), c.class, c.mei.id, Rights::default()).await;
        assert!(matches!(own, Err(ClassError::NotTaught)));
    }

    /// Rights in one class open nothing of another.
    async fn rights_end_at_the_class(bed: Bed) {
        let c = class(&bed).await;
        let kai = bed.instructor("kai").await;
        let (other, code) = bed.class(&kai, "B").await;
        let ta = bed.learner("tao", &code).await;
        let rights = Rights { may_edit: true, may_grade: true };
        classes::set_rights(&bed.store, kai.viewer(), other, ta.id, rights).await.expect("given");
        let report = hand_in(&bed, &c.lin, "one", 6).await;
        for viewer in [ta.viewer(), kai.viewer(), c.lin.viewer(), Viewer::Learner(c.mei.id)] {
            let s = &bed.store;
            assert!(terms::set_dates(s, viewer, c.class, LAB, &dates()).await.is_err(), "{viewer:?}");
            assert!(terms::set_release(s, viewer, c.class, LAB, Shown::AtOnce).await.is_err());
            assert!(terms::set_counting(s, viewer, c.class, Counting::Latest).await.is_err());
            assert!(terms::extend(s, viewer, c.class, LAB, c.lin.id, &dates()).await.is_err());
            assert!(overrides::set(s, viewer, cell(&c, Part::Cpu), Some(1), "seen").await.is_err());
            assert_eq!(audit::of_class(s, viewer, c.class, None, 9).await.expect("a log"), []);
            let line = grades::effective(s, viewer, c.class, c.lin.id, LAB, Part::Cpu).await.expect("an answer");
            assert_eq!(line.is_some(), viewer.id() == c.lin.id, "{viewer:?}");
            let read = grades::latest(s, viewer, report).await.expect("an answer");
            assert_eq!(read.is_some(), viewer.id() == c.lin.id, "{viewer:?}");
        }
        // Nor does a learner of another class get points here.
        let wrong = Cell { learner: ta.id, ..cell(&c, Part::Cpu) };
        let refused = overrides::set(&bed.store, c.mei.viewer(), wrong, Some(1), "seen").await;
        assert!(matches!(refused, Err(OverrideError::NotAllowed)));
    }

    /// Each change leaves one entry, and the pages of the log hold each once.
    async fn every_change_is_written_down(bed: Bed) {
        let c = class(&bed).await;
        let (s, mei) = (&bed.store, c.mei.viewer());
        let ta = bed.learner("tao", &c.code).await;
        terms::set_dates(s, mei, c.class, LAB, &dates()).await.expect("set");
        terms::set_release(s, mei, c.class, LAB, Shown::Held).await.expect("set");
        terms::extend(s, mei, c.class, LAB, c.lin.id, &dates()).await.expect("set");
        terms::end_extension(s, mei, c.class, LAB, c.lin.id).await.expect("set");
        terms::set_counting(s, mei, c.class, Counting::Latest).await.expect("set");
        overrides::set(s, mei, cell(&c, Part::Cpu), Some(1), "seen").await.expect("set");
        overrides::set(s, mei, cell(&c, Part::Cpu), None, "mistaken").await.expect("set");
        classes::set_rights(s, mei, c.class, ta.id, Rights { may_edit: true, may_grade: false }).await.expect("set");
        let mut read = Vec::new();
        let mut before: Option<AuditId> = None;
        loop {
            let page = audit::of_class(s, mei, c.class, before, 3).await.expect("a page");
            let Some(last) = page.last() else { break };
            before = Some(last.id);
            read.extend(page);
        }
        use AuditAction as A;
        let expected = [
            A::RightsSet, A::PointsWithdrawn, A::PointsSet, A::CountingSet, A::ExtensionRemoved, A::ExtensionSet,
            A::ReleaseSet, A::DatesSet,
        ];
        assert_eq!(read.iter().map(|entry| entry.action).collect::<Vec<_>>(), expected);
        assert_eq!(read[0].subject_name.as_deref(), Some("tao"));
        assert_eq!((read[2].subject_name.as_deref(), read[7].subject_name.as_deref()), (Some("lin"), None));
    }
}
