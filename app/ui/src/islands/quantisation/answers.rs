//! What the page on quantisation answers: the verdict, histograms, every granularity beside the others.

use evidence::Lang;
use ledger::formats::{Code, Loss};
use ledger::{Text, units};

use crate::chart::{Ladder, histograms};
use crate::islands::parts;
use crate::islands::table::framed;
use crate::markup::Markup;
use crate::state::quantisation::Shown;
use crate::state::{QuantisationState, pick};

pub fn write(out: &mut Markup, state: &QuantisationState, shown: &Shown, lang: Lang) {
    let chosen = &shown.chosen;
    let ratio = 2.0 * numbers(shown) as f64 / chosen.loss.bytes as f64;
    let figures = [
        (lang.pick("信噪比", "Signal to noise"), decibel(&chosen.loss)),
        (lang.pick("均方误差", "Mean squared error"), units::significant(chosen.loss.mean_square)),
        (lang.pick("最大误差", "Largest error"), units::significant(chosen.loss.max_error)),
        (lang.pick("字节", "Bytes"), units::human_binary(chosen.loss.bytes)),
        (lang.pick("BF16 ÷ 它", "BF16 ÷ this"), format!("{ratio:.2}")),
    ];
    out.leaf("p", &[("class", "ask")], &pick(&verdict(state, shown), lang));
    out.element("output", &[("class", "answer"), ("aria-live", "polite")], &mut |out| {
        figures.iter().for_each(|(name, value)| parts::number(out, name, "", value, ""));
    });
    let mut ladders = vec![Ladder { name: lang.pick("码的取值", "Levels"), levels: &chosen.coarsest }];
    if chosen.coarsest != chosen.finest {
        ladders[0].name = lang.pick("最大的尺度", "Largest scale");
        ladders.push(Ladder { name: lang.pick("最小的尺度", "Smallest scale"), levels: &chosen.finest });
    }
    histograms(out, &chosen.before, &chosen.after, &ladders, lang);
    losses(out, state.code, shown, lang);
    parts::assumptions(out, &assumptions(), lang);
}

fn numbers(shown: &Shown) -> u64 {
    shown.rows.saturating_mul(shown.columns)
}

/// What the outlier did to all the others, in one sentence.
fn verdict(state: &QuantisationState, shown: &Shown) -> Text {
    let (how, code) = (shown.chosen.loss.granularity.name(), state.code.name());
    let levels = units::group(shown.chosen.levels);
    if state.factor == 1 || shown.columns == 1 {
        return Text::new(
            format!("{}，{}：读回 {levels} 个不同的取值。", how.zh, code.zh),
            format!("{}, {}: {levels} different values are read back.", how.en, code.en),
        );
    }
    let (channel, factor) = (units::group(shown.channel), units::group(state.factor));
    let (others, used) = (units::group(shown.columns - 1), units::group(shown.others));
    Text::new(
        format!(
            "{}，{}：第 {channel} 列放大 {factor} 倍之后，其余 {others} 列只读回 {used} 个不同的取值。",
            how.zh, code.zh
        ),
        format!(
            "{}, {}: with column {channel} made {factor} times larger, {used} different values are read back from the other {others} columns.",
            how.en, code.en
        ),
    )
}

fn decibel(loss: &Loss) -> String {
    loss.signal_to_noise_db.map_or_else(|| "∞".to_owned(), |decibel| format!("{decibel:.1} dB"))
}

/// Small bars hold signal to noise and bytes against the largest.
fn losses(out: &mut Markup, code: Code, shown: &Shown, lang: Lang) {
    let count = units::group(numbers(shown));
    let best = shown.losses.iter().filter_map(|loss| loss.signal_to_noise_db).fold(0.0, f64::max);
    let most = shown.losses.iter().map(|loss| loss.bytes).max().unwrap_or(1);
    let labels = [
        lang.pick("粒度", "Granularity"),
        lang.pick("均方误差", "Mean squared error"),
        lang.pick("最大误差", "Largest error"),
        lang.pick("信噪比", "Signal to noise"),
        lang.pick("字节（含尺度）", "Bytes with scales"),
        lang.pick("公式", "Formula"),
    ];
    out.leaf("h2", &[], lang.pick("每种粒度", "Granularity by granularity"));
    framed(out, "losses", &mut |out| {
        out.element("thead", &[], &mut |out| {
            out.element("tr", &[], &mut |out| {
                labels.iter().for_each(|label| out.leaf("th", &[("scope", "col")], label))
            });
        });
        out.element("tbody", &[], &mut |out| {
            for loss in &shown.losses {
                let current = loss.granularity == shown.chosen.loss.granularity;
                out.element("tr", &[("aria-current", if current { "true" } else { "false" })], &mut |out| {
                    out.leaf("th", &[("scope", "row")], &pick(&loss.granularity.name(), lang));
                    out.leaf("td", &[("class", "n"), ("data-label", labels[1])], &units::significant(loss.mean_square));
                    out.leaf("td", &[("class", "n"), ("data-label", labels[2])], &units::significant(loss.max_error));
                    let signal = loss.signal_to_noise_db.map_or(1.0, |decibel| decibel / best.max(1e-9));
                    bar(out, labels[3], &decibel(loss), signal, "o-activation");
                    bar(out, labels[4], &units::group(loss.bytes), loss.bytes as f64 / most as f64, "o-parameter");
                    out.leaf("td", &[("class", "formula"), ("data-label", labels[5])], &formula(code, loss, &count));
                });
            }
        });
    });
}

/// A cell with a number and a bar under it.
fn bar(out: &mut Markup, label: &str, text: &str, share: f64, class: &str) {
    let width = format!("{:.1}", share.clamp(0.0, 1.0) * 1000.0);
    out.element("td", &[("class", "n"), ("data-label", label)], &mut |out| {
        out.leaf("span", &[], text);
        let drawing = [
            ("class", "bar-line"),
            ("viewBox", "0 0 1000 20"),
            ("preserveAspectRatio", "none"),
            ("aria-hidden", "true"),
        ];
        out.element("svg", &drawing, &mut |out| {
            out.leaf("rect", &[("class", class), ("width", &width), ("height", "20")], "");
        });
    });
}

fn formula(code: Code, loss: &Loss, numbers: &str) -> String {
    let (bits, scales) = (code.bits(), units::group(loss.scales));
    let mut formula = format!("{numbers} × {bits} b");
    if loss.scales > 0 {
        formula += &format!(" + {scales} × 4 B");
        if code.has_zero_point() {
            formula += &format!(" + {scales} × {bits} b");
        }
    }
    formula
}

fn assumptions() -> Vec<Text> {
    [
        (
            "没有粘贴时是服从正态分布、方差为 1 的数；种子相同，数就相同",
            "Without a paste: normal numbers of variance 1; the same seed gives the same numbers",
        ),
        (
            "尺度由极值确定，不裁剪、不校准；恰在中间时舍入到偶数，NF4 取较低的一个",
            "Scales follow the extremes, without clipping or calibration; ties go to even, of NF4 to the lower level",
        ),
        ("“不缩放”时超出编码范围的数取最大值", "Without a scale, what is beyond the code saturates"),
        (
            "每个尺度 4 字节，零点与编码同宽；打包、对齐与内核不计",
            "A scale takes 4 bytes, a zero point the width of a code; packing, alignment and kernels are left out",
        ),
        (
            "这是存储的误差，在 CPU 上算出；模型的质量要用任务来测",
            "This is the error of storage, computed on a CPU; the quality of a model takes a task to measure",
        ),
    ]
    .into_iter()
    .map(|(zh, en)| Text::new(zh, en))
    .collect()
}
