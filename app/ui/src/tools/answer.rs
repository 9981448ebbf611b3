//! An answer in parts that a page can show.

use ledger::calculators::{Plot, Quantity, Sheet};
use ledger::{Entry, Text, units};

/// A number that stands out.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub name: Text,
    pub value: String,
}

/// A stacked bar of memory objects.
#[derive(Debug, Clone, PartialEq)]
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

/// Rows under names. A cell that is a formula is shown small.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    pub title: Text,
    pub columns: Vec<Text>,
    pub rows: Vec<Vec<Text>>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    pub verdict: Option<Text>,
    pub figures: Vec<Figure>,
    pub bars: Vec<Bar>,
    /// The line that bars are held against.
    pub capacity: Option<u64>,
    pub entries: Vec<Entry>,
    pub tables: Vec<Table>,
    pub curves: Vec<Plot>,
    /// What the numbers take for granted.
    pub assumptions: Vec<Text>,
}

/// The same in both languages.
pub fn plain(text: impl Into<String>) -> Text {
    let text = text.into();
    Text { zh: text.clone().into(), en: text.into() }
}

#[cfg(feature = "planner")]
pub fn figure(zh: &'static str, en: &'static str, value: impl Into<String>) -> Figure {
    Figure { name: Text::new(zh, en), value: value.into() }
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
