//! Films as tokens: time dominates.

use super::{Answer, Calculator, Given};
use crate::{
    Text,
    calculators::{
        Axis, Measure, Plot, Sheet,
        input::{dtype, model, whole},
        video_tokens,
    },
    formula::n,
    inference,
};

pub(super) fn calculator() -> Calculator {
    Calculator {
        id: "video_tokens",
        name: Text::new("视频的 token 数", "Tokens of a video"),
        inputs: vec![
            whole("seconds", ("时长", "Length"), "s", 60, 1, 1 << 20),
            whole("frames_per_second", ("每秒采样的帧", "Frames sampled per second"), "", 2, 1, 240),
            whole("tokens_per_frame", ("每帧的 token 数", "Tokens per frame"), "tokens", 256, 1, 1 << 20),
            whole("merged_frames", ("合并成一帧的帧数", "Frames merged into one"), "", 2, 1, 1024),
            whole("compression", ("token 的压缩倍数", "Compression of the tokens"), "", 4, 1, 1 << 16),
            model("Llama-3.1-8B", |_| true),
            dtype("cache", ("KV 格式", "Format of the cache"), "bf16"),
        ],
        compute,
    }
}

fn compute(given: &Given) -> Answer {
    let (seconds, rate) = (given.whole("seconds")?, given.whole("frames_per_second")?);
    let (per_frame, merged) = (given.whole("tokens_per_frame")?, given.whole("merged_frames")?);
    let (compression, model, cache) = (given.whole("compression")?, given.model()?, given.dtype("cache")?);
    model.validate()?;
    let mut sheet = Sheet::default();
    let frames = sheet.count("frames", ("帧", "Frames"), n(seconds) * n(rate))?;
    let term = (n(frames).ceil_div(merged) * n(per_frame)).ceil_div(compression);
    let tokens = sheet.count("tokens", ("token 数", "Tokens"), term)?;
    let plain =
        sheet.count("plain", ("不合并、不压缩", "Without merging and compression"), n(frames) * n(per_frame))?;
    sheet.ratio("saved", ("不压缩 ÷ 压缩", "Plain ÷ compressed"), plain, tokens);
    sheet.bytes("cache", ("它们的 KV", "Their cache"), inference::kv_term(model, cache, 1, tokens))?;
    let points = (1..=10).map(|part| {
        let second = (seconds * part).div_ceil(10);
        Ok((second as f64, video_tokens(second * rate, per_frame, merged, compression)? as f64))
    });
    let name = || Text::new("token 数", "Tokens");
    let along = Axis::linear(Text::new("片长（秒）", "Length of the clip (seconds)"), Measure::Count);
    let plot = Plot::new("tokens", name(), along, Axis::linear(name(), Measure::Count));
    sheet.plots.push(plot.line("tokens", name(), points.collect::<Result<_, crate::LedgerError>>()?));
    sheet.assume(
        "均匀采样；每帧的 token 数相同",
        "Frames are sampled evenly; every frame gives the same number of tokens",
    );
    sheet.assume(
        "先合并相邻帧，再压缩 token，各向上取整",
        "Neighbouring frames are merged first, then tokens compressed, each rounded up",
    );
    Ok(sheet)
}
