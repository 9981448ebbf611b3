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
}
