//! Links to a slower tier, per direction.

/// A way for bytes out of the card's memory and back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    pub id: &'static str,
    pub name: &'static str,
    /// Bytes per second in one direction, by specification; copies of pageable memory reach less.
    pub bytes_per_second: u64,
    pub source: &'static str,
}

const PCIE: &str = "transfers/s × lanes × 128/130 ÷ 8";

/// Known links, the slowest first.
///
/// ```
/// use ledger::calculators::LINKS;
/// let pcie = LINKS.iter().find(|link| link.id == "pcie5-x16").map(|link| link.bytes_per_second);
/// // 32 GT/s on 16 lanes, 128 of 130 bits are data.
/// assert_eq!(pcie, Some(32_000_000_000u64 * 16 * 128 / 130 / 8 / 1_000_000 * 1_000_000));
/// ```
pub const LINKS: [Link; 8] = [
    Link {
        id: "nvme",
        name: "NVMe SSD",
        bytes_per_second: 7_000_000_000,
        source: "sequential reads of a PCIe 4.0 ×4 drive, about",
    },
    Link { id: "pcie3-x16", name: "PCIe 3.0 ×16", bytes_per_second: 15_754_000_000, source: PCIE },
    Link { id: "pcie4-x16", name: "PCIe 4.0 ×16", bytes_per_second: 31_508_000_000, source: PCIE },
    Link {
        id: "cxl-x8",
        name: "CXL 2.0 (PCIe 5.0 ×8)",
        bytes_per_second: 31_508_000_000,
        source: "CXL 2.0 runs over PCIe 5.0: 32 GT/s × 8 × 128/130 ÷ 8",
    },
    Link { id: "pcie5-x16", name: "PCIe 5.0 ×16", bytes_per_second: 63_015_000_000, source: PCIE },
    Link {
        id: "nvlink3",
        name: "NVLink 3 (A100)",
        bytes_per_second: 300_000_000_000,
        source: "NVIDIA A100 white paper: 600 GB/s both directions together",
    },
    Link {
        id: "nvlink-c2c",
        name: "NVLink-C2C (GH200)",
        bytes_per_second: 450_000_000_000,
        source: "NVIDIA GH200 white paper: 900 GB/s both directions together",
    },
    Link {
        id: "nvlink4",
        name: "NVLink 4 (H100)",
        bytes_per_second: 450_000_000_000,
        source: "NVIDIA H100 white paper: 900 GB/s both directions together",
    },
];
