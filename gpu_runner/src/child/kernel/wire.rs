//! What the lab's process and the kernel's process say to each other, in little endian.
//!
//! After its [`KernelTask`], one line of JSON, the kernel's process says that it is ready or why not. Then launch by launch: kernel, grid,
//! block and arguments go one way, the written buffers come back. A reader never takes more than it expects.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Of a message, in bytes.
pub const MESSAGE_BYTES: usize = 512;
/// Of the first line.
pub const TASK_BYTES: u64 = 16 * 1024;
/// More arguments no kernel here has.
const MOST_ARGUMENTS: u32 = 16;
/// 2^28 elements are 1 GiB.
const MOST_ELEMENTS: u64 = 1 << 28;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelTask {
    pub library: PathBuf,
    pub kernels: Vec<String>,
    pub cpu_seconds: u64,
    pub memory_bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    pub grid: [u32; 3],
    pub block: [u32; 3],
}

/// An argument as it is sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pushed<'a> {
    /// Read only: writing to it ends the process.
    In(&'a [f32]),
    Out(&'a [f32]),
    U32(u32),
    F32(f32),
}

impl Pushed<'_> {
    /// Whether a parameter of this letter can take it; see the header for the letters.
    fn letter(self) -> u8 {
        match self {
            Self::In(_) => b'r',
            Self::Out(_) => b'w',
            Self::U32(_) => b'u',
            Self::F32(_) => b'f',
        }
    }
}

/// An argument as it is received: its contents follow in the stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Pulled {
    In(usize),
    Out(usize),
    U32(u32),
    F32(f32),
}

