//! The checking stage: each variant alone on an empty device, once. Gives what it allocates, what it moves, and whether it is right.

use evidence::LedgerLine;

use super::config::Config;
use super::predict;
use super::reference::{Inputs, Wrong};
use super::variant::{Buffers, Part, Variant};
use crate::run::{Device, DeviceError, RunError, Traffic};

pub struct Account {
    pub variant: Variant,
    /// Predicted lines with what was measured beside them.
    pub resident: Vec<LedgerLine>,
    pub moved: Vec<LedgerLine>,
    pub allocated_before_bytes: u64,
    pub outcome: Outcome,
}

pub enum Outcome {
    Ran {
        peak_bytes: u64,
        result: Result<f64, Wrong>,
    },
    /// The edge of the memory: a record, not a failure.
    OutOfMemory {
        requested_bytes: u64,
        message: String,
    },
}

pub fn account(
    variant: Variant,
    config: &Config,
    inputs: &mut Inputs,
    device: &mut dyn Device,
) -> Result<Account, RunError> {
    let mut account = Account {
        variant,
        resident: predict::resident(variant, config)?,
        moved: variant.passes().iter().map(|pass| predict::moved(variant, pass, config)).collect::<Result<_, _>>()?,
        allocated_before_bytes: device.memory().allocated_bytes,
        outcome: Outcome::Ran { peak_bytes: 0, result: Ok(0.0) },
    };
    device.reset_peak();
    let mut buffers = Buffers::default();
    let outcome = measure(&mut account, config, inputs, &mut buffers, device);
    let freed = buffers.free(device);
    account.outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error @ DeviceError::OutOfMemory { wanted, .. }) => {
            Outcome::OutOfMemory { requested_bytes: wanted, message: error.to_string() }
        }
        Err(error) => return Err(error.into()),
    };
    freed?;
    Ok(account)
}

fn measure(
    account: &mut Account,
    config: &Config,
    inputs: &mut Inputs,
    buffers: &mut Buffers,
    device: &mut dyn Device,
) -> Result<Outcome, DeviceError> {
    let variant = account.variant;
    for (part, line) in variant.parts().iter().zip(&mut account.resident) {
        let before = device.memory().allocated_bytes;
        buffers.allocate(*part, config, device)?;
        line.measured_bytes = device.memory().allocated_bytes.checked_sub(before);
    }
    inputs.renew();
    device.upload(buffers.get(Part::Input)?, &inputs.x)?;
    device.upload(buffers.get(Part::Weight)?, &inputs.weight)?;
    buffers.poison(variant, device)?;
    for (pass, line) in variant.passes().iter().zip(&mut account.moved) {
        let before = device.traffic();
        buffers.launch_pass(pass, config, device)?;
        device.synchronise()?;
        line.measured_bytes = difference(before, device.traffic());
    }
    let mut y = vec![0.0; config.elements()];
    device.download(buffers.get(Part::Output)?, &mut y)?;
    Ok(Outcome::Ran { peak_bytes: device.memory().peak_bytes, result: inputs.check(&y) })
}

/// `None` where the device has no counter.
fn difference(before: Option<Traffic>, after: Option<Traffic>) -> Option<u64> {
    let sum = |traffic: Traffic| traffic.read_bytes.checked_add(traffic.written_bytes);
    sum(after?)?.checked_sub(sum(before?)?)
}
