//! The fused kernel as an exercise: right on every shape, on contents that nobody knew before.
//!
//! Nothing is timed. Where a learner's kernel runs on the processor a time says nothing; where it runs on a card, the lab itself
//! measures.

use super::account::{Outcome, account};
use super::config::Config;
use super::reference::{Inputs, Wrong};
use super::variant::{Buffers, Part, Variant};
use super::{kernel, report};
use crate::run::{Device, DeviceError, Draw, Exercise, Params, RunError, Stage, Watch};

pub static EXERCISE: Exercise = Exercise { kernel: kernel::FUSED.name, run };

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
    let mut wrong = None;
    for (rows, hidden) in SHAPES {
        let config = Config { rows, hidden, seed: draw()?, ..config };
        if let Err(found) = shape(&config, device)? {
            wrong = Some(Wrong::AtShape { rows, hidden, wrong: Box::new(found) });
            break;
        }
    }
    match &wrong {
        None => watch.note(&format!("right on all {} shapes", SHAPES.len())),
        Some(wrong) => watch.note(&wrong.to_string()),
    }

    let mut inputs = Inputs::new(config.elements(), config.hidden as usize, config.seed);
    let baseline = account(Variant::Unfused, &config, &mut inputs, device)?;
    let mut candidate = account(Variant::Fused, &config, &mut inputs, device)?;
    if let Outcome::Ran { result: Err(wrong), .. } = &baseline.outcome {
        return Err(RunError::WrongBaseline { why: wrong.to_string() });
    }
    if let (Some(wrong), Outcome::Ran { result, .. }) = (wrong, &mut candidate.outcome) {
        *result = Err(wrong);
    }
    Ok(report::build(&config, (device.facts(), device.timer()), [&baseline, &candidate], None))
}

/// One shape with new contents, and once more with one value changed: what was remembered of the first run is wrong in the second.
fn shape(config: &Config, device: &mut dyn Device) -> Result<Result<(), Wrong>, DeviceError> {
    let mut inputs = Inputs::new(config.elements(), config.hidden as usize, config.seed);
    let mut buffers = Buffers::default();
    let result = both(config, &mut inputs, &mut buffers, device);
    let freed = buffers.free(device);
    let result = result?;
    freed?;
    Ok(result)
}

fn both(
    config: &Config,
    inputs: &mut Inputs,
    buffers: &mut Buffers,
    device: &mut dyn Device,
) -> Result<Result<(), Wrong>, DeviceError> {
    for part in Variant::Fused.parts() {
        buffers.allocate(*part, config, device)?;
    }
    inputs.renew();
    let first = once(config, inputs, buffers, device)?;
    let middle = inputs.x.len() / 2;
    if let (Ok(()), Some(value)) = (&first, inputs.x.get_mut(middle)) {
        *value = *value * 0.5 + 1.0;
        return once(config, inputs, buffers, device);
    }
    Ok(first)
}

fn once(
    config: &Config,
    inputs: &Inputs,
    buffers: &Buffers,
    device: &mut dyn Device,
) -> Result<Result<(), Wrong>, DeviceError> {
    device.upload(buffers.get(Part::Input)?, &inputs.x)?;
    device.upload(buffers.get(Part::Weight)?, &inputs.weight)?;
    buffers.poison(Variant::Fused, device)?;
    buffers.launch(Variant::Fused, config, device)?;
    device.synchronise()?;
    let mut y = vec![0.0; config.elements()];
    device.download(buffers.get(Part::Output)?, &mut y)?;
    if let Err(wrong) = inputs.check(&y) {
        return Ok(Err(wrong));
    }
    // A kernel that may write its inputs could make the answer right by changing the question.
    for (part, sent) in [(Part::Input, &inputs.x), (Part::Weight, &inputs.weight)] {
        let mut found = vec![0.0; sent.len()];
        device.download(buffers.get(part)?, &mut found)?;
        if sent.iter().zip(&found).any(|(sent, found)| sent.to_bits() != found.to_bits()) {
            return Ok(Err(Wrong::InputChanged { part: part.slug() }));
        }
    }
    Ok(Ok(()))
}
