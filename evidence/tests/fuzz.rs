//! Fuzzing the importer: bytes of real shapes, damaged, and bytes of no shape at all.
//!
//! `cargo test` runs a thousand of each; `BOLERO_RANDOM_ITERATIONS=1000000 cargo test --release -p evidence --test fuzz` as many
//! as one likes, and `cargo bolero test --test fuzz …` hands the same targets to libFuzzer.

mod support;

use std::sync::LazyLock;

use bolero::check;
use serde_json::Value;

/// A document of every shape that is written here.
static SEEDS: LazyLock<Vec<Value>> = LazyLock::new(support::reports);

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

fn damaged_bytes(seed: usize, damages: &[Damage]) -> Vec<u8> {
    let mut bytes = SEEDS[seed % SEEDS.len()].to_string().into_bytes();
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

/// Values that have no place where they come to stand.
const ODD: [&str; 20] = [
    "null",
    "true",
    "-1",
    "0",
    "1",
    "1e300",
    "-1e300",
    "5e-324",
    "0.1",
    "18446744073709551615",
    "\"\"",
    "\"oom\"",
    "\"accept\"",
    "\"cpu\"",
    "\"NVIDIA H100 80GB HBM3\"",
    "[]",
    "{}",
    "[1, \"x\", null, {}]",
    "{\"decision\": 3}",
    "\"\\u0000\\u202e\"",
];

/// Goes down a document as `turns` say, and puts `odd` in place of what is there, or takes it away.
fn damage(value: &mut Value, turns: &mut impl Iterator<Item = u8>, odd: &Value) {
    let turn = usize::from(turns.next().unwrap_or(0));
    match value {
        Value::Object(map) if !map.is_empty() && turn % 8 != 7 => {
            let key = map.keys().nth(turn % map.len()).cloned().unwrap_or_default();
            if turn >= 240 {
                map.remove(&key);
            } else if let Some(inside) = map.get_mut(&key) {
                damage(inside, turns, odd);
            }
        }
        Value::Array(items) if !items.is_empty() && turn % 8 != 7 => {
            let at = turn % items.len();
            if turn >= 240 {
                items.push(items[at].clone());
            } else {
                damage(&mut items[at], turns, odd);
            }
        }
        place => *place = odd.clone(),
    }
}

/// A document with some of its values changed: JSON all the same, so that everything behind the parser is reached.
fn damaged_values(seed: usize, damages: &[([u8; 5], u8)]) -> Vec<u8> {
    let mut report = SEEDS[seed % SEEDS.len()].clone();
    for (turns, odd) in damages {
        let odd = serde_json::from_str(ODD[usize::from(*odd) % ODD.len()]).unwrap_or_default();
        damage(&mut report, &mut turns.iter().copied(), &odd);
    }
    report.to_string().into_bytes()
}

/// Whatever is read is graded, twice, beside itself and another; whatever is not has its error told in full.
fn judge(bytes: &[u8]) {
    match evidence::read(bytes) {
        Ok(doc) => {
            let other = evidence::read(SEEDS[0].to_string().as_bytes()).expect("a report of ours");
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
fn reports_with_changed_values() {
    check!().with_type::<(u8, Vec<([u8; 5], u8)>)>().for_each(|(seed, damages)| {
        judge(&damaged_values(usize::from(*seed), &damages[..damages.len().min(6)]));
    });
}

#[test]
fn reports_with_changed_bytes() {
    check!().with_type::<(u8, Vec<Damage>)>().for_each(|(seed, damages)| {
        judge(&damaged_bytes(usize::from(*seed), &damages[..damages.len().min(1 + usize::from(*seed) / 64)]));
    });
}

#[test]
fn any_bytes() {
    check!().for_each(judge);
}
