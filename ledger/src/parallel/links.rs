//! Rates between cards.

use serde::{Deserialize, Serialize};

use super::{Axis, Mesh};
use crate::catalogue::Speed;

/// Bytes per second and card, per direction. All but the card's own links are **assumptions** that the user may edit.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Links {
    /// Cards in one machine.
    pub node: u64,
    /// Between cards of one machine.
    pub inside: u64,
    /// Between machines.
    pub between: u64,
    /// Between a card and its host.
    pub host: u64,
    /// From the drives, each card's share.
    pub drive_read: u64,
    /// To the drives, each card's share.
    pub drive_write: u64,
}

impl Links {
    /// Machines of eight cards with 400 Gbit/s of network for each, and for each a drive that reads 7 GB/s and writes
    /// 5 GB/s; NVLink or else PCIe between cards, and what the data sheet says to the host. `None` for a card whose
    /// links are not typed in.
    pub fn of(speed: &Speed) -> Option<Self> {
        Some(Self {
            node: 8,
            inside: speed.peers()?,
            between: 50_000_000_000,
            host: speed.host()?,
            drive_read: 7_000_000_000,
            drive_write: 5_000_000_000,
        })
    }

    /// The rate on an axis: inside the machine where all its ranks are. Tensor ranks are neighbours, then come
    /// context (or expert) ranks, data ranks and stages.
    pub fn rate(&self, axis: Axis, mesh: &Mesh) -> u64 {
        let span = |factors: &[u64]| factors.iter().fold(mesh.tensor, |span, factor| span.saturating_mul(*factor));
        let ranks = match axis {
            Axis::Tensor => span(&[]),
            Axis::Context => span(&[mesh.context]),
            Axis::Expert => span(&[mesh.expert]),
            Axis::Data | Axis::ExpertData => span(&[mesh.context, mesh.data]),
            Axis::Pipeline => span(&[mesh.context, mesh.data, mesh.pipeline]),
            Axis::ToHost | Axis::FromHost => return self.host,
            Axis::ToDrive => return self.drive_write,
            Axis::FromDrive => return self.drive_read,
        };
        if ranks <= self.node { self.inside } else { self.between }
    }
}
