//! How a report came to us.

use serde::{Deserialize, Serialize};

/// Where a report comes from. Its device is as good as the one who names it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// Signed by a registered runner; the signature was verified before this value was made.
    Runner { runner: String },
    /// Self-reported: the device is the one the file names.
    #[default]
    Upload,
    /// WebGPU in the learner's browser.
    Browser,
}

impl Provenance {
    pub const IDS: [&'static str; 3] = ["runner", "upload", "browser"];

    pub const fn id(&self) -> &'static str {
        match self {
            Provenance::Runner { .. } => "runner",
            Provenance::Upload => "upload",
            Provenance::Browser => "browser",
        }
    }
}
