//! Why a file could not be read.

use thiserror::Error;

use crate::{Lang, Phrase};

/// A file that cannot be read as a report. Every error names the place, what was expected, what was found and the
/// next step; see [`ReadError::pointer`], [`ReadError::expected`], [`ReadError::found`], [`ReadError::fix`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadError {
    #[error("the file has {bytes} bytes; at most {limit} are read")]
    TooLarge { bytes: usize, limit: usize },
    #[error("the file is empty")]
    Empty,
    #[error("the file is not UTF-8 (byte {offset})")]
    Encoding { offset: usize },
    #[error("line {line}, column {column}: nested deeper than {limit} levels at {pointer}")]
    TooDeep { pointer: String, line: usize, column: usize, limit: usize },
    #[error("line {line}, column {column}: the file ends inside {pointer:?}")]
    Truncated { pointer: String, line: usize, column: usize },
    #[error("line {line}, column {column}: {token} at {pointer} is not JSON")]
    NonFinite { pointer: String, line: usize, column: usize, token: String },
    #[error("line {line}, column {column}: {detail}")]
    Syntax { pointer: String, line: usize, column: usize, detail: String },
    #[error("{}: expected {}, found {}", place(pointer, "the file"), expected.en, found.en)]
    Field { pointer: String, expected: Phrase, found: Phrase },
    #[error("{pointer}: {count} entries; at most {limit} are read")]
    TooMany { pointer: String, count: usize, limit: usize },
    #[error("an empty object is no report")]
    UnknownShape,
    #[error("{pointer}: {detail}")]
    Schema { pointer: String, detail: String },
}

/// A pointer for a reader; the empty one is the whole file.
fn place<'a>(pointer: &'a str, whole: &'a str) -> &'a str {
    if pointer.is_empty() { whole } else { pointer }
}

impl ReadError {
    /// JSON pointer of the place; the empty pointer is the whole file.
    pub fn pointer(&self) -> &str {
        match self {
            ReadError::TooDeep { pointer, .. }
            | ReadError::Truncated { pointer, .. }
            | ReadError::NonFinite { pointer, .. }
            | ReadError::Syntax { pointer, .. }
            | ReadError::Field { pointer, .. }
            | ReadError::TooMany { pointer, .. }
            | ReadError::Schema { pointer, .. } => pointer,
            ReadError::TooLarge { .. } | ReadError::Empty | ReadError::Encoding { .. } | ReadError::UnknownShape => "",
        }
    }

    /// Line and column, counted from 1, where the text itself is at fault.
    pub fn position(&self) -> Option<(usize, usize)> {
        match self {
            ReadError::TooDeep { line, column, .. }
            | ReadError::Truncated { line, column, .. }
            | ReadError::NonFinite { line, column, .. }
            | ReadError::Syntax { line, column, .. } => Some((*line, *column)),
            _ => None,
        }
    }

    pub fn message(&self, lang: Lang) -> String {
        match lang {
            Lang::En => self.to_string(),
            Lang::Zh => self.chinese(),
        }
    }

    fn chinese(&self) -> String {
        match self {
            ReadError::TooLarge { bytes, limit } => format!("文件有 {bytes} 字节，最多读取 {limit} 字节"),
            ReadError::Empty => "文件是空的".to_owned(),
            ReadError::Encoding { offset } => format!("文件不是 UTF-8（第 {offset} 字节）"),
            ReadError::TooDeep { pointer, line, column, limit } => {
                format!("第 {line} 行第 {column} 列：{pointer} 处嵌套超过 {limit} 层")
            }
            ReadError::Truncated { pointer, line, column } => {
                format!("第 {line} 行第 {column} 列：文件在 {pointer:?} 内部中断")
            }
            ReadError::NonFinite { pointer, line, column, token } => {
                format!("第 {line} 行第 {column} 列：{pointer} 处的 {token} 不是 JSON")
            }
            ReadError::Syntax { line, column, detail, .. } => format!("第 {line} 行第 {column} 列：{detail}"),
            ReadError::Field { pointer, expected, found } => {
                format!("{}：应为{}，实为{}", place(pointer, "文件"), expected.zh, found.zh)
            }
            ReadError::TooMany { pointer, count, limit } => {
                format!("{pointer}：有 {count} 项，最多读取 {limit} 项")
            }
            ReadError::UnknownShape => "这个 JSON 对象是空的".to_owned(),
            ReadError::Schema { pointer, detail } => format!("{pointer}：{detail}"),
        }
    }

