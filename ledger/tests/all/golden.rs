//! The shared file of golden cases, where it lies beside the repository.

use std::path::PathBuf;

use crate::{case, judge};

#[test]
fn shared_cases_agree() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/ledger/golden.json");
    if !file.exists() {
        println!("skipped: no golden cases beside the repository");
        return;
    }
    let cases = case::read(&file).expect("a readable file of cases");
    let folder = file.parent().expect("a file lies in a folder");
    let mut lines = Vec::new();
    let tally = judge::judge(&cases, folder, &mut |line| lines.push(line));
    assert_eq!(lines, Vec::<String>::new());
    assert_eq!((tally.failed, tally.unsupported), (0, 0));
    assert!(tally.passed >= 390, "only {} cases were judged", tally.passed);
}
