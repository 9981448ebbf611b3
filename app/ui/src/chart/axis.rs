//! Axes: where a number stands between the ends, and which numbers are labelled.

use ledger::calculators::{Axis, Measure};
use ledger::units;

/// Labels of an axis at most; more do not fit a phone.
const MOST_TICKS: usize = 5;
const FEWEST_TICKS: usize = 3;

/// The ends of an axis and how it divides.
pub struct Scale {
    measure: Measure,
    logarithmic: bool,
    low: f64,
    high: f64,
}

impl Scale {
    /// An axis that shows all values; none without one.
    pub fn over(axis: &Axis, values: impl Iterator<Item = f64>) -> Option<Self> {
        let (low, high) = values
            .filter(|value| value.is_finite() && (!axis.logarithmic || *value > 0.0))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            return None;
        }
        Some(Self { measure: axis.measure, logarithmic: axis.logarithmic, low, high }.apart())
    }

    /// The same axis from zero and with room above, for what grows upward.
    pub fn upward(self) -> Self {
        let amount = matches!(self.measure, Measure::Bytes | Measure::Count | Measure::Seconds);
        if self.logarithmic || !amount || self.low < 0.0 {
            return self;
        }
        Self { low: 0.0, high: self.high * 1.08, ..self }
    }

    /// One number alone stands in the middle.
    fn apart(self) -> Self {
        match (self.low < self.high, self.logarithmic) {
            (true, _) => self,
            (false, true) => Self { low: self.low / 2.0, high: self.high * 2.0, ..self },
            (false, false) => Self { low: self.low - 0.5, high: self.high + 0.5, ..self },
        }
    }

    /// 0 at the low end, 1 at the high one.
    pub fn place(&self, value: f64) -> f64 {
        let scaled = |value: f64| if self.logarithmic { value.ln() } else { value };
        (scaled(value) - scaled(self.low)) / (scaled(self.high) - scaled(self.low))
    }

    /// Numbers to label, with their labels.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let values = if self.logarithmic { self.factors() } else { self.steps() };
        let mut ticks: Vec<_> =
            values.into_iter().map(|value| (self.place(value), label(value, self.measure))).collect();
        // Numbers that differ in no digit shown are one label.
        ticks.dedup_by(|next, before| next.1 == before.1);
        ticks
    }

    fn within(&self, value: f64) -> bool {
        let room = (self.high - self.low) * 1e-9;
        (self.low - room..=self.high + room).contains(&value) && (!self.logarithmic || value > 0.0)
    }

    /// Round numbers, equally far apart.
    fn steps(&self) -> Vec<f64> {
        let unit = match self.measure {
            Measure::Bytes => binary(self.high).0,
            _ => 1.0,
        };
        let (low, high) = (self.low / unit, self.high / unit);
        let whole = self.measure == Measure::Count;
        let first = ((high - low) / MOST_TICKS as f64).log10().floor() as i32;
        let rounds = (first..first + 3).flat_map(|power| [1.0, 2.0, 2.5, 5.0].map(|round| round * 10f64.powi(power)));
        for step in rounds.filter(|step| !whole || step.fract() == 0.0) {
            let from = (low / step).ceil() as i64;
            let ticks = (from..).map(|at| at as f64 * step * unit).take_while(|value| self.within(*value));
            let ticks: Vec<f64> = ticks.take(MOST_TICKS + 1).collect();
            if ticks.len() <= MOST_TICKS {
                return ticks;
            }
        }
        vec![self.low, self.high]
    }

    /// Round numbers, equal factors apart: powers of two for what comes in bytes and counts, of ten for the rest.
    fn factors(&self) -> Vec<f64> {
        let two = matches!(self.measure, Measure::Bytes | Measure::Count);
        let (base, between): (f64, &[&[f64]]) =
            if two { (2.0, &[&[1.0]]) } else { (10.0, &[&[1.0], &[1.0, 3.0], &[1.0, 2.0, 5.0]]) };
        let (from, to) = (self.low.log(base).floor() as i32, self.high.log(base).ceil() as i32);
        for rounds in between {
            let values = (from..=to).flat_map(|power| rounds.iter().map(move |round| round * base.powi(power)));
            let values: Vec<f64> = values.filter(|value| self.within(*value)).collect();
            if values.len() >= FEWEST_TICKS {
                return values.iter().copied().step_by(values.len().div_ceil(MOST_TICKS)).collect();
            }
        }
        self.steps()
    }
}

/// The binary unit that leaves at least 1.
fn binary(bytes: f64) -> (f64, &'static str) {
    const UNITS: [(f64, &str); 6] = [
        (1_152_921_504_606_846_976.0, " EiB"),
        (1_125_899_906_842_624.0, " PiB"),
        (1_099_511_627_776.0, " TiB"),
        (1_073_741_824.0, " GiB"),
        (1_048_576.0, " MiB"),
        (1024.0, " KiB"),
    ];
    UNITS.into_iter().find(|(unit, _)| bytes.abs() >= *unit).unwrap_or((1.0, " B"))
}

