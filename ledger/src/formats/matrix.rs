//! A matrix as people paste it: a row per line, or rows in brackets.

/// Numbers of a pasted matrix at most.
pub const MAX_TYPED: usize = 64 * 1024;
/// Bytes of its text at most.
pub const MAX_TEXT: usize = 1 << 20;
/// Letters of a wrong entry that are repeated in a message.
const SHOWN: usize = 40;

/// Numbers, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    pub rows: u64,
    pub columns: u64,
    pub values: Vec<f32>,
}

/// Why a text is no matrix. Rows and columns are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatrixError {
    #[error("{bytes} bytes of text: expected at most {MAX_TEXT}")]
    Long { bytes: usize },
    #[error("no number: expected rows of numbers")]
    Empty,
    #[error("row {row}, column {column}: more than {MAX_TYPED} numbers")]
    Many { row: usize, column: usize },
    #[error("row {row}, column {column}: expected a number, found {found:?}")]
    Number { row: usize, column: usize, found: String },
    #[error("row {row}, column {column}: expected a finite FP32 number, found {found:?}")]
    NotFinite { row: usize, column: usize, found: String },
    #[error("row {row} has {columns} numbers: expected {expected}, as in row 1")]
    Ragged { row: usize, columns: usize, expected: usize },
    #[error("row {row}, column {column}: expected rows in brackets, found {found:?}")]
    Brackets { row: usize, column: usize, found: String },
}

/// Reads numbers separated by spaces and commas, a row per line (or up to a semicolon); or, where the text begins with
/// a bracket, rows in brackets as JSON and NumPy write them. All rows are equally long; a single row is one row of a
/// matrix. A comma without a number before it is refused: it would move the columns.
///
/// ```
/// use ledger::formats::parse_matrix;
/// let lines = parse_matrix("1 2.5\n-3, 4e-2\n")?;
/// assert_eq!((lines.rows, lines.columns), (2, 2));
/// assert_eq!(parse_matrix("[[1, 2.5], [-3, 0.04]]")?, lines);
/// assert_eq!(parse_matrix("1 NaN").unwrap_err().to_string(), "row 1, column 2: expected a finite FP32 number, found \"NaN\"");
/// # Ok::<(), ledger::formats::MatrixError>(())
/// ```
///
/// # Errors
/// [`MatrixError`], with the place of what is wrong.
pub fn parse_matrix(text: &str) -> Result<Matrix, MatrixError> {
    if text.len() > MAX_TEXT {
        return Err(MatrixError::Long { bytes: text.len() });
    }
    let mut reader = Reader { bracketed: text.trim_start().starts_with('['), ..Reader::default() };
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if is_mark(first) { first.len_utf8() } else { rest.find(is_mark).unwrap_or(rest.len()) };
        let (token, after) = rest.split_at(length);
        rest = after;
        match first {
            '\n' | ';' if !reader.bracketed => reader.end_row()?,
            ',' | '，' => reader.comma(token)?,
            '[' | ']' if reader.bracketed => reader.bracket(token)?,
            _ if first.is_whitespace() => {}
            _ => reader.number(token)?,
        }
    }
    reader.finish()
}

fn is_mark(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, ',' | '，' | ';' | '[' | ']')
}

#[derive(Default)]
struct Reader {
    bracketed: bool,
    values: Vec<f32>,
    rows: usize,
    /// Numbers of the row that is being read.
    width: usize,
    /// Numbers of the first row, once it has ended.
    columns: Option<usize>,
    depth: usize,
    /// The mark before was a comma, or an opening bracket.
    comma: bool,
    opened: bool,
}

impl Reader {
    fn place(&self) -> (usize, usize) {
        (self.rows + 1, self.width + 1)
    }

    fn number(&mut self, token: &str) -> Result<(), MatrixError> {
        let (row, column) = self.place();
        let found = || token.chars().take(SHOWN).collect::<String>();
        if self.bracketed && self.depth == 0 {
            return Err(MatrixError::Brackets { row, column, found: found() });
        }
        match token.parse::<f32>() {
            Err(_) => return Err(MatrixError::Number { row, column, found: found() }),
            Ok(value) if !value.is_finite() => return Err(MatrixError::NotFinite { row, column, found: found() }),
            Ok(_) if self.values.len() == MAX_TYPED => return Err(MatrixError::Many { row, column }),
            Ok(value) => self.values.push(value),
        }
        (self.width, self.comma, self.opened) = (column, false, false);
        Ok(())
    }

    fn comma(&mut self, token: &str) -> Result<(), MatrixError> {
        let (row, column) = self.place();
        let between_rows = self.bracketed && self.width == 0 && !self.opened;
        if self.comma || (self.width == 0 && !between_rows) {
            return Err(MatrixError::Number { row, column, found: token.to_owned() });
        }
        self.comma = true;
        Ok(())
    }

    fn bracket(&mut self, token: &str) -> Result<(), MatrixError> {
        let (row, column) = self.place();
        let wrong = || MatrixError::Brackets { row, column, found: token.to_owned() };
        if token == "[" {
            if self.depth == 2 || self.width > 0 {
                return Err(wrong());
            }
            (self.depth, self.opened, self.comma) = (self.depth + 1, true, false);
            return Ok(());
        }
        if self.depth == 0 || self.opened {
            return Err(wrong());
        }
        self.depth -= 1;
        self.end_row()
    }

    fn end_row(&mut self) -> Result<(), MatrixError> {
        self.comma = false;
        let width = std::mem::take(&mut self.width);
        if width == 0 {
            return Ok(());
        }
        self.rows += 1;
        let expected = *self.columns.get_or_insert(width);
        if width != expected {
            return Err(MatrixError::Ragged { row: self.rows, columns: width, expected });
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Matrix, MatrixError> {
        if self.depth > 0 {
            let (row, column) = self.place();
            return Err(MatrixError::Brackets { row, column, found: String::new() });
        }
        self.end_row()?;
        match self.columns {
            Some(columns) => Ok(Matrix { rows: self.rows as u64, columns: columns as u64, values: self.values }),
            None => Err(MatrixError::Empty),
        }
    }
}
