//! Configurations per second of the planner, by the clock: `cargo run --release -p ledger --example planner_speed`.

use std::{error::Error, time::Instant};

use ledger::{
    catalogue,
    planner::{self, Assumptions, Offer, Space, TrainGoal},
};

fn main() -> Result<(), Box<dyn Error>> {
    let card = catalogue::card("h100-80gb").ok_or("no such card")?;
    for (name, count, batch) in [("Llama-3-8B", 8, 128), ("Llama-3-70B", 64, 512), ("Mixtral-8x7B-v0.1", 64, 512)] {
        let model = catalogue::model(name).ok_or("no such model")?;
        let goal = TrainGoal { batch, seq: 4096 };
        let begun = Instant::now();
        let plans = planner::train(model, &goal, &[Offer { card, count }], &Space::default(), &Assumptions::default())?;
        let seconds = begun.elapsed().as_secs_f64();
        let rate = plans.considered as f64 / seconds;
        println!("{name} on {count}: {} configurations, {} fit, {rate:.0} per second", plans.considered, plans.fitting);
        for plan in plans.best.iter().take(2) {
            let step = &plan.step;
            println!("  {:.3} s, {:.1} GB: {:?} {:?}", plan.cost.total(), plan.peak as f64 / 1e9, step.mesh, plan.cost);
            println!("    {:?} {:?} {:?} × {}", step.training, step.zero, step.offload, step.micro_batches);
        }
        if let [best, next, ..] = &plans.best[..] {
            println!("  {}", planner::compare(best, next).reason.en);
        }
    }
    Ok(())
}