fn decimal(value: f64) -> (f64, &'static str) {
    const UNITS: [(f64, &str); 6] = [(1e18, " E"), (1e15, " P"), (1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")];
    // A count keeps its digits as long as they are read at a glance.
    UNITS.into_iter().find(|(unit, _)| value.abs() >= *unit && value.abs() >= 1e4).unwrap_or((1.0, ""))
}

fn seconds(value: f64) -> (f64, &'static str) {
    const UNITS: [(f64, &str); 3] = [(1.0, " s"), (1e-3, " ms"), (1e-6, " µs")];
    UNITS.into_iter().find(|(unit, _)| value.abs() >= *unit * 0.999).unwrap_or((1e-9, " ns"))
}

/// A number as it stands at an axis. Rates and intensities have their unit in the name of the axis.
pub fn label(value: f64, measure: Measure) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    // Lengths and rows are powers of two more often than not: they keep all their digits.
    if measure == Measure::Count && value.fract() == 0.0 && (0.0..1e7).contains(&value) {
        return units::group(value as u64);
    }
    let (unit, name) = match measure {
        Measure::Bytes => binary(value),
        Measure::Seconds => seconds(value),
        _ => decimal(value),
    };
    format!("{}{name}", short(value / unit))
}

/// A number as it stands beside a mark, with its unit.
pub fn with_unit(value: f64, measure: Measure) -> String {
    let text = label(value, measure);
    match measure {
        Measure::OperationsPerByte => format!("{text} FLOP/B"),
        // The prefix stands with its unit: 989.4 TFLOP/s.
        Measure::OperationsPerSecond => format!("{text}FLOP/s"),
        Measure::Ratio => format!("{text}×"),
        Measure::Bytes | Measure::Count | Measure::Seconds => text,
    }
}

/// As many digits as are read at a glance.
fn short(value: f64) -> String {
    let size = value.abs();
    let digits = match size {
        _ if size >= 1000.0 => 0,
        _ if size >= 100.0 => 1,
        _ if size >= 10.0 => 2,
        _ if size >= 0.01 => 3,
        _ => return format!("{value:.0e}"),
    };
    let text = format!("{value:.digits$}");
    if digits == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

/// A share of the drawing, as SVG takes it.
pub(super) fn percent(share: f64) -> String {
    format!("{:.2}%", share * 100.0)
}

/// A label at an end stays inside the drawing.
pub(super) fn anchor(at: f64) -> &'static str {
    match at {
        _ if at < 0.06 => "start",
        _ if at > 0.94 => "end",
        _ => "middle",
    }
}

#[cfg(test)]
mod tests {
    use ledger::Text;

    use super::*;

    fn scale(measure: Measure, logarithmic: bool, ends: (f64, f64)) -> Scale {
        let axis = Axis { name: Text::new("x", "x"), measure, logarithmic };
        Scale::over(&axis, [ends.0, ends.1].into_iter()).expect("two numbers")
    }

    fn labels(measure: Measure, logarithmic: bool, ends: (f64, f64)) -> String {
        let ticks = scale(measure, logarithmic, ends).ticks();
        assert!(ticks.iter().all(|(at, _)| (-1e-6..=1.000_001).contains(at)), "{ticks:?}");
        ticks.into_iter().map(|(_, label)| label).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn numbers_have_a_place_between_the_ends() {
        assert_eq!(scale(Measure::Count, false, (0.0, 10.0)).place(5.0), 0.5);
        assert!((scale(Measure::Count, true, (1.0, 1000.0)).place(10.0) - 1.0 / 3.0).abs() < 1e-12);
        let alone = scale(Measure::Count, false, (3.0, 3.0));
        assert_eq!(alone.place(3.0), 0.5);
    }

    #[test]
    fn three_to_five_round_numbers_are_labelled() {
        const GIB: f64 = 1_073_741_824.0;
        let cases = [
            (Measure::Count, false, (1.0, 32.0), "10, 20, 30"),
            (Measure::Bytes, false, (0.0, 18.0 * GIB), "0, 5 GiB, 10 GiB, 15 GiB"),
            (Measure::Ratio, false, (1.0, 4.0 / 3.0), "1, 1.1, 1.2, 1.3"),
            (Measure::Count, true, (16.0, 1024.0), "16, 64, 256, 1,024"),
            (Measure::Bytes, true, (1024.0 * 1024.0, 64.0 * GIB), "1 MiB, 16 MiB, 256 MiB, 4 GiB, 64 GiB"),
            (Measure::OperationsPerByte, true, (0.25, 5500.0), "1, 10, 100, 1000"),
            (Measure::OperationsPerSecond, true, (8e11, 989.4e12), "1 T, 10 T, 100 T"),
            // Two decades: threes stand between the tens.
            (Measure::Seconds, true, (3e-4, 0.04), "300 µs, 1 ms, 3 ms, 10 ms, 30 ms"),
        ];
        for (measure, logarithmic, ends, expected) in cases {
            assert_eq!(labels(measure, logarithmic, ends), expected, "{measure:?} {ends:?}");
        }
    }

    #[test]
    fn labels_that_read_the_same_stand_once() {
        let close = 28_379_709_440.0;
        assert_eq!(labels(Measure::Bytes, false, (close, close + 40_000.0)), "26.43 GiB");
    }

    #[test]
    fn a_mark_names_its_unit() {
        assert_eq!(with_unit(989.4e12, Measure::OperationsPerSecond), "989.4 TFLOP/s");
        assert_eq!(with_unit(295.343, Measure::OperationsPerByte), "295.3 FLOP/B");
        assert_eq!(with_unit(65_536.0, Measure::Bytes), "64 KiB");
        assert_eq!(with_unit(0.0025, Measure::Seconds), "2.5 ms");
        assert_eq!(with_unit(4.0 / 3.0, Measure::Ratio), "1.333×");
    }
}
