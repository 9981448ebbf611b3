//! The optimizer floor: what stays alive at `optimizer.step()` whatever happens to activations.

use super::sheet::{Sheet, mib_text};
use crate::import::{Metric, mib, setting};
use crate::read::Locate as _;
use crate::stage::Stage;
use crate::{Phrase, Shape, Training, Workload};

/// What a training step keeps, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Floor {
    pub(crate) parameters: u64,
    /// Bytes of one parameter as it is stored.
    pub(crate) width: u64,
    /// Whether the step is taken through PyTorch's multi-tensor ("foreach") path, its default on CUDA. That path needs
    /// one parameter-sized temporary. An assumption: no report records it.
    pub(crate) foreach: bool,
}

impl Floor {
    /// Weights, gradients, Adam's m and v: exact for AdamW with resident gradients.
    pub(crate) fn states(&self) -> u64 {
        self.parameters.saturating_mul(self.width).saturating_mul(4)
    }

    pub(crate) fn temporary(&self) -> u64 {
        self.parameters.saturating_mul(self.width)
    }

    /// With the assumed temporary, where it is assumed.
    pub(crate) fn step(&self) -> u64 {
        self.states().saturating_add(if self.foreach { self.temporary() } else { 0 })
    }
}

/// The workload whose floor applies: the report's own, or that of the 76 it decides on.
pub(crate) fn workload<'a>(sheet: &Sheet<'a>) -> Option<&'a Training> {
    let own = sheet.training()?;
    if own.model.is_some() || !sheet.doc.is_stage(Stage::Budget) {
        return Some(own);
    }
    match super::linked::source(sheet).map(|doc| &doc.report.workload) {
        Some(Workload::Training(training)) => Some(training),
        _ => Some(own),
    }
}

/// The floor of a workload, where model, dtype and optimizer are known to have one.
pub(crate) fn of(sheet: &Sheet<'_>) -> Option<Floor> {
    let training = workload(sheet)?;
    let optimizer: String =
        training.optimizer.as_deref()?.to_ascii_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    // Whoever keeps less than two moments for every parameter has another name; so has a run that trains adapters only.
    let adamw = optimizer.trim_start_matches("torchoptim").replace("foreach", "").replace("fused", "");
    if !ADAMW.contains(&adamw.as_str()) || says(sheet.raw(), &ADAPTERS) {
        return None;
    }
    // In eight bits gradients and moments have other widths than the weights.
    let (parameters, width) = parameters(training).filter(|(_, width)| *width > 1)?;
    let flag = |name: &str| setting(sheet.raw(), &[name]).and_then(|(_, value)| value.as_bool());
    let foreach = !optimizer.contains("fused") && flag("foreach") != Some(false) && flag("fused") != Some(true);
    let floor = Floor { parameters, width, foreach };
    // A measured peak below it refutes the assumption for this run.
    let lowest = sheet.candidates().filter_map(|(candidate, _)| candidate.metrics.peak_allocated_bytes).min();
    let refuted = foreach && lowest.is_some_and(|peak| peak.saturating_add(1 << 20) < floor.step());
    Some(Floor { foreach: foreach && !refuted, ..floor })
}

/// How many parameters the model has, and the bytes of one as it is stored.
fn parameters(training: &Training) -> Option<(u64, u64)> {
    let width = match training.param_dtype.as_deref()? {
        "fp32" => 4,
        "bf16" | "fp16" => 2,
        "fp8" | "float8_e4m3fn" | "float8_e5m2" => 1,
        _ => return None,
    };
    Some((crate::model::named(training.model.as_deref()?)?.parameters().ok()?, width))
}

/// Names under which AdamW and Adam keep two moments for every parameter.
const ADAMW: [&str; 6] = ["adamw", "adam", "adamwtorch", "adamtorch", "torchadamw", "pytorchadamw"];

/// Words of a configuration under which only adapters are trained.
const ADAPTERS: [&str; 3] = ["lora", "peft", "adapter"];

/// Whether a configuration says one of the words, as a key that is not turned off or as a value.
fn says(raw: &serde_json::Value, words: &[&str]) -> bool {
    let within = |block: &serde_json::Value| {
        block.as_object().is_some_and(|map| {
            map.iter().any(|(key, value)| {
                let key = key.to_ascii_lowercase();
                let named = words.iter().any(|word| key.contains(word)) && !value.is_null() && value != false;
                let method = value.as_str().map(str::to_ascii_lowercase);
                named || method.is_some_and(|text| words.iter().any(|word| text.contains(word)))
            })
        })
    };
    ["/config", "/experiment"].iter().any(|home| raw.locate(home).is_some_and(within))
}

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    if sheet.strategy().is_none() && sheet.pair().is_none() {
        return;
    }
    let Some(floor) = of(sheet) else {
        unknown_model(sheet);
        weights(sheet);
        return;
    };
    peaks(sheet, floor);
    reach(sheet, floor);
}

fn unknown_model(sheet: &mut Sheet<'_>) {
    let Some(training) = workload(sheet) else { return };
    let model = training.model.as_deref();
    if model.is_some_and(|model| crate::model::named(model).is_some()) {
        return; // The model is known; its optimizer or dtype has no floor of this kind.
    }
    // A file that names no model is told so by the checks of its configuration.
    let Some(found) = model else { return };
    let pointer =
        setting(sheet.raw(), &["model_id", "model"]).map_or_else(|| "/workload/training/model".to_owned(), |(p, _)| p);
    let message = Phrase::new(
        "目录里没有这个模型，参数量未知：优化器下限没有计算。",
        "The catalogue does not hold this model, so its parameters are not known: the optimizer floor was not computed.",
    );
    sheet.fail("model_known", &pointer, Phrase::new("目录中的模型", "a model of the catalogue"), found, message);
}

