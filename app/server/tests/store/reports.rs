use std::{collections::HashSet, time::Duration};

use evidence::{Backend, DeviceFacts, DeviceKind, EvidenceClass};
use server::store::{
    GradeId, GradeOutcome, ReportId, ReportOrigin, Role, Store, grades,
    grades::{Earned, GradeError, NewGrade},
    reports::{self, Filter, NewReport, Stored, UploadedBy},
};

use crate::bed::{Bed, cpu_report, json};

fn device(backend: Backend, name: &str, kind: DeviceKind) -> DeviceFacts {
    serde_json::from_value(serde_json::json!({ "backend": backend, "name": name, "kind": kind })).expect("device facts")
}

async fn store_as(bed: &Bed, class: EvidenceClass, facts: Option<&DeviceFacts>, raw: &str) -> bool {
    let lin = bed.user(&format!("lin{raw}"), Role::Learner).await;
    let new = NewReport { class, device: facts, ..cpu_report(raw.as_bytes()) };
    reports::upload(&bed.store, lin.id, new, UploadedBy::File).await.is_ok()
}

async fn append_one(store: &Store, report: ReportId, version: &str, text: &str) -> GradeId {
    let new = NewGrade {
        report,
        grader_version: version,
        outcome: GradeOutcome::Graded,
        cpu: Earned { earned: 1, possible: 5 },
        gpu: Earned { earned: 0, possible: 5 },
        grade: json(text),
    };
    grades::append(store, &new).await.expect("graded")
}

