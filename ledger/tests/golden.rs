//! The shared file of golden cases, where it lies beside the repository.

#[path = "../examples/golden/case.rs"]
mod case;
#[path = "../examples/golden/judge.rs"]
mod judge;
#[path = "../examples/golden/kinds/mod.rs"]
mod kinds;

use std::path::PathBuf;

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
    assert!(tally.passed >= 200, "only {} cases were judged", tally.passed);
}
