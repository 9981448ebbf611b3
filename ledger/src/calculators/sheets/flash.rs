//! FlashAttention: shared memory of a tile, traffic against the standard kernels.

use super::{Answer, Calculator, Given};
use crate::{
    Text,
    calculators::{
        Sheet, Tiles,
        attention::{flash_term, score_term, standard_term},
        input::{choice, dtype, whole},
    },
    formula::n,
    units::KIB,
};

pub(super) fn calculator() -> Calculator {
    let rows = |id, zh, en, default| whole(id, (zh, en), "", default, 1, 4096);
    Calculator {
        id: "flash_attention",
        name: Text::new("FlashAttention 的分块与流量", "FlashAttention: tiles and traffic"),
        inputs: vec![
            whole("seq", ("序列长度", "Sequence"), "tokens", 8192, 1, 1 << 24),
            whole("heads", ("头数 × 批大小", "Heads × batch"), "", 32, 1, 1 << 24),
            rows("head_dim", "头维度", "Head size", 128),
            dtype("dtype", ("数据格式", "Number format"), "bf16"),
            rows("query_rows", "Q 分块的行数", "Rows of a query tile", 128),
            rows("key_rows", "K、V 分块的行数", "Rows of a key tile", 64),
            rows("stages", "K、V 的缓冲级数", "Buffers for keys and values", 1),
            choice(
                "output",
                ("输出分块放在", "The output tile is in"),
                "registers",
                vec![("registers", ("寄存器", "registers")), ("shared", ("共享内存", "shared memory"))],
            ),
            whole("shared_kib", ("每个 SM 的共享内存", "Shared memory of one SM"), "KiB", 228, 1, 4096),
        ],
        compute,
    }
}

fn compute(given: &Given) -> Answer {
    let (seq, heads, head_dim) = (given.whole("seq")?, given.whole("heads")?, given.whole("head_dim")?);
    let tiles = Tiles {
        query_rows: given.whole("query_rows")?,
        key_rows: given.whole("key_rows")?,
        head_dim,
        dtype: given.dtype("dtype")?,
        stages: given.whole("stages")?,
        holds_output: given.choice("output")? == "shared",
    };
    let mut sheet = Sheet::default();
    let tile = sheet.bytes("tile", ("一个线程块的共享内存", "Shared memory of one block"), tiles.term())?;
    let shared = given.whole("shared_kib")? * KIB;
    let fitting = sheet.count(
        "resident",
        ("一个 SM 同时容纳的线程块", "Blocks that one SM holds at once"),
        n(shared / tile.max(1)),
    )?;
    sheet.bytes(
        "scores",
        ("分数矩阵（不再写出）", "Score matrices that are no longer written"),
        n(heads) * score_term(seq, tiles.dtype),
    )?;
    let standard = sheet.bytes(
        "standard",
        ("标准实现的显存流量", "Traffic of the standard kernels"),
        n(heads) * standard_term(seq, head_dim, tiles.dtype),
    )?;
    let flash = sheet.bytes(
        "flash",
        ("分块实现的显存流量", "Traffic with tiles"),
        n(heads) * flash_term(seq, head_dim, tiles.query_rows, tiles.dtype),
    )?;
    sheet.ratio("saved", ("流量：标准 ÷ 分块", "Standard ÷ tiled"), standard, flash);
    // The paper counts numbers, not bytes: M is what one SM's shared memory holds.
    let held = (shared * 8 / tiles.dtype.bits()).max(1);
    sheet.count(
        "bound",
        ("论文给出的访存量级 N²d²/M（元素数）", "Order of the paper, N²d²/M (numbers accessed)"),
        n(heads) * (n(seq) * n(seq) * n(head_dim) * n(head_dim)).ceil_div(held),
    )?;
    sheet.operations(
        "operations",
        ("运算：两者相同", "Operations, equal for both"),
        n(4) * n(heads) * n(seq) * n(seq) * n(head_dim),
    )?;
    if fitting == 0 {
        sheet.decide("分块放不进一个 SM 的共享内存。", "The tile does not fit the shared memory of an SM.");
    } else {
        sheet.decide("分块放得下。", "The tile fits.");
    }
    sheet.assume("前向、无掩码；因果掩码约省一半", "Forward without a mask; a causal one saves about half");
    sheet.assume(
        "标准实现：三个内核，分数写、读，概率写、读",
        "Standard: three kernels; scores are written and read, probabilities written and read",
    );
    sheet.assume(
        "不计 L2 缓存省下的流量；寄存器占用可能先成为限制",
        "What the L2 cache saves is left out; registers may be the tighter limit",
    );
    sheet.assume(
        "这一量级出自 FlashAttention 论文（arXiv 2205.14135，定理 2），M 以元素数计",
        "The order is that of the FlashAttention paper (arXiv 2205.14135, theorem 2), M in numbers",
    );
    Ok(sheet)
}