    pub fn expected(&self) -> Phrase {
        match self {
            ReadError::TooLarge { limit, .. } => Phrase::plain(format!("≤ {limit} B")),
            ReadError::Empty => Phrase::new("一个 JSON 对象", "a JSON object"),
            ReadError::Encoding { .. } => Phrase::plain("UTF-8"),
            ReadError::TooDeep { limit, .. } => Phrase::new(format!("≤ {limit} 层"), format!("≤ {limit} levels")),
            ReadError::Truncated { .. } => Phrase::new("完整的 JSON", "complete JSON"),
            ReadError::NonFinite { .. } => Phrase::new("有限的数字或 null", "a finite number or null"),
            ReadError::Syntax { .. } => Phrase::new("合法的 JSON", "valid JSON"),
            ReadError::Field { expected, .. } => expected.clone(),
            ReadError::TooMany { limit, .. } => Phrase::plain(format!("≤ {limit}")),
            ReadError::UnknownShape => Phrase::new(
                "课程任一实验的报告或 vramlab-report/v1",
                "a report of any lab of the course, or vramlab-report/v1",
            ),
            ReadError::Schema { .. } => Phrase::plain(crate::SCHEMA),
        }
    }

    pub fn found(&self) -> Phrase {
        match self {
            ReadError::TooLarge { bytes, .. } => Phrase::plain(format!("{bytes} B")),
            ReadError::Empty => Phrase::plain("0 B"),
            ReadError::Encoding { offset } => {
                Phrase::new(format!("第 {offset} 字节不合法"), format!("byte {offset} is not UTF-8"))
            }
            ReadError::TooDeep { limit, .. } => Phrase::plain(format!("> {limit}")),
            ReadError::Truncated { line, column, .. } => {
                Phrase::new(format!("在 {line}:{column} 结束"), format!("the end at {line}:{column}"))
            }
            ReadError::NonFinite { token, .. } => Phrase::plain(token.clone()),
            ReadError::Syntax { detail, .. } | ReadError::Schema { detail, .. } => Phrase::plain(detail.clone()),
            ReadError::Field { found, .. } => found.clone(),
            ReadError::TooMany { count, .. } => Phrase::plain(count.to_string()),
            ReadError::UnknownShape => Phrase::plain("{}"),
        }
    }

    pub fn fix(&self) -> Phrase {
        let (zh, en) = match self {
            ReadError::TooLarge { .. } => (
                "只提交结果 JSON；trace 与快照另行上传。",
                "Hand in the result JSON alone; traces and snapshots go elsewhere.",
            ),
            ReadError::Empty => {
                ("确认运行已写出结果文件后再提交。", "See that the run wrote its result, then hand it in again.")
            }
            ReadError::Encoding { .. } => ("以 UTF-8 编码另存该文件。", "Save the file as UTF-8."),
            ReadError::TooDeep { .. } | ReadError::TooMany { .. } => {
                ("删去与结果无关的嵌套内容。", "Remove what does not belong to the result.")
            }
            ReadError::Truncated { .. } => (
                "文件没有写完或没有传完：重新写出并提交。",
                "The file was not written or sent to its end: write it out again.",
            ),
            ReadError::NonFinite { .. } => (
                "Python 的 json 会写出 NaN/Infinity：用 json.dumps(…, allow_nan=False)，未测到的值写 null。",
                "Python's json writes NaN and Infinity: use json.dumps(…, allow_nan=False) and null for what was not measured.",
            ),
            ReadError::Syntax { .. } => {
                ("用 json.dump 写文件，不要手工修改。", "Write the file with json.dump instead of by hand.")
            }
            ReadError::Field { .. } | ReadError::Schema { .. } => {
                ("按所要求的类型改写该字段。", "Write this field as it is expected.")
            }
            ReadError::UnknownShape => (
                "提交实验写出的原始文件，或按 /schema/report-v1.json 写报告。",
                "Hand in the file that the lab wrote, or a report after /schema/report-v1.json.",
            ),
        };
        Phrase::new(zh, en)
    }
}
