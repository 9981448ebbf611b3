use evidence::{DecisionRule, Lang};

/// Which kind of work a lab is about. Training and inference have chains of evidence of their own, and columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Chain {
    Training,
    Inference,
    Distributed,
    Kernel,
}

impl Chain {
    pub const ALL: [Chain; 4] = [Chain::Training, Chain::Inference, Chain::Distributed, Chain::Kernel];

    /// A lab of a kernel by how it is decided, any other by its Task of the course: Task 4 and 5 are inference, 6A is
    /// distributed.
    pub(super) fn of(task: &str, rule: DecisionRule) -> Self {
        match (rule, task) {
            (DecisionRule::KernelPair | DecisionRule::KernelMemory, _) => Chain::Kernel,
            (_, "task4" | "task5") => Chain::Inference,
            (_, "task6a") => Chain::Distributed,
            _ => Chain::Training,
        }
    }

    pub const fn id(self) -> &'static str {
        match self {
            Chain::Training => "training",
            Chain::Inference => "inference",
            Chain::Distributed => "distributed",
            Chain::Kernel => "kernel",
        }
    }

    pub fn name(self, lang: Lang) -> &'static str {
        match self {
            Chain::Training => lang.pick("训练", "Training"),
            Chain::Inference => lang.pick("推理", "Inference"),
            Chain::Distributed => lang.pick("分布式", "Distributed"),
            Chain::Kernel => lang.pick("算子", "Kernels"),
        }
    }
}