on_both_engines! {
    /// What was sent is what is kept: no newline, no NUL, no invalid UTF-8 is mended.
    async fn raw_bytes_come_back_equal(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let every: Vec<u8> = (0..=255).collect();
        let large = vec![0xa5; 3 << 20];
        let cases: [&[u8]; 6] = [b"{}\r\n", b"", &every, "显存\u{feff}".as_bytes(), b"\xff\xfe\0", &large];
        for raw in cases {
            let id = bed.report(lin.id, raw).await;
            let back = reports::raw(&bed.store, lin.viewer(), id).await.expect("an answer");
            assert!(back.as_deref() == Some(raw), "{} bytes", raw.len());
            let (row, graded) = reports::raw_for_grading(&bed.store, id).await.expect("an answer").expect("the report");
            assert!(graded == raw && row.id == id);
        }
        let row = &reports::list(&bed.store, lin.viewer(), Filter::default()).await.expect("a list")[4];
        assert_eq!((row.provenance, row.class.0), (ReportOrigin::Upload, EvidenceClass::Cpu));
    }

    async fn hashes_are_sha256_of_the_bytes(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let id = bed.report(lin.id, b"abc").await;
        let row = reports::get(&bed.store, lin.viewer(), id).await.expect("an answer").expect("the report");
        // FIPS 180-2, appendix B.1
        assert_eq!(row.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    async fn the_same_file_is_one_report_per_learner(bed: Bed) {
        let mei = bed.instructor("mei").await;
        let (_, code) = bed.class(&mei, "A").await;
        let (lin, wen) = (bed.learner("lin", &code).await, bed.learner("wen", &code).await);
        let send = |user| reports::upload(&bed.store, user, cpu_report(b"{}"), UploadedBy::File);
        let first = send(lin.id).await.expect("stored");
        assert!(matches!(first, Stored::New(_)));
        assert_eq!(send(lin.id).await.expect("known"), Stored::Already(first.id()));
        let copy = send(wen.id).await.expect("stored");
        assert!(matches!(copy, Stored::New(_)), "another learner's own");
        // The instructor is shown the copy, the learners are not.
        let twins = reports::twins(&bed.store, mei.viewer(), first.id()).await.expect("a list");
        assert_eq!(twins.iter().map(|t| (t.report_id, t.user_id)).collect::<Vec<_>>(), [(copy.id(), wen.id)]);
        assert_eq!(reports::twins(&bed.store, lin.viewer(), first.id()).await.expect("a list"), []);
    }

    /// The database itself refuses GPU evidence from a device that is none.
    async fn gpu_class_needs_a_gpu(bed: Bed) {
        use {Backend as B, DeviceKind as K, EvidenceClass as C};
        let cases = [
            (C::Gpu, None, false),
            (C::Gpu, Some(device(B::Cpu, "EPYC", K::Cpu)), false),
            (C::Gpu, Some(device(B::Cpu, "H200", K::DiscreteGpu)), false),
            (C::Gpu, Some(device(B::CudaTestDouble, "H200", K::DiscreteGpu)), false),
            (C::Gpu, Some(device(B::Wgpu, "llvmpipe", K::Cpu)), false),
            (C::Gpu, Some(device(B::Wgpu, "?", K::Other)), false),
            (C::Gpu, Some(device(B::Cuda, "", K::DiscreteGpu)), false),
            (C::Gpu, Some(device(B::Reported, "cpu", K::Cpu)), false),
            (C::Gpu, Some(device(B::Reported, "NVIDIA H200", K::Other)), true),
            (C::Gpu, Some(device(B::Cuda, "NVIDIA H200", K::DiscreteGpu)), true),
            (C::Gpu, Some(device(B::Wgpu, "Intel Arc", K::IntegratedGpu)), true),
            (C::Cpu, Some(device(B::Cpu, "EPYC", K::Cpu)), true),
            (C::Theory, None, true),
            (C::Unproven, Some(device(B::Reported, "?", K::Other)), true),
        ];
        for (n, (class, facts, accepted)) in cases.iter().enumerate() {
            let stored = store_as(&bed, *class, facts.as_ref(), &n.to_string()).await;
            assert_eq!(stored, *accepted, "{class:?} {facts:?}");
        }
    }

    async fn reports_and_grades_cannot_be_changed(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let report = bed.report(lin.id, b"{}").await;
        let new = NewGrade {
            report,
            grader_version: "1",
            outcome: GradeOutcome::Graded,
            cpu: Earned { earned: 3, possible: 5 },
            gpu: Earned { earned: 0, possible: 5 },
            // PostgreSQL's JSONB would refuse this character.
            grade: json(r#"{"found": "a\u0000b", "b": 1, "a": 2}"#),
        };
        grades::append(&bed.store, &new).await.expect("graded");
        for statement in [
            "UPDATE reports SET class = 'theory'",
            "UPDATE reports SET raw = sha256",
            "UPDATE grades SET cpu_earned = 5",
            "INSERT INTO reports SELECT 'x', user_id, job_id, 'y', shape, lab, 'tpu', level, provenance, \
             device_backend, device_kind, device_name, runner_id, signature, created_ms, raw FROM reports",
            "INSERT INTO grades SELECT 'x', report_id, 'gpu', grader_version, outcome, cpu_earned, cpu_possible, \
             5, gpu_possible, grade, created_ms FROM grades",
        ] {
            assert!(bed.sql(statement).await.is_err(), "{statement}");
        }
        // The same insert with a class of the list passes: it was the class that was refused.
        let good = "INSERT INTO reports SELECT 'x', user_id, job_id, 'y', shape, lab, 'theory', level, provenance, \
            device_backend, device_kind, device_name, runner_id, signature, created_ms, raw FROM reports";
        assert_eq!(bed.sql(good).await.expect("a row"), 1);
        let kept = grades::latest(&bed.store, lin.viewer(), report).await.expect("an answer").expect("a grade");
        assert_eq!((kept.cpu_earned, kept.class.0, &kept.grade), (3, EvidenceClass::Cpu, &new.grade));
    }

    async fn grades_are_appended(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let report = bed.report(lin.id, b"{}").await;
        let grade = |version: &'static str, cpu: u32, gpu: u32| NewGrade {
            report,
            grader_version: version,
            outcome: GradeOutcome::Graded,
            cpu: Earned { earned: cpu, possible: 5 },
            gpu: Earned { earned: gpu, possible: 5 },
            grade: json("{}"),
        };
        // A report of class cpu earns no GPU point, and nobody earns more than there is.
        for (cpu, gpu) in [(3, 1), (6, 0)] {
            let refused = grades::append(&bed.store, &grade("bad", cpu, gpu)).await;
            assert!(matches!(refused, Err(GradeError::Store(_))), "{cpu} {gpu}");
        }
        for (version, cpu) in [("1", 5), ("2", 2), ("3", 4)] {
            grades::append(&bed.store, &grade(version, cpu, 0)).await.expect("graded");
        }
        let all = grades::of_report(&bed.store, lin.viewer(), report).await.expect("grades");
        let shown: Vec<_> = all.iter().map(|g| (g.grader_version.as_str(), g.cpu_earned)).collect();
        assert_eq!(shown, [("3", 4), ("2", 2), ("1", 5)], "the newest counts, the older ones stay");
        let latest = grades::latest_of_user(&bed.store, lin.viewer(), lin.id).await.expect("grades");
        assert_eq!(latest.iter().map(|g| g.id).collect::<Vec<_>>(), [all[0].id]);
        let nowhere = NewGrade { report: server::store::ReportId::new(), ..grade("4", 0, 0) };
        assert!(matches!(grades::append(&bed.store, &nowhere).await, Err(GradeError::NoReport)));
    }

    /// Best counting grade per lab; CPU and GPU apart; learners without a report are there too.
    async fn the_gradebook(bed: Bed) {
        let mei = bed.instructor("mei").await;
        let (class, code) = bed.class(&mei, "A").await;
        let (lin, _wen) = (bed.learner("lin", &code).await, bed.learner("wen", &code).await);
        let facts = device(Backend::Cuda, "NVIDIA H200", DeviceKind::DiscreteGpu);
        let mut raw = 0_u32;
        for (lab, gpu, cpu_points, gpu_points, outcome) in [
            ("rmsnorm", false, [5, 2].as_slice(), [0, 0].as_slice(), GradeOutcome::Graded),
            ("rmsnorm", false, &[3], &[0], GradeOutcome::Graded),
            ("rmsnorm", true, &[1], &[4], GradeOutcome::Graded),
            ("76", false, &[5], &[0], GradeOutcome::NotEvidence),
        ] {
            raw += 1;
            let bytes = raw.to_string();
            let class = if gpu { EvidenceClass::Gpu } else { EvidenceClass::Cpu };
            let new = NewReport { lab: Some(lab), class, device: gpu.then_some(&facts), ..cpu_report(bytes.as_bytes()) };
            let report = reports::upload(&bed.store, lin.id, new, UploadedBy::File).await.expect("stored").id();
            for (cpu, gpu) in cpu_points.iter().zip(gpu_points) {
                let new = NewGrade {
                    report,
                    grader_version: "1",
                    outcome,
                    cpu: Earned { earned: *cpu, possible: 5 },
                    gpu: Earned { earned: *gpu, possible: 5 },
                    grade: json("{}"),
                };
                grades::append(&bed.store, &new).await.expect("graded");
            }
        }
        let lines = grades::gradebook(&bed.store, mei.viewer(), class).await.expect("lines");
        let shown: Vec<_> = lines
            .iter()
            .map(|l| {
                let (cpu, gpu) = ((l.cpu_earned, l.cpu_possible), (l.gpu_earned, l.gpu_possible));
                (l.login.as_str(), l.lab.as_deref(), cpu, gpu, l.cpu_reports, l.gpu_reports)
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("lin", Some("rmsnorm"), (3, 5), (4, 5), 2, 1),
                ("wen", None, (0, 0), (0, 0), 0, 0),
            ]
        );
    }

    /// Two uploads of one file at the same moment: one row, one grade.
    async fn the_same_grade_twice_is_one(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let report = bed.report(lin.id, b"{}").await;
        let mut graders = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let store = bed.store.clone();
            graders.spawn(async move { append_one(&store, report, "1", r#"{"n":1}"#).await });
        }
        let ids: HashSet<_> = graders.join_all().await.into_iter().collect();
        assert_eq!((ids.len(), bed.column("grades", "id").await.len()), (1, 1));
        // Another grader or another result is a new grade, and so is a result that was replaced in between.
        for (version, text, grades) in [("2", r#"{"n":1}"#, 2), ("2", r#"{"n":2}"#, 3), ("2", r#"{"n":1}"#, 4)] {
            bed.clock.advance(Duration::from_millis(1));
            append_one(&bed.store, report, version, text).await;
            append_one(&bed.store, report, version, text).await;
            assert_eq!(bed.column("grades", "id").await.len(), grades, "{version} {text}");
        }
    }

    /// What a file says of itself never makes the store fail.
    async fn names_from_a_file_are_made_fit(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let long = "x".repeat(65);
        for (n, (lab, kept)) in [
            (Some("rmsnorm"), Some("rmsnorm")),
            (Some("a\u{0}b"), None),
            (Some("rms\u{200b}norm"), None),
            (Some(&*long), None),
            (None, None),
        ]
        .into_iter()
        .enumerate()
        {
            let raw = n.to_string();
            let new = NewReport { lab, ..cpu_report(raw.as_bytes()) };
            let id = reports::upload(&bed.store, lin.id, new, UploadedBy::File).await.expect("stored").id();
            let row = reports::get(&bed.store, lin.viewer(), id).await.expect("an answer").expect("the report");
            assert_eq!(row.lab.as_deref(), kept, "{lab:?}");
        }
        for name in ["\u{0}", "\u{200b}", "GPU\u{0}"] {
            let facts = device(Backend::Cuda, name, DeviceKind::DiscreteGpu);
            assert!(store_as(&bed, EvidenceClass::Gpu, Some(&facts), &name.len().to_string()).await, "{name:?}");
        }
    }
}
