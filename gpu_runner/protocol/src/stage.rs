//! Where a job stands. Stages are shown apart, each with its own time.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Waiting for a runner; the server knows the position.
    Queued,
    /// A runner holds the lease and starts the child.
    Claimed,
    Compiling,
    Checking,
    Measuring,
    /// The report is finished and on its way to the server.
    Reporting,
    Grading,
    Graded,
    /// Ended without a grade. Costs no attempt.
    Failed,
    Cancelled,
}

impl Stage {
    pub const ALL: [Self; 10] = [
        Self::Queued,
        Self::Claimed,
        Self::Compiling,
        Self::Checking,
        Self::Measuring,
        Self::Reporting,
        Self::Grading,
        Self::Graded,
        Self::Failed,
        Self::Cancelled,
    ];

    pub const fn id(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Claimed => "claimed",
            Self::Compiling => "compiling",
            Self::Checking => "checking",
            Self::Measuring => "measuring",
            Self::Reporting => "reporting",
            Self::Grading => "grading",
            Self::Graded => "graded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The stages a runner may report. The others are the server's to say.
    pub const fn is_runners(self) -> bool {
        matches!(self, Self::Claimed | Self::Compiling | Self::Checking | Self::Measuring | Self::Reporting)
    }

    pub const fn is_final(self) -> bool {
        matches!(self, Self::Graded | Self::Failed | Self::Cancelled)
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown stage {found:?}")]
pub struct UnknownStage {
    found: String,
}

impl FromStr for Stage {
    type Err = UnknownStage;

    fn from_str(text: &str) -> Result<Self, UnknownStage> {
        Self::ALL
            .into_iter()
            .find(|stage| stage.id() == text)
            .ok_or_else(|| UnknownStage { found: text.chars().take(32).collect() })
    }
}
