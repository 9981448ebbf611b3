//! The schema of `vramlab-report/v1` as JSON Schema (draft 2020-12).

use crate::report::Report;

/// JSON Schema of our own report, as it is published.
pub fn report_v1_schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(Report).to_value();
    if let Some(root) = schema.as_object_mut() {
        root.insert("$id".to_owned(), "/schema/report-v1.json".into());
        root.insert("title".to_owned(), crate::SCHEMA.into());
    }
    schema
}
