//! Curves of an answer: lines over a pair of axes, and the points among them that have a name.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::Text;

/// What the numbers along an axis are.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    Bytes,
    Count,
    Seconds,
    Ratio,
    OperationsPerByte,
    OperationsPerSecond,
}

/// One axis of a plot.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axis {
    /// What runs along it.
    pub name: Text,
    pub measure: Measure,
    /// Equal steps are equal factors; every number along it is then above zero.
    pub logarithmic: bool,
}

impl Axis {
    pub fn linear(name: Text, measure: Measure) -> Self {
        Self { name, measure, logarithmic: false }
    }

    pub fn logarithmic(name: Text, measure: Measure) -> Self {
        Self { name, measure, logarithmic: true }
    }
}

/// One line of a plot.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// A slug, unique in its plot.
    pub id: Cow<'static, str>,
    pub name: Text,
    /// `(x, y)`, `x` rising.
    pub points: Vec<(f64, f64)>,
}

/// A point that has a name.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// A slug, unique in its plot.
    pub id: Cow<'static, str>,
    pub name: Text,
    pub x: f64,
    pub y: f64,
}

/// Lines over the same axes.
///
/// ```
/// use ledger::calculators::run;
/// let sheet = run("roofline", &Default::default())?;
/// let ridge = sheet.plots[0].mark("ridge").expect("marked");
/// // An H100: 989.4 TFLOP/s over 3.35 TB/s.
/// assert_eq!((ridge.x.round(), ridge.y), (295.0, 989.4e12));
/// # Ok::<(), ledger::calculators::CalculatorError>(())
/// ```
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plot {
    /// A slug, unique in its sheet.
    pub id: Cow<'static, str>,
    pub name: Text,
    /// The horizontal axis.
    pub along: Axis,
    /// The vertical axis.
    pub up: Axis,
    pub lines: Vec<Series>,
    pub marks: Vec<Mark>,
}

impl Plot {
    pub fn new(id: &'static str, name: Text, along: Axis, up: Axis) -> Self {
        Self { id: Cow::Borrowed(id), name, along, up, lines: Vec::new(), marks: Vec::new() }
    }

    /// A further line. Points that a coarse step gave twice are left out; a line without points is none.
    #[must_use]
    pub fn line(mut self, id: &'static str, name: Text, mut points: Vec<(f64, f64)>) -> Self {
        points.dedup_by(|next, point| next.0 <= point.0);
        if !points.is_empty() {
            self.lines.push(Series { id: Cow::Borrowed(id), name, points });
        }
        self
    }

    /// A further named point.
    #[must_use]
    pub fn marking(mut self, id: &'static str, name: Text, (x, y): (f64, f64)) -> Self {
        self.marks.push(Mark { id: Cow::Borrowed(id), name, x, y });
        self
    }

    /// The named point of that id.
    pub fn mark(&self, id: &str) -> Option<&Mark> {
        self.marks.iter().find(|mark| mark.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_rises_and_an_empty_one_is_left_out() {
        let name = || Text::new("x", "x");
        let axis = || Axis::linear(name(), Measure::Count);
        let plot = Plot::new("x", name(), axis(), axis())
            .line("x", name(), vec![(1.0, 2.0), (1.0, 3.0), (2.0, 4.0)])
            .line("y", name(), Vec::new());
        assert_eq!(plot.lines.len(), 1);
        assert_eq!(plot.lines[0].points, [(1.0, 2.0), (2.0, 4.0)]);
    }
}
