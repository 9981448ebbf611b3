//! An empty report to fill in.

use serde_json::{Map, Value, json};

use crate::read::Locate as _;
use crate::report::Budget;
use crate::{SCHEMA, Workload, report_v1_schema};

/// A report of `vramlab-report/v1` in which every field stands with `null` where a number or a name belongs: a
/// workload of the given kind, a baseline and one candidate, the limits as a rubric has them. It is read as it is, and
/// graded as what it is: no measurement yet.
pub fn template(lab: &str, workload: &Workload, limits: &Budget) -> Value {
    let schema = report_v1_schema();
    let empty = |definition: &str| -> Map<String, Value> {
        let properties = schema.locate(&format!("/$defs/{definition}/properties")).and_then(Value::as_object);
        properties.into_iter().flatten().map(|(name, _)| (name.clone(), Value::Null)).collect()
    };
    let filled = |definition: &str, values: Value| -> Value {
        let mut fields = empty(definition);
        fields.extend(values.as_object().cloned().unwrap_or_default());
        Value::Object(fields)
    };
    let (kind, definition) = match workload {
        Workload::Training(_) => ("training", "Training"),
        Workload::Inference(_) => ("inference", "Inference"),
        Workload::Kernel(_) => ("kernel", "Kernel"),
        Workload::Distributed(_) => ("distributed", "Distributed"),
    };
    let own = serde_json::to_value(workload).ok().and_then(|value| value.get(kind).cloned()).unwrap_or_default();
    let candidate = |name: &str| json!({"name": name, "status": "ok", "metrics": empty("Metrics"), "quality": empty("Quality"), "runs": []});
    json!({
        "schema": SCHEMA,
        "lab": lab,
        "workload": {kind: filled(definition, own)},
        "device": filled("DeviceFacts", json!({"backend": "reported", "name": "", "kind": "other"})),
        "level": "preflight",
        "candidates": [candidate("baseline"), candidate("candidate")],
        "budget": filled("Budget", serde_json::to_value(limits).unwrap_or_default()),
        "decision": {"decision": "tune", "reason": "", "next_action": null},
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Distributed, Inference, Kernel, Training};
    use crate::{GradeContext, Outcome, Rubric, Why};

    #[test]
    fn an_empty_report_is_read_and_proves_nothing() {
        let kinds = [
            Workload::Training(Training::default()),
            Workload::Inference(Inference::default()),
            Workload::Kernel(Kernel::default()),
            Workload::Distributed(Distributed::default()),
        ];
        let limits = Budget { min_throughput_ratio: Some(0.7), ..Budget::default() };
        for kind in kinds {
            let text = template("76", &kind, &limits).to_string();
            let doc = crate::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(doc.report.workload, kind);
            assert_eq!(doc.report.budget.as_ref(), Some(&limits));
            let grade = crate::grade(&doc, &Rubric::empty(), &GradeContext::default());
            assert_eq!(grade.outcome, Outcome::NotEvidence { why: Why::NoMeasurement });
        }
        let training = template("76", &Workload::Training(Training::default()), &limits);
        assert_eq!(training.locate("/workload/training/seq"), Some(&Value::Null), "every field is there to be filled");
    }
}
