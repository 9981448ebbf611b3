//! Inputs written down in a line.

use ledger::calculators::{Choice, Input, Kind};
use ledger::{Text, catalogue};

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
