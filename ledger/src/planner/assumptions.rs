//! What the cost model takes for granted; each number may be edited.

use serde::{Deserialize, Serialize};

use crate::{catalogue::Speed, parallel::Links, units};

/// Numbers that no data sheet of a card gives.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Assumptions {
    /// Share of the dense peak that matrix products reach.
    pub efficiency: f64,
    /// Share of the memory's peak rate that the optimizer's step and decoding reach.
    pub memory_efficiency: f64,
    /// Bytes of a card set aside for context, communication buffers and fragmentation.
    pub reserve: u64,
    /// Cards in one machine.
    pub node: u64,
    /// Bytes per second and card between machines, per direction.
    pub between: u64,
    /// Bytes of host memory for each card.
    pub host_memory: u64,
    /// Bytes of a drive for each card.
    pub drive: u64,
    /// Bytes per second that an optimizer's step reads and writes on the host, each card's share.
    pub host_step: u64,
}

impl Default for Assumptions {
    /// Machines of eight, 400 Gbit/s between them for each card, 128 GiB of host memory and 1 TiB of drive for each;
    /// 45 % of the dense peak, 70 % of the memory's; 2 GiB set aside; 25 GB/s for a step on the host.
    fn default() -> Self {
        Self {
            efficiency: 0.45,
            memory_efficiency: 0.7,
            reserve: 2 * units::GIB,
            node: 8,
            between: 50_000_000_000,
            host_memory: 128 * units::GIB,
            drive: units::TIB,
            host_step: 25_000_000_000,
        }
    }
}

impl Assumptions {
    /// The links of a card in such a machine.
    pub fn links(&self, speed: &Speed) -> Option<Links> {
        Some(Links { node: self.node, between: self.between, ..Links::of(speed)? })
    }
}
