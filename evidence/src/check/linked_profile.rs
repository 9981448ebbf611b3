//! A profile is of the workload of its 76.

use super::linked::{WORKLOAD, as_written, mismatches};
use super::sheet::Sheet;
use crate::import::setting;
use crate::stage::Stage;
use crate::{Document, Phrase};

/// The linked 76 that a profile looks into: the one it cites, or the one that fits best if its model does.
pub(super) fn profiled_source<'a>(sheet: &Sheet<'a>) -> Option<&'a Document> {
    let is_76 = |doc: &Document| doc.is_stage(Stage::Strategies);
    super::cited::find(sheet, is_76).or_else(|| {
        let fits = |doc: &Document| mismatches(sheet.doc, doc, &WORKLOAD[..1]).is_empty();
        sheet
            .linked
            .iter()
            .copied()
            .filter(|doc| is_76(doc) && fits(doc))
            .min_by_key(|doc| mismatches(sheet.doc, doc, &WORKLOAD[..4]).len())
    })
}

/// Model, batch, sequence length and dtype, field by field, and the strategies by name.
pub(super) fn examine(sheet: &mut Sheet<'_>) {
    let Some(linked) = profiled_source(sheet) else { return };
    let id = "linked_profile_matches";
    let raw = sheet.raw();
    for (key, names) in mismatches(sheet.doc, linked, &WORKLOAD[..4]) {
        let (here, there) = (as_written(raw, names), as_written(&linked.raw, names));
        let pointer = setting(raw, names).map_or_else(|| format!("/config/{key}"), |(pointer, _)| pointer);
        let message = Phrase::new(
            format!("profile 的 {key} 是 {here}，所附的 76 是 {there}：看的不是同一工作负载。"),
            format!("{key} is {here} here and {there} in the linked 76: the profile is of another workload."),
        );
        sheet.fail(id, &pointer, Phrase::plain(there), Phrase::plain(here), message);
    }
    for (candidate, place) in sheet.candidates() {
        if linked.report.candidate(&candidate.name).is_some() {
            continue;
        }
        let message = Phrase::new(
            format!("所附的 76 里没有策略 {}。", candidate.name),
            format!("The linked 76 has no strategy {}.", candidate.name),
        );
        let expected = Phrase::new("76 的策略", "a strategy of 76");
        sheet.fail(id, &place.pointer, expected, candidate.name.as_str(), message);
    }
    if !sheet.has_failed(id) {
        let (zh, en) = ("profile 与所附的 76 是同一工作负载。", "The profile is of the workload of the linked 76.");
        sheet.pass(id, "/config", zh, en);
    }
}
