//! The arithmetic in which a `lab.toml` says what a kernel moves and computes: integers, names, `+`, `*`, parentheses, and
//! `ceil(a, b)` for a division rounded up.

use std::fmt::Write as _;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formula {
    Number(u64),
    Name(String),
    Sum(Box<Formula>, Box<Formula>),
    Product(Box<Formula>, Box<Formula>),
    Ceil(Box<Formula>, Box<Formula>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormulaError {
    /// At this byte something else should stand.
    Syntax {
        at: usize,
        expected: &'static str,
    },
    Unknown {
        name: String,
    },
    /// The result is above 2⁶⁴ − 1, or divided by 0.
    Overflow,
}

impl std::fmt::Display for FormulaError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Syntax { at, expected } => write!(f, "at byte {at}: expected {expected}"),
            Self::Unknown { name } => write!(f, "`{name}` is no parameter of the lab and not among the kernel's given"),
            Self::Overflow => f.write_str("the result does not fit"),
        }
    }
}

/// Deeper is no formula of a kernel.
const MOST_DEPTH: usize = 16;

impl Formula {
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        let mut reader = Reader { text, at: 0 };
        let formula = reader.sum(0)?;
        match reader.peek() {
            None => Ok(formula),
            Some(_) => Err(reader.expected("+, * or the end")),
        }
    }

    pub fn value(&self, of: &dyn Fn(&str) -> Option<u64>) -> Result<u64, FormulaError> {
        let both = |a: &Self, b: &Self| Ok((a.value(of)?, b.value(of)?));
        let found = match self {
            Self::Number(number) => Some(*number),
            Self::Name(name) => return of(name).ok_or_else(|| FormulaError::Unknown { name: name.clone() }),
            Self::Sum(a, b) => both(a, b).map(|(a, b)| a.checked_add(b))?,
            Self::Product(a, b) => both(a, b).map(|(a, b)| a.checked_mul(b))?,
            Self::Ceil(a, b) => both(a, b).map(|(a, b)| (b > 0).then(|| a.div_ceil(b)))?,
        };
        found.ok_or(FormulaError::Overflow)
    }

    /// With its numbers filled in, for a reader: `4 × (2 × 2,048 × 4,096 + 4,096)`.
    #[allow(dead_code, reason = "the build script only checks")]
    pub fn filled(&self, of: &dyn Fn(&str) -> Option<u64>, group: fn(u64) -> String) -> String {
        let mut text = String::new();
        self.write(&mut text, of, group);
        text
    }

    fn write(&self, out: &mut String, of: &dyn Fn(&str) -> Option<u64>, group: fn(u64) -> String) {
        match self {
            Self::Number(number) => out.push_str(&group(*number)),
            Self::Name(name) => out.push_str(&of(name).map_or_else(|| name.clone(), group)),
            Self::Sum(a, b) => {
                a.write(out, of, group);
                out.push_str(" + ");
                b.write(out, of, group);
            }
            Self::Product(a, b) => {
                for (at, side) in [a, b].into_iter().enumerate() {
                    let inner = side.filled(of, group);
                    let sum = matches!(**side, Self::Sum(..));
                    let sign = if at == 1 { " × " } else { "" };
                    let _ = if sum { write!(out, "{sign}({inner})") } else { write!(out, "{sign}{inner}") };
                }
            }
            Self::Ceil(a, b) => {
                let _ = write!(out, "⌈{} / {}⌉", a.filled(of, group), b.filled(of, group));
            }
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = self.text.get(self.at..)?;
        self.at += rest.len() - rest.trim_start().len();
        rest.trim_start().chars().next()
    }

    fn takes(&mut self, sign: char) -> bool {
        let found = self.peek() == Some(sign);
        self.at += if found { sign.len_utf8() } else { 0 };
        found
    }

    fn expected(&self, expected: &'static str) -> FormulaError {
        FormulaError::Syntax { at: self.at, expected }
    }

    fn sum(&mut self, depth: usize) -> Result<Formula, FormulaError> {
        let mut found = self.product(depth)?;
        while self.takes('+') {
            found = Formula::Sum(Box::new(found), Box::new(self.product(depth)?));
        }
        Ok(found)
    }

    fn product(&mut self, depth: usize) -> Result<Formula, FormulaError> {
        let mut found = self.factor(depth)?;
        while self.takes('*') {
            found = Formula::Product(Box::new(found), Box::new(self.factor(depth)?));
        }
        Ok(found)
    }

    fn factor(&mut self, depth: usize) -> Result<Formula, FormulaError> {
        if depth > MOST_DEPTH {
            return Err(self.expected("fewer parentheses"));
        }
        if self.takes('(') {
            let inner = self.sum(depth + 1)?;
            return if self.takes(')') { Ok(inner) } else { Err(self.expected(")")) };
        }
        self.peek();
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = &rest[..length];
        if word.is_empty() {
            return Err(self.expected("a number, a name or ("));
        }
        let start = self.at;
        self.at += length;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let wrong = FormulaError::Syntax { at: start, expected: "an integer below 2^64" };
            return word.parse().map(Formula::Number).map_err(|_| wrong);
        }
        if word != "ceil" {
            return Ok(Formula::Name(word.to_owned()));
        }
        if !self.takes('(') {
            return Err(self.expected("( after ceil"));
        }
        let above = self.sum(depth + 1)?;
        if !self.takes(',') {
            return Err(self.expected(", between the two of ceil"));
        }
        let below = self.sum(depth + 1)?;
        if self.takes(')') { Ok(Formula::Ceil(Box::new(above), Box::new(below))) } else { Err(self.expected(")")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Option<u64> {
        match name {
            "rows" => Some(2048),
            "hidden" => Some(4096),
            "none" => Some(0),
            _ => None,
        }
    }

    #[test]
    fn a_formula_gives_its_value_and_is_shown_with_its_numbers() {
        for (text, value, shown) in [
            ("7", 7, "7"),
            ("4 * (2*rows*hidden + hidden)", 4 * (2 * 2048 * 4096 + 4096), "4 × (2 × 2048 × 4096 + 4096)"),
            ("rows + 2 * hidden", 2048 + 8192, "2048 + 2 × 4096"),
            (" 4*ceil( rows + 1 , 4 ) ", 4 * 513, "4 × ⌈2048 + 1 / 4⌉"),
        ] {
            let formula = Formula::parse(text).expect(text);
            assert_eq!(formula.value(&of), Ok(value), "{text}");
            assert_eq!(formula.filled(&of, |n| n.to_string()), shown, "{text}");
        }
    }

    #[test]
    fn what_is_no_formula_is_told_by_its_place() {
        let deep = format!("{}1{}", "(".repeat(40), ")".repeat(40));
        for (text, expected) in [
            ("", "at byte 0: expected a number, a name or ("),
            ("4 * ", "at byte 4: expected a number, a name or ("),
            ("(1", "at byte 2: expected )"),
            ("1 2", "at byte 2: expected +, * or the end"),
            ("ceil(1)", "at byte 6: expected , between the two of ceil"),
            ("99999999999999999999", "at byte 0: expected an integer below 2^64"),
            (deep.as_str(), "at byte 17: expected fewer parentheses"),
        ] {
            assert_eq!(Formula::parse(text).expect_err(text).to_string(), expected, "{text}");
        }
        let value = |text: &str| Formula::parse(text).expect(text).value(&of);
        assert_eq!(value("colour"), Err(FormulaError::Unknown { name: "colour".to_owned() }));
        assert_eq!(value("ceil(1, none)"), Err(FormulaError::Overflow));
        assert_eq!(value("18446744073709551615 + 1"), Err(FormulaError::Overflow));
    }
}
