//! Which numbers of an array share a scale, and the walk over them with that scale.

use super::codes::{Code, Scale};
use super::quantise::{Granularity, MAX_VALUES, QuantiseError};

/// An array that has been looked over: it fills its shape and is finite.
#[derive(Clone, Copy)]
pub(super) struct Array<'a> {
    values: &'a [f32],
    rows: u64,
    columns: u64,
}

impl<'a> Array<'a> {
    pub fn check(values: &'a [f32], rows: u64, columns: u64) -> Result<Self, QuantiseError> {
        if values.is_empty() || values.len() > MAX_VALUES {
            return Err(QuantiseError::Count { values: values.len() });
        }
        if rows.checked_mul(columns) != Some(values.len() as u64) {
            return Err(QuantiseError::Shape { rows, columns, values: values.len() });
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            // Not above MAX_VALUES, as the product is not.
            let width = columns as usize;
            let found = if values[at].is_nan() { "NaN" } else { "infinite" };
            return Err(QuantiseError::NotFinite { row: at / width, column: at % width, found });
        }
        Ok(Self { values, rows, columns })
    }

    pub fn values(&self) -> &'a [f32] {
        self.values
    }
}

/// An array with a scale for every group of its numbers.
pub(super) struct Fitted<'a> {
    array: Array<'a>,
    code: Code,
    pub granularity: Granularity,
    scales: Vec<Scale>,
    /// Rows and columns of numbers that share a scale.
    tall: usize,
    wide: usize,
    /// Groups beside each other.
    across: usize,
}

impl<'a> Fitted<'a> {
    pub fn fit(array: Array<'a>, code: Code, granularity: Granularity) -> Result<Self, QuantiseError> {
        let Array { values, rows, columns } = array;
        let (tall, wide) = match granularity {
            Granularity::Unscaled | Granularity::Tensor => (rows, columns),
            Granularity::Token => (1, columns),
            Granularity::Channel => (rows, 1),
            Granularity::Head { width: 0 } => return Err(QuantiseError::Zero { field: "width" }),
            Granularity::Group { size: 0 } => return Err(QuantiseError::Zero { field: "size" }),
            Granularity::Head { width } if !columns.is_multiple_of(width) => {
                return Err(QuantiseError::Heads { columns, width });
            }
            Granularity::Head { width } => (rows, width),
            Granularity::Group { size } => (1, size.min(columns)),
        };
        let across = columns.div_ceil(wide);
        let groups = (rows.div_ceil(tall) * across) as usize;
        let mut scaled = Self {
            array,
            code,
            granularity,
            scales: vec![Scale { scale: 1.0, zero: 0.0 }; groups],
            tall: tall as usize,
            wide: wide as usize,
            across: across as usize,
        };
        if granularity != Granularity::Unscaled {
            let mut ranges = vec![(f32::INFINITY, f32::NEG_INFINITY); groups];
            scaled.walk(values, |group, numbers| {
                let range = &mut ranges[group];
                *range = numbers.iter().fold(*range, |(low, high), value| (low.min(*value), high.max(*value)));
            });
            scaled.scales = ranges.into_iter().map(|(low, high)| code.fit(low.into(), high.into())).collect();
        }
        Ok(scaled)
    }

    /// Runs of neighbouring numbers of one row that share a scale, with their group.
    fn walk(&self, values: &[f32], mut see: impl FnMut(usize, &[f32])) {
        for (row, numbers) in values.chunks(self.array.columns as usize).enumerate() {
            let first = row / self.tall * self.across;
            for (at, run) in numbers.chunks(self.wide).enumerate() {
                see(first + at, run);
            }
        }
    }

    /// Every number and what is read back, row by row.
    pub fn each(&self, mut see: impl FnMut(f32, f32)) {
        self.walk(self.array.values, |group, numbers| {
            let scale = self.scales[group];
            for value in numbers {
                see(*value, self.code.through(f64::from(*value), scale) as f32);
            }
        });
    }

    /// Scales that are stored: none where the scale is fixed.
    pub fn stored(&self) -> u64 {
        if self.granularity == Granularity::Unscaled { 0 } else { self.scales.len() as u64 }
    }

    /// Levels of the groups with the largest and with the smallest scale, groups of zeros apart.
    pub fn ladders(&self) -> (Vec<f64>, Vec<f64>) {
        let used = || self.scales.iter().filter(|by| by.scale > 0.0);
        let levels = |by: Option<&Scale>| by.map_or_else(|| vec![0.0], |by| self.code.levels(*by));
        let coarsest = used().max_by(|one, other| one.scale.total_cmp(&other.scale));
        let finest = used().min_by(|one, other| one.scale.total_cmp(&other.scale));
        (levels(coarsest), levels(finest))
    }
}
