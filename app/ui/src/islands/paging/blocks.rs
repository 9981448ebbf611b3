//! Physical blocks as a grid, and the tables that name them.

use evidence::Lang;
use ledger::paging::{BlockState, Change, PoolView};
use leptos::prelude::*;

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
#[component]
pub fn Blocks(view: PoolView, changes: Vec<Change>, lang: Lang) -> impl IntoView {
    let (count, across) = (view.blocks.len(), columns(view.blocks.len()));
    let (width, height) = (WIDTH / across, if count > NUMBERED { HEIGHT / 2 } else { HEIGHT });
    let rows = (count as u64).div_ceil(across);
    let (size, block_size) = ((width - GAP, height - GAP), view.block);
    let numbered = count <= NUMBERED;
    let cell = |(number, block): (usize, &BlockState)| {
        let (x, y) = (number as u64 % across * width, number as u64 / across * height);
        let filled = (block.filled * size.0).div_ceil(block_size.max(1)).min(size.0);
        let owner = block.owner.map_or_else(|| "o-free".to_owned(), |owner| format!("o-{}", colour(owner)));
        let shared = (block.references > 1)
            .then(|| view! { <rect class="weave" x=x.to_string() y=y.to_string() width=size.0.to_string() height=size.1.to_string() fill="url(#weave)" /> });
        let text = numbered.then(|| {
            let references = if block.references > 1 { format!(" ×{}", block.references) } else { String::new() };
            view! {
                <text x=(x + 10).to_string() y=(y + size.1 / 2 + 12).to_string()>
                    {format!("{number}{references}")}
                </text>
            }
        });
        let class = format!("block {}", touched(number as u32, &changes));
        view! {
            <g class=class>
                <rect class="room" x=x.to_string() y=y.to_string() width=size.0.to_string() height=size.1.to_string() />
                <rect class=owner x=x.to_string() y=y.to_string() width=filled.to_string() height=size.1.to_string() />
                {shared}
                {text}
            </g>
        }
    };
    let cells = view.blocks.iter().enumerate().map(cell).collect_view();
    let shared = view.blocks.iter().filter(|block| block.references > 1).count();
    let label = match lang {
        Lang::Zh => format!("{count} 个物理块：占用 {}，共享 {shared}", view.used()),
        Lang::En => format!("{count} physical blocks: {} in use, {shared} shared", view.used()),
    };
    view! {
        <figure class="blocks">
            <figcaption>{label.clone()}</figcaption>
            <svg viewBox=format!("0 0 {WIDTH} {}", (rows * height).max(1)) role="img" aria-label=label>
                <defs>
                    <pattern id="weave" width="16" height="16" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                        <rect class="stripe" width="5" height="16" />
                    </pattern>
                </defs>
                {cells}
            </svg>
            <ul class="legend">
                <li>{lang.pick("颜色：第一个使用它的序列", "Colour: the first sequence that uses it")}</li>
                <li>{lang.pick("斜纹与 ×n：n 个序列共享", "Hatched and ×n: shared by n sequences")}</li>
                <li>{lang.pick("色宽：已写入的槽", "Width of the colour: slots with a token")}</li>
                <li>{lang.pick("粗框：这一步新取、复制或归还", "Thick frame: taken, copied or returned in this step")}</li>
            </ul>
        </figure>
    }
    .into_any()
}

/// Logical to physical, sequence by sequence.
#[component]
pub fn Tables(view: PoolView, lang: Lang) -> impl IntoView {
    let row = |(number, sequence): (usize, &ledger::paging::SequenceView)| {
        let blocks = sequence
            .table
            .iter()
            .take(LISTED)
            .map(|block| {
                let references = view.blocks.get(*block as usize).map_or(0, |block| block.references);
                let class = if references > 1 { "shared" } else { "" };
                let text = if references > 1 { format!("{block}×{references}") } else { block.to_string() };
                view! { <b class=class>{text}</b> " " }
            })
            .collect_view();
        let more = (sequence.table.len() > LISTED).then(|| format!("… +{}", sequence.table.len() - LISTED));
        let empty = sequence.table.len() as u64 * view.block - sequence.tokens;
        view! {
            <tr>
                <td>
                    <i class=format!("swatch o-{}", colour(number))></i>
                    {name(number).to_string()}
                </td>
                <td class="n">{sequence.tokens.to_string()}</td>
                <td class="n">{empty.to_string()}</td>
                <td class="map">{blocks} {more}</td>
            </tr>
        }
    };
    let rows = view.living().map(row).collect_view();
    view! {
        <div class="table" tabindex="0">
            <table class="maps">
                <thead>
                    <tr>
                        <th>{lang.pick("序列", "Sequence")}</th>
                        <th class="n">"token"</th>
                        <th class="n">{lang.pick("尾块空槽", "Empty at the end")}</th>
                        <th>{lang.pick("块表：逻辑块 0、1、2 … → 物理块", "Block table: logical 0, 1, 2 … → physical")}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
