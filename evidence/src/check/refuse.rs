//! Files that are no evidence: said once, with the place that says so.

use super::sheet::Sheet;
use crate::Phrase;
use crate::grade::Why;
use crate::read::Locate as _;
use crate::read::{Nearest, nearest};

pub(crate) fn refuse(sheet: &mut Sheet<'_>, why: Why) {
    if why == Why::UnstatedWorkload {
        super::examine(sheet);
    } else {
        super::form::examine(sheet);
    }
    match why {
        Why::UnstatedWorkload => {
            let found = sheet.raw().get("config").map_or_else(|| Phrase::new("没有", "none"), crate::import::describe);
            let message = Phrase::new(
                "config 全是空值：看不出这些数字属于哪个模型、形状和设备；算术可以复核，但不算证据。",
                "Nothing in config has a value: nobody can tell which model, shape and device the numbers belong to. Their arithmetic can be checked, but they are no evidence.",
            );
            let expected = Phrase::new("模型、形状、精度与设备", "model, shape, dtype and device");
            sheet.fail("config_stated", "/config", expected, found, message);
        }
        Why::DryRun => {
            let pointer = crate::import::dry_run_at(sheet.raw()).unwrap_or_default();
            let found = sheet.raw().locate(pointer).map_or_else(|| Phrase::plain("null"), crate::import::describe);
            let message = Phrase::new(
                "这是预检或干跑：没有任何测量，不算证据。",
                "This is a preflight or dry run: nothing was measured, so it is no evidence.",
            );
            sheet.fail("dry_run", pointer, Phrase::new("真实运行", "a real run"), found, message);
        }
        Why::NoMeasurement | Why::Projection => {
            let (pointer, message) = if why == Why::Projection {
                let pointer = crate::import::projected_at(sheet.raw()).unwrap_or("/evidence_mode");
                (pointer, Phrase::new("这是容量推算，不是测量。", "This is a projection, not a measurement."))
            } else {
                (
                    "/candidates",
                    Phrase::new(
                        "报告里没有任何测量值，不算证据。",
                        "The report holds no measured number: it is no evidence.",
                    ),
                )
            };
            let found =
                sheet.raw().locate(pointer).map_or_else(|| Phrase::new("没有", "none"), crate::import::describe);
            sheet.fail("measured_something", pointer, Phrase::new("测量值", "measured numbers"), found, message);
        }
        Why::UnknownLab => {
            let lab = sheet.doc.report.lab.clone();
            let message = Phrase::new(
                format!("目录里没有实验 {lab:?}，不知道按什么评分。"),
                format!("The catalogue holds no lab {lab:?}: there is nothing to grade it by."),
            );
            sheet.fail("lab_known", "/lab", Phrase::new("目录中的实验", "a lab of the catalogue"), lab, message);
        }
        Why::NotRecognised => not_recognised(sheet),
        Why::ShapeNotGraded => {
            let shape = sheet.doc.shape.id();
            let pointer = ["/schema_version", "/stage"].into_iter().find(|p| sheet.value(p).is_some()).unwrap_or("");
            let message = Phrase::new(
                format!("认出了这份报告（{shape}），但目前还不能给它评分；这不代表它有错。"),
                format!("This report is recognised ({shape}) and not graded yet; that does not mean it is wrong."),
            );
            let expected: Vec<&str> = crate::Shape::GRADED.iter().map(|shape| shape.id()).collect();
            sheet.fail("shape_graded", pointer, expected.join(" | "), shape, message);
        }
    }
}

/// Names the nearest shape and the fields that are missing for it.
fn not_recognised(sheet: &mut Sheet<'_>) {
    let keys = sheet.raw().as_object().map(|map| map.keys().take(KEYS).map(String::as_str).collect::<Vec<_>>());
    let found = crate::import::quotable(&keys.unwrap_or_default().join(", "));
    let (expected, message) = match nearest(sheet.raw()) {
        Some(Nearest { shape, missing }) => {
            let (shape, missing) = (shape.id(), missing.join(", "));
            let message = Phrase::new(
                format!("没有认出这份报告的形状；原文已保留。最接近的是 {shape}，还缺 {missing}。"),
                format!(
                    "The shape of this report is not recognised; it is kept as it is. The nearest is {shape}, which lacks {missing}."
                ),
            );
            (missing, message)
        }
        None => {
            let message = Phrase::new(
                "没有认出这份报告的形状，也不接近任何已知形状；原文已保留。",
                "The shape of this report is not recognised and near no known one; it is kept as it is.",
            );
            (format!("schema: {}", crate::SCHEMA), message)
        }
    };
    sheet.fail("shape_recognised", "", expected, found, message);
}

/// Keys of the file that are quoted.
const KEYS: usize = 20;
