//! The stage that asks what a learner's kernel takes of a card.

use std::process::ExitStatus;
use std::time::Instant;

use evidence::{KernelResources, TargetResources};
use labs::run::Exercise;

use super::ending::{self, Ending};
use super::job::{Run, Wires};
use super::learner::{CPU_SECONDS, MEMORY_BYTES};
use crate::child::compile::SOURCE_NAME;
use crate::child::resources::ResourcesSpec;
use crate::child::{Line, Task};

/// What the kernel would take of a card. It decides nothing: where the compiler refuses the text or breaks over it, the report says so,
/// and the kernel still runs on the processor.
pub fn resources(
    run: &Run<'_>,
    exercise: &Exercise,
    text: &str,
    deadline: Instant,
    wires: &mut Wires<'_>,
) -> Result<Option<KernelResources>, Ending> {
    let Some(library) = run.nvrtc else { return Ok(None) };
    let block_threads = u64::from(exercise.block_threads);
    let task = Task::Resources(ResourcesSpec {
        text: text.to_owned(),
        kernel: exercise.kernel.to_owned(),
        block_threads,
        library: library.clone(),
        cpu_seconds: CPU_SECONDS,
        memory_bytes: MEMORY_BYTES,
    });
    let left = run.stage(&task, deadline, wires)?;
    let found = match left.last {
        Some(Line::Resources(found)) if left.status.success() => found,
        // This machine's fault: the report has no such part.
        Some(Line::Failed { message, .. }) => {
            tracing::warn!(%message, "NVIDIA's compiler cannot be used");
            return Ok(None);
        }
        _ => KernelResources {
            compiler: "NVRTC".to_owned(),
            block_threads,
            targets: Vec::new(),
            refused: Some(format!("{SOURCE_NAME}: {}", broke(left.status))),
        },
    };
    wires.line(&Line::Note(told(&found)));
    Ok(Some(found))
}

fn broke(status: ExitStatus) -> String {
    if ending::used_up(status) {
        format!("compiling for a card took more than {CPU_SECONDS} s of processor time")
    } else {
        format!("the compiler for cards broke off, most likely because it needed more than {} MiB", MEMORY_BYTES >> 20)
    }
}

fn told(found: &KernelResources) -> String {
    if let Some(why) = &found.refused {
        return format!("{} does not take the kernel for a card:\n{why}", found.compiler);
    }
    let each = found.targets.iter().map(|target| {
        let TargetResources { capability, registers_per_thread, shared_bytes, local_bytes, .. } = target;
        let spilled = target.spill_store_bytes.saturating_add(target.spill_load_bytes);
        let percent = target.occupancy_percent().unwrap_or(0);
        format!(
            "sm_{capability}: {registers_per_thread} registers a thread, {shared_bytes} B shared, {local_bytes} B local, {spilled} B \
             spilled, occupancy {percent}%"
        )
    });
    format!("compiled for cards, run on none: {}", each.collect::<Vec<_>>().join("; "))
}
