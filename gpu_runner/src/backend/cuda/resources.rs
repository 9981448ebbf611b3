//! What a compiled kernel takes of a multiprocessor: registers, shared memory, and what did not fit into registers.

/// Of one kernel, for one architecture.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resources {
    pub kernel: String,
    /// Of each thread.
    pub registers: u64,
    /// Of each block, fixed at compile time.
    pub shared_bytes: u64,
    pub stack_bytes: u64,
    /// Registers that are kept in device memory for want of room: each costs traffic.
    pub spill_store_bytes: u64,
    pub spill_load_bytes: u64,
}

/// Reads what ptxas writes under `-v`, kernels by name.
pub fn read(log: &str) -> Vec<Resources> {
    let mut all: Vec<Resources> = Vec::new();
    for line in log.lines() {
        if let Some(name) = line.split("Compiling entry function '").nth(1).and_then(|rest| rest.split('\'').next()) {
            all.push(Resources { kernel: name.to_owned(), ..Resources::default() });
        }
        let Some(last) = all.last_mut() else { continue };
        for part in line.split(',') {
            let words: Vec<&str> = part.split_whitespace().collect();
            let before = |unit: &[&str]| {
                let at = words.windows(unit.len()).position(|found| found == unit)?;
                words.get(at.checked_sub(1)?)?.parse::<u64>().ok()
            };
            let places = [
                (&["registers"][..], &mut last.registers),
                (&["bytes", "smem"], &mut last.shared_bytes),
                (&["bytes", "stack", "frame"], &mut last.stack_bytes),
                (&["bytes", "spill", "stores"], &mut last.spill_store_bytes),
                (&["bytes", "spill", "loads"], &mut last.spill_load_bytes),
            ];
            for (unit, place) in places {
                if let Some(number) = before(unit) {
                    *place = number;
                }
            }
        }
    }
    all.sort_by(|a, b| a.kernel.cmp(&b.kernel));
    all
}

/// What is said of one kernel of a stranger's source. The compiler prints that source's own messages before the assembler begins, so
/// what looks like the assembler's words in them comes first: the last one counts.
pub fn of(log: &str, kernel: &str) -> Option<Resources> {
    read(log).into_iter().rev().find(|found| is_named(&found.kernel, kernel))
}

/// The most threads of a block that the kernel promises, which stands in its PTX.
pub fn promised_threads(ptx: &str, kernel: &str) -> Option<u64> {
    let entry = ptx.split(".entry ").skip(1).find(|rest| {
        is_named(rest.split(|c: char| c == '(' || c.is_whitespace()).next().unwrap_or_default(), kernel)
    })?;
    let sizes = entry.split('{').next()?.split(".maxntid").nth(1)?.lines().next()?;
    sizes.split(',').try_fold(1u64, |product, size| product.checked_mul(size.trim().parse().ok()?))
}

/// A kernel that is not `extern "C"` has its parameters in its name.
fn is_named(entry: &str, kernel: &str) -> bool {
    entry == kernel || entry.starts_with(&format!("_Z{}{kernel}", kernel.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_assembler_says_is_read() {
        let log = "ptxas info    : 316 bytes gmem
ptxas info    : Compiling entry function 'square' for 'sm_80'
ptxas info    : Function properties for square
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, 372 bytes cmem[0]
ptxas info    : Compiling entry function 'fused' for 'sm_80'
ptxas info    : Function properties for fused
    48 bytes stack frame, 44 bytes spill stores, 40 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 32 bytes smem, 388 bytes cmem[0]
";
        let square = Resources { kernel: "square".to_owned(), registers: 10, ..Resources::default() };
        let fused = Resources {
            kernel: "fused".to_owned(),
            registers: 255,
            shared_bytes: 32,
            stack_bytes: 48,
            spill_store_bytes: 44,
            spill_load_bytes: 40,
        };
        assert_eq!(read(log), [fused, square]);
        assert_eq!(read(""), []);
    }

    #[test]
    fn a_source_that_speaks_like_the_assembler_is_not_believed() {
        let log = "kernel.cu(2): remark #20200-D: #pragma message: \"x
ptxas info    : Compiling entry function '_Z1kPf' for 'sm_80'
ptxas info    : Used 1 registers\"
ptxas info    : Compiling entry function '_Z1kPf' for 'sm_80'
ptxas info    : Used 24 registers
ptxas info    : Compiling entry function '_Z2kkPf' for 'sm_80'
ptxas info    : Used 3 registers
";
        assert_eq!(of(log, "k").unwrap().registers, 24);
        assert_eq!(of(log, "x"), None);
    }

    #[test]
    fn a_promise_is_read_from_the_entry_it_belongs_to() {
        let ptx = ".visible .entry a(\n\t.param .u64 a_0\n)\n{\n}\n.visible .entry _Z1bPf(\n)\n.maxntid 32, 8, 1\n.minnctapersm 2\n{\n}\n";
        for (ptx, kernel, expected) in [
            (ptx, "b", Some(256)),
            (ptx, "a", None),
            (ptx, "c", None),
            (".entry b()\n.maxntid 9999999999, 9999999999, 2\n{", "b", None),
            (".entry b()\n.maxntid", "b", None),
        ] {
            assert_eq!(promised_threads(ptx, kernel), expected, "{kernel}");
        }
    }
}
