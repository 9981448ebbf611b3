//! Fuzzing the importer: bytes of real shapes, damaged, and bytes of no shape at all.
//!
//! `cargo test` runs a thousand; `BOLERO_RANDOM_ITERATIONS=1000000 cargo test --release -p evidence --test fuzz` as many
//! as one likes, and `cargo bolero test --test fuzz …` hands the same targets to libFuzzer.

#[allow(dead_code)]
mod support;

use std::sync::LazyLock;

use bolero::check;
use support::{course, own};

/// A document of every shape that is written here, as its bytes.
static SEEDS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let all =
        [course::pair(), course::probe(), course::strategies(), course::budget(), course::dry_run(), own::kernel()];
    all.iter().map(|report| report.to_string().into_bytes()).collect()
});

/// Pieces that parsers trip over.
const PIECES: [&str; 28] = [
    "null",
    "true",
    "-1",
    "0",
    "1e400",
    "-1e400",
    "NaN",
    "Infinity",
    "9007199254740993",
    "18446744073709551616",
    "5e-324",
    "\"\"",
    "\"\\ud800\"",
    "\"\\u0000\"",
    "[]",
    "{}",
    "[[[[[[[[",
    "{\"a\":{\"a\":{\"a\":",
    "]",
    "}",
    ",",
    ":",
    "\u{feff}",
    "\"schema_version\":\"training-memory-benchmark/v1\",",
    "\"candidates\":[],",
    "\"metrics\":{\"ttft_ms\":{}},",
    "\"schema\":\"vramlab-report/v1\",",
    "\"decision\":\"accept\",",
];

/// What is done to a document: `place` and `what` choose, `span` is how many bytes it touches.
type Damage = (u16, u8, u8);

fn damaged(seed: usize, damages: &[Damage]) -> Vec<u8> {
    let mut bytes = SEEDS[seed % SEEDS.len()].clone();
    for (place, what, span) in damages {
        let at = usize::from(*place) % (bytes.len() + 1);
        let end = (at + usize::from(*span)).min(bytes.len());
        match what % 4 {
            // Behind the next separator a piece stands where a value or a key is expected.
            0 | 1 => {
                let behind =
                    bytes[at..].iter().position(|byte| b":,[{".contains(byte)).map_or(at, |next| at + next + 1);
                let piece = PIECES[usize::from(*span) % PIECES.len()].as_bytes();
                let value =
                    bytes[behind..].iter().position(|byte| b",]}".contains(byte)).map_or(behind, |n| behind + n);
                let until = if what % 4 == 0 { behind } else { value };
                bytes.splice(behind..until, piece.iter().copied());
            }
            2 => drop(bytes.drain(at..end)),
            _ => bytes[at..end].iter_mut().for_each(|byte| *byte = byte.wrapping_add(what | 1)),
        }
    }
    bytes
}

/// Whatever is read is graded, twice, beside itself and another; whatever is not has its error told in full.
fn judge(bytes: &[u8]) {
    match evidence::read(bytes) {
        Ok(doc) => {
            let other = evidence::read(&SEEDS[0]).expect("a report of ours");
            let linked = [&doc, &other];
            let ctx = evidence::GradeContext { provenance: evidence::Provenance::Upload, linked: &linked };
            let grade = evidence::grade(&doc, &support::rubric_of(&doc), &ctx);
            assert!(grade.points.earned <= grade.points.possible);
            assert!(grade.class == evidence::EvidenceClass::Gpu || grade.points.gpu.earned == 0);
            assert_eq!(grade, evidence::grade(&doc, &support::rubric_of(&doc), &ctx), "one report, one grade");
        }
        Err(error) => {
            for lang in evidence::Lang::ALL {
                assert!(!error.message(lang).is_empty() && !error.fix().get(lang).is_empty());
            }
        }
    }
}

#[test]
fn damaged_reports() {
    check!().with_type::<(u8, Vec<Damage>)>().for_each(|(seed, damages)| {
        judge(&damaged(usize::from(*seed), &damages[..damages.len().min(8)]));
    });
}

#[test]
fn any_bytes() {
    check!().for_each(judge);
}
