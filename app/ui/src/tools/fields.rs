//! Inputs as texts.

use ledger::calculators::Kind;

use super::{Pairs, Tool};
use crate::Lang;
use crate::state::pick;

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

/// Parts the two fields of a comparison, `vs` and `to`, from the inputs.
pub fn split_change(pairs: Pairs) -> (Pairs, Option<(String, String)>) {
    let (change, inputs): (Pairs, Pairs) = pairs.into_iter().partition(|(key, _)| key == "vs" || key == "to");
    let text = |id: &str| change.iter().rev().find(|(key, _)| key == id).map(|(_, value)| value.clone());
    let changed = text("vs").filter(|input| !input.is_empty());
    (inputs, changed.map(|input| (input, text("to").unwrap_or_default())))
}

impl Tool {
    /// The inputs with one of them changed; `None` where there is no such input, or nothing to change it to.
    pub fn changed(&self, pairs: &Pairs, input: &str, to: &str) -> Option<Pairs> {
        let known = input == "model" && self.model.is_some() || self.inputs.iter().any(|own| own.id == input);
        if !known || to.is_empty() {
            return None;
        }
        // Another model by its name: a configuration would win over it.
        let kept = pairs.iter().filter(|(key, _)| key != input && !(input == "model" && key == "config"));
        Some(kept.cloned().chain([(input.to_owned(), to.to_owned())]).collect())
    }

    /// An input with its value, in words.
    pub fn told(&self, id: &str, value: &str, lang: Lang) -> String {
        let Some(input) = self.inputs.iter().find(|input| input.id == id) else { return value.to_owned() };
        let shown = match &input.kind {
            Kind::Choice { options, .. } => options.iter().find(|option| option.id == value),
            _ => None,
        };
        let shown = shown.map_or_else(|| value.to_owned(), |option| pick(&option.name, lang));
        format!("{}: {shown}", pick(&input.name, lang))
    }
}
