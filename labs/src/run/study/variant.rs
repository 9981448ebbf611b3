//! One way to compute the operation: which parts it holds, in which phases, and which passes it makes over them.

use evidence::{Candidate, LedgerLine};
use ledger::{Object, Span};

use crate::Cost;
use crate::run::{Arg, RunError, Tag};

/// What happens to a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Filled from the subject.
    Input,
    /// Written by a pass; poisoned before each run.
    Made,
    /// As `Made`, and checked after each run.
    Output,
}

/// A tensor in device memory. Parts of one name are one buffer while variants are timed.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    pub slug: String,
    pub object: Object,
    pub span: Span,
    pub words: usize,
    pub role: Role,
    /// Its bytes, from its shape and format.
    pub bytes: u64,
    pub formula: String,
}

impl Part {
    pub fn tag(&self) -> Tag {
        Tag { object: self.object, part: self.slug.clone() }
    }

    pub const fn is_made(&self) -> bool {
        !matches!(self.role, Role::Input)
    }

    /// Its line of the ledger, not yet measured.
    pub fn line(&self) -> LedgerLine {
        LedgerLine {
            object: self.object,
            part: self.slug.clone(),
            from: self.span.from,
            to: self.span.to,
            bytes: self.bytes,
            formula: self.formula.clone(),
            measured_bytes: None,
        }
    }
}

/// One launch: what it reads, what it writes, its numbers, and what the lab's formulas say that it costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Pass {
    pub kernel: &'static str,
    pub reads: Vec<String>,
    pub writes: Vec<String>,
    pub numbers: Vec<Arg>,
    pub items: u32,
    pub cost: Cost,
}

/// The passes of one phase.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub phase: ledger::Phase,
    pub passes: Vec<Pass>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// The candidate's name in the report.
    pub candidate: String,
    /// Its name for a reader; the baseline has one too.
    pub label: String,
    pub parts: Vec<Part>,
    /// Steps before the timed one; they make what it reads.
    pub before: Vec<Step>,
    /// What is timed.
    pub timed: Step,
    /// Bits of one stored number, and bytes of what is stored, where that is what the variant is about.
    pub stored: Option<(u64, u64)>,
}

impl Variant {
    pub fn is_baseline(&self) -> bool {
        self.candidate == Candidate::BASELINE
    }

    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.before.iter().chain([&self.timed])
    }

    /// What one timed run must move and compute.
    pub fn cost(&self) -> Result<(u64, u64), RunError> {
        self.timed.passes.iter().try_fold((0u64, 0u64), |(bytes, flops), pass| {
            let sum = bytes.checked_add(pass.cost.bytes).zip(flops.checked_add(pass.cost.flops));
            sum.ok_or(RunError::Overflow { what: pass.kernel })
        })
    }

    /// The lines that say what each pass moves.
    pub fn moved(&self) -> Vec<LedgerLine> {
        let line = |step: &Step, pass: &Pass| LedgerLine {
            object: Object::Buffer,
            part: format!("moved_{}_{}", self.label, pass.kernel),
            from: step.phase,
            to: step.phase,
            bytes: pass.cost.bytes,
            formula: pass.cost.formula.clone(),
            measured_bytes: None,
        };
        self.steps().flat_map(|step| step.passes.iter().map(move |pass| line(step, pass))).collect()
    }
}
