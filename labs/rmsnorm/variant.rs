//! The two ways to compute the same thing: which buffers each needs, and which passes it makes.

use ledger::units::group;
use ledger::{Object, Phase, Span};

use super::config::{Config, EPS};
use super::kernel;
use crate::Lab;
use crate::run::study::{Part, Pass, Role, Step, Variant};
use crate::run::{Arg, RunError};

/// Four passes with their results in device memory, then one.
pub fn both(config: &Config, lab: &Lab) -> Result<Vec<Variant>, RunError> {
    let (rows, hidden) = (u64::from(config.rows), u64::from(config.hidden));
    let part = |slug: &str, object, role, shape: &[u64]| {
        let elements = shape.iter().product::<u64>();
        let shape: Vec<String> = shape.iter().map(|size| group(*size)).collect();
        Part {
            slug: slug.to_owned(),
            object,
            span: Span::only(Phase::Forward),
            // At most 2^25 elements, by `Config`.
            words: elements as usize,
            role,
            bytes: elements * 4,
            formula: format!("{} × 4 B", shape.join(" × ")),
        }
    };
    let fused = vec![
        part("input", Object::Activation, Role::Input, &[rows, hidden]),
        part("weight", Object::Parameter, Role::Input, &[hidden]),
        part("output", Object::Activation, Role::Output, &[rows, hidden]),
    ];
    let mut unfused = fused.clone();
    unfused.extend([
        part("squares", Object::Temporary, Role::Made, &[rows, hidden]),
        part("row_mean", Object::Temporary, Role::Made, &[rows]),
        part("inverse_root", Object::Temporary, Role::Made, &[rows]),
    ]);
    let pass = |kernel: &'static str, reads: &[&str], writes: &str, numbers: &[Arg], items: u32| {
        Ok::<_, RunError>(Pass {
            kernel,
            reads: reads.iter().map(|part| (*part).to_owned()).collect(),
            writes: vec![writes.to_owned()],
            numbers: numbers.to_vec(),
            items,
            cost: lab.cost(kernel, &[("rows", rows), ("hidden", hidden)])?,
        })
    };
    let (r, h, eps) = (Arg::U32(config.rows), Arg::U32(config.hidden), Arg::F32(EPS));
    // The product fits: see above.
    let elements = config.rows * config.hidden;
    let four = vec![
        pass(kernel::SQUARE.name, &["input"], "squares", &[Arg::U32(elements)], elements)?,
        pass(kernel::ROW_MEAN.name, &["squares"], "row_mean", &[r, h], config.rows)?,
        pass(kernel::INVERSE_ROOT.name, &["row_mean"], "inverse_root", &[r, eps], config.rows)?,
        pass(kernel::SCALE.name, &["input", "inverse_root", "weight"], "output", &[r, h], config.rows)?,
    ];
    let one = vec![pass(kernel::FUSED.name, &["input", "weight"], "output", &[r, h, eps], config.rows)?];
    let variant = |candidate: &str, label: &str, parts, passes| Variant {
        candidate: candidate.to_owned(),
        label: label.to_owned(),
        parts,
        before: Vec::new(),
        timed: Step { phase: Phase::Forward, passes },
        stored: None,
    };
    Ok(vec![variant("baseline", "unfused", unfused, four), variant("fused", "fused", fused, one)])
}
