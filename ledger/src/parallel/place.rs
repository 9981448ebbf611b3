//! Where model states lie when they leave the card.

use serde::{Deserialize, Serialize};

use super::ZeroStage;
use crate::{LedgerError, Text};

/// A memory that holds model states between their uses.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    #[default]
    Device,
    /// The host's memory, over the card's link to it.
    Host,
    /// A drive, through the host's memory.
    Nvme,
}

impl Place {
    pub const ALL: [Place; 3] = [Place::Device, Place::Host, Place::Nvme];

    /// The place in words.
    pub fn name(self) -> Text {
        match self {
            Place::Device => Text::new("显卡", "Card"),
            Place::Host => Text::new("主机内存", "Host memory"),
            Place::Nvme => Text::new("NVMe 盘", "NVMe drive"),
        }
    }
}

/// What lies where (ZeRO-Offload, arXiv 2101.06840; ZeRO-Infinity, arXiv 2104.07857).
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = StateOffload))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Offload {
    /// Optimizer states and master copy; the step runs where they are, and gradients go there as they appear.
    #[serde(default)]
    pub states: Place,
    /// Weights: they come to the card unit by unit, for the forward and for the backward pass. Stage 3 only.
    #[serde(default)]
    pub weights: Place,
}

impl Offload {
    /// Everything stays on the card.
    pub const NONE: Offload = Offload { states: Place::Device, weights: Place::Device };

    /// # Errors
    /// [`LedgerError::NotModelled`] for weights that leave the card without ZeRO stage 3.
    pub fn check(self, zero: ZeroStage) -> Result<(), LedgerError> {
        if self.weights != Place::Device && zero != ZeroStage::Three {
            return Err(LedgerError::NotModelled { what: "offloaded weights without ZeRO stage 3" });
        }
        Ok(())
    }
}
