//! The catalogue: every folder with a lab.toml.

use std::path::Path;

use evidence::{Lang, Part, Shape};
use labs::{LabKind, catalogue, lab};

#[test]
fn every_folder_with_a_lab_toml_is_a_lab() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<String> = std::fs::read_dir(root)
        .expect("a folder")
        .flatten()
        .filter(|entry| entry.path().join("lab.toml").is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    folders.sort();
    let ids: Vec<&str> = catalogue().iter().map(|lab| lab.id.as_str()).collect();
    assert_eq!(ids, folders);
    assert!(lab("no such lab").is_none());
}

#[test]
fn every_lab_speaks_both_languages_and_has_a_sound_rubric() {
    for lab in catalogue() {
        for lang in Lang::ALL {
            for text in [lab.title(lang), lab.summary(lang), lab.readme(lang)] {
                assert!(!text.trim().is_empty(), "{} {lang:?}", lab.id);
            }
        }
        assert_eq!(lab.rubric.problems(), Vec::<String>::new(), "{}", lab.id);
        assert!(lab.rubric.possible(Part::Cpu) > 0, "{}", lab.id);
        assert!(!lab.shapes.is_empty(), "{}", lab.id);
        assert_eq!(lab.kind == LabKind::Program, !lab.backends.is_empty(), "{}", lab.id);
    }
}

#[test]
fn the_course_projects_are_handed_in_as_reports() {
    let cases = [
        ("73", [Shape::Lab73Paired, Shape::Lab73Probe].as_slice(), 6, 10),
        ("76", &[Shape::Lab76], 8, 12),
        ("75", &[Shape::Lab75, Shape::TrainingMemoryV1], 12, 8),
        ("74", &[Shape::Lab74Profile, Shape::Lab74Merge], 10, 10),
        ("60", &[Shape::FineTuning], 7, 11),
        ("19", &[Shape::TrainingMechanism], 4, 6),
    ];
    for (id, shapes, cpu, gpu) in cases {
        let lab = lab(id).expect(id);
        assert_eq!(lab.kind, LabKind::ReportOnly);
        assert!(shapes.iter().all(|shape| lab.takes(*shape)), "{id}");
        assert_eq!((lab.rubric.possible(Part::Cpu), lab.rubric.possible(Part::Gpu)), (cpu, gpu), "{id}");
    }
}

#[test]
fn an_exercise_starts_with_its_kernel_and_says_what_is_asked() {
    let mut with = 0;
    for (lab, exercise) in catalogue().iter().filter_map(|lab| Some((lab, lab.exercise.as_ref()?))) {
        with += 1;
        assert!(!exercise.starters.is_empty(), "{}", lab.id);
        for (language, starter) in exercise.starters {
            assert!(starter.contains(&format!("{}(", exercise.kernel)), "{} in {language}", lab.id);
        }
        assert!(Lang::ALL.iter().all(|lang| exercise.text(*lang).contains(&exercise.kernel)), "{}", lab.id);
    }
    assert!(with > 0);
}
