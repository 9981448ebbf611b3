//! The planner: its bytes are the ledgers', its order is the cost model's.

use ledger::{
    Dtype, catalogue, inference,
    parallel::{Offload, Place, ZeroStage},
    planner::{self, Assumptions, Offer, ServeGoal, Space, TrainGoal, TrainPlans},
    training::{Checkpointing, Optimizer, Precision},
};

fn model(name: &str) -> &'static ledger::Model {
    catalogue::model(name).expect("in the catalogue")
}

fn offer(card: &str, count: u64) -> Offer {
    Offer { card: catalogue::card(card).expect("in the catalogue"), count }
}

fn train(name: &str, goal: TrainGoal, offers: &[Offer], space: &Space) -> TrainPlans {
    planner::train(model(name), &goal, offers, space, &Assumptions::default()).expect("a goal that can be searched")
}

/// One choice of everything: the answer is that choice, its cost by hand.
#[test]
fn the_cost_of_one_choice_by_hand() {
    let space = Space {
        precisions: vec![Precision::Bf16Master],
        optimizers: vec![Optimizer::AdamWFused],
        checkpointing: vec![Checkpointing::EveryLayer],
        zero: vec![ZeroStage::Three],
        offload: vec![Offload::NONE],
        max_tensor: 1,
        max_pipeline: 1,
        max_batch: 1,
        ..Space::default()
    };
    let goal = TrainGoal { batch: 8, seq: 4096 };
    let plans = train("Llama-3-8B", goal, &[offer("h100-80gb", 8)], &space);
    assert_eq!((plans.considered, plans.fitting, plans.best.len(), plans.front.len()), (1, 1, 1, 1));
    let cost = plans.best[0].cost;
    // One sequence per card. Seven matrices per layer; two operations per weight and token; causal attention.
    let (tokens, layer) = (4096.0, (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14_336) as f64);
    let attention = 2.0 * 2.0 * 32.0 * 128.0 * 2048.0;
    let layers = 32.0 * (2.0 * layer + attention);
    let head = 2.0 * 4096.0 * 128_256.0;
    let rate = 989.4e12 * 0.45;
    let near =
        |got: f64, expected: f64, what: &str| assert!((got / expected - 1.0).abs() < 1e-9, "{what}: {got} {expected}");
    near(cost.compute, 3.0 * (layers + head) * tokens / rate, "compute");
    near(cost.recompute, layers * tokens / rate, "recompute");
    // Gradients scattered once and weights gathered twice, 2 B each, 7/8 of them at 450 GB/s: less than the passes.
    assert!(3.0 * 2.0 * 8_030_261_248.0 * 7.0 / 8.0 / 450e9 < cost.compute + cost.recompute);
    assert_eq!((cost.data, cost.tensor, cost.bubble, cost.offload), (0.0, 0.0, 0.0, 0.0));
    // An eighth of: 12 B of states read and written, 2 B gradients read, 2 B weights read and written.
    let share = 8_030_261_248.0 / 8.0;
    let counters = 291.0 * 4.0 * 2.0;
    near(cost.step, ((2.0 * 12.0 + 2.0 + 4.0) * share + counters) / (3350e9 * 0.7), "step");
    near(plans.best[0].tokens_per_second(&goal), 8.0 * 4096.0 / cost.total(), "throughput");
}

#[test]
fn plans_fit_are_ordered_and_agree_with_the_ledger() {
    for (name, card, count, batch) in
        [("Llama-3-8B", "h100-80gb", 8, 16), ("Qwen3-30B-A3B", "a100-80gb", 16, 16), ("Qwen2.5-0.5B", "rtx4090", 1, 4)]
    {
        let goal = TrainGoal { batch, seq: 2048 };
        let plans = train(name, goal, &[offer(card, count)], &Space::default());
        let capacity = catalogue::card(card).expect("in the catalogue").capacity_bytes;
        assert!(plans.fitting > 1 && plans.considered >= plans.fitting, "{name}");
        for plan in plans.best.iter().chain(&plans.front) {
            let ledger = plan.ledger(model(name)).expect("a plan is a step");
            assert_eq!(ledger.worst().map(|rank| rank.ledger.peak.bytes), Some(plan.peak), "{name} {plan:?}");
            assert!(plan.peak + Assumptions::default().reserve <= capacity, "{name}");
            assert_eq!(plan.step.global_batch(), Ok(batch), "{name}");
            assert_eq!(plan.step.mesh.ranks(), Ok(count), "{name}");
        }
        assert!(plans.best.windows(2).all(|pair| pair[0].cost.total() <= pair[1].cost.total()), "{name}");
        assert!(
            plans
                .front
                .windows(2)
                .all(|pair| pair[0].cost.total() < pair[1].cost.total() && pair[0].peak > pair[1].peak),
            "{name}"
        );
        assert_eq!(plans.front.first().map(|plan| plan.cost.total()), plans.best.first().map(|plan| plan.cost.total()));
    }
}

