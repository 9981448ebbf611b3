//! The fused kernel as an exercise: right on every shape, on contents that nobody knew before.
//!
//! Nothing is timed. Where a learner's kernel runs on the processor a time says nothing; where it runs on a card, the lab itself
//! measures.

use super::config::Config;
use super::reference::Inputs;
use super::{kernel, study, variant};
use crate::run::study::{Wrong, judged, shape};
use crate::run::{Device, Draw, Exercise, Params, RunError, Stage, Watch, this_lab};

pub static EXERCISE: Exercise = Exercise { kernel: kernel::FUSED.name, block_threads: kernel::CUDA.block, run };

/// Nothing, one, primes, around the width of a warp and of a block, and the longest row allowed.
const SHAPES: [(u32, u32); 15] = [
    (0, 64),
    (3, 0),
    (1, 1),
    (1, 31),
    (2, 32),
    (5, 33),
    (7, 127),
    (3, 255),
    (4, 256),
    (3, 257),
    (13, 509),
    (257, 17),
    (31, 1000),
    (2, 4099),
    (1, 65_536),
];

fn run(
    params: &Params,
    device: &mut dyn Device,
    watch: &mut dyn Watch,
    draw: &mut Draw<'_>,
) -> Result<evidence::Report, RunError> {
    // The seed that a report names is the one drawn for its own shape; a parameter is no secret.
    let config = Config { seed: draw()?, ..Config::parse(params)? };
    watch.stage(Stage::Compiling);
    device.compile(&kernel::ALL)?;

    watch.stage(Stage::Checking);
    let lab = this_lab("rmsnorm")?;
    let mut wrong = None;
    for (rows, hidden) in SHAPES {
        let config = Config { rows, hidden, seed: draw()?, ..config };
        let Some(fused) = variant::both(&config, lab)?.pop() else { break };
        if let Err(found) = shape(&fused, &mut Inputs::of(&config), device)? {
            wrong = Some(Wrong::AtShape { shape: format!("{rows} × {hidden}"), wrong: Box::new(found) });
            break;
        }
    }
    match &wrong {
        None => watch.note(&format!("right on all {} shapes", SHAPES.len())),
        Some(wrong) => watch.note(&wrong.to_string()),
    }
    judged(&study(&config)?, &mut Inputs::of(&config), device, wrong)
}
