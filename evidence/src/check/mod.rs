//! Checks: what the grader looked at, what it expected, what it found, and how to mend it.

mod architecture;
mod arithmetic;
mod cited;
mod compared;
mod conclusion;
mod config;
mod copies;
mod device;
mod fine_tuning;
pub(crate) mod floor;
mod form;
mod kernel;
mod kernel_bytes;
mod linked;
mod linked_own;
mod linked_profile;
mod measured;
mod mechanism;
mod memory;
mod normalised;
mod plausible;
mod profile;
mod quality;
mod quantised;
mod ranks;
mod recorded;
mod refuse;
mod rules;
mod sensitivity;
mod serving;
pub(crate) mod sheet;
mod strategies;
mod summary;
mod timing;
mod transfers;
mod upstream;

use serde::{Deserialize, Serialize};

use crate::{Lang, Phrase};

pub use rules::{RULES, Rule, rule};

pub(crate) use recorded::NUMBERS;
pub(crate) use refuse::refuse;
use sheet::Sheet;

/// Examines a report in the order in which a reader would: form, device, configuration, links, numbers, limits,
/// decision.
pub(crate) fn examine(sheet: &mut Sheet<'_>) {
    form::examine(sheet);
    device::examine(sheet);
    config::examine(sheet);
    normalised::examine(sheet);
    linked::examine(sheet);
    linked_own::examine(sheet);
    cited::examine(sheet);
    upstream::examine(sheet);
    arithmetic::examine(sheet);
    summary::examine(sheet);
    copies::examine(sheet);
    sensitivity::examine(sheet);
    floor::examine(sheet);
    memory::examine(sheet);
    plausible::examine(sheet);
    quality::examine(sheet);
    timing::examine(sheet);
    profile::examine(sheet);
    fine_tuning::examine(sheet);
    mechanism::examine(sheet);
    kernel::examine(sheet);
    serving::examine(sheet);
    strategies::examine(sheet);
    quantised::examine(sheet);
    ranks::examine(sheet);
    architecture::examine(sheet);
    transfers::examine(sheet);
    recorded::examine(sheet);
    compared::examine(sheet);
    conclusion::examine(sheet);
}

/// How much a failed check matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Could mislead a reader of the report.
    Warning,
    /// The report is wrong, or a wrong conclusion is possible.
    Error,
}

impl Severity {
    pub const fn id(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// What a check came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    Pass,
    Fail,
}

impl CheckStatus {
    pub const fn id(self) -> &'static str {
        match self {
            CheckStatus::Pass => "pass",
            CheckStatus::Fail => "fail",
        }
    }
}

/// One check on one place of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Stable, snake_case; one of [`RULES`].
    pub id: String,
    pub severity: Severity,
    pub status: CheckStatus,
    /// JSON pointer (RFC 6901) into the file as it was handed in.
    pub pointer: String,
    pub expected: Phrase,
    pub found: Phrase,
    /// One sentence: what holds, or what is wrong.
    pub message: Phrase,
    /// The next step; empty for a passed check.
    pub fix: Phrase,
}

impl Check {
    pub fn failed(&self) -> bool {
        self.status == CheckStatus::Fail
    }

    pub fn message(&self, lang: Lang) -> &str {
        self.message.get(lang)
    }

    pub fn fix(&self, lang: Lang) -> &str {
        self.fix.get(lang)
    }

    pub fn expected(&self, lang: Lang) -> &str {
        self.expected.get(lang)
    }

    pub fn found(&self, lang: Lang) -> &str {
        self.found.get(lang)
    }
}
