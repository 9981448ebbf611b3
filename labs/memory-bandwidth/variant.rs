//! What is copied and converted: the same numbers, in formats of different width.

use ledger::units::group;
use ledger::{Object, Phase, Span};

use super::config::Config;
use super::kernel;
use crate::Lab;
use crate::run::study::{Part, Pass, Role, Step, Variant};
use crate::run::{Arg, Kernel, RunError};

/// Width of a format that this lab knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Fp32,
    Bf16,
    Fp8,
}

impl Format {
    pub const fn id(self) -> &'static str {
        match self {
            Self::Fp32 => "fp32",
            Self::Bf16 => "bf16",
            Self::Fp8 => "fp8",
        }
    }

    /// Numbers of one word.
    pub const fn per_word(self) -> u64 {
        match self {
            Self::Fp32 => 1,
            Self::Bf16 => 2,
            Self::Fp8 => 4,
        }
    }
}

/// One conversion, or a copy where both are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conversion {
    pub from: Format,
    pub to: Format,
    kernel: &'static str,
}

const fn conversion(from: Format, to: Format, kernel: &Kernel) -> Conversion {
    Conversion { from, to, kernel: kernel.name }
}

/// The baseline first.
pub const ALL: [Conversion; 7] = [
    conversion(Format::Fp32, Format::Fp32, &kernel::COPY),
    conversion(Format::Fp32, Format::Bf16, &kernel::FP32_TO_BF16),
    conversion(Format::Bf16, Format::Fp32, &kernel::BF16_TO_FP32),
    conversion(Format::Bf16, Format::Bf16, &kernel::COPY),
    conversion(Format::Fp32, Format::Fp8, &kernel::FP32_TO_FP8),
    conversion(Format::Fp8, Format::Fp32, &kernel::FP8_TO_FP32),
    conversion(Format::Fp8, Format::Fp8, &kernel::COPY),
];

impl Conversion {
    pub fn label(self) -> String {
        if self.from == self.to {
            format!("copy_{}", self.from.id())
        } else {
            format!("{}_to_{}", self.from.id(), self.to.id())
        }
    }

    /// The conversion that a variant is.
    pub fn of(variant: &Variant) -> Option<Self> {
        ALL.into_iter().find(|it| it.label() == variant.label)
    }

    pub fn source(self) -> String {
        format!("source_{}", self.from.id())
    }

    /// Each has a target of its own, or one could pass with another's result.
    pub fn target(self) -> String {
        format!("target_{}", self.label())
    }
}

pub fn all(config: &Config, lab: &Lab) -> Result<Vec<Variant>, RunError> {
    ALL.iter().map(|conversion| variant(*conversion, config, lab)).collect()
}

fn variant(it: Conversion, config: &Config, lab: &Lab) -> Result<Variant, RunError> {
    let elements = u64::from(config.elements);
    let part = |slug: String, format: Format, role| {
        let words = elements.div_ceil(format.per_word());
        let formula = match format.per_word() {
            1 => format!("{} × 4 B", group(elements)),
            per => format!("⌈{} / {per}⌉ × 4 B", group(elements)),
        };
        let span = Span::only(Phase::Forward);
        // At most 2^25 elements, by `Config`.
        Part { slug, object: Object::Buffer, span, words: words as usize, role, bytes: words * 4, formula }
    };
    let narrow = it.from.per_word().max(it.to.per_word());
    // A copy moves words and knows no elements.
    let words = elements.div_ceil(narrow);
    let count = if it.from == it.to { words } else { elements };
    let narrowed = |value: u64| u32::try_from(value).map_err(|_| RunError::Overflow { what: it.kernel });
    let pass = Pass {
        kernel: it.kernel,
        reads: vec![it.source()],
        writes: vec![it.target()],
        numbers: vec![Arg::U32(narrowed(count)?)],
        items: narrowed(words)?,
        cost: lab.cost(it.kernel, &[("elements", elements), ("words", words)])?,
    };
    let label = it.label();
    Ok(Variant {
        candidate: if it == ALL[0] { "baseline".to_owned() } else { label.clone() },
        label,
        parts: vec![part(it.source(), it.from, Role::Input), part(it.target(), it.to, Role::Output)],
        before: Vec::new(),
        timed: Step { phase: Phase::Forward, passes: vec![pass] },
        stored: None,
    })
}
