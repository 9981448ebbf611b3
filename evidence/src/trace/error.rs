//! Why a file is no trace.

use thiserror::Error;

use super::{MAX_BYTES, MAX_DEPTH, MAX_TEXT};
use crate::{Lang, Phrase};

/// A file that cannot be read as a trace or an operator table. Offsets are bytes of the JSON, after decompression.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TraceError {
    #[error("the file is empty")]
    Empty,
    #[error("byte {offset}: more than {MAX_BYTES} bytes of JSON; a longer trace is not read")]
    TooLarge { offset: u64 },
    #[error("byte {offset}: the compressed file grows more than a hundredfold; that is no trace")]
    Bomb { offset: u64 },
    #[error("byte {offset}: the gzip stream is broken: {detail}")]
    Gzip { offset: u64, detail: String },
    #[error("byte {offset}: the file could not be read on: {detail}")]
    Read { offset: u64, detail: String },
    #[error("byte {offset}: nested deeper than {MAX_DEPTH} levels")]
    TooDeep { offset: u64 },
    #[error("byte {offset}: a text longer than {MAX_TEXT} bytes")]
    LongText { offset: u64 },
    #[error("byte {offset}: the file ends inside the JSON")]
    Truncated { offset: u64 },
    #[error("byte {offset}: {detail}, after {recent:?}")]
    Syntax { offset: u64, detail: String, recent: String },
    #[error("byte {offset}: a second traceEvents")]
    SecondEvents { offset: u64 },
    #[error("byte {offset}: more than {limit} {what}")]
    TooMany { offset: u64, what: &'static str, limit: usize },
    #[error("no traceEvents: the keys are {}", if keys.is_empty() { "none".to_owned() } else { keys.join(", ") })]
    NoEvents { keys: Vec<String> },
    #[error("{events} events, and none of them has a duration that can be read")]
    NothingTimed { events: u64 },
    #[error("the file begins with {begins:?}: neither a trace nor an operator table")]
    NotATrace { begins: String },
    #[error("line {line} of the operator table: expected {expected}, found {found:?}")]
    Table { line: usize, expected: &'static str, found: String },
}

impl TraceError {
    /// The place, bytes from the beginning of the JSON; none where the whole file is meant.
    pub fn offset(&self) -> Option<u64> {
        match self {
            TraceError::TooLarge { offset }
            | TraceError::Bomb { offset }
            | TraceError::Gzip { offset, .. }
            | TraceError::Read { offset, .. }
            | TraceError::TooDeep { offset }
            | TraceError::LongText { offset }
            | TraceError::Truncated { offset }
            | TraceError::Syntax { offset, .. }
            | TraceError::SecondEvents { offset }
            | TraceError::TooMany { offset, .. } => Some(*offset),
            TraceError::Empty
            | TraceError::NoEvents { .. }
            | TraceError::NothingTimed { .. }
            | TraceError::NotATrace { .. }
            | TraceError::Table { .. } => None,
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
            TraceError::Empty => "文件是空的".to_owned(),
            TraceError::TooLarge { offset } => format!("第 {offset} 字节：JSON 超过 {MAX_BYTES} 字节，不再读取"),
            TraceError::Bomb { offset } => format!("第 {offset} 字节：解压后增大超过一百倍，不是 trace"),
            TraceError::Gzip { offset, detail } => format!("第 {offset} 字节：gzip 数据损坏：{detail}"),
            TraceError::Read { offset, detail } => format!("第 {offset} 字节：无法继续读取：{detail}"),
            TraceError::TooDeep { offset } => format!("第 {offset} 字节：嵌套超过 {MAX_DEPTH} 层"),
            TraceError::LongText { offset } => format!("第 {offset} 字节：字符串超过 {MAX_TEXT} 字节"),
            TraceError::Truncated { offset } => format!("第 {offset} 字节：文件在 JSON 内部中断"),
            TraceError::Syntax { offset, detail, recent } => format!("第 {offset} 字节：{detail}，在 {recent:?} 之后"),
            TraceError::SecondEvents { offset } => format!("第 {offset} 字节：出现第二个 traceEvents"),
            TraceError::TooMany { offset, what, limit } => format!("第 {offset} 字节：{what} 超过 {limit}"),
            TraceError::NoEvents { keys } if keys.is_empty() => "没有 traceEvents；顶层没有键".to_owned(),
            TraceError::NoEvents { keys } => format!("没有 traceEvents；顶层键为 {}", keys.join("、")),
            TraceError::NothingTimed { events } => format!("{events} 个事件，没有一个带可读的时长"),
            TraceError::NotATrace { begins } => format!("文件以 {begins:?} 开头：既不是 trace，也不是算子表"),
            TraceError::Table { line, expected, found } => {
                format!("算子表第 {line} 行：应为 {expected}，实为 {found:?}")
            }
        }
    }

    /// What would have been right, or the next step.
    pub fn fix(&self) -> Phrase {
        let (zh, en) = match self {
            TraceError::Empty | TraceError::Truncated { .. } | TraceError::Read { .. } | TraceError::Gzip { .. } => (
                "文件没有写完或没有传完：等 export_chrome_trace 返回后再取，整份重新传。",
                "It was not written or sent to its end: wait until export_chrome_trace returns, then send the whole file.",
            ),
            TraceError::TooLarge { .. } | TraceError::TooMany { .. } => (
                "少录几步：schedule(active=3)，并关闭 with_stack 与 record_shapes。",
                "Record fewer steps: schedule(active=3), without with_stack and record_shapes.",
            ),
            TraceError::Bomb { .. } | TraceError::TooDeep { .. } | TraceError::LongText { .. } => {
                ("应为 torch.profiler 写出的原始文件。", "Expected the file as torch.profiler wrote it.")
            }
            TraceError::Syntax { .. } | TraceError::SecondEvents { .. } => (
                "应为合法的 JSON：NaN、Infinity 与超出范围的数都不是。",
                "Expected valid JSON: NaN, Infinity and numbers out of range are none.",
            ),
            TraceError::NoEvents { .. } | TraceError::NothingTimed { .. } | TraceError::NotATrace { .. } => (
                "应为 prof.export_chrome_trace 的 JSON 或 .json.gz、key_averages().table() 的文本，或 74 的 profile 报告。",
                "Expected the JSON or .json.gz of prof.export_chrome_trace, the text of key_averages().table(), or a profile report of lab 74.",
            ),
            TraceError::Table { .. } => {
                ("粘贴整张表，从第一行横线到最后一行横线。", "Paste the whole table, from its first rule to its last.")
            }
        };
        Phrase::new(zh, en)
    }
}
