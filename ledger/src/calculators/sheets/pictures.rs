//! Pictures as tokens.

use super::{Answer, Calculator, Given};
use crate::{
    Text,
    calculators::{
        Sheet,
        input::{choice, dtype, model, whole},
    },
    formula::n,
    inference,
};

pub(super) fn calculator() -> Calculator {
    Calculator {
        id: "image_tokens",
        name: Text::new("图像的 token 数", "Tokens of images"),
        inputs: vec![
            whole("width", ("宽", "Width"), "px", 336, 1, 1 << 16),
            whole("height", ("高", "Height"), "px", 336, 1, 1 << 16),
            whole("patch", ("图块边长", "Side of a patch"), "px", 14, 1, 1024),
            whole("merge", ("每边合并的图块数", "Patches merged per side"), "", 1, 1, 64),
            choice(
                "class_token",
                ("类别 token（CLS）", "Class token (CLS)"),
                "no",
                vec![("no", ("无", "no")), ("yes", ("有", "yes"))],
            ),
            whole("pictures", ("图像数", "Images"), "", 1, 1, 1 << 20),
            model("Llama-3.1-8B", |_| true),
            dtype("cache", ("KV 格式", "Format of the cache"), "bf16"),
            whole("encoder", ("编码器的参数", "Parameters of the encoder"), "", 304_000_000, 0, 1 << 40),
        ],
        compute,
    }
}

fn compute(given: &Given) -> Answer {
    let patch = given.whole("patch")? * given.whole("merge")?;
    let (across, down) = (given.whole("width")? / patch, given.whole("height")? / patch);
    let class = u64::from(given.choice("class_token")? == "yes");
    let (model, cache, pictures) = (given.model()?, given.dtype("cache")?, given.whole("pictures")?);
    model.validate()?;
    let mut sheet = Sheet::default();
    let grid = n(across) * n(down);
    let tokens = sheet.count(
        "tokens",
        ("一幅图的 token 数", "Tokens of one image"),
        if class == 1 { grid + n(1) } else { grid },
    )?;
    let all = sheet.count("all", ("所有图的 token 数", "Tokens of all images"), n(pictures) * n(tokens))?;
    sheet.bytes("cache", ("它们的 KV", "Their cache"), inference::kv_term(model, cache, 1, all))?;
    sheet.bytes("encoder", ("FP16 编码器", "Encoder in FP16"), n(given.whole("encoder")?).of_bits(16))?;
    let pixels = given.whole("patch")?;
    let scores = n(across * given.whole("merge")?) * n(down * given.whole("merge")?);
    sheet.count("patches", ("编码器看到的图块", "Patches that the encoder sees"), scores)?;
    sheet.bytes(
        "patch",
        ("一个图块的像素（RGB，8 位）", "Pixels of one patch (RGB, 8 bits)"),
        n(pixels) * n(pixels) * n(3),
    )?;
    sheet.assume("边缘不足一块的像素舍去", "Pixels at the edge that fill no patch are dropped");
    sheet.assume(
        "不切图、不缩放；会把高分辨率图像切开的模型，每一片分别计算",
        "No tiling and no resizing: for models that tile, count each tile",
    );
    sheet.assume(
        "编码器默认 3.04 亿参数，约为 ViT-L/14 的大小",
        "The encoder's default, 304 million parameters, is about a ViT-L/14",
    );
    Ok(sheet)
}
