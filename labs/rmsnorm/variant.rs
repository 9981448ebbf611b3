//! The two ways to compute the same thing: which buffers each needs, and which passes it makes.

use ledger::Object;

use super::config::{Config, EPS};
use super::kernel;
use crate::run::{Arg, Buffer, Device, DeviceError};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Square, mean, root, scale: four passes with their results in device memory. The baseline.
    Unfused,
    /// One pass.
    Fused,
}

/// Everything either variant can need. Which ones it allocates: [`Variant::parts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Input,
    Weight,
    Output,
    Squares,
    Mean,
    Inverse,
}

impl Part {
    pub const fn slug(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Weight => "weight",
            Self::Output => "output",
            Self::Squares => "squares",
            Self::Mean => "row_mean",
            Self::Inverse => "inverse_root",
        }
    }

    pub const fn object(self) -> Object {
        match self {
            Self::Input | Self::Output => Object::Activation,
            Self::Weight => Object::Parameter,
            Self::Squares | Self::Mean | Self::Inverse => Object::Temporary,
        }
    }

    pub fn elements(self, config: &Config) -> usize {
        match self {
            Self::Input | Self::Output | Self::Squares => config.elements(),
            Self::Weight => config.hidden as usize,
            Self::Mean | Self::Inverse => config.rows as usize,
        }
    }

    /// What a run must write: poisoned before it.
    pub const fn is_written(self) -> bool {
        !matches!(self, Self::Input | Self::Weight)
    }
}

/// One pass over device memory.
#[derive(Debug, Clone, Copy)]
pub struct Pass {
    pub kernel: &'static str,
    pub reads: &'static [Part],
    pub writes: Part,
}

impl Variant {
    pub const BOTH: [Self; 2] = [Self::Unfused, Self::Fused];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Unfused => "unfused",
            Self::Fused => "fused",
        }
    }

    pub const fn parts(self) -> &'static [Part] {
        match self {
            Self::Unfused => &[Part::Input, Part::Weight, Part::Output, Part::Squares, Part::Mean, Part::Inverse],
            Self::Fused => &[Part::Input, Part::Weight, Part::Output],
        }
    }

    pub const fn passes(self) -> &'static [Pass] {
        match self {
            Self::Unfused => &[
                Pass { kernel: kernel::SQUARE.name, reads: &[Part::Input], writes: Part::Squares },
                Pass { kernel: kernel::ROW_MEAN.name, reads: &[Part::Squares], writes: Part::Mean },
                Pass { kernel: kernel::INVERSE_ROOT.name, reads: &[Part::Mean], writes: Part::Inverse },
                Pass {
                    kernel: kernel::SCALE.name,
                    reads: &[Part::Input, Part::Inverse, Part::Weight],
                    writes: Part::Output,
                },
            ],
            Self::Fused => {
                &[Pass { kernel: kernel::FUSED.name, reads: &[Part::Input, Part::Weight], writes: Part::Output }]
            }
        }
    }
}

/// Buffers that are allocated now.
#[derive(Debug, Default)]
pub struct Buffers(Vec<(Part, Buffer)>);

impl Buffers {
    pub fn allocate(&mut self, part: Part, config: &Config, device: &mut dyn Device) -> Result<(), DeviceError> {
        let buffer = device.allocate(part.slug(), part.elements(config))?;
        self.0.push((part, buffer));
        Ok(())
    }

    pub fn free(&mut self, device: &mut dyn Device) -> Result<(), DeviceError> {
        self.0.drain(..).try_for_each(|(_, buffer)| device.free(buffer))
    }

    /// The parts of a variant are allocated before its passes run; a missing one is a program's error, told as such.
    pub fn get(&self, part: Part) -> Result<Buffer, DeviceError> {
        let found = self.0.iter().find(|(known, _)| *known == part);
        found.map(|(_, buffer)| *buffer).ok_or(DeviceError::NotAllocated { label: part.slug() })
    }

    pub fn poison(&self, variant: Variant, device: &mut dyn Device) -> Result<(), DeviceError> {
        variant
            .parts()
            .iter()
            .filter(|part| part.is_written())
            .try_for_each(|part| device.fill(self.get(*part)?, f32::NAN))
    }

    pub fn launch(&self, variant: Variant, config: &Config, device: &mut dyn Device) -> Result<(), DeviceError> {
        variant.passes().iter().try_for_each(|pass| self.launch_pass(pass, config, device))
    }

    pub fn launch_pass(&self, pass: &Pass, config: &Config, device: &mut dyn Device) -> Result<(), DeviceError> {
        let mut args = Vec::with_capacity(6);
        for part in pass.reads {
            args.push(Arg::In(self.get(*part)?));
        }
        args.push(Arg::Out(self.get(pass.writes)?));
        let (rows, hidden) = (Arg::U32(config.rows), Arg::U32(config.hidden));
        // The product fits: `Config` allows at most 2^25 elements.
        let elements = config.rows * config.hidden;
        let threads = match pass.kernel {
            name if name == kernel::SQUARE.name => {
                args.push(Arg::U32(elements));
                elements
            }
            name if name == kernel::INVERSE_ROOT.name => {
                args.extend([rows, Arg::F32(EPS)]);
                config.rows
            }
            name if name == kernel::FUSED.name => {
                args.extend([rows, hidden, Arg::F32(EPS)]);
                config.rows
            }
            _ => {
                args.extend([rows, hidden]);
                config.rows
            }
        };
        device.launch(pass.kernel, threads, &args)
    }
}
