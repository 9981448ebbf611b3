//! Tables as text that other programs read.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Markdown,
    Csv,
    Json,
}

impl Format {
    pub const ALL: [Format; 3] = [Format::Markdown, Format::Csv, Format::Json];

    /// Its name in an address; also the ending of a file.
    pub fn id(self) -> &'static str {
        match self {
            Format::Markdown => "md",
            Format::Csv => "csv",
            Format::Json => "json",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Format::Markdown => "Markdown",
            Format::Csv => "CSV",
            Format::Json => "JSON",
        }
    }

    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.id() == id)
    }
}

/// Rows under a head.
pub struct Block {
    pub title: String,
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Block {
    fn all(&self) -> impl Iterator<Item = &Vec<String>> {
        std::iter::once(&self.head).chain(&self.rows)
    }

    pub fn csv(&self) -> String {
        let mut out = String::new();
        for row in self.all() {
            out.push_str(&row.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(","));
            out.push_str("\r\n");
        }
        out
    }

    pub fn markdown(&self) -> String {
        let line = |row: &Vec<String>| {
            let cells: Vec<String> =
                row.iter().map(|cell| cell.replace('|', "\\|").replace(['\r', '\n'], " ")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = format!("|{}\n", "---|".repeat(self.head.len()));
        let rows: String = self.rows.iter().map(line).collect();
        let title = if self.title.is_empty() { String::new() } else { format!("### {}\n\n", self.title) };
        format!("{title}{}{rule}{rows}", line(&self.head))
    }
}

/// A cell of CSV (RFC 4180). What a spreadsheet would run as a formula stays text.
fn quoted(cell: &str) -> String {
    let runs = cell.starts_with(['=', '@', '+', '-', '\t']) && cell.parse::<f64>().is_err();
    let cell = if runs { format!("'{cell}") } else { cell.to_owned() };
    match cell.contains([',', '"', '\r', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_csv_hold_any_text_and_run_nothing() {
        for (cell, expected) in [
            ("a", "a"),
            ("a,b", "\"a,b\""),
            ("a\"b\nc", "\"a\"\"b\nc\""),
            ("=1+1", "'=1+1"),
            ("-5", "-5"),
            ("@cmd", "'@cmd"),
            ("", ""),
        ] {
            assert_eq!(quoted(cell), expected);
        }
    }
}
