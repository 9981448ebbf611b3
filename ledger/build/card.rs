//! A card's facts as they are typed in, and the Rust they become.

use std::{error::Error, fmt::Write as _, path::PathBuf};

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
}

pub fn write(code: &mut String, cards: &[(PathBuf, Card)]) -> Result<(), Box<dyn Error>> {
    writeln!(code, "static CARDS: &[Card] = &[")?;
    for (path, card) in cards {
        if card.source.trim().is_empty() {
            return Err(format!("{}: a fact needs its source", path.display()).into());
        }
        let bytes = card.capacity_mib.checked_mul(MIB).ok_or("capacity too large")?;
        writeln!(
            code,
            "    Card {{ id: {:?}, name: {:?}, capacity_bytes: {bytes}, source: {:?} }},",
            card.id, card.name, card.source
        )?;
    }
    writeln!(code, "];")?;
    Ok(())
}
