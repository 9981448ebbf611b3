//! Dates between a form and a timeline: `2026-03-01T09:30`, in UTC.

use evidence::Lang;
use serde::Deserialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use ui::pages::class::DatesTyped;

use crate::credit::{Field, Timeline, TimelineError};
use crate::routes::account::answer::{Trouble, iso};
use crate::store::UtcMs;

/// The fields of a form as they came.
#[derive(Deserialize, Default, Clone)]
#[serde(default)]
pub struct Typed {
    open: String,
    early: String,
    early_percent: String,
    due: String,
    late_percent: String,
    closed: String,
}

/// An instant as a form of a browser writes it; `None` where it is none.
pub fn instant(text: &str) -> Option<UtcMs> {
    let text = text.trim();
    // To the minute, or to the second; a browser sends what was typed.
    let whole = if text.len() == 16 { format!("{text}:00Z") } else { format!("{text}Z") };
    let at = OffsetDateTime::parse(&whole, &Rfc3339).ok()?;
    i64::try_from(at.unix_timestamp_nanos() / 1_000_000).ok().map(UtcMs)
}

/// The same the other way.
pub fn local(at: UtcMs) -> String {
    let text = iso(at);
    let text = text.trim_end_matches('Z');
    text.strip_suffix(":00").filter(|minute| minute.len() == 16).unwrap_or(text).to_owned()
}

impl Typed {
    /// What the form shows again after a mistake.
    pub fn again(self) -> DatesTyped {
        DatesTyped {
            open: self.open,
            early: self.early,
            early_percent: self.early_percent,
            due: self.due,
            late_percent: self.late_percent,
            closed: self.closed,
        }
    }

    pub fn read(&self, lang: Lang) -> Result<Timeline, Trouble> {
        let date = |field: Field, text: &str| match text.trim() {
            "" => Ok(None),
            text => instant(text).map(Some).ok_or_else(|| {
                let say = lang.pick(
                    "不是时刻；例如 2026-03-01T09:30（UTC）。",
                    "Not an instant; such as 2026-03-01T09:30 (UTC).",
                );
                Trouble::field(name(field), say)
            }),
        };
        let percent = |field: Field, text: &str| match text.trim() {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| {
                Trouble::field(name(field), lang.pick("应是整数百分比。", "A percentage is a whole number."))
            }),
        };
        let timeline = Timeline {
            open_ms: date(Field::Open, &self.open)?,
            early_ms: date(Field::Early, &self.early)?,
            early_percent: percent(Field::EarlyPercent, &self.early_percent)?,
            due_ms: date(Field::Due, &self.due)?,
            late_percent: percent(Field::LatePercent, &self.late_percent)?,
            closed_ms: date(Field::Closed, &self.closed)?,
        };
        timeline.check().map_err(|error| trouble(error, lang))?;
        Ok(timeline)
    }
}

/// A timeline as the fields of a form.
pub fn typed(timeline: &Timeline) -> DatesTyped {
    let date = |at: Option<UtcMs>| at.map(local).unwrap_or_default();
    let percent = |percent: Option<i64>| percent.map(|percent| percent.to_string()).unwrap_or_default();
    DatesTyped {
        open: date(timeline.open_ms),
        early: date(timeline.early_ms),
        early_percent: percent(timeline.early_percent),
        due: date(timeline.due_ms),
        late_percent: percent(timeline.late_percent),
        closed: date(timeline.closed_ms),
    }
}

fn name(field: Field) -> &'static str {
    match field {
        Field::Open => "open",
        Field::Early => "early",
        Field::EarlyPercent => "early_percent",
        Field::Due => "due",
        Field::LatePercent => "late_percent",
        Field::Closed => "closed",
    }
}

fn said(field: Field, lang: Lang) -> &'static str {
    match field {
        Field::Open => lang.pick("开放", "opening"),
        Field::Early => lang.pick("提前截至", "end of early"),
        Field::EarlyPercent => lang.pick("提前百分比", "early percentage"),
        Field::Due => lang.pick("到期", "due"),
        Field::LatePercent => lang.pick("迟交百分比", "late percentage"),
        Field::Closed => lang.pick("截止", "closing"),
    }
}

fn trouble(error: TimelineError, lang: Lang) -> Trouble {
    let (field, text) = match error {
        TimelineError::Order { earlier, later } => (
            later,
            match lang {
                Lang::Zh => format!("应晚于「{}」。", said(earlier, lang)),
                Lang::En => format!("This must lie after the {} instant.", said(earlier, lang)),
            },
        ),
        TimelineError::Percent { field, min, max } => (
            field,
            match lang {
                Lang::Zh => format!("应在 {min} 到 {max} 之间。"),
                Lang::En => format!("This is {min} to {max}."),
            },
        ),
        TimelineError::Needs { field, needs } => (
            field,
            match lang {
                Lang::Zh => format!("要同时填写「{}」。", said(needs, lang)),
                Lang::En => format!("This needs the {} as well.", said(needs, lang)),
            },
        ),
    };
    Trouble::field(name(field), text)
}

#[cfg(test)]
mod tests {
    use super::{instant, local};
    use crate::store::UtcMs;

    #[test]
    fn instants_of_forms() {
        for (text, ms, again) in [
            ("2026-03-01T00:00", 1_772_323_200_000, "2026-03-01T00:00"),
            ("2026-03-01T00:00:00", 1_772_323_200_000, "2026-03-01T00:00"),
            ("2026-03-01T00:00:01", 1_772_323_201_000, "2026-03-01T00:00:01"),
            (" 2026-03-01T00:00:01.125 ", 1_772_323_201_125, "2026-03-01T00:00:01.125"),
        ] {
            assert_eq!(instant(text), Some(UtcMs(ms)), "{text}");
            assert_eq!(local(UtcMs(ms)), again);
        }
        for text in
            ["", "2026-03-01", "2026-02-30T00:00", "2026-03-01T24:00", "2026-03-01T00:00Z", "soon", "10000-01-01T00:00"]
        {
            assert_eq!(instant(text), None, "{text:?}");
        }
    }
}
