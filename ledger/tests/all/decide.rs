//! The guided form: which branch is taken, and that its plan holds.

use ledger::{
    Dtype, catalogue,
    decide::{self, Branch, Decision, Plan, Serving, Tolerance, Tuning},
    inference,
    parallel::{Place, ZeroStage},
    planner::{Assumptions, Offer, TrainGoal},
    training,
};

fn offer(card: &str, count: u64) -> Offer {
    Offer { card: catalogue::card(card).expect("in the catalogue"), count }
}

fn model(name: &str) -> &'static ledger::Model {
    catalogue::model(name).expect("in the catalogue")
}

const SERVICE: Serving = Serving {
    context: 8192,
    median_context: 2000,
    concurrency: 8,
    tolerance: Tolerance::Strict,
    shared_prompt: 0.0,
    offline: false,
    fragmentation: None,
};

fn serve(name: &str, task: Serving, offers: &[Offer]) -> Decision {
    decide::serve(model(name), &task, offers, &Assumptions::default()).expect("a task")
}

fn train(name: &str, full: bool, batch: u64, seq: u64, offers: &[Offer]) -> Decision {
    let task = Tuning { goal: TrainGoal { batch, seq }, full, rank: 16 };
    decide::train(model(name), &task, offers, &Assumptions::default()).expect("a task")
}

fn taken(decision: &Decision) -> Vec<Branch> {
    decision.steps.iter().map(|step| step.branch).collect()
}

/// Steps come in the order of the flow, each with a reason in both languages, and end with the test.
fn well_formed(decision: &Decision) {
    assert!(decision.steps.windows(2).all(|pair| pair[0].number <= pair[1].number), "{:?}", taken(decision));
    for step in &decision.steps {
        assert!(!step.reason.zh.is_empty() && !step.reason.en.is_empty() && !step.branch.name().zh.is_empty());
    }
    assert_eq!(decision.steps.last().map(|step| step.branch), Some(Branch::LoadTest));
    assert!(!decision.next.is_empty());
}

/// 141.1 GB of BF16 weights ÷ (85.5 GB × 70 %) = 2.36: three cards by the rule, four because 64 heads do not divide by
/// three.
#[test]
fn a_strict_service_of_seventy_billion_parameters() {
    let decision = serve("Llama-3-70B", SERVICE, &[offer("h100-80gb", 8)]);
    well_formed(&decision);
    use Branch::{CachePlain, LoadTest, MoreCards, Serve, Sixteen, TensorParallel};
    assert_eq!(taken(&decision), [Serve, Sixteen, TensorParallel, MoreCards, CachePlain, LoadTest]);
    assert!(decision.steps[2].reason.en.contains("= 3 cards"), "{}", decision.steps[2].reason.en);
    let Some(Plan::Serve(plan)) = decision.plan else { panic!("{decision:?}") };
    assert_eq!(
        (plan.cards, plan.tensor * plan.pipeline * plan.replicas, plan.weights, plan.kv),
        (4, 4, Dtype::Bf16, Dtype::Bf16)
    );
}

#[test]
fn the_cache_follows_the_median_context_and_the_card() {
    let long = Serving { tolerance: Tolerance::Some, median_context: 9000, ..SERVICE };
    let cases = [
        (long, "h100-80gb", Branch::CacheFp8),
        (long, "a100-80gb", Branch::CacheInt8),
        (Serving { median_context: 7000, ..long }, "h100-80gb", Branch::CachePlain),
        (Serving { tolerance: Tolerance::Strict, ..long }, "h100-80gb", Branch::CachePlain),
    ];
    for (task, card, expected) in cases {
        let decision = serve("Llama-3-8B", task, &[offer(card, 1)]);
        well_formed(&decision);
        assert!(taken(&decision).contains(&expected), "{card}: {:?}", taken(&decision));
        let Some(Plan::Serve(plan)) = decision.plan else { panic!("{decision:?}") };
        assert_eq!(plan.kv == Dtype::Bf16, expected == Branch::CachePlain, "{card}");
    }
}

/// INT4 where it saves a card: 70.55e9 × 0.5 B = 35.3 GB on one H100, INT8 needs two.
#[test]
fn four_bits_are_taken_where_they_save_a_card() {
    let task = Serving { tolerance: Tolerance::Some, concurrency: 1, ..SERVICE };
    assert!(taken(&serve("Llama-3-70B", task, &[offer("h100-80gb", 8)])).contains(&Branch::Int4));
    let decision = serve("Llama-3-8B", task, &[offer("h100-80gb", 8)]);
    assert!(taken(&decision).contains(&Branch::Int8) && taken(&decision).contains(&Branch::OneCard));
}

