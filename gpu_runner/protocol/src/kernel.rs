//! A kernel that a learner wrote.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::limits::KERNEL_BYTES;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelSource {
    pub language: KernelLanguage,
    pub text: KernelText,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KernelLanguage {
    /// CUDA C++.
    Cuda,
    Wgsl,
}

impl KernelLanguage {
    pub const ALL: [Self; 2] = [Self::Cuda, Self::Wgsl];

    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.id() == id)
    }

    /// The backend on which a learner's code in this language runs: CUDA C++ on the processor, WGSL on any adapter.
    pub const fn backend(self) -> &'static str {
        match self {
            Self::Cuda => "cpu",
            Self::Wgsl => "wgpu",
        }
    }

    /// What messages call the learner's text.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Cuda => "kernel.cu",
            Self::Wgsl => "kernel.wgsl",
        }
    }

    pub const fn id(self) -> &'static str {
        match self {
            Self::Cuda => "cuda",
            Self::Wgsl => "wgsl",
        }
    }
}

impl fmt::Display for KernelLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// Text of 1 to [`KERNEL_BYTES`] bytes without control characters, except the ends of lines and tabs.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct KernelText(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KernelError {
    #[error("the kernel has {found} bytes; expected 1 to {KERNEL_BYTES}")]
    Length { found: usize },
    #[error("the kernel has a control character in line {line}; expected text")]
    Control { line: usize },
}

impl KernelText {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for KernelText {
    type Error = KernelError;

    fn try_from(text: String) -> Result<Self, KernelError> {
        if text.is_empty() || text.len() > KERNEL_BYTES {
            return Err(KernelError::Length { found: text.len() });
        }
        let control = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
        match text.lines().position(|line| line.contains(control)) {
            Some(index) => Err(KernelError::Control { line: index + 1 }),
            None => Ok(Self(text)),
        }
    }
}

impl From<KernelText> for String {
    fn from(text: KernelText) -> Self {
        text.0
    }
}

/// A learner's work is not poured into a log.
impl fmt::Debug for KernelText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KernelText({} bytes)", self.0.len())
    }
}
