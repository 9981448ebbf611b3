//! How a device fared while it was measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Clocks of one card differ by less from run to run without anything holding it back.
const FALL_PERCENT: u64 = 95;

/// What the driver's monitor said, asked after each timed run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    pub samples: u64,
    /// Of the multiprocessors.
    pub clock_highest_mhz: u64,
    /// The lowest clock that followed the highest: a card that first wakes up has not fallen.
    pub clock_fallen_mhz: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_highest_c: Option<u64>,
    /// What held the clock down, as the monitor names it (`sw_power_cap`, `hw_thermal_slowdown`, …).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_back_by: Vec<String>,
}

impl Conditions {
    /// Whether times of this run may be compared with each other. A clock that fell, or was held down, makes the later ones longer.
    pub fn is_steady(&self) -> bool {
        let fell = self.clock_fallen_mhz.saturating_mul(100) < self.clock_highest_mhz.saturating_mul(FALL_PERCENT);
        !fell && self.held_back_by.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_fell_or_was_held_down_is_not_steady() {
        for (highest, fallen, held, steady) in [
            (1980, 1980, None, true),
            (1980, 1900, None, true),
            (1980, 1880, None, false),
            (1980, 1980, Some("sw_power_cap"), false),
            (0, 0, None, true),
            (u64::MAX, 1, None, false),
        ] {
            let conditions = Conditions {
                samples: 1,
                clock_highest_mhz: highest,
                clock_fallen_mhz: fallen,
                temperature_highest_c: None,
                held_back_by: held.into_iter().map(str::to_owned).collect(),
            };
            assert_eq!(conditions.is_steady(), steady, "{conditions:?}");
        }
    }
}
