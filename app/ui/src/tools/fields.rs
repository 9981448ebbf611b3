//! Inputs as texts.

use ledger::calculators::Kind;

use super::{Pairs, Tool};

/// The text of an input's default.
pub fn default_of(kind: &Kind) -> String {
    match kind {
        Kind::Whole { default, .. } => default.to_string(),
        Kind::Decimal { default, .. } => default.to_string(),
        Kind::Choice { default, .. } => default.to_string(),
    }
}

/// All inputs of a tool as texts: what was given, else the default.
pub fn pairs_of(tool: &Tool, given: &Pairs) -> Pairs {
    let text = |id: &str| given.iter().rev().find(|(key, _)| key == id).map(|(_, value)| value.clone());
    let inputs = tool
        .inputs
        .iter()
        .map(|input| (input.id.to_string(), text(&input.id).unwrap_or_else(|| default_of(&input.kind))));
    let model = tool.model.map(|model| ("model".to_owned(), text("model").unwrap_or_else(|| model.to_owned())));
    let config = tool.model.and_then(|_| Some(("config".to_owned(), text("config")?)));
    model.into_iter().chain(config).chain(inputs).collect()
}
