//! The driver's monitor, NVML, where there is one: clock, heat, and what holds the card back, asked between timed runs.
//!
//! Nothing here fails a run. What cannot be asked is left out.

use std::ffi::OsStr;

use evidence::Conditions;
use nvml_wrapper::Nvml;
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{Clock, TemperatureSensor};

use super::trouble::bordered;

/// The name that comes with the driver; the one without a number is for compiling against it.
const LIBRARY: &str = "libnvidia-ml.so.1";

/// What lowers a clock against the wish of whoever measures. Idling and clocks set by hand do not.
const HOLDING: [(ThrottleReasons, &str); 6] = [
    (ThrottleReasons::SW_POWER_CAP, "sw_power_cap"),
    (ThrottleReasons::HW_SLOWDOWN, "hw_slowdown"),
    (ThrottleReasons::SYNC_BOOST, "sync_boost"),
    (ThrottleReasons::SW_THERMAL_SLOWDOWN, "sw_thermal_slowdown"),
    (ThrottleReasons::HW_THERMAL_SLOWDOWN, "hw_thermal_slowdown"),
    (ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN, "hw_power_brake_slowdown"),
];

pub struct Monitor {
    nvml: Nvml,
    /// As the driver gives it: the numbers of the two libraries need not agree.
    uuid: String,
    seen: Option<Conditions>,
}

impl Monitor {
    /// `None` where there is no monitor, or none that knows the device.
    pub fn open(uuid: &str) -> Option<Self> {
        let nvml = bordered("nvmlInit", || Nvml::builder().lib_path(OsStr::new(LIBRARY)).init()).ok()?.ok()?;
        let known = bordered("nvmlDeviceGetHandleByUUID", || nvml.device_by_uuid(uuid).is_ok()).ok()?;
        known.then(|| Self { nvml, uuid: uuid.to_owned(), seen: None })
    }

    pub fn sample(&mut self) {
        let asked = bordered("nvml", || {
            let device = self.nvml.device_by_uuid(self.uuid.as_str()).ok()?;
            let clock = u64::from(device.clock_info(Clock::SM).ok()?);
            let temperature = device.temperature(TemperatureSensor::Gpu).ok().map(u64::from);
            Some((clock, temperature, device.current_throttle_reasons().unwrap_or(ThrottleReasons::empty())))
        });
        let Ok(Some((clock, temperature, reasons))) = asked else { return };
        let holding = HOLDING.iter().filter(|(reason, _)| reasons.contains(*reason)).map(|(_, name)| *name);
        note(&mut self.seen, clock, temperature, holding);
    }

    pub fn conditions(&self) -> Option<Conditions> {
        self.seen.clone()
    }
}

/// Adds one sample to what was seen before.
fn note(
    seen: &mut Option<Conditions>,
    clock: u64,
    temperature: Option<u64>,
    holding: impl Iterator<Item = &'static str>,
) {
    let all = seen.get_or_insert_with(|| Conditions {
        samples: 0,
        clock_highest_mhz: clock,
        clock_fallen_mhz: clock,
        temperature_highest_c: None,
        held_back_by: Vec::new(),
    });
    all.samples += 1;
    if clock > all.clock_highest_mhz {
        (all.clock_highest_mhz, all.clock_fallen_mhz) = (clock, clock);
    }
    all.clock_fallen_mhz = all.clock_fallen_mhz.min(clock);
    all.temperature_highest_c = all.temperature_highest_c.max(temperature);
    for name in holding {
        if !all.held_back_by.iter().any(|known| known == name) {
            all.held_back_by.push(name.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_rises_has_not_fallen_and_one_that_sinks_has() {
        let of = |clocks: &[u64]| {
            let mut seen = None;
            clocks.iter().for_each(|clock| note(&mut seen, *clock, Some(*clock / 40), std::iter::empty()));
            seen.unwrap()
        };
        for (clocks, highest, fallen) in [
            (vec![1980], 1980, 1980),
            (vec![210, 1410, 1980, 1965], 1980, 1965),
            (vec![1980, 1200, 1980], 1980, 1200),
            (vec![1200, 1000, 1980], 1980, 1980),
        ] {
            let found = of(&clocks);
            assert_eq!((found.clock_highest_mhz, found.clock_fallen_mhz), (highest, fallen), "{clocks:?}");
            assert_eq!((found.samples, found.temperature_highest_c), (clocks.len() as u64, Some(highest / 40)));
        }
    }

    #[test]
    fn a_reason_is_told_once() {
        let mut seen = None;
        for names in [vec!["sw_power_cap"], vec![], vec!["sw_power_cap", "hw_slowdown"]] {
            note(&mut seen, 1, None, names.into_iter());
        }
        assert_eq!(seen.unwrap().held_back_by, ["sw_power_cap", "hw_slowdown"]);
    }
}
