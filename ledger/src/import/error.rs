//! What an importer says about a configuration it cannot read.

use crate::{Family, Text, units};

/// A `config.json` that cannot become a [`crate::Model`]. The data is in the variants; [`ImportError::pointer`],
/// [`expected`](ImportError::expected), [`found`](ImportError::found) and [`fix`](ImportError::fix) say it in words.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImportError {
    TooLarge {
        bytes: u64,
        limit: u64,
    },
    Syntax {
        line: u64,
        column: u64,
        problem: String,
    },
    /// Nothing in the file says what is needed, and no default is safe.
    Missing {
        pointer: String,
        what: &'static str,
    },
    WrongType {
        pointer: String,
        expected: Kind,
        found: String,
    },
    OutOfRange {
        pointer: String,
        min: u64,
        max: u64,
        found: String,
    },
    /// `pointer` must be a multiple of `by`.
    NotDivisible {
        pointer: String,
        value: u64,
        by: String,
        by_value: u64,
    },
    /// A value this family's code does not have.
    Unsupported {
        pointer: String,
        expected: &'static str,
        found: String,
    },
    UnknownFamily {
        pointer: String,
        found: String,
    },
}

/// The JSON type that a key must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Object,
    Integer,
    Boolean,
    Text,
    List,
}

fn families() -> String {
    Family::ALL.iter().map(|family| family.id()).collect::<Vec<_>>().join(", ")
}

impl ImportError {
    /// Where: a JSON pointer (RFC 6901) into the document; empty for the document itself.
    pub fn pointer(&self) -> &str {
        match self {
            Self::TooLarge { .. } | Self::Syntax { .. } => "",
            Self::Missing { pointer, .. }
            | Self::WrongType { pointer, .. }
            | Self::OutOfRange { pointer, .. }
            | Self::NotDivisible { pointer, .. }
            | Self::Unsupported { pointer, .. }
            | Self::UnknownFamily { pointer, .. } => pointer,
        }
    }

    /// What should stand there.
    pub fn expected(&self) -> Text {
        match self {
            Self::TooLarge { limit, .. } => {
                let limit = units::human_binary(*limit);
                Text::new(format!("不超过 {limit} 的文件"), format!("a file of at most {limit}"))
            }
            Self::Syntax { .. } => Text::new("一份 JSON 文档", "a JSON document"),
            Self::Missing { what, .. } => Text::new(*what, *what),
            Self::WrongType { expected, .. } => match expected {
                Kind::Object => Text::new("JSON 对象", "a JSON object"),
                Kind::Integer => Text::new("整数", "an integer"),
                Kind::Boolean => Text::new("true 或 false", "true or false"),
                Kind::Text => Text::new("字符串", "a string"),
                Kind::List => Text::new("数组", "a list"),
            },
            Self::OutOfRange { min, max, .. } => {
                let (min, max) = (units::group(*min), units::group(*max));
                Text::new(format!("{min} 到 {max} 之间的整数"), format!("an integer from {min} to {max}"))
            }
            Self::NotDivisible { by, by_value, .. } => Text::new(
                format!("{by}（{}）的整数倍", units::group(*by_value)),
                format!("a multiple of {by} ({})", units::group(*by_value)),
            ),
            Self::Unsupported { expected, .. } => Text::new(*expected, *expected),
            Self::UnknownFamily { .. } => {
                Text::new(format!("以下之一：{}", families()), format!("one of {}", families()))
            }
        }
    }

    /// What stands there instead.
    pub fn found(&self) -> String {
        match self {
            Self::TooLarge { bytes, .. } => units::human_binary(*bytes),
            Self::Syntax { line, column, problem } => format!("{line}:{column}: {problem}"),
            Self::Missing { .. } => "∅".to_owned(),
            Self::WrongType { found, .. }
            | Self::OutOfRange { found, .. }
            | Self::Unsupported { found, .. }
            | Self::UnknownFamily { found, .. } => found.clone(),
            Self::NotDivisible { value, .. } => units::group(*value),
        }
    }

    /// The next step.
    pub fn fix(&self) -> Text {
        match self {
            Self::TooLarge { .. } => Text::new(
                "请选择模型的 config.json，而不是权重文件或索引。",
                "Pick the model's config.json, not its weights or their index.",
            ),
            Self::Syntax { .. } => Text::new(
                "请重新下载 config.json，或改正该处的 JSON 语法。",
                "Download config.json again, or mend the JSON at that place.",
            ),
            Self::Missing { .. } => Text::new(
                "请选择模型仓库里的完整 config.json，或补上这一项。",
                "Pick the complete config.json of the model's repository, or add the key.",
            ),
            Self::WrongType { .. } | Self::OutOfRange { .. } | Self::Unsupported { .. } => Text::new(
                "请与模型仓库里的原始 config.json 核对这一项。",
                "Compare the key with the original config.json of the model's repository.",
            ),
            Self::NotDivisible { .. } => Text::new(
                "请核对这两项；若该模型的每头维度另有规定，请写明 head_dim。",
                "Check both keys; where the model's head size differs from their quotient, state head_dim.",
            ),
            Self::UnknownFamily { .. } => Text::new(
                "请从目录中选一个形状相近的模型，或直接填写层数、宽度、头数等数字。",
                "Choose a catalogue model of similar shape, or type layers, width and heads in by hand.",
            ),
        }
    }
}

impl std::fmt::Display for ImportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = if self.pointer().is_empty() { "config.json" } else { self.pointer() };
        write!(f, "{place}: expected {}, found {}. {}", self.expected().en, self.found(), self.fix().en)
    }
}

impl std::error::Error for ImportError {}
