//! The inputs of the page on quantisation: an array, seeded or pasted, a channel that stands out, and a code.

use std::sync::Arc;

use ledger::formats::{
    Code, Granularity, Loss, MAX_TEXT, MAX_TYPED, Matrix, MatrixError, QuantiseError, Quantised, different,
    granularity_sweep, parse_matrix, quantise, scale_channel, with_outliers,
};
use ledger::{Text, units};
use serde::{Deserialize, Serialize};

use super::fields::Problem;
use super::reader::Reader;

pub const ROWS: (u64, u64) = (1, 64);
/// Of the seeded array: every move of a slider quantises all of it, six times over, within a frame.
pub const SEEDED_COLUMNS: (u64, u64) = (1, 512);
/// Columns of an outlier, of a head or a group.
pub const COLUMNS: (u64, u64) = (1, 1024);
pub const FACTOR: (u64, u64) = (1, 10_000);
pub const SEED: (u64, u64) = (0, u64::MAX);
/// Letters of a pasted tensor that a link still carries.
const LINK_TEXT: usize = 2000;
/// How much larger the outlier of the seeded array is; a pasted one is shown as it is.
const SEEDED_FACTOR: u64 = 50;

/// Granularities by the name in a link; those of a width take the page's.
pub const GRANULARITIES: [(&str, Granularity); 6] = [
    ("unscaled", Granularity::Unscaled),
    ("tensor", Granularity::Tensor),
    ("token", Granularity::Token),
    ("head", Granularity::Head { width: 1 }),
    ("channel", Granularity::Channel),
    ("group", Granularity::Group { size: 1 }),
];

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuantisationState {
    pub code: Code,
    /// A name of [`GRANULARITIES`].
    pub granularity: String,
    /// Columns of a head or group.
    pub width: u64,
    /// The column that is made larger, from 1; beyond the last it is the last.
    pub channel: u64,
    pub factor: u64,
    /// Of the seeded array.
    pub rows: u64,
    pub columns: u64,
    pub seed: u64,
    /// A pasted one, which wins where it is not empty.
    pub tensor: String,
    pub problems: Vec<Problem>,
}

/// What the page shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    pub rows: u64,
    pub columns: u64,
    pub channel: u64,
    pub losses: Vec<Loss>,
    /// Without what is read back: the page does not need the numbers themselves.
    pub chosen: Quantised,
    /// Different numbers that are read back of all the other channels.
    pub others: u64,
}

impl QuantisationState {
    /// Reads query fields; what cannot be read keeps its default and becomes a problem.
    pub fn from_pairs(pairs: &[(String, String)]) -> Self {
        let mut reader = Reader::new(pairs);
        let tensor = reader.text("tensor").unwrap_or_default().trim().to_owned();
        let codes = Code::ALL.map(|code| (code.id(), code));
        let granularities = GRANULARITIES.map(|(id, _)| (id, id));
        let state = Self {
            code: reader.pick("code", Code::Int8, &codes),
            granularity: reader.pick("granularity", "tensor", &granularities).to_owned(),
            width: reader.number("width", 64, COLUMNS),
            channel: reader.number("channel", 8, COLUMNS),
            factor: reader.number("factor", usual_factor(&tensor), FACTOR),
            rows: reader.number("rows", 64, ROWS),
            columns: reader.number("columns", 256, SEEDED_COLUMNS),
            seed: reader.number("seed", 1, SEED),
            tensor,
            problems: Vec::new(),
        };
        Self { problems: reader.finish(), ..state }
    }

    /// The pasted tensor is too long for a link.
    pub fn is_left_out(&self) -> bool {
        self.tensor.len() > LINK_TEXT
    }

