//! Recommenders: embeddings, their optimizer, and the rows that a batch touches.

use super::{Answer, Calculator, Given};
use crate::{
    Text,
    calculators::{
        Sheet,
        input::{choice, decimal, dtype, whole},
    },
    formula::{b, n},
};

pub(super) fn calculator() -> Calculator {
    Calculator {
        id: "recommender_embeddings",
        name: Text::new("推荐系统的嵌入表", "Embeddings of a recommender"),
        inputs: vec![
            whole("tables", ("表数", "Tables"), "", 26, 1, 100_000),
            whole("rows", ("每张表的行数", "Rows per table"), "", 10_000_000, 1, 1 << 40),
            whole("dim", ("维度", "Width"), "", 128, 1, 1 << 16),
            dtype("dtype", ("格式", "Format"), "fp32"),
            choice(
                "optimizer",
                ("优化器", "Optimizer"),
                "rowwise_adagrad",
                vec![
                    ("sgd", ("SGD", "SGD")),
                    ("rowwise_adagrad", ("按行 Adagrad", "row-wise Adagrad")),
                    ("adagrad", ("Adagrad", "Adagrad")),
                    ("adam", ("Adam", "Adam")),
                ],
            ),
            whole("batch", ("批大小", "Samples of a batch"), "", 65_536, 1, 1 << 30),
            whole("lookups", ("每个样本在每张表的查找次数", "Lookups per table and sample"), "", 1, 1, 4096),
            whole("dense", ("稠密部分的参数", "Parameters of the dense part"), "", 2_400_000, 0, 1 << 40),
            decimal("hot", ("缓存在显存里的行所占比例", "Share of the rows cached on the card"), "", 0.05, 0.0, 1.0),
            whole("cards", ("显卡数", "Cards"), "", 8, 1, 65_536),
        ],
        compute,
    }
}

fn compute(given: &Given) -> Answer {
    let (tables, rows, dim) = (given.whole("tables")?, given.whole("rows")?, given.whole("dim")?);
    let (bits, batch, lookups) = (given.dtype("dtype")?.bits(), given.whole("batch")?, given.whole("lookups")?);
    let (dense, cards) = (given.whole("dense")?, given.whole("cards")?);
    let mut sheet = Sheet::default();
    let weights = sheet.bytes("weights", ("嵌入表", "Tables"), (n(tables) * n(rows) * n(dim)).of_bits(bits))?;
    let state = match given.choice("optimizer")? {
        "sgd" => n(0),
        "adagrad" => n(tables) * n(rows) * n(dim) * b(4),
        "adam" => n(2) * n(tables) * n(rows) * n(dim) * b(4),
        _ => n(tables) * n(rows) * b(4),
    };
    let state = sheet.bytes("state", ("优化器状态", "Optimizer states"), state)?;
    let touched = batch.saturating_mul(lookups).min(rows);
    let touched = sheet.count(
        "touched",
        ("一个批次最多触及的行数", "Rows that a batch touches at most"),
        n(tables) * n(touched),
    )?;
    let sparse = sheet.bytes(
        "sparse_gradient",
        ("稀疏梯度：值与 int64 行号", "Sparse gradient: values and int64 rows"),
        (n(touched) * n(dim)).of_bits(bits) + n(touched) * b(8),
    )?;
    sheet.ratio("dense_gradient", ("稠密梯度 ÷ 稀疏梯度", "Dense ÷ sparse gradient"), weights, sparse);
    sheet.bytes("dense", ("稠密部分，FP32 Adam", "The dense part, FP32 Adam"), n(dense) * b(16))?;
    let embedding = tables.saturating_mul(rows).saturating_mul(dim);
    sheet.ratio(
        "share",
        ("嵌入占参数的比例", "Share of the parameters in embeddings"),
        embedding,
        embedding.saturating_add(dense),
    );
    let hot = (rows as f64 * given.decimal("hot")?) as u64;
    sheet.bytes(
        "hot",
        ("缓存的热行（不含优化器状态）", "Hot rows that are cached, without states"),
        (n(tables) * n(hot) * n(dim)).of_bits(bits),
    )?;
    sheet.bytes(
        "per_card",
        ("按行切分后每张卡", "Per card, sharded by rows"),
        (n(weights) + n(state)).ceil_div(cards),
    )?;
    let pooled = (n(batch) * n(tables) * n(dim)).of_bits(bits);
    sheet.bytes("all_to_all", ("前向 all-to-all 的池化向量", "Pooled vectors of the forward all-to-all"), pooled)?;
    sheet.assume(
        "按最坏情况，行号各不相同；热门行会重复，稀疏梯度更小",
        "All rows of a batch differ, the worst case; popular rows repeat and make it smaller",
    );
    sheet.assume(
        "按行 Adagrad：每行一个 FP32；Adagrad、Adam 的状态为 FP32",
        "Row-wise Adagrad: one FP32 number per row; states of Adagrad and Adam are FP32",
    );
    sheet.assume(
        "all-to-all 的字节为全部卡合计，1/卡数 留在本地",
        "The all-to-all's bytes are those of all cards; a share of 1 ÷ cards stays local",
    );
    Ok(sheet)
}