#[derive(Debug, thiserror::Error)]
pub enum WireError {
    #[error("the other end is gone: {}", .0.kind())]
    Io(#[from] io::Error),
    #[error("a message that is none: {0}")]
    Form(&'static str),
}

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The written buffers, in the order of the arguments.
    Done(Vec<Vec<f32>>),
    /// The launch was refused, or could not be carried out.
    Fault(String),
}

const DONE: u8 = 0;
const FAULT: u8 = 1;

pub fn write_launch(
    out: &mut impl Write,
    kernel: u32,
    geometry: Geometry,
    arguments: &[Pushed<'_>],
) -> Result<(), WireError> {
    let mut head = Vec::new();
    head.extend(kernel.to_le_bytes());
    for number in geometry.grid.into_iter().chain(geometry.block) {
        head.extend(number.to_le_bytes());
    }
    let count = u32::try_from(arguments.len()).map_err(|_| WireError::Form("arguments"))?;
    head.extend(count.to_le_bytes());
    out.write_all(&head)?;
    for argument in arguments {
        out.write_all(&[argument.letter()])?;
        match argument {
            Pushed::In(data) | Pushed::Out(data) => {
                out.write_all(&(data.len() as u64).to_le_bytes())?;
                write_floats(out, data)?;
            }
            Pushed::U32(value) => out.write_all(&value.to_le_bytes())?,
            Pushed::F32(value) => out.write_all(&value.to_le_bytes())?,
        }
    }
    out.flush()?;
    Ok(())
}

/// Without its arguments, which the caller takes one by one with [`read_argument`].
pub(super) fn read_launch(input: &mut impl Read) -> Result<(u32, Geometry, u32), WireError> {
    let kernel = read_u32(input)?;
    let mut numbers = [0; 6];
    for number in &mut numbers {
        *number = read_u32(input)?;
    }
    let [gx, gy, gz, bx, by, bz] = numbers;
    let count = read_u32(input)?;
    if count > MOST_ARGUMENTS {
        return Err(WireError::Form("too many arguments"));
    }
    Ok((kernel, Geometry { grid: [gx, gy, gz], block: [bx, by, bz] }, count))
}

pub(super) fn read_argument(input: &mut impl Read) -> Result<Pulled, WireError> {
    let mut letter = [0];
    input.read_exact(&mut letter)?;
    Ok(match letter[0] {
        b'r' => Pulled::In(read_length(input)?),
        b'w' => Pulled::Out(read_length(input)?),
        b'u' => Pulled::U32(read_u32(input)?),
        b'f' => Pulled::F32(f32::from_bits(read_u32(input)?)),
        _ => return Err(WireError::Form("no such kind of argument")),
    })
}

pub(super) fn write_done(out: &mut impl Write, written: &[&[u8]]) -> Result<(), WireError> {
    out.write_all(&[DONE])?;
    written.iter().try_for_each(|bytes| out.write_all(bytes))?;
    out.flush()?;
    Ok(())
}

pub(super) fn write_fault(out: &mut impl Write, message: &str) -> Result<(), WireError> {
    let bytes = &message.as_bytes()[..message.len().min(MESSAGE_BYTES)];
    out.write_all(&[FAULT])?;
    out.write_all(&(bytes.len() as u32).to_le_bytes())?;
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}

/// The answer to a launch, and to the task with no lengths. `lengths` are those of the written buffers; the other side has no say in them.
pub fn read_answer(input: &mut impl Read, lengths: &[usize]) -> Result<Answer, WireError> {
    let mut code = [0];
    input.read_exact(&mut code)?;
    match code[0] {
        DONE => Ok(Answer::Done(lengths.iter().map(|length| read_floats(input, *length)).collect::<Result<_, _>>()?)),
        FAULT => {
            let length = read_u32(input)? as usize;
            if length > MESSAGE_BYTES {
                return Err(WireError::Form("a message too long"));
            }
            let mut bytes = vec![0; length];
            input.read_exact(&mut bytes)?;
            Ok(Answer::Fault(String::from_utf8_lossy(&bytes).chars().filter(|c| !c.is_control()).collect()))
        }
        _ => Err(WireError::Form("neither done nor a fault")),
    }
}

fn read_u32(input: &mut impl Read) -> Result<u32, WireError> {
    let mut bytes = [0; 4];
    input.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

fn read_length(input: &mut impl Read) -> Result<usize, WireError> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    let elements = u64::from_le_bytes(bytes);
    usize::try_from(elements).ok().filter(|_| elements <= MOST_ELEMENTS).ok_or(WireError::Form("a buffer too long"))
}

/// Converted through a block on the stack, so that a buffer is not held twice.
const BLOCK: usize = 4096;

fn write_floats(out: &mut impl Write, data: &[f32]) -> Result<(), WireError> {
    let mut bytes = [0; BLOCK * 4];
    for block in data.chunks(BLOCK) {
        for (four, value) in bytes.chunks_exact_mut(4).zip(block) {
            four.copy_from_slice(&value.to_le_bytes());
        }
        out.write_all(&bytes[..block.len() * 4])?;
    }
    Ok(())
}

fn read_floats(input: &mut impl Read, length: usize) -> Result<Vec<f32>, WireError> {
    let mut data = Vec::with_capacity(length);
    let mut bytes = [0; BLOCK * 4];
    while data.len() < length {
        let block = &mut bytes[..(length - data.len()).min(BLOCK) * 4];
        input.read_exact(block)?;
        data.extend(block.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])));
    }
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_and_its_answer_survive_the_pipe() {
        let (x, y) = ([1.0, f32::MIN_POSITIVE, -0.0], [f32::INFINITY]);
        let geometry = Geometry { grid: [7, 1, 1], block: [256, 2, 1] };
        let mut pipe = Vec::new();
        let arguments = [Pushed::In(&x), Pushed::Out(&y), Pushed::U32(9), Pushed::F32(0.5)];
        write_launch(&mut pipe, 3, geometry, &arguments).unwrap();
        let mut input = pipe.as_slice();
        assert_eq!(read_launch(&mut input).unwrap(), (3, geometry, 4));
        assert_eq!(read_argument(&mut input).unwrap(), Pulled::In(3));
        assert_eq!(read_floats(&mut input, 3).unwrap(), x);
        assert_eq!(read_argument(&mut input).unwrap(), Pulled::Out(1));
        assert_eq!(read_floats(&mut input, 1).unwrap(), y);
        assert_eq!(read_argument(&mut input).unwrap(), Pulled::U32(9));
        assert_eq!(read_argument(&mut input).unwrap(), Pulled::F32(0.5));
        assert!(input.is_empty());

        let mut back = Vec::new();
        write_done(&mut back, &[&2.5f32.to_le_bytes()]).unwrap();
        assert_eq!(read_answer(&mut back.as_slice(), &[1]).unwrap(), Answer::Done(vec![vec![2.5]]));
        assert!(read_answer(&mut back.as_slice(), &[2]).is_err(), "a short answer is none");
    }

    #[test]
    fn lengths_and_words_of_the_other_side_are_bounded() {
        let long = [&[b'r'][..], &u64::MAX.to_le_bytes()].concat();
        assert!(matches!(read_argument(&mut long.as_slice()), Err(WireError::Form(_))));
        let shouted = [&[FAULT][..], &u32::MAX.to_le_bytes()].concat();
        assert!(matches!(read_answer(&mut shouted.as_slice(), &[]), Err(WireError::Form(_))));
        assert!(matches!(read_answer(&mut [7].as_slice(), &[]), Err(WireError::Form(_))));
        let mut many = vec![0; 28];
        many.extend(17u32.to_le_bytes());
        assert!(matches!(read_launch(&mut many.as_slice()), Err(WireError::Form(_))));
    }
}
