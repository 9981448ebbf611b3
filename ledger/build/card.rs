//! A card's facts as they are typed in, and the Rust they become.

use std::{collections::BTreeMap, error::Error, fmt::Write as _, path::PathBuf};

use serde::Deserialize;

const MIB: u64 = 1 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    id: String,
    name: String,
    /// What the driver reports as the total, in MiB.
    capacity_mib: u64,
    /// Where that number was read.
    source: String,
    speed: Option<Speed>,
}

/// Per second; GB = 10⁹ bytes, links per direction.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Speed {
    source: String,
    memory_gb: f64,
    pcie_gb: Option<f64>,
    nvlink_gb: Option<f64>,
    /// A coherent link to the host that takes the place of PCIe (NVLink-C2C).
    c2c_gb: Option<f64>,
    #[serde(default)]
    dense_tflop: BTreeMap<String, f64>,
}

/// Units per second as an integer: typed decimals are exact to a thousandth.
fn whole(value: f64, unit: u64) -> u64 {
    (value * 1000.0).round() as u64 * (unit / 1000)
}

pub fn write(code: &mut String, cards: &[(PathBuf, Card)]) -> Result<(), Box<dyn Error>> {
    writeln!(code, "static CARDS: &[Card] = &[")?;
    for (path, card) in cards {
        let sources = [Some(&card.source), card.speed.as_ref().map(|speed| &speed.source)];
        if sources.into_iter().flatten().any(|source| source.trim().is_empty()) {
            return Err(format!("{}: a fact needs its source", path.display()).into());
        }
        let bytes = card.capacity_mib.checked_mul(MIB).ok_or("capacity too large")?;
        writeln!(code, "    Card {{")?;
        writeln!(code, "        id: {:?}, name: {:?}, capacity_bytes: {bytes},", card.id, card.name)?;
        writeln!(code, "        source: {:?},", card.source)?;
        match &card.speed {
            None => writeln!(code, "        speed: None,")?,
            Some(speed) => write_speed(code, speed)?,
        }
        writeln!(code, "    }},")?;
    }
    writeln!(code, "];")?;
    Ok(())
}

fn write_speed(code: &mut String, speed: &Speed) -> Result<(), Box<dyn Error>> {
    const GIGA: u64 = 1_000_000_000;
    const TERA: u64 = 1_000_000_000_000;
    let link = |gigabytes: Option<f64>| gigabytes.map(|gigabytes| whole(gigabytes, GIGA));
    writeln!(code, "        speed: Some(Speed {{")?;
    writeln!(code, "            source: {:?},", speed.source)?;
    writeln!(code, "            memory: {},", whole(speed.memory_gb, GIGA))?;
    let [pcie, nvlink, c2c] = [speed.pcie_gb, speed.nvlink_gb, speed.c2c_gb].map(link);
    writeln!(code, "            pcie: {pcie:?}, nvlink: {nvlink:?}, c2c: {c2c:?},")?;
    write!(code, "            dense: &[")?;
    for (format, teraflops) in &speed.dense_tflop {
        write!(code, "({format:?}, {}), ", whole(*teraflops, TERA))?;
    }
    writeln!(code, "],")?;
    writeln!(code, "        }}),")?;
    Ok(())
}
