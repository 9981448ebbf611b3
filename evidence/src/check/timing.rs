//! Repeats, noise, and times that cannot be compared.

use serde_json::Value;

use super::sheet::{Sheet, mib_text, short};
use crate::import::{Metric, mib};
use crate::stage::Stage;
use crate::{Candidate, Phrase, Shape, Status, Workload};

/// Two runs of one script gave throughput ratios of 0.877 and 0.804.
const RATIO_NOISE: f64 = 0.09;
const RUNS: usize = 3;
/// Peaks closer than this share of the peak, at a clear difference in speed, are a tie.
const TIE: f64 = 0.0025;
const CLEARLY_FASTER: f64 = 1.10;

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    profiled(sheet);
    runs_recorded(sheet);
    runs_are_timing(sheet);
    ratio_near_threshold(sheet);
    best_is_clear(sheet);
}

fn profiled(sheet: &mut Sheet<'_>) {
    let stage = sheet.doc.stage();
    if matches!(stage, Some(Stage::Profile | Stage::Merge)) {
        return; // Under a profiler by nature; `profile_only` says so.
    }
    let flagged = ["/profiled", "/config/profiled"].iter().find(|p| sheet.value(p) == Some(&Value::Bool(true)));
    // One change carries its profile beside the times that validate it.
    let block = ["/profile", "/profiling", "/trace_root"]
        .iter()
        .find(|pointer| stage != Some(Stage::Change) && sheet.value(pointer).is_some());
    let by_candidate = sheet.candidates().find_map(|(_, place)| {
        ["trace_dir", "top_operators"]
            .iter()
            .map(|key| format!("{}/{key}", place.pointer))
            .find(|p| sheet.value(p).is_some())
    });
    let pointer = flagged.or(block).map(|pointer| (*pointer).to_owned()).or(by_candidate);
    if let Some(pointer) = pointer {
        let message = Phrase::new(
            "这些时间是在 profiler 下测的：开销约 40%，不能与普通计时放在一起。",
            "These times were taken under a profiler, which costs about 40%: they do not stand beside ordinary ones.",
        );
        sheet.fail(
            "profiled_times",
            &pointer,
            Phrase::new("不带 profiler", "no profiler"),
            Phrase::plain("profiler"),
            message,
        );
    }
}

fn is_timed(candidate: &Candidate) -> bool {
    matches!(candidate.status, Status::Ok | Status::PartialOom)
        && (candidate.metrics.step_time_ms.is_some() || candidate.metrics.time_ms.is_some())
}

fn runs_recorded(sheet: &mut Sheet<'_>) {
    // 75 copies its numbers from 76 and drops the runs; the linked 76 is asked instead. Times under a profiler are not
    // compared at all, a mechanism page gives a median, and 60 asks for seeds.
    let asked = Some(Stage::Budget) != sheet.doc.stage()
        && !matches!(sheet.doc.stage(), Some(Stage::Profile | Stage::Merge | Stage::Mechanism | Stage::FineTuning));
    if !asked {
        return;
    }
    let timed: Vec<_> = sheet.candidates().filter(|(candidate, _)| is_timed(candidate)).collect();
    let few: Vec<_> = timed.iter().filter(|(_, place)| place.timed_runs().count() < RUNS).collect();
    let Some((_, first)) = few.first() else {
        if !timed.is_empty() {
            let total = timed.len();
            sheet.pass(
                "runs_recorded",
                sheet.measured_at(),
                format!("{total} 个候选都有至少三次重复。"),
                format!("{total} of {total} candidates have at least three runs."),
            );
        }
        return;
    };
    let list = few
        .iter()
        .map(|(candidate, place)| format!("{} {}", candidate.name, place.timed_runs().count()))
        .collect::<Vec<_>>()
        .join(", ");
    let message = Phrase::new(
        "不足三次重复：时间会漂移 4–5%，两个时间之比漂移约 9%，单次不能定论。",
        "Fewer than three runs: times move by 4–5% and a ratio of two by about 9%, so one run decides nothing.",
    );
    let pointer = first.runs_at();
    sheet.fail("runs_recorded", &pointer, Phrase::new("每个候选 ≥ 3 次", "≥ 3 runs each"), list, message);
}

