//! Who sees whose rows, row type by row type: the learner and their teacher, nobody else.

use server::store::{
    ClassId, DrillQuestionId, DrillSetId, GradeOutcome, JobId, ReportId, User, Viewer,
    audit::{self, AuditAction},
    classes, drill, grades,
    grades::{Earned, NewGrade},
    jobs, progress, quiz,
    quiz::Question,
    reports::{self, Filter},
    users,
};

use crate::bed::{Bed, json};

/// Everything that Lin owns.
struct World {
    lin: User,
    class: ClassId,
    report: ReportId,
    job: JobId,
    set: DrillSetId,
    drilled: DrillQuestionId,
    people: Vec<(&'static str, Viewer)>,
}

async fn world(bed: &Bed) -> World {
    let (mei, other) = (bed.instructor("mei").await, bed.instructor("other").await);
    let ((class, code), (_, others)) = (bed.class(&mei, "A").await, bed.class(&other, "B").await);
    let (lin, peer) = (bed.learner("lin", &code).await, bed.learner("peer", &code).await);
    let stranger = bed.learner("stranger", &others).await;
    // An instructor who sits in the class as a learner does not teach it.
    let guest = bed.instructor("guest").await;
    classes::join(&bed.store, &code, guest.id).await.expect("a guest");

    let at = Question { lesson: "ledger", quiz: "q", question: "1" };
    quiz::answer(&bed.store, lin.id, at, &json("[1]"), false).await.expect("answered");
    quiz::answer(&bed.store, lin.id, at, &json("[2]"), true).await.expect("answered");
    progress::mark(&bed.store, lin.id, "ledger", true).await.expect("marked");
    let report = bed.report(lin.id, b"{}").await;
    let grade = NewGrade {
        report,
        grader_version: "1",
        outcome: GradeOutcome::Graded,
        cpu: Earned { earned: 1, possible: 1 },
        gpu: Earned::default(),
        grade: json("{}"),
    };
    grades::append(&bed.store, &grade).await.expect("graded");
    let job = bed.job(lin.id, "rmsnorm").await;
    audit::record(&bed.store, mei.id, Some(class), AuditAction::ResetIssued, "lin", &()).await.expect("noted");
    let set = drill::open_set(&bed.store, mei.viewer(), class, 7, 10).await.expect("a set");
    let drilled = crate::drill::answer_in_set(bed, &lin, set, 1, 1.0).await;

    let people = vec![
        ("lin", lin.viewer()),
        ("mei, who teaches her", mei.viewer()),
        ("a peer", peer.viewer()),
        ("a stranger", stranger.viewer()),
        ("another instructor", other.viewer()),
        ("an instructor who visits", guest.viewer()),
    ];
    World { lin, class, report, job, set, drilled, people }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Row {
    User,
    QuizLatest,
    QuizHistory,
    Progress,
    ReportList,
    Report,
    ReportRaw,
    Grades,
    GradeLatest,
    GradesOfUser,
    Job,
    JobList,
    JobLog,
    Attempts,
    DrillAnswer,
    DrillHistory,
    // what only the teacher sees
    Members,
    Gradebook,
    Audit,
    Class,
    DrillSets,
    DrillSet,
    DrillOfSet,
    InLine,
}

impl Row {
    const OF_LEARNER: [Self; 16] = [
        Self::User,
        Self::QuizLatest,
        Self::QuizHistory,
        Self::Progress,
        Self::ReportList,
        Self::Report,
        Self::ReportRaw,
        Self::Grades,
        Self::GradeLatest,
        Self::GradesOfUser,
        Self::Job,
        Self::JobList,
        Self::JobLog,
        Self::Attempts,
        Self::DrillAnswer,
        Self::DrillHistory,
    ];
    const OF_TEACHER: [Self; 8] = [
        Self::Members,
        Self::Gradebook,
        Self::Audit,
        Self::Class,
        Self::DrillSets,
        Self::DrillSet,
        Self::DrillOfSet,
        Self::InLine,
    ];

    /// How many rows of Lin this viewer gets.
    async fn seen(self, bed: &Bed, w: &World, viewer: Viewer) -> usize {
        let (s, lin) = (&bed.store, w.lin.id);
        let all_of_lin = Filter { user: Some(lin), lab: None };
        match self {
            Self::User => users::get(s, viewer, lin).await.map(|r| r.into_iter().count()),
            Self::QuizLatest => quiz::latest(s, viewer, lin, "ledger").await.map(|r| r.len()),
            Self::QuizHistory => quiz::history(s, viewer, lin, "ledger").await.map(|r| r.len()),
            Self::Progress => progress::list(s, viewer, lin).await.map(|r| r.len()),
            Self::ReportList => reports::list(s, viewer, all_of_lin).await.map(|r| r.len()),
            Self::Report => reports::get(s, viewer, w.report).await.map(|r| r.into_iter().count()),
            Self::ReportRaw => reports::raw(s, viewer, w.report).await.map(|r| r.into_iter().count()),
            Self::Grades => grades::of_report(s, viewer, w.report).await.map(|r| r.len()),
            Self::GradeLatest => grades::latest(s, viewer, w.report).await.map(|r| r.into_iter().count()),
            Self::GradesOfUser => grades::latest_of_user(s, viewer, lin).await.map(|r| r.len()),
            Self::Job => jobs::get(s, viewer, w.job).await.map(|r| r.into_iter().count()),
            Self::JobList => jobs::list(s, viewer, lin, 100).await.map(|r| r.len()),
            Self::JobLog => jobs::log_after(s, viewer, w.job, 0).await.map(|r| r.len()),
            Self::InLine => jobs::in_line(s, viewer, 100).await.map(|r| r.len()),
            // Lin has none: 0 for all. Its own test counts; here nobody must see more.
            Self::Attempts => jobs::attempts(s, viewer, lin, "rmsnorm").await.map(|n| usize::from(n > 0)),
            Self::Members => {
                classes::members(s, viewer, w.class).await.map(|r| r.iter().filter(|m| m.user_id == lin).count())
            }
            Self::Gradebook => {
                grades::gradebook(s, viewer, w.class).await.map(|r| r.iter().filter(|l| l.user_id == lin).count())
            }
            Self::Audit => audit::list(s, viewer, 100).await.map(|r| r.len()),
            Self::Class => classes::get(s, viewer, w.class).await.map(|r| r.into_iter().count()),
            Self::DrillAnswer => drill::answered(s, viewer, w.drilled).await.map(|r| r.into_iter().count()),
            Self::DrillHistory => drill::history(s, viewer, lin, 100).await.map(|r| r.len()),
            Self::DrillSets => drill::sets_of_class(s, viewer, w.class).await.map(|r| r.len()),
            Self::DrillSet => drill::set(s, viewer, w.set).await.map(|r| r.into_iter().count()),
            Self::DrillOfSet => drill::answers_of_set(s, viewer, w.set).await.map(|r| r.len()),
        }
        .expect("an answer")
    }

    fn rows(self) -> usize {
        match self {
            Self::QuizHistory => 2,
            Self::Attempts => 0,
            _ => 1,
        }
    }
}

on_both_engines! {
    async fn a_learners_rows(bed: Bed) {
        let w = world(&bed).await;
        for row in Row::OF_LEARNER {
            for (n, (who, viewer)) in w.people.iter().enumerate() {
                let expected = if n < 2 { row.rows() } else { 0 };
                assert_eq!(row.seen(&bed, &w, *viewer).await, expected, "{row:?} seen by {who}");
            }
        }
    }

    async fn a_teachers_rows(bed: Bed) {
        let w = world(&bed).await;
        for row in Row::OF_TEACHER {
            for (n, (who, viewer)) in w.people.iter().enumerate() {
                let expected = if n == 1 { row.rows() } else { 0 };
                assert_eq!(row.seen(&bed, &w, *viewer).await, expected, "{row:?} seen by {who}");
            }
        }
    }

    /// Lists without a filter hold nothing of others either.
    async fn unfiltered_lists(bed: Bed) {
        let w = world(&bed).await;
        let expected = [1, 1, 0, 0, 0, 0];
        for ((who, viewer), expected) in w.people.iter().zip(expected) {
            let listed = reports::list(&bed.store, *viewer, Filter::default()).await.expect("a list");
            assert_eq!(listed.len(), expected, "{who}");
        }
    }

    /// A role that is claimed without teaching opens nothing: a learner's id under the instructor's word.
    async fn the_word_instructor_is_not_enough(bed: Bed) {
        let w = world(&bed).await;
        let (_, peer) = w.people[2];
        for row in Row::OF_LEARNER {
            assert_eq!(row.seen(&bed, &w, Viewer::Instructor(peer.id())).await, 0, "{row:?}");
        }
        // Nor is teaching without the role, as after an instructor was made a learner.
        let (_, mei) = w.people[1];
        for row in Row::OF_LEARNER.into_iter().chain(Row::OF_TEACHER) {
            assert_eq!(row.seen(&bed, &w, Viewer::Learner(mei.id())).await, 0, "{row:?}");
        }
    }

    async fn only_the_learner_and_their_teacher_cancel(bed: Bed) {
        let w = world(&bed).await;
        for (n, (who, viewer)) in w.people.iter().enumerate().rev() {
            // From the last to the first: strangers try while the job still waits.
            let cancelled = jobs::cancel(&bed.store, *viewer, w.job).await.expect("an answer");
            assert_eq!(cancelled, n == 1, "{who}");
        }
    }

    async fn the_latest_answer_counts(bed: Bed) {
        let w = world(&bed).await;
        let latest = quiz::latest(&bed.store, w.lin.viewer(), w.lin.id, "ledger").await.expect("answers");
        assert_eq!(latest.iter().map(|a| (a.answer.as_str(), a.correct)).collect::<Vec<_>>(), [("[2]", true)]);
    }

    async fn a_member_who_leaves_is_seen_no_more(bed: Bed) {
        let w = world(&bed).await;
        let (_, mei) = w.people[1];
        classes::remove_member(&bed.store, mei, w.class, w.lin.id).await.expect("removed");
        for row in Row::OF_LEARNER {
            assert_eq!(row.seen(&bed, &w, mei).await, 0, "{row:?}");
            assert_eq!(row.seen(&bed, &w, w.lin.viewer()).await, row.rows(), "{row:?} stays hers");
        }
    }

    async fn progress_is_not_undone_by_reading_on(bed: Bed) {
        let w = world(&bed).await;
        let state = async || {
            let list = progress::list(&bed.store, w.lin.viewer(), w.lin.id).await.expect("a list");
            list.iter().map(|p| format!("{} {}", p.lesson, p.state)).collect::<Vec<_>>()
        };
        progress::opened(&bed.store, w.lin.id, "ledger").await.expect("noted");
        progress::opened(&bed.store, w.lin.id, "kv").await.expect("noted");
        assert_eq!(state().await, ["kv opened", "ledger done"]);
        progress::mark(&bed.store, w.lin.id, "ledger", false).await.expect("unmarked");
        assert_eq!(state().await, ["kv opened", "ledger opened"]);
    }
}
