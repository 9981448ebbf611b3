//! FlashAttention: shared memory of a tile, traffic against the standard kernels.

use super::{Answer, Calculator, Given};
use crate::{
    LedgerError, Text,
    calculators::{
        Axis, Measure, Plot, Sheet, Tiles,
        attention::{flash_term, score_term, standard_term},
        input::{choice, dtype, whole},
    },
    formula::n,
    units::KIB,
};

/// Rows of a tile at most.
const MOST_ROWS: u64 = 4096;

pub(super) fn calculator() -> Calculator {
    let rows = |id, zh, en, default| whole(id, (zh, en), "", default, 1, MOST_ROWS);
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
    let largest = most_rows(&tiles, shared);
    sheet.count("largest_rows", ("放得下的最大 Q 行数", "Most query rows that fit"), n(largest))?;
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
    sheet.plots =
        vec![budget(&tiles, shared, largest), by_rows(heads, seq, &tiles, largest), by_length(heads, seq, &tiles)];
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

/// The most query rows with which the tile fits; 0 where one row is too many already.
fn most_rows(tiles: &Tiles, shared: u64) -> u64 {
    let fits = |rows: u64| {
        let tile = Tiles { query_rows: rows, ..*tiles }.shared_memory();
        tile.is_ok_and(|tile| tile <= shared)
    };
    let (mut fitting, mut above) = (0, MOST_ROWS + 1);
    while above - fitting > 1 {
        let middle = fitting.midpoint(above);
        if fits(middle) { fitting = middle } else { above = middle }
    }
    fitting
}

/// Powers of two from 16 rows to beyond what is chosen and what fits, and those two themselves.
fn rows_shown(chosen: u64, largest: u64) -> Vec<u64> {
    let end = chosen.max(largest).max(128).next_power_of_two().min(MOST_ROWS);
    let mut rows: Vec<u64> = (4..=12).map(|power| 1 << power).filter(|rows| *rows <= end).collect();
    rows.extend([chosen, largest.max(1)]);
    rows.sort_unstable();
    rows
}

/// Points of a line; a length whose bytes no longer fit 64 bits has none.
fn points(along: &[u64], value: impl Fn(u64) -> Result<u64, LedgerError>) -> Vec<(f64, f64)> {
    along.iter().filter_map(|at| Some((*at as f64, value(*at).ok()? as f64))).collect()
}

fn rows_axis() -> Axis {
    Axis::logarithmic(Text::new("Q 分块的行数", "Rows of a query tile"), Measure::Count)
}

fn budget(tiles: &Tiles, shared: u64, largest: u64) -> Plot {
    let tile = |rows: u64| Tiles { query_rows: rows, ..*tiles }.shared_memory();
    let rows = rows_shown(tiles.query_rows, largest);
    let ends = [rows[0], rows[rows.len() - 1]];
    let up = Axis::linear(Text::new("一个线程块的共享内存", "Shared memory of one block"), Measure::Bytes);
    let plot = Plot::new("shared_memory", Text::new("共享内存预算", "Shared memory budget"), rows_axis(), up)
        .line("tile", Text::new("分块", "Tile"), points(&rows, tile))
        .line("limit", Text::new("一个 SM 的共享内存", "Shared memory of one SM"), points(&ends, |_| Ok(shared)));
    mark_rows(plot, tiles.query_rows, largest, tile)
}

fn by_rows(heads: u64, seq: u64, tiles: &Tiles, largest: u64) -> Plot {
    let standard = || (n(heads) * standard_term(seq, tiles.head_dim, tiles.dtype)).finish("standard");
    let flash = |rows: u64| Ok((n(heads) * flash_term(seq, tiles.head_dim, rows, tiles.dtype)).finish("flash")?.0);
    let rows = rows_shown(tiles.query_rows, largest);
    let ends = [rows[0], rows[rows.len() - 1]];
    let name = Text::new("显存流量与分块", "Traffic against the tile");
    let plot = Plot::new("traffic_by_rows", name, rows_axis(), traffic_axis())
        .line("flash", Text::new("分块", "Tiled"), points(&rows, flash))
        .line("standard", Text::new("标准实现", "Standard"), points(&ends, |_| Ok(standard()?.0)));
    mark_rows(plot, tiles.query_rows, largest, flash)
}

fn traffic_axis() -> Axis {
    Axis::logarithmic(Text::new("显存流量", "Traffic"), Measure::Bytes)
}

fn mark_rows(plot: Plot, chosen: u64, largest: u64, value: impl Fn(u64) -> Result<u64, LedgerError>) -> Plot {
    let at = |rows: u64| value(rows).ok().map(|value| (rows as f64, value as f64));
    let mark = |plot: Plot, id, name: Text, point: Option<(f64, f64)>| match point {
        Some(point) => plot.marking(id, name, point),
        None => plot,
    };
    let plot = mark(plot, "chosen", Text::new("所选分块", "The chosen tile"), at(chosen));
    let fits = Text::new("放得下的最大分块", "The largest tile that fits");
    mark(plot, "largest", fits, (largest > 0).then(|| at(largest)).flatten())
}

/// Four doublings to each side of the chosen length.
fn by_length(heads: u64, seq: u64, tiles: &Tiles) -> Plot {
    let standard = |seq| Ok((n(heads) * standard_term(seq, tiles.head_dim, tiles.dtype)).finish("standard")?.0);
    let flash =
        |seq| Ok((n(heads) * flash_term(seq, tiles.head_dim, tiles.query_rows, tiles.dtype)).finish("flash")?.0);
    let mut lengths: Vec<u64> = (0..=8).map(|power| seq.saturating_mul(1 << power).div_ceil(16)).collect();
    lengths.dedup();
    let along = Axis::logarithmic(Text::new("序列长度（token）", "Sequence (tokens)"), Measure::Count);
    let name = Text::new("显存流量与序列长度", "Traffic against the sequence");
    let mut plot = Plot::new("traffic_by_sequence", name, along, traffic_axis())
        .line("flash", Text::new("分块", "Tiled"), points(&lengths, flash))
        .line("standard", Text::new("标准实现", "Standard"), points(&lengths, standard));
    let here = [
        ("standard", Text::new("标准实现，所选长度", "Standard, the chosen length"), standard(seq)),
        ("flash", Text::new("分块，所选长度", "Tiled, the chosen length"), flash(seq)),
    ];
    for (id, name, bytes) in here {
        if let Ok(bytes) = bytes {
            plot = plot.marking(id, name, (seq as f64, bytes as f64));
        }
    }
    plot
}
