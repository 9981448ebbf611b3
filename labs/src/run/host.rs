//! Kernels as plain Rust: the reference implementation that the CPU backend runs.
//!
//! Arguments are views that count. A kernel takes rows or a whole buffer from a view, and each hand-over adds the bytes to the
//! counter; what it keeps in locals afterwards is "on chip" and costs nothing. So the counters say what the kernel asked of device
//! memory, not what the CPU's caches turned it into.

use std::cell::Cell;

pub type HostKernel = fn(&mut [HostArg<'_>]) -> Result<(), KernelFault>;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KernelFault {
    #[error("expects the arguments ({expected})")]
    Arguments { expected: &'static str },
    #[error("{name} has {found} elements, expected {expected}")]
    Shape { name: &'static str, expected: usize, found: usize },
}

pub enum HostArg<'a> {
    In(In<'a>),
    Out(Out<'a>),
    U32(u32),
    F32(f32),
}

pub struct In<'a> {
    data: &'a [f32],
    read: &'a Cell<u64>,
}

pub struct Out<'a> {
    data: &'a mut [f32],
    written: &'a Cell<u64>,
}

fn add(counter: &Cell<u64>, elements: usize) {
    counter.set(counter.get().saturating_add(elements as u64 * 4));
}

impl<'a> In<'a> {
    pub fn new(data: &'a [f32], read: &'a Cell<u64>) -> Self {
        Self { data, read }
    }

    /// Checks the length; counts nothing.
    pub fn expect(&self, name: &'static str, elements: usize) -> Result<(), KernelFault> {
        same(name, elements, self.data.len())
    }

    /// Reads the whole buffer.
    pub fn all(&self) -> &'a [f32] {
        add(self.read, self.data.len());
        self.data
    }

    /// Reads the whole buffer as raw words: codes, packed several to a word.
    pub fn words(&self) -> &'a [u32] {
        bytemuck::cast_slice(self.all())
    }

    /// As [`In::rows`], as raw words.
    pub fn word_rows(&self, width: usize) -> impl Iterator<Item = &'a [u32]> + use<'a> {
        self.rows(width).map(bytemuck::cast_slice)
    }

    /// Reads row after row; only rows taken are counted. `width` 0 gives no rows.
    pub fn rows(&self, width: usize) -> impl Iterator<Item = &'a [f32]> + use<'a> {
        let read = self.read;
        self.data.chunks_exact(width.max(1)).inspect(move |row| add(read, row.len()))
    }
}

impl<'a> Out<'a> {
    pub fn new(data: &'a mut [f32], written: &'a Cell<u64>) -> Self {
        Self { data, written }
    }

    pub fn expect(&self, name: &'static str, elements: usize) -> Result<(), KernelFault> {
        same(name, elements, self.data.len())
    }

    pub fn all(&mut self) -> &mut [f32] {
        add(self.written, self.data.len());
        self.data
    }

    pub fn words(&mut self) -> &mut [u32] {
        bytemuck::cast_slice_mut(self.all())
    }

    pub fn word_rows(&mut self, width: usize) -> impl Iterator<Item = &mut [u32]> {
        self.rows(width).map(bytemuck::cast_slice_mut)
    }

    pub fn rows(&mut self, width: usize) -> impl Iterator<Item = &mut [f32]> {
        let written = self.written;
        self.data.chunks_exact_mut(width.max(1)).inspect(move |row| add(written, row.len()))
    }
}

fn same(name: &'static str, expected: usize, found: usize) -> Result<(), KernelFault> {
    if expected == found { Ok(()) } else { Err(KernelFault::Shape { name, expected, found }) }
}

/// The plainest kernel: words as they are, from one buffer into another.
pub fn copy(args: &mut [HostArg<'_>]) -> Result<(), KernelFault> {
    let [HostArg::In(from), HostArg::Out(to), HostArg::U32(words)] = args else {
        return arguments("in from, out to, u32 words");
    };
    from.expect("from", *words as usize)?;
    to.expect("to", *words as usize)?;
    super::operators::map(from.all(), to.all(), |word| word)
}

/// For the `else` branch of a kernel's argument pattern.
pub fn arguments<T>(expected: &'static str) -> Result<T, KernelFault> {
    Err(KernelFault::Arguments { expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_kernel_takes_is_counted_and_nothing_else() {
        let (read, written) = (Cell::new(0), Cell::new(0));
        let (data, mut out) = ([1.0; 12], [0.0; 12]);
        let (input, mut output) = (In::new(&data, &read), Out::new(&mut out, &written));
        let counted = || (read.get(), written.get());
        assert!(input.expect("x", 12).is_ok());
        assert_eq!(counted(), (0, 0), "a length is no traffic");
        assert_eq!(input.rows(4).take(2).map(<[f32]>::len).sum::<usize>(), 8);
        assert_eq!(counted(), (32, 0), "two rows of four were taken");
        input.all();
        output.rows(6).for_each(|row| row.fill(1.0));
        assert_eq!(counted(), (32 + 48, 48));
        output.all();
        assert_eq!(counted(), (80, 96), "taken twice, counted twice");
        assert_eq!(input.rows(0).count(), 12, "a width of 0 does not panic");
        let expected = KernelFault::Shape { name: "y", expected: 3, found: 12 };
        assert_eq!(output.expect("y", 3), Err(expected));
    }
}
