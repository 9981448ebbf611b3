//! Physical blocks as a grid, and the tables that name them.

use evidence::Lang;
use ledger::paging::{Change, PoolView};

use crate::islands::table::headed;
use crate::markup::Markup;

const WIDTH: u64 = 1600;
const HEIGHT: u64 = 84;
const GAP: u64 = 6;
/// Blocks that can carry their number.
const NUMBERED: usize = 128;
/// Blocks of a table that are listed at most.
const LISTED: usize = 96;

/// Colours of the sequences; the same as those of objects, whose names mean nothing here.
const OWNERS: [&str; 8] =
    ["parameter", "activation", "kv-cache", "optimizer-state", "communication", "logits", "gradient", "temporary"];

/// A, B, C …
pub fn name(sequence: usize) -> char {
    char::from(b'A' + u8::try_from(sequence % 26).unwrap_or(0))
}

fn colour(owner: usize) -> &'static str {
    OWNERS[owner % OWNERS.len()]
}

/// Blocks in a row.
fn columns(blocks: usize) -> u64 {
    match blocks {
        0..=32 => 8,
        33..=128 => 16,
        _ => 32,
    }
}

/// What the last step did to a block, as a class.
fn touched(number: u32, changes: &[Change]) -> &'static str {
    let mut class = "";
    for change in changes {
        match change {
            Change::Taken { block, .. } if *block == number => class = "taken",
            Change::Copied { from, to, .. } if *to == number || (*from == number && class.is_empty()) => {
                class = "copied"
            }
            Change::Returned { block } if *block == number => class = "returned",
            _ => {}
        }
    }
    class
}

/// The pool: filled as far as there are tokens, coloured by the first owner, hatched where several share.
pub fn blocks(out: &mut Markup, view: &PoolView, changes: &[Change], lang: Lang) {
    let (count, across) = (view.blocks.len(), columns(view.blocks.len()));
    let shared = view.blocks.iter().filter(|block| block.references > 1).count();
    let label = match lang {
        Lang::Zh => format!("{count} 个物理块：占用 {}，共享 {shared}", view.used()),
        Lang::En => format!("{count} physical blocks: {} in use, {shared} shared", view.used()),
    };
    let height = if count > NUMBERED { HEIGHT / 2 } else { HEIGHT };
    let rows = (count as u64).div_ceil(across);
    let room = format!("0 0 {WIDTH} {}", (rows * height).max(1));
    let legend = [
        lang.pick("颜色：第一个使用它的序列", "Colour: the first sequence that uses it"),
        lang.pick("斜纹与 ×n：n 个序列共享", "Hatched and ×n: shared by n sequences"),
        lang.pick("色宽：已写入的槽", "Width of the colour: slots with a token"),
        lang.pick("粗框：这一步新取、复制或归还", "Thick frame: taken, copied or returned in this step"),
    ];
    out.element("figure", &[("class", "blocks")], &mut |out| {
        out.leaf("figcaption", &[], &label);
        out.element("svg", &[("viewBox", &room), ("role", "img"), ("aria-label", &label)], &mut |out| {
            out.element("defs", &[], &mut weave);
            for (number, block) in view.blocks.iter().enumerate() {
                let place = (number as u64 % across * (WIDTH / across), number as u64 / across * height);
                let size = (WIDTH / across - GAP, height - GAP);
                let class = format!("block {}", touched(number as u32, changes));
                out.element("g", &[("class", &class)], &mut |out| {
                    let filled = (block.filled * size.0).div_ceil(view.block.max(1)).min(size.0);
                    let owner = block.owner.map_or_else(|| "o-free".to_owned(), |owner| format!("o-{}", colour(owner)));
                    rect(out, "room", place, size, "");
                    rect(out, &owner, place, (filled, size.1), "");
                    if block.references > 1 {
                        rect(out, "weave", place, size, "url(#weave)");
                    }
                    if count <= NUMBERED {
                        let (x, y) = ((place.0 + 10).to_string(), (place.1 + size.1 / 2 + 12).to_string());
                        let times =
                            if block.references > 1 { format!(" ×{}", block.references) } else { String::new() };
                        out.leaf("text", &[("x", &x), ("y", &y)], &format!("{number}{times}"));
                    }
                });
            }
        });
        out.element("ul", &[("class", "legend")], &mut |out| {
            legend.iter().for_each(|line| out.leaf("li", &[], line));
        });
    });
}

/// Stripes for what is shared.
fn weave(out: &mut Markup) {
    let pattern = [
        ("id", "weave"),
        ("width", "16"),
        ("height", "16"),
        ("patternUnits", "userSpaceOnUse"),
        ("patternTransform", "rotate(45)"),
    ];
    out.element("pattern", &pattern, &mut |out| {
        out.leaf("rect", &[("class", "stripe"), ("width", "5"), ("height", "16")], "");
    });
}

fn rect(out: &mut Markup, class: &str, (x, y): (u64, u64), (width, height): (u64, u64), fill: &str) {
    let [x, y, width, height] = [x, y, width, height].map(|number| number.to_string());
    let mut all = vec![("class", class), ("x", &x), ("y", &y), ("width", &width), ("height", &height)];
    if !fill.is_empty() {
        all.push(("fill", fill));
    }
    out.leaf("rect", &all, "");
}

/// Logical to physical, sequence by sequence.
pub fn tables(out: &mut Markup, view: &PoolView, lang: Lang) {
    let head = [
        ("", lang.pick("序列", "Sequence")),
        ("n", "token"),
        ("n", lang.pick("尾块空槽", "Empty at the end")),
        ("", lang.pick("块表：逻辑块 0、1、2 … → 物理块", "Block table: logical 0, 1, 2 … → physical")),
    ];
    headed(out, "maps", &head, &mut |out| {
        for (number, sequence) in view.living() {
            let empty = sequence.table.len() as u64 * view.block - sequence.tokens;
            out.element("tr", &[], &mut |out| {
                out.element("td", &[], &mut |out| {
                    out.leaf("i", &[("class", &format!("swatch o-{}", colour(number)))], "");
                    out.text(&name(number).to_string());
                });
                out.leaf("td", &[("class", "n")], &sequence.tokens.to_string());
                out.leaf("td", &[("class", "n")], &empty.to_string());
                out.element("td", &[("class", "map")], &mut |out| {
                    for block in sequence.table.iter().take(LISTED) {
                        match view.blocks.get(*block as usize).map_or(0, |block| block.references) {
                            0 | 1 => out.leaf("b", &[], &block.to_string()),
                            times => out.leaf("b", &[("class", "shared")], &format!("{block}×{times}")),
                        }
                        out.text(" ");
                    }
                    if sequence.table.len() > LISTED {
                        out.text(&format!("… +{}", sequence.table.len() - LISTED));
                    }
                });
            });
        }
    });
}
