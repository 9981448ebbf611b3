//! What the kernels of a PTX text take, so that a launch is checked before the driver reads its arguments.

/// Of one entry point: the size of each parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature(Vec<u64>);

/// The parameters of the entry point `name`; `None` where the text has no such entry.
pub fn read(ptx: &str, name: &str) -> Option<Signature> {
    let mut rest = ptx;
    loop {
        let (_, after) = rest.split_once(".entry")?;
        rest = after;
        let Some((found, params)) = after.trim_start().split_once(['(', '{', '.', '\n']) else { continue };
        if found.trim() == name {
            // Without a bracket there is nothing to give.
            let open = after.trim_start()[found.len()..].starts_with('(');
            let list = if open { params.split_once(')').map_or("", |(list, _)| list) } else { "" };
            return Some(Signature(list.split(',').filter_map(|param| bytes(param.trim())).collect()));
        }
    }
}

/// `.param .u64 name`, `.param .align 8 .b8 name[24]`
fn bytes(param: &str) -> Option<u64> {
    let words: Vec<&str> = param.strip_prefix(".param")?.split_whitespace().collect();
    let name = words.last()?;
    let number = |word: &&str| word.strip_prefix(['.'])?.strip_prefix(['u', 's', 'b', 'f'])?.parse::<u64>().ok();
    let bits = words.iter().find_map(number)?;
    let elements = name.split_once('[').and_then(|(_, size)| size.trim_end_matches(']').parse().ok()).unwrap_or(1);
    (bits / 8).checked_mul(elements)
}

impl Signature {
    /// Whether the driver may read arguments of these sizes as those of the kernel.
    pub fn takes(&self, sizes: impl Iterator<Item = u64>) -> bool {
        self.0.iter().copied().eq(sizes)
    }
}

impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sizes: Vec<String> = self.0.iter().map(|bytes| format!("{bytes} B")).collect();
        write!(f, "({})", sizes.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "
.visible .entry square(
\t.param .u64 square_param_0,
\t.param .u64 .ptr .global square_param_1,
\t.param .u32 square_param_2
)
.maxntid 256, 1, 1
{ ret; }
.visible .entry squares(
\t.param .f32 a,
\t.param .align 8 .b8 b[24]
)
{ ret; }
.entry nothing()
{ ret; }
";

    #[test]
    fn the_parameters_of_an_entry_are_read_from_the_text() {
        for (name, sizes) in [("square", vec![8, 8, 4]), ("squares", vec![4, 24]), ("nothing", vec![])] {
            assert_eq!(read(PTX, name), Some(Signature(sizes)), "{name}");
        }
        for name in ["squar", "", "ret"] {
            assert_eq!(read(PTX, name), None, "{name}");
        }
        assert_eq!(read("", "square"), None);
    }

    #[test]
    fn a_launch_with_other_arguments_is_seen() {
        let square = read(PTX, "square").unwrap();
        assert!(square.takes([8, 8, 4].into_iter()));
        for wrong in [vec![], vec![8, 8], vec![8, 4, 8], vec![8, 8, 4, 4]] {
            assert!(!square.takes(wrong.iter().copied()), "{wrong:?}");
        }
        assert_eq!(square.to_string(), "(8 B, 8 B, 4 B)");
    }
}
