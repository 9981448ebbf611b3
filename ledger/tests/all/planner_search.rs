//! The search against brute force: every layout and choice through the full ledger.

use std::collections::HashMap;

use ledger::{
    Model, catalogue,
    parallel::{self, Distributed, Mesh, Offload, Place, Schedule, ZeroStage},
    planner::{self, Assumptions, Offer, Space, TrainGoal, TrainPlan},
    training::{Checkpointing, Optimizer, Precision, Training},
};

const CARDS: u64 = 4;
const GOAL: TrainGoal = TrainGoal { batch: 4, seq: 256 };

fn space() -> Space {
    let away = |states, weights| Offload { states, weights };
    Space {
        precisions: vec![Precision::Bf16Master, Precision::AmpBf16],
        optimizers: vec![Optimizer::AdamWFused],
        checkpointing: vec![Checkpointing::None, Checkpointing::Selective, Checkpointing::SqrtSegments],
        zero: vec![ZeroStage::Zero, ZeroStage::Three],
        offload: vec![Offload::NONE, away(Place::Host, Place::Device), away(Place::Nvme, Place::Host)],
        schedules: vec![Schedule::GPipe, Schedule::Interleaved { chunks: 2 }],
        max_context: 2,
        max_batch: 2,
        keep: 100_000,
        ..Space::default()
    }
}

/// All meshes of the cards that pass the ledger's own check, by trying every number on every axis.
fn meshes(model: &Model, space: &Space) -> Vec<Mesh> {
    let mut meshes = Vec::new();
    let axis = || 1..=CARDS;
    for (tensor, pipeline, context) in axis().flat_map(|t| axis().flat_map(move |p| (1..=2).map(move |c| (t, p, c)))) {
        let one = tensor * pipeline * context;
        if !CARDS.is_multiple_of(one) || !GOAL.batch.is_multiple_of(CARDS / one) {
            continue;
        }
        let schedules = if pipeline > 1 { &space.schedules[..] } else { &[Schedule::OneForwardOneBackward] };
        for (expert, schedule) in axis().flat_map(|expert| schedules.iter().map(move |schedule| (expert, *schedule))) {
            let sequence = tensor > 1 && (GOAL.seq / context).is_multiple_of(tensor);
            let mesh = Mesh { data: CARDS / one, tensor, sequence, pipeline, schedule, expert, context };
            if mesh.check(model, GOAL.seq, pipeline).is_ok() {
                meshes.push(mesh);
            }
        }
    }
    meshes
}

/// Every choice that fits, with its peak by the full ledger.
fn fitting(model: &Model, space: &Space, capacity: u64) -> HashMap<String, u64> {
    let mut found = HashMap::new();
    for mesh in meshes(model, space) {
        let per_rank = GOAL.batch / mesh.data;
        for batch in (1..=2).filter(|batch| per_rank.is_multiple_of(*batch)) {
            for (precision, checkpointing) in
                space.precisions.iter().flat_map(|p| space.checkpointing.iter().map(move |c| (*p, *c)))
            {
                for (zero, offload) in space.zero.iter().flat_map(|z| space.offload.iter().map(move |o| (*z, *o))) {
                    let optimizer = Optimizer::AdamWFused;
                    let training = Training { precision, optimizer, batch, seq: GOAL.seq, checkpointing };
                    let how = Distributed { training, micro_batches: per_rank / batch, mesh, zero, offload };
                    let Ok(ledger) = parallel::ledger(model, &how) else { continue };
                    let peak = ledger.worst().expect("a rank").ledger.peak.bytes;
                    if peak <= capacity {
                        found.insert(key(&how), peak);
                    }
                }
            }
        }
    }
    found
}

fn key(how: &Distributed) -> String {
    format!("{how:?}")
}

/// Of the plans those that no other beats in time and memory at once.
fn undominated(plans: &[TrainPlan]) -> Vec<(f64, u64)> {
    let point = |plan: &TrainPlan| (plan.cost.total(), plan.peak);
    let beats = |(a, b): (f64, u64), (c, d): (f64, u64)| a <= c && b <= d && (a, b) != (c, d);
    let mut front: Vec<(f64, u64)> =
        plans.iter().map(point).filter(|one| !plans.iter().any(|other| beats(point(other), *one))).collect();
    front.sort_by(|one, other| one.0.total_cmp(&other.0));
    front.dedup();
    front
}

#[test]
fn nothing_is_missed_and_every_plan_fits() {
    for (name, layers) in [("gpt2", 4), ("Qwen3-30B-A3B", 4), ("DeepSeek-V2-Lite", 4)] {
        let model = Model { layers, ..catalogue::model(name).expect("in the catalogue").clone() };
        let (space, assumptions) = (space(), Assumptions::default());
        let offer = Offer { card: catalogue::card("rtx3090").expect("in the catalogue"), count: CARDS };
        let plans = planner::train(&model, &GOAL, &[offer], &space, &assumptions).expect("a goal");
        let expected = fitting(&model, &space, offer.card.capacity_bytes - assumptions.reserve);
        assert!(expected.len() > 50, "{name}: {}", expected.len());
        let found: HashMap<String, u64> = plans.best.iter().map(|plan| (key(&plan.step), plan.peak)).collect();
        assert_eq!((plans.fitting as usize, plans.best.len()), (found.len(), found.len()), "{name}");
        assert_eq!(found, expected, "{name}");
        let front: Vec<(f64, u64)> = plans.front.iter().map(|plan| (plan.cost.total(), plan.peak)).collect();
        assert_eq!(front, undominated(&plans.best), "{name}");

        // Computing again never saves time, whatever waits for the links, and never needs memory.
        let by_key: HashMap<String, &TrainPlan> = plans.best.iter().map(|plan| (key(&plan.step), plan)).collect();
        for plan in &plans.best {
            let training = Training { checkpointing: Checkpointing::None, ..plan.step.training };
            let Some(without) = by_key.get(&key(&Distributed { training, ..plan.step })) else { continue };
            assert!(without.cost.total() <= plan.cost.total() * (1.0 + 1e-12), "{name} {plan:?}");
            assert!(without.peak >= plan.peak, "{name} {plan:?}");
        }
    }
}