#[test]
fn a_comparison_adds_up_and_names_what_differs() {
    let goal = TrainGoal { batch: 16, seq: 2048 };
    let plans = train("Llama-3-8B", goal, &[offer("h100-80gb", 8)], &Space::default());
    let (first, last) = (plans.front.first().expect("fits"), plans.front.last().expect("fits"));
    let comparison = planner::compare(first, last);
    assert!((comparison.slower - (last.cost.total() - first.cost.total())).abs() < 1e-9);
    assert!(comparison.slower > 0.0 && comparison.larger < 0 && !comparison.choices.is_empty());
    assert!(comparison.reason.en.starts_with("The first is faster by"), "{}", comparison.reason.en);
    assert!(comparison.reason.zh.starts_with("前者快"), "{}", comparison.reason.zh);
    let same = planner::compare(first, first);
    assert!(same.terms.is_empty() && same.choices.is_empty() && same.reason.en.starts_with("Both are equally fast"));
    // The other way round the sign turns.
    assert!(planner::compare(last, first).reason.en.starts_with("The second is faster by"));
}

/// 70 B with FP32 states: 16 B × 70.55e9 = 1,129 GB do not fit eight cards of 85.5 GB without offload; with it they do.
#[test]
fn offload_is_taken_where_nothing_else_fits() {
    let goal = TrainGoal { batch: 8, seq: 2048 };
    let space = Space { optimizers: vec![Optimizer::AdamWFused], ..Space::default() };
    let stay = Space { offload: vec![Offload::NONE], ..space.clone() };
    let plans = train("Llama-3-70B", goal, &[offer("h100-80gb", 8)], &stay);
    assert_eq!(plans.fitting, 0);
    let smallest = plans.smallest.expect("the least that is needed");
    assert!(smallest.peak > 1_129_000_000_000 / 8, "{smallest:?}");
    let plans = train("Llama-3-70B", goal, &[offer("h100-80gb", 8)], &space);
    assert!(plans.best.iter().all(|plan| plan.step.offload.states != Place::Device && plan.host > 0));
    assert!(plans.smallest.is_none());
}

#[test]
fn a_card_without_the_format_is_no_offer() {
    let goal = TrainGoal { batch: 8, seq: 512 };
    let space = Space { precisions: vec![Precision::AmpBf16], ..Space::default() };
    assert_eq!(train("Qwen2.5-0.5B", goal, &[offer("v100-32gb", 4)], &space).considered, 0);
    let space = Space { precisions: vec![Precision::AmpFp16], ..Space::default() };
    assert!(train("Qwen2.5-0.5B", goal, &[offer("v100-32gb", 4)], &space).fitting > 0);
    let zero = planner::train(model("gpt2"), &TrainGoal { batch: 0, seq: 1 }, &[], &space, &Assumptions::default());
    assert_eq!(zero.map_err(|error| error.to_string()), Err("batch is 0: it must be at least 1".to_owned()));
}

#[test]
fn more_choices_never_give_a_slower_plan() {
    let goal = TrainGoal { batch: 16, seq: 2048 };
    let best = |space: &Space| {
        train("Llama-3.2-3B", goal, &[offer("l40s", 8)], space)
            .best
            .first()
            .map_or(f64::INFINITY, |plan| plan.cost.total())
    };
    let narrow =
        Space { checkpointing: vec![Checkpointing::EveryLayer], max_tensor: 1, max_pipeline: 1, ..Space::default() };
    assert!(best(&Space::default()) <= best(&narrow));
}

/// One card: weights and cache are those of the serving ledger.
#[test]
fn serving_on_one_card_is_the_serving_ledger() {
    for (name, weights, kv) in [
        ("Llama-3-8B", Dtype::Bf16, Dtype::Fp8),
        ("gemma-2-9b", Dtype::Int4, Dtype::Bf16),
        ("DeepSeek-V2-Lite", Dtype::Fp8, Dtype::Bf16),
    ] {
        let goal = ServeGoal { context: 8192, concurrency: 3, weights: vec![weights], kv: vec![kv] };
        let plans = planner::serve(model(name), &goal, &[offer("h200", 1)], &Assumptions::default()).expect("fits");
        let workload = inference::Inference { weights, kv, batch: 3, seq: 8192, reserve: 0 };
        let total = inference::ledger(model(name), &workload).map(|ledger| ledger.total);
        assert_eq!(plans.best.first().map(|plan| plan.peak), total.ok(), "{name}");
    }
}

/// Llama-3-70B in BF16, 141 GB: two H100 hold it, 85.5 GB each; the cache of 4096 tokens takes 1.34 GB.
#[test]
fn the_fewest_cards() {
    let goal = ServeGoal { context: 4096, concurrency: 1, weights: vec![Dtype::Bf16], kv: vec![Dtype::Bf16] };
    let card = catalogue::card("h100-80gb").expect("in the catalogue");
    let fewest =
        planner::fewest_to_serve(model("Llama-3-70B"), &goal, card, 16, &Assumptions::default()).expect("a goal");
    let (count, plans) = fewest.expect("two cards are enough");
    assert_eq!((count, plans.best[0].tensor), (2, 2));
    let none = planner::fewest_to_serve(model("Llama-3.1-405B"), &goal, card, 8, &Assumptions::default());
    assert_eq!(none, Ok(None));
}