/// Under an optimizer whose states are not known here the weights are still there: a peak below them is impossible.
fn weights(sheet: &mut Sheet<'_>) {
    let held = workload(sheet).and_then(parameters);
    let bound = held.map(|(parameters, width)| (parameters, width, parameters.saturating_mul(width)));
    // Adapters may stand on weights of fewer bits, and a shard or a copy in the host's memory is not the whole.
    let Some((parameters, width, bytes)) = bound.filter(|_| !says(sheet.raw(), &PARTIAL)) else { return };
    let lowest = sheet.candidates().filter_map(|(candidate, place)| {
        let peak = candidate.metrics.peak_allocated_bytes?;
        (peak.saturating_add(1 << 20) < bytes).then(|| (place.metric(Metric::Allocated), peak))
    });
    for (pointer, peak) in lowest.collect::<Vec<_>>() {
        let (count, least) = (ledger::units::group(parameters), mib_text(bytes as f64));
        let message = Phrase::new(
            format!("仅权重就有 {count} 个参数 × {width} B = {least}，无论用什么优化器，峰值都不可能更低。"),
            format!("The weights alone are {count} parameters × {width} B = {least}; no optimizer makes a peak lower."),
        );
        sheet.fail("peak_below_floor", &pointer, format!("≥ {least}"), mib_text(peak as f64), message);
    }
}

/// Words of a configuration under which a device may hold less than the model's weights in their named type.
const PARTIAL: [&str; 8] = ["lora", "peft", "adapter", "zero", "fsdp", "shard", "param_offload", "offload_param"];

fn peaks(sheet: &mut Sheet<'_>, floor: Floor) {
    let states = floor.states();
    let per = floor.width * 4;
    let mut measured = 0;
    for (candidate, place) in sheet.candidates() {
        let Some(peak) = candidate.metrics.peak_allocated_bytes else { continue };
        measured += 1;
        if peak.saturating_add(1 << 20) >= states {
            continue;
        }
        let message = Phrase::new(
            format!(
                "{} 个参数 × {per} B = {}，AdamW 的峰值不可能更低。",
                ledger::units::group(floor.parameters),
                mib_text(states as f64)
            ),
            format!(
                "{} parameters × {per} B = {}; a peak under AdamW cannot be lower.",
                ledger::units::group(floor.parameters),
                mib_text(states as f64)
            ),
        );
        sheet.fail(
            "peak_below_floor",
            &place.metric(Metric::Allocated),
            format!("≥ {}", mib_text(states as f64)),
            mib_text(peak as f64),
            message,
        );
    }
    if measured > 0 && !sheet.has_failed("peak_below_floor") {
        let bound = mib_text(states as f64);
        sheet.pass(
            "peak_below_floor",
            sheet.measured_at(),
            format!("{measured} 个峰值都不低于权重、梯度与 Adam 状态之和 {bound}。"),
            format!("{measured} of {measured} peaks are above weights, gradients and Adam state, {bound}."),
        );
    }
}

fn reach(sheet: &mut Sheet<'_>, floor: Floor) {
    if sheet.has_failed("peak_below_floor") {
        return;
    }
    let (pointer, threshold) = match sheet.pair() {
        Some(pair) => ("/summary/peak_mem_delta_mb", pair.min_memory_mib),
        None => {
            let limit = sheet.limits.min_memory_saving_bytes.unwrap_or(crate::decide::MIN_SAVING_BYTES);
            ("/summary/memory_saving_mb", mib(limit))
        }
    };
    let pointer = if sheet.doc.shape == Shape::V1 { "/budget/min_memory_saving_bytes" } else { pointer };
    let Some(baseline) = sheet.baseline().and_then(|(baseline, _)| baseline.metrics.peak_allocated_bytes) else {
        return;
    };
    let most = mib(baseline) - mib(floor.step());
    let (most_text, threshold_text) = (super::sheet::short(most.max(0.0), 1), super::sheet::short(threshold, 1));
    let bound = format!(
        "{} × {} B = {}",
        ledger::units::group(floor.parameters),
        floor.width * if floor.foreach { 5 } else { 4 },
        mib_text(floor.step() as f64)
    );
    if most >= threshold {
        sheet.pass(
            "optimizer_floor",
            pointer,
            format!("激活策略最多能省 {most_text} MiB（基线减 {bound}），阈值 {threshold_text} 可以达到。"),
            format!("An activation strategy can save up to {most_text} MiB (baseline minus {bound}): the threshold {threshold_text} is in reach."),
        );
        return;
    }
    let (assumed_zh, assumed_en) = if floor.foreach {
        (
            format!("其中 {} B/参数是假定 AdamW 走多张量（foreach）路径的临时副本；", floor.width),
            format!(
                " Of these, {} B per parameter are the temporary copy of AdamW's multi-tensor (foreach) step, an assumption.",
                floor.width
            ),
        )
    } else {
        (String::new(), String::new())
    };
    let message = Phrase::new(
        format!(
            "任何激活策略在这里最多只能省 {most_text} MiB：阈值 {threshold_text} 达不到；请改变形状或优化器。优化器下限 {bound}。{assumed_zh}不扣分。"
        ),
        format!(
            "The most any activation strategy can save here is {most_text} MiB: the threshold {threshold_text} is out of reach; change the shape or the optimizer. Optimizer floor {bound}.{assumed_en} It costs no points."
        ),
    );
    sheet.fail("optimizer_floor", pointer, format!("≥ {threshold_text} MiB"), format!("≤ {most_text} MiB"), message);
}
