//! The baseline of a 76 where it, or the 76 itself, is written in our own schema: compared by what both say, not by
//! where they say it.

use super::sheet::Sheet;
use crate::import::dtype_id;
use crate::stage::Stage;
use crate::{Document, Phrase, Shape, Training, Workload};

/// A field of the workload as text; two that are both stated and differ are a mismatch.
type Field = (&'static str, fn(&Training) -> Option<String>);

const FIELDS: [Field; 7] = [
    ("model", |own| own.model.as_deref().map(bare)),
    ("batch", |own| own.batch.map(|n| n.to_string())),
    ("seq", |own| own.seq.map(|n| n.to_string())),
    ("param_dtype", |own| own.param_dtype.as_deref().map(dtype_id)),
    ("optimizer", |own| own.optimizer.as_deref().map(str::to_ascii_lowercase)),
    ("warmup", |own| own.warmup.map(|n| n.to_string())),
    ("iters", |own| own.iters.map(|n| n.to_string())),
];

/// The model without its owner: `Qwen/Qwen2.5-0.5B` and `Qwen2.5-0.5B` are one.
fn bare(model: &str) -> String {
    model.trim_end_matches('/').rsplit('/').next().unwrap_or(model).to_ascii_lowercase()
}

fn training(doc: &Document) -> Option<&Training> {
    match &doc.report.workload {
        Workload::Training(training) => Some(training),
        _ => None,
    }
}

fn is_73(doc: &Document) -> bool {
    doc.stage().is_some_and(Stage::is_73) || doc.shape == Shape::V1 && doc.lab() == Stage::Pair.lab()
}

fn differing(a: &Training, b: &Training) -> Vec<(&'static str, String, String)> {
    FIELDS
        .iter()
        .filter_map(|(key, read)| Some((*key, read(a)?, read(b)?)))
        .filter(|(_, here, there)| here != there)
        .collect()
}

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    let own = sheet.doc.shape == Shape::V1;
    if !sheet.doc.is_of(Stage::Strategies) {
        return;
    }
    // Two files of the course are compared field by field where they stand; see `linked`.
    let others = sheet
        .linked
        .iter()
        .copied()
        .filter(|doc| is_73(doc) && doc.sha256 != sheet.doc.sha256 && (own || doc.shape == Shape::V1));
    if !own && sheet.linked.iter().any(|doc| doc.stage().is_some_and(Stage::is_73)) {
        return;
    }
    let Some(here) = training(sheet.doc) else { return };
    let chosen = others.filter_map(|doc| Some(differing(here, training(doc)?))).min_by_key(Vec::len);
    let Some(different) = chosen else { return };
    let id = "linked_baseline_matches";
    let home = if own { "/workload/training" } else { "/config" };
    for (key, here, there) in &different {
        let message = Phrase::new(
            format!("本报告的 {key} 是 {here}，所附的 73 是 {there}：不是同一口径。"),
            format!("{key} is {here} here and {there} in the linked 73: not the same workload."),
        );
        let pointer = if own { format!("{home}/{key}") } else { home.to_owned() };
        sheet.fail(id, &pointer, Phrase::plain(there.clone()), Phrase::plain(here.clone()), message);
    }
    if different.is_empty() {
        sheet.pass(id, home, "与所附的 73 是同一工作负载。", "It is of the workload of the linked 73.");
    }
}
