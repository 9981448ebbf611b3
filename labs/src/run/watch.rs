//! Who watches a run: the command line, or the supervisor through the child's output.

/// What a program is doing now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Compiling,
    Checking,
    Measuring,
}

impl Stage {
    pub const ALL: [Self; 3] = [Self::Compiling, Self::Checking, Self::Measuring];

    pub const fn id(self) -> &'static str {
        match self {
            Self::Compiling => "compiling",
            Self::Checking => "checking",
            Self::Measuring => "measuring",
        }
    }
}

pub trait Watch {
    fn stage(&mut self, stage: Stage);

    /// One line for a person. Not part of the report.
    fn note(&mut self, _line: &str) {}
}

/// Watches nothing.
pub struct Silent;

impl Watch for Silent {
    fn stage(&mut self, _stage: Stage) {}
}
