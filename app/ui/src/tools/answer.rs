//! An answer in parts that a page can show.

use ledger::calculators::{Plot, Quantity, Sheet};
use ledger::{Entry, Text, units};
use serde::Serialize;

/// A number that stands out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// A slug where something else than a reader looks for it; else empty.
    pub id: &'static str,
    pub name: Text,
    pub value: String,
    /// The same number in other units, or empty.
    pub note: String,
    /// Whether that is what one hopes for; `None` where there is nothing to hope.
    pub good: Option<bool>,
}

/// A stacked bar of memory objects.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bar {
    pub label: Text,
    /// Object ids and bytes.
    pub parts: Vec<(String, u64)>,
    /// The one that decides.
    pub marked: bool,
}

impl Bar {
    pub fn bytes(&self) -> u64 {
        self.parts.iter().fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }
}

/// Objects over the moments of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Timeline {
    pub moments: Vec<Moment>,
    /// The moment of the peak.
    pub peak: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Moment {
    pub name: Text,
    /// The phase's id.
    pub phase: &'static str,
    /// Object ids and bytes, each object once.
    pub parts: Vec<(String, u64)>,
}

/// Rows under names. A cell that is a formula is shown small.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    pub title: Text,
    pub columns: Vec<Text>,
    pub rows: Vec<Vec<Text>>,
}

/// A text to take along.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct File {
    pub name: &'static str,
    pub text: String,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Answer {
    pub verdict: Option<Text>,
    pub figures: Vec<Figure>,
    pub bars: Vec<Bar>,
    /// The line that bars and the timeline are held against.
    pub capacity: Option<u64>,
    pub timeline: Option<Timeline>,
    pub entries: Vec<Entry>,
    pub tables: Vec<Table>,
    pub curves: Vec<Plot>,
    /// What the numbers take for granted.
    pub assumptions: Vec<Text>,
    pub file: Option<File>,
    /// Where to go on: names, and paths behind the language.
    pub links: Vec<(Text, String)>,
}

impl Answer {
    /// The bar that decides, or the only one.
    pub fn main_bar(&self) -> Option<&Bar> {
        self.bars.iter().find(|bar| bar.marked).or_else(|| self.bars.first())
    }
}

/// The same in both languages.
pub fn plain(text: impl Into<String>) -> Text {
    let text = text.into();
    Text { zh: text.clone().into(), en: text.into() }
}

#[cfg(feature = "planner")]
pub fn figure(zh: &'static str, en: &'static str, value: impl Into<String>) -> Figure {
    Figure { id: "", name: Text::new(zh, en), value: value.into(), note: String::new(), good: None }
}

/// Bytes that stand out.
#[cfg(feature = "planner")]
pub fn bytes(id: &'static str, zh: &'static str, en: &'static str, bytes: u64) -> Figure {
    let note = format!("= {} · {}", units::gb(bytes), units::mib(bytes));
    Figure { id, note, ..figure(zh, en, units::gib(bytes)) }
}

/// Whether a peak fits, and what is left or lacks.
#[cfg(feature = "planner")]
pub fn fit(peak: u64, capacity: u64) -> Figure {
    match capacity.checked_sub(peak) {
        Some(free) => Figure { good: Some(true), ..figure("放得下，还剩", "fits, still free", units::gib(free)) },
        None => Figure {
            good: Some(false),
            ..figure("放不下，缺", "does not fit, short by", units::gib(peak - capacity))
        },
    }
}

/// Bytes as a reader takes them in, GiB and GB both named where they are large.
#[cfg(feature = "planner")]
pub fn size(bytes: u64) -> String {
    match bytes >= units::GIB {
        true => format!("{} = {}", units::gib(bytes), units::gb(bytes)),
        false => units::human_binary(bytes),
    }
}

impl From<Sheet> for Answer {
    fn from(sheet: Sheet) -> Self {
        let rows = sheet.lines.iter().map(|line| {
            let exact = match line.quantity {
                Quantity::Bytes(bytes) => format!("{} B", units::group(bytes)),
                _ => String::new(),
            };
            vec![line.name.clone(), plain(line.quantity.to_string()), plain(exact), plain(line.formula.clone())]
        });
        let table = Table {
            title: Text::new("逐项", "Line by line"),
            columns: vec![
                Text::new("项", "Line"),
                Text::new("值", "Value"),
                Text::new("字节", "Bytes"),
                Text::new("公式", "Formula"),
            ],
            rows: rows.collect(),
        };
        Self {
            verdict: sheet.verdict,
            tables: vec![table],
            curves: sheet.plots,
            assumptions: sheet.assumptions,
            ..Self::default()
        }
    }
}