fn runs_are_timing(sheet: &mut Sheet<'_>) {
    for (_, place) in sheet.candidates() {
        let losses: Vec<f64> = place.finished_runs().filter_map(|run| run.loss).collect();
        let [first, rest @ ..] = losses.as_slice() else { continue };
        if !rest.is_empty() && rest.iter().all(|loss| (loss - first).abs() < 1e-9) {
            let count = losses.len();
            let message = Phrase::new(
                format!("{count} 次运行的 loss 都是 {first}：数据没有变，它们是计时重复，不是 {count} 个样本。"),
                format!(
                    "All {count} runs have loss {first}: the data did not change. They repeat the timing and are not {count} samples."
                ),
            );
            let pointer = place.runs_at();
            sheet.fail(
                "runs_are_timing",
                &pointer,
                Phrase::new("不同的 loss", "different losses"),
                format!("{count} × {first}"),
                message,
            );
            return;
        }
    }
}

fn ratio_near_threshold(sheet: &mut Sheet<'_>) {
    let Some(strategy) = sheet.strategy() else { return };
    let (Some(best), Some(baseline), Some(ratio)) = (strategy.best(), strategy.baseline, strategy.ratio) else {
        return;
    };
    if best == baseline {
        return;
    }
    let threshold = sheet.limits.min_throughput_ratio.unwrap_or(crate::decide::MIN_RATIO);
    let runs = |index: usize| sheet.candidate(index).map_or(0, |(_, place)| place.timed_runs().count());
    let near = threshold > 0.0 && (ratio / threshold - 1.0).abs() <= RATIO_NOISE;
    let pointer = if sheet.doc.shape == Shape::V1 { "/candidates" } else { "/summary/throughput_ratio" };
    if near && runs(best).min(runs(baseline)) < RUNS {
        let message = Phrase::new(
            format!("吞吐比 {} 离阈值 {threshold} 不到 9%，又只有单次测量：再跑一次可能落到另一边。", short(ratio, 3)),
            format!(
                "The ratio {} is within 9% of its threshold {threshold} and rests on single runs: another run may fall on the other side.",
                short(ratio, 3)
            ),
        );
        sheet.fail("ratio_near_threshold", pointer, format!("|ratio − {threshold}| > 9%"), short(ratio, 3), message);
    } else {
        sheet.pass(
            "ratio_near_threshold",
            pointer,
            format!("吞吐比 {} 不受噪声左右。", short(ratio, 3)),
            format!("The ratio {} does not hang on noise.", short(ratio, 3)),
        );
    }
}

fn best_is_clear(sheet: &mut Sheet<'_>) {
    let Some(strategy) = sheet.strategy() else { return };
    let Some(best) = strategy.best().and_then(|index| sheet.candidate(index)) else { return };
    let read = |candidate: &Candidate| candidate.metrics.peak_allocated_bytes.zip(candidate.metrics.samples_per_s);
    let Some((peak, rate)) = read(best.0) else { return };
    let rival = strategy.feasible.iter().skip(1).filter_map(|index| sheet.candidate(*index)).find(|(candidate, _)| {
        read(candidate)
            .is_some_and(|(other, faster)| mib(other) - mib(peak) <= mib(peak) * TIE && faster >= rate * CLEARLY_FASTER)
    });
    if let Some((rival, _)) = rival {
        let (other, faster) = read(rival).unwrap_or_default();
        let message = Phrase::new(
            format!(
                "{} 只比 {} 低 {}，后者却快 {} 倍：按峰值选最佳，选的是噪声。",
                best.0.name,
                rival.name,
                mib_text(other.saturating_sub(peak) as f64),
                short(faster / rate, 2)
            ),
            format!(
                "{} is only {} below {}, which is {} times as fast: choosing by peak chooses by noise.",
                best.0.name,
                mib_text(other.saturating_sub(peak) as f64),
                rival.name,
                short(faster / rate, 2)
            ),
        );
        let pointer = best.1.metric(Metric::Allocated);
        sheet.fail("best_is_clear", &pointer, rival.name.as_str(), best.0.name.as_str(), message);
    }
}

/// Whether times belong to a kernel lab.
pub(super) fn is_kernel(sheet: &Sheet<'_>) -> bool {
    matches!(sheet.doc.report.workload, Workload::Kernel(_))
}
