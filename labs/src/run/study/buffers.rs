//! Buffers of the parts that are allocated now, and what came back of them.

use super::variant::{Part, Pass, Role};
use super::{Subject, Wrong};
use crate::run::{Arg, Buffer, Device, DeviceError, Tag};

#[derive(Debug, Default)]
pub struct Buffers(Vec<(Tag, Buffer)>);

impl Buffers {
    pub fn add(&mut self, tag: Tag, buffer: Buffer) {
        self.0.push((tag, buffer));
    }

    pub fn has(&self, part: &str) -> bool {
        self.0.iter().any(|(tag, _)| tag.part == part)
    }

    /// The parts of a variant are allocated before its passes run; a missing one is a program's error, told as such.
    pub fn get(&self, part: &str) -> Result<Buffer, DeviceError> {
        let found = self.0.iter().find(|(tag, _)| tag.part == part);
        found.map(|(_, buffer)| *buffer).ok_or_else(|| DeviceError::NotAllocated { label: part.to_owned() })
    }

    pub fn take(&mut self, part: &str) -> Option<(Tag, Buffer)> {
        let at = self.0.iter().position(|(tag, _)| tag.part == part)?;
        Some(self.0.remove(at))
    }

    /// What is left, the youngest first.
    pub fn drain(&mut self) -> impl Iterator<Item = (Tag, Buffer)> {
        self.0.drain(..).rev()
    }

    pub fn upload(&self, part: &Part, subject: &dyn Subject, device: &mut dyn Device) -> Result<(), DeviceError> {
        let missing = || DeviceError::NotAllocated { label: part.slug.clone() };
        device.upload_words(self.get(&part.slug)?, subject.input(&part.slug).ok_or_else(missing)?)
    }

    /// So that a kernel that writes nothing cannot pass on old results.
    pub fn poison(&self, part: &Part, device: &mut dyn Device) -> Result<(), DeviceError> {
        device.fill(self.get(&part.slug)?, f32::NAN)
    }

    pub fn launch(&self, pass: &Pass, device: &mut dyn Device) -> Result<(), DeviceError> {
        let mut args = Vec::with_capacity(pass.reads.len() + pass.writes.len() + pass.numbers.len());
        for part in &pass.reads {
            args.push(Arg::In(self.get(part)?));
        }
        for part in &pass.writes {
            args.push(Arg::Out(self.get(part)?));
        }
        args.extend(&pass.numbers);
        device.launch(pass.kernel, pass.items, &args)
    }

    /// Every part that is checked.
    pub fn download(&self, parts: &[Part], device: &mut dyn Device) -> Result<Outputs, DeviceError> {
        let mut outputs = Outputs::default();
        for part in parts.iter().filter(|part| part.role == Role::Output) {
            let mut words = vec![0; part.words];
            device.download_words(self.get(&part.slug)?, &mut words)?;
            outputs.0.push((part.slug.clone(), words));
        }
        Ok(outputs)
    }
}

/// What came back from the device.
#[derive(Debug, Default)]
pub struct Outputs(Vec<(String, Vec<u32>)>);

impl Outputs {
    /// The words of an output of so many.
    ///
    /// # Errors
    /// [`Wrong::Length`]
    pub fn words(&self, part: &str, expected: usize) -> Result<&[u32], Wrong> {
        let found = self.0.iter().find(|(slug, _)| slug == part).map_or(&[][..], |(_, words)| words);
        if found.len() == expected {
            return Ok(found);
        }
        Err(Wrong::Length { part: part.to_owned(), expected, found: found.len() })
    }

    /// As [`Outputs::words`], as floats.
    ///
    /// # Errors
    /// [`Wrong::Length`]
    pub fn floats(&self, part: &str, expected: usize) -> Result<&[f32], Wrong> {
        Ok(bytemuck::cast_slice(self.words(part, expected)?))
    }
}
