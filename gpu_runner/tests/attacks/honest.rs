//! The lab's own kernel handed in as a learner's: what every attack is measured against.

use evidence::{EvidenceClass, EvidenceLevel, Word};

use crate::bench::{HONEST, attack};

#[test]
fn an_honest_kernel_is_right_is_called_the_learners_and_is_cpu_evidence() {
    let outcome = attack(HONEST);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let report = outcome.report.unwrap();
    assert_eq!(report.evidence_class(), EvidenceClass::Cpu);
    assert_eq!(report.level, EvidenceLevel::CpuSimulation);
    let code = report.learner_code.as_ref().unwrap();
    assert_eq!((code.kernel.as_str(), code.language.as_str(), code.sha256.len()), ("rmsnorm_fused", "cuda", 64));
    let fused = report.candidate("fused").unwrap();
    let error = fused.quality.max_rel_error.unwrap();
    assert!(error > 0.0 && error < fused.quality.tolerance.unwrap());
    assert_eq!((fused.metrics.time_ms, fused.metrics.bytes_moved), (None, None), "nothing timed, nothing counted");
    let decision = report.decision.as_ref().unwrap();
    assert_eq!((decision.decision, decision.reason.as_str()), (Word::Tune, "not_timed"));

    let lab = labs::lab("rmsnorm").unwrap();
    let document = evidence::read(&serde_json::to_vec(&report).unwrap()).unwrap();
    let provenance = evidence::Provenance::Runner { runner: "r".into() };
    let context = evidence::GradeContext { provenance, ..Default::default() };
    let grade = evidence::grade(&document, &lab.rubric, &context);
    assert_eq!(grade.class, EvidenceClass::Cpu);
    assert_eq!(grade.points.gpu.earned, 0);
    assert_eq!(grade.decision.said, grade.decision.recomputed);
}

#[test]
fn what_a_learner_starts_from_is_right_and_the_page_and_the_program_name_one_kernel() {
    for lab in labs::catalogue() {
        let (shown, judged) = (lab.exercise.as_ref(), labs::run::exercise(&lab.id));
        assert_eq!(shown.map(|shown| shown.kernel.as_str()), judged.map(|judged| judged.kernel), "{}", lab.id);
    }
    let starter = labs::lab("rmsnorm").unwrap().exercise.as_ref().unwrap().starter("cuda").unwrap();
    let outcome = attack(starter);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(outcome.report.unwrap().candidate("fused").unwrap().status, evidence::Status::Ok);
}

#[test]
fn every_run_draws_its_own_numbers() {
    let seed = |outcome: crate::bench::Outcome| {
        let evidence::Workload::Kernel(kernel) = outcome.report.unwrap().workload else { panic!("no kernel") };
        kernel.seed
    };
    let (first, second) = (seed(attack(HONEST)), seed(attack(HONEST)));
    assert_ne!(first, second);
}
