//! The tables of the planner against the full parallel ledger.

use ledger::{
    parallel::{self, Distributed, Offload, Place, ZeroStage},
    training::{Moment, Training},
};
use proptest::{prelude::*, test_runner::TestRunner};

use crate::combined::{DIVISIBLE, meshes, model, trainings};

/// The tables of the planner give the ledger's bytes, on whatever layout the ledger accepts.
#[test]
fn the_quick_way_gives_the_same_bytes() {
    let config = ProptestConfig { cases: 2400, failure_persistence: None, ..ProptestConfig::default() };
    let places = (0..Place::ALL.len(), 0..Place::ALL.len());
    let drawn = (0..DIVISIBLE.len(), trainings(), meshes(), 1u64..9, 0u64..4, places);
    let compared = std::cell::Cell::new(0);
    let outcome = TestRunner::new(config).run(&drawn, |(at, training, mesh, micro_batches, stage, places)| {
        let model = model(DIVISIBLE[at]);
        // Short sequences, where states decide, and long ones, where saved tensors do.
        let seq = (training.seq.next_multiple_of(32) << (training.seq % 5)).min(8192);
        let training = Training { seq, ..training };
        let zero = ZeroStage::from_number(stage).unwrap();
        let offload = Offload { states: Place::ALL[places.0], weights: Place::ALL[places.1] };
        let how = Distributed { training, micro_batches, mesh, zero, offload };
        let Ok(full) = parallel::ledger(model, &how) else { return Ok(()) };
        compared.set(compared.get() + 1);
        let quick = parallel::Quick::new(model, mesh, training.seq).unwrap();
        let states = quick.states(training.precision, training.optimizer, training.checkpointing).unwrap();
        let saved = quick.saved(training.precision, training.checkpointing).unwrap();
        prop_assert_eq!(quick.step(&states, &saved, training.batch, micro_batches, zero, offload), how);
        prop_assert!(quick.allows(&how));
        let held = quick.held(&states, &saved, training.batch, micro_batches, zero, offload).unwrap();
        prop_assert_eq!(held.peak, full.worst().unwrap().ledger.peak.bytes);
        // Also where the phase is not the highest of all.
        for phase in &full.worst().unwrap().ledger.phases {
            let highest =
                full.ranks.iter().flat_map(|rank| &rank.ledger.phases).filter(|other| other.phase == phase.phase);
            let at = Moment::ALL.into_iter().filter(|moment| moment.phase() == phase.phase);
            let quick = at.map(|moment| held.moments[moment as usize]).max();
            prop_assert_eq!(quick, highest.map(|phase| phase.bytes).max(), "{:?}", phase.phase);
        }
        prop_assert_eq!(held.host, full.ranks.iter().map(|rank| rank.host).max().unwrap());
        prop_assert_eq!(held.nvme, full.ranks.iter().map(|rank| rank.nvme).max().unwrap());
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    assert!(compared.get() >= 100, "only {} layouts were accepted", compared.get());
}