    /// What a link carries. Where the tensor is left out, the link shows the seeded array as the page would.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let tensor = if self.is_left_out() { String::new() } else { self.tensor.clone() };
        let usual = Self::from_pairs(&[]);
        let all = [
            ("code", self.code.id().to_owned(), self.code != usual.code),
            ("granularity", self.granularity.clone(), self.granularity != usual.granularity),
            ("width", self.width.to_string(), self.width != usual.width),
            ("channel", self.channel.to_string(), self.channel != usual.channel),
            ("factor", self.factor.to_string(), self.factor != usual_factor(&tensor)),
            ("rows", self.rows.to_string(), self.rows != usual.rows),
            ("columns", self.columns.to_string(), self.columns != usual.columns),
            ("seed", self.seed.to_string(), self.seed != usual.seed),
            ("tensor", tensor.clone(), !tensor.is_empty()),
        ];
        all.into_iter().filter(|(_, _, changed)| *changed).map(|(key, value, _)| (key, value)).collect()
    }

    fn granularity(&self) -> Granularity {
        match GRANULARITIES.iter().find(|(id, _)| *id == self.granularity) {
            Some((_, Granularity::Head { .. })) => Granularity::Head { width: self.width },
            Some((_, Granularity::Group { .. })) => Granularity::Group { size: self.width },
            Some((_, other)) => *other,
            None => Granularity::Tensor,
        }
    }

    /// The array before anything is done to it: what was pasted, else normal numbers of the seed.
    ///
    /// # Errors
    /// Why the text is no matrix.
    pub fn array(&self) -> Result<Arc<Matrix>, Text> {
        if !self.tensor.trim().is_empty() {
            return parse_matrix(&self.tensor).map(Arc::new).map_err(|why| matrix_text(&why));
        }
        let (rows, columns) = (self.rows, self.columns);
        let values = with_outliers(rows, columns, 0, 1.0, self.seed).map_err(|why| quantise_text(&why))?;
        Ok(Arc::new(Matrix { rows, columns, values }))
    }

    /// What quantisation does to the array with its outlier.
    ///
    /// # Errors
    /// A head that does not divide the columns, or a number that the factor makes infinite.
    pub fn evaluate(&self, array: &Matrix) -> Result<Shown, Text> {
        let Matrix { rows, columns, .. } = *array;
        let channel = self.channel.clamp(1, columns.max(1));
        let mut values = array.values.clone();
        // At most MAX_TYPED of them, so usize holds every place.
        let (width, at) = (columns.max(1) as usize, (channel - 1) as usize);
        scale_channel(&mut values, width, at, self.factor as f32);
        let refused = |why: QuantiseError| quantise_text(&why);
        let mut chosen = quantise(&values, rows, columns, self.code, self.granularity()).map_err(refused)?;
        let losses = granularity_sweep(&values, rows, columns, self.code, self.width).map_err(refused)?;
        let read = std::mem::take(&mut chosen.values);
        let others = read.chunks(width).flat_map(|row| row.iter().enumerate().filter(|(column, _)| *column != at));
        Ok(Shown { rows, columns, channel, losses, others: different(others.map(|(_, value)| *value)), chosen })
    }
}

pub fn usual_factor(tensor: &str) -> u64 {
    if tensor.trim().is_empty() { SEEDED_FACTOR } else { 1 }
}

/// Why a text is no matrix, in both languages.
fn matrix_text(error: &MatrixError) -> Text {
    let en = format!("Tensor: {error}.");
    let zh = match error {
        MatrixError::Long { bytes } => {
            format!("文本有 {} 字节，最多 {}。", units::group(*bytes as u64), units::group(MAX_TEXT as u64))
        }
        MatrixError::Empty => "没有数：应为一行行的数。".to_owned(),
        MatrixError::Many { row, column } => {
            format!("第 {row} 行第 {column} 列：超过 {} 个数。", units::group(MAX_TYPED as u64))
        }
        MatrixError::Number { row, column, found } => {
            format!("第 {row} 行第 {column} 列：应为一个数，实际是「{found}」。")
        }
        MatrixError::NotFinite { row, column, found } => {
            format!("第 {row} 行第 {column} 列：应为有限的 FP32 数，实际是「{found}」。")
        }
        MatrixError::Ragged { row, columns, expected } => {
            format!("第 {row} 行有 {columns} 个数，应与第 1 行一样有 {expected} 个。")
        }
        MatrixError::Brackets { row, column, found } => {
            format!("第 {row} 行第 {column} 列：应为方括号里的一行行数，实际是「{found}」。")
        }
        other => other.to_string(),
    };
    Text::new(format!("张量：{zh}"), en)
}

