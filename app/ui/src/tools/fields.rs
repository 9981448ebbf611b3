//! Inputs written down in a line.

use ledger::calculators::{Choice, Input, Kind};
use ledger::{Text, catalogue};

use super::{Pairs, Tool};

pub fn whole(id: &'static str, zh: &'static str, en: &'static str, default: u64, (min, max): (u64, u64)) -> Input {
    Input { id: id.into(), name: Text::new(zh, en), kind: Kind::Whole { unit: "".into(), default, min, max } }
}

/// Options of the same list that reads them, with a name for each.
pub fn choice<T>(
    id: &'static str,
    zh: &'static str,
    en: &'static str,
    default: &'static str,
    options: &[(&'static str, T)],
    name: impl Fn(&T) -> Text,
) -> Input {
    let option = |(id, option): &(&'static str, T)| Choice { id: (*id).into(), name: name(option) };
    let options = options.iter().map(option).collect();
    Input { id: id.into(), name: Text::new(zh, en), kind: Kind::Choice { default: default.into(), options } }
}

pub fn card(default: &'static str) -> Input {
    let cards: Vec<(&'static str, &'static str)> = catalogue::cards().iter().map(|card| (card.id, card.name)).collect();
    choice("card", "卡", "Card", default, &cards, |name| Text::new(*name, *name))
}

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