/// Seven other requests do not store 80 % of 2,000 shared tokens of 131,072 B.
#[test]
fn measured_facts_add_branches() {
    let task = Serving { shared_prompt: 0.8, offline: true, fragmentation: Some(0.35), ..SERVICE };
    let decision = serve("Llama-3-8B", task, &[offer("h100-80gb", 1)]);
    for branch in [Branch::PrefixCache, Branch::HostOffload, Branch::ExpandableSegments] {
        assert!(taken(&decision).contains(&branch), "{branch:?}");
    }
    let saved = inference::kv_bytes(model("Llama-3-8B"), Dtype::Bf16, 7, 1600).expect("a known model");
    let step = decision.steps.iter().find(|step| step.branch == Branch::PrefixCache).expect("taken");
    assert!(step.reason.en.contains(&ledger::units::gb(saved)), "{}", step.reason.en);
    let calm = Serving { fragmentation: Some(0.1), ..SERVICE };
    assert!(!taken(&serve("Llama-3-8B", calm, &[offer("h100-80gb", 1)])).contains(&Branch::ExpandableSegments));
}

#[test]
fn what_does_not_fit_is_said() {
    let decision = serve("Llama-3.1-405B", SERVICE, &[offer("l4", 4)]);
    well_formed(&decision);
    assert!(decision.plan.is_none() && taken(&decision).contains(&Branch::TooFewCards));
    let decision = train("Llama-3-70B", false, 8, 1024, &[offer("t4", 1)]);
    well_formed(&decision);
    assert!(decision.plan.is_none() && taken(&decision).contains(&Branch::TooFewCards));
}

#[test]
fn training_climbs_down_the_ladder() {
    let cases = [
        ("Llama-3-8B", true, 8, 4096, offer("h100-80gb", 8), Branch::FullTuning),
        ("Llama-3-8B", true, 1024, 4096, offer("h100-80gb", 8), Branch::Accumulate),
        ("Llama-3-8B", true, 8, 2048, offer("h100-80gb", 1), Branch::OffloadStates),
        ("Llama-3-8B", false, 8, 2048, offer("rtx4090", 1), Branch::Lora),
        // 141 GB of gradients are more than the host's 128 GiB.
        ("Llama-3-70B", true, 8, 2048, offer("h200", 1), Branch::Lora),
        ("Llama-2-13B", false, 8, 1024, offer("rtx4090", 1), Branch::Qlora),
        ("Qwen2.5-0.5B", true, 8, 512, offer("v100-32gb", 1), Branch::FullTuning),
    ];
    for (name, full, batch, seq, cards, expected) in cases {
        let decision = train(name, full, batch, seq, &[cards]);
        well_formed(&decision);
        assert!(taken(&decision).contains(&expected), "{name} on {}: {:?}", cards.card.id, taken(&decision));
        match decision.plan {
            Some(Plan::Train(plan)) => {
                let ledger = plan.ledger(model(name)).expect("a plan is a step");
                assert_eq!(ledger.worst().map(|rank| rank.ledger.peak.bytes), Some(plan.peak), "{name}");
                assert_eq!(plan.step.global_batch(), Ok(batch), "{name}");
            }
            Some(Plan::Adapters(plan)) => {
                let ledger = training::lora_ledger(model(name), &plan.training, &plan.lora).expect("a step");
                assert_eq!(ledger.peak.bytes, plan.peak, "{name}");
                assert!(plan.peak < cards.card.capacity_bytes, "{name}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

/// The flow's own combination and the planner's are told apart: whatever is faster is taken, with its reason.
#[test]
fn a_faster_layout_replaces_the_flows() {
    let decision = train("Llama-3-8B", true, 64, 4096, &[offer("h100-80gb", 8)]);
    let Some(Plan::Train(plan)) = decision.plan else { panic!("{decision:?}") };
    assert!(taken(&decision).contains(&Branch::Faster));
    let flow = plan.step.zero == ZeroStage::Three && plan.cost.recompute > 0.0;
    assert!(!flow && plan.step.offload.states == Place::Device, "{plan:?}");
}