/// Why an array is not quantised, in both languages; places are counted from 1, as a reader counts.
fn quantise_text(error: &QuantiseError) -> Text {
    match error {
        QuantiseError::NotFinite { row, column, .. } => Text::new(
            format!("第 {} 行第 {} 列乘以离群倍数后超出 FP32：把倍数调小。", row + 1, column + 1),
            format!("Row {}, column {} times the factor exceeds FP32: choose a smaller factor.", row + 1, column + 1),
        ),
        QuantiseError::Heads { columns, width } => Text::new(
            format!("{columns} 列不能分成每头 {width} 列：改宽度，或选逐组。"),
            format!("{columns} columns do not divide into heads of {width}: change the width, or choose groups."),
        ),
        other => Text::new(other.to_string(), other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(pairs: &[(&str, &str)]) -> QuantisationState {
        let pairs: Vec<_> = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        QuantisationState::from_pairs(&pairs)
    }

    fn back(state: &QuantisationState) -> QuantisationState {
        let pairs: Vec<_> = state.pairs().into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        QuantisationState::from_pairs(&pairs)
    }

    fn shown(state: &QuantisationState) -> Result<Shown, Text> {
        state.evaluate(state.array()?.as_ref())
    }

    #[test]
    fn a_link_brings_the_state_back_and_leaves_a_long_tensor_out() {
        for pairs in [
            vec![],
            vec![("code", "nf4"), ("granularity", "group"), ("width", "32"), ("factor", "1"), ("seed", "7")],
            vec![("tensor", "1 2\n3 4"), ("channel", "2")],
            vec![("tensor", "1 2\n3 4"), ("factor", "50")],
        ] {
            let state = state(&pairs);
            assert!(state.problems.is_empty() && !state.is_left_out(), "{:?}", state.problems);
            assert_eq!(back(&state), state);
        }
        let long = state(&[("tensor", "1 ".repeat(1500).as_str())]);
        assert!(long.is_left_out());
        let returned = back(&long);
        assert_eq!((returned.tensor.as_str(), returned.factor), ("", 1));
    }

    #[test]
    fn one_channel_takes_the_levels_of_all_the_others() {
        let many = shown(&state(&[("factor", "1")])).expect("seeded").others;
        let few = shown(&state(&[("factor", "100")])).expect("seeded");
        assert!(few.others <= 5 && many > 100, "{} of {many}", few.others);
        let apart = shown(&state(&[("factor", "100"), ("granularity", "channel")])).expect("seeded");
        assert!(apart.others > 1000 && apart.losses == few.losses, "{}", apart.others);
        assert_eq!((few.rows, few.columns, few.losses.len()), (64, 256, 6));
    }

    #[test]
    fn a_pasted_tensor_is_itself_unless_a_factor_is_asked_for() {
        // Scale 1 per tensor; the second column alone has 4 as its largest.
        let pasted = shown(&state(&[("tensor", "127 4\n1 2"), ("channel", "9")])).expect("a matrix");
        assert_eq!((pasted.chosen.loss.mean_square, pasted.channel, pasted.chosen.levels), (0.0, 2, 4));
        let larger = shown(&state(&[("tensor", "127 4\n1 2"), ("channel", "2"), ("factor", "10")])).expect("a matrix");
        assert_eq!(larger.chosen.before.high, 127.0);
        assert_eq!(larger.chosen.loss.mean_square, 0.0, "40 and 20 are levels too");
    }

    #[test]
    fn what_is_wrong_is_said_in_both_languages() {
        let why = |pairs: &[(&str, &str)]| shown(&state(pairs)).expect_err("refused");
        let text = why(&[("tensor", "1 2\n3 nan")]);
        assert!(text.zh.contains("第 2 行第 2 列") && text.en.contains("row 2, column 2"), "{text:?}");
        let text = why(&[("tensor", "3e38 1"), ("channel", "1"), ("factor", "10")]);
        assert!(text.en.contains("Row 1, column 1 times the factor") && text.zh.contains("第 1 行第 1 列"), "{text:?}");
        assert!(why(&[("width", "100"), ("granularity", "head")]).en.contains("heads of 100"));
        let wrong = state(&[("rows", "65"), ("code", "int3"), ("granularity", "block")]).problems;
        assert_eq!(
            wrong.iter().map(|problem| problem.key.as_str()).collect::<Vec<_>>(),
            ["code", "granularity", "rows"]
        );
    }
}
