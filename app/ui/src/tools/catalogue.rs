//! All tools by their place.

use std::sync::LazyLock;

use super::Tool;

/// Every tool of this kind, the larger ones first, in the order in which the page lists them. A client knows those of
/// its own pages.
pub fn all() -> &'static [Tool] {
    static ALL: LazyLock<Vec<Tool>> = LazyLock::new(|| {
        let mut all = Vec::new();
        #[cfg(feature = "planner")]
        {
            use super::{decide, inference, model, parallel, plan, serving, training};
            all.extend([
                inference::tool(),
                training::tool(),
                parallel::tool(),
                serving::tool(),
                plan::train(),
                plan::serve(),
                decide::tool(),
                model::tool(),
            ]);
        }
        #[cfg(feature = "sheets")]
        all.extend(super::calculators::mechanisms());
        #[cfg(feature = "workloads")]
        all.extend(super::calculators::workloads());
        all
    });
    &ALL
}

pub fn find(id: &str) -> Option<&'static Tool> {
    all().iter().find(|tool| tool.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::pairs_of;

    #[test]
    fn every_tool_answers_its_defaults() {
        let mut ids = std::collections::HashSet::new();
        for tool in all() {
            assert!(ids.insert(tool.id), "{} twice", tool.id);
            let pairs = pairs_of(tool, &Vec::new());
            let answer = tool.run(&pairs).unwrap_or_else(|why| panic!("{}: {}", tool.id, why.en));
            let shown = answer.tables.iter().map(|table| table.rows.len()).sum::<usize>() + answer.entries.len();
            assert!(shown > 0, "{}", tool.id);
            for table in &answer.tables {
                assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{}", tool.id);
            }
            // What is not given takes the default.
            assert_eq!(tool.run(&Vec::new()), Ok(answer), "{}", tool.id);
        }
    }

    #[test]
    fn a_wrong_input_is_named() {
        for tool in all() {
            let Some(input) = tool.inputs.first() else { continue };
            let why = tool.run(&vec![(input.id.to_string(), "nonsense".to_owned())]).expect_err(tool.id);
            assert!(
                why.en.contains(input.id.as_ref()) && why.zh.contains(input.id.as_ref()),
                "{}: {}",
                tool.id,
                why.en
            );
        }
    }
}
