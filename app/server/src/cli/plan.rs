//! `vramlab plan train|serve`: the fastest way to do a job with the cards at hand.

use std::process::ExitCode;

use clap::Subcommand;
use ledger::decide::Plan;
use ledger::planner::{Comparison, ServePlan, TrainPlan};
use ledger::units;

use super::ledger::{Decide, Failure, Flags, Plan as PlanFlags, Source};
use super::out::{self, outln};
use crate::answers::{self, PlanAnswer};

#[derive(Subcommand)]
pub enum Goal {
    /// A training step
    Train {
        #[command(flatten)]
        source: Source,
        #[command(flatten)]
        flags: Flags<PlanFlags>,
        #[arg(long)]
        json: bool,
    },
    /// The fewest cards of one kind on which a goal fits, at most as many as --cards says
    Fewest {
        #[command(flatten)]
        source: Source,
        /// train or serve
        #[arg(long, default_value = "train")]
        goal: String,
        #[command(flatten)]
        flags: Flags<PlanFlags>,
        #[arg(long)]
        json: bool,
    },
    /// The branches from a task to a plan, each with its reason
    Decide {
        #[command(flatten)]
        source: Source,
        #[command(flatten)]
        flags: Flags<Decide>,
        #[arg(long)]
        json: bool,
    },
    /// A serving process
    Serve {
        #[command(flatten)]
        source: Source,
        #[command(flatten)]
        flags: Flags<PlanFlags>,
        #[arg(long)]
        json: bool,
    },
}

/// Exit 0 a plan fits, 1 nothing fits or the model is refused, 2 the arguments are wrong.
pub fn run(goal: Goal) -> ExitCode {
    let (goal, source, flags, json) = match goal {
        Goal::Train { source, flags, json } => ("train", source, flags, json),
        Goal::Serve { source, flags, json } => ("serve", source, flags, json),
        Goal::Fewest { source, goal, flags, json } => return fewest(source, goal, flags, json),
        Goal::Decide { source, flags, json } => return decide(source, flags, json),
    };
    let mut fields = flags.given;
    fields.push(("goal", goal.to_owned()));
    match answer(source, fields) {
        Ok(answer) => {
            match json {
                true => out::json(&answer),
                false => print(&answer),
            }
            let fitting = match &answer {
                PlanAnswer::Train(found) => found.fitting,
                PlanAnswer::Serve(found) => found.fitting,
            };
            if fitting > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(failure) => failure.report("plan"),
    }
}

/// Exit 0 it fits on some number, 1 on none, or the model is refused.
fn fewest(source: Source, goal: String, flags: Flags<PlanFlags>, json: bool) -> ExitCode {
    let mut fields = flags.given;
    fields.push(("goal", goal));
    let answer = match source.pairs(fields).and_then(|pairs| Ok(answers::fewest(&pairs)?)) {
        Ok(answer) => answer,
        Err(failure) => return failure.report("plan fewest"),
    };
    match (json, answer.cards, &answer.plans) {
        (true, _, _) => out::json(&answer),
        (false, Some(count), Some(plans)) => {
            outln!("{count} × {}", answer.card);
            print(plans);
        }
        _ => outln!("fits on none of 1 to {} × {}", answer.limit, answer.card),
    }
    if answer.cards.is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Exit 0 the flow ends in a plan, 1 in none, or the model is refused.
fn decide(source: Source, flags: Flags<Decide>, json: bool) -> ExitCode {
    let answer = source.pairs(flags.given).and_then(|pairs| Ok(answers::decide(&pairs)?));
    let answer = match answer {
        Ok(answer) => answer,
        Err(failure) => return failure.report("plan decide"),
    };
    let decision = &answer.decision;
    if json {
        out::json(&answer);
    } else {
        for step in &decision.steps {
            outln!("{}. {}: {}", step.number, step.branch.name().en, step.reason.en);
        }
        match &decision.plan {
            Some(Plan::Serve(plan)) => outln!("{}", serve(plan)),
            Some(Plan::Train(plan)) => outln!("{}", train(plan)),
            Some(Plan::Adapters(plan)) => outln!(
                "{:>12}  {} × {}: {:?} rank {} {} micro-batch {}",
                units::gib(plan.peak),
                plan.cards,
                plan.card,
                plan.lora.base,
                plan.lora.rank,
                plan.training.checkpointing.slug(),
                plan.training.batch
            ),
            None => outln!("no plan fits these cards"),
        }
        for next in &decision.next {
            outln!("next: {}", next.en);
        }
    }
    if decision.plan.is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn answer(source: Source, fields: Vec<(&'static str, String)>) -> Result<PlanAnswer, Failure> {
    Ok(answers::plan(&source.pairs(fields)?)?)
}

fn print(answer: &PlanAnswer) {
    match answer {
        PlanAnswer::Train(found) => {
            let smallest = found.smallest.as_ref().map(|plan| plan.peak);
            list(found.considered, found.fitting, &found.best, train, found.why.as_ref(), smallest);
        }
        PlanAnswer::Serve(found) => {
            let smallest = found.smallest.as_ref().map(|plan| plan.peak);
            list(found.considered, found.fitting, &found.best, serve, found.why.as_ref(), smallest);
        }
    }
}

fn list<P>(
    considered: u64,
    fitting: u64,
    plans: &[P],
    line: fn(&P) -> String,
    why: Option<&Comparison>,
    smallest: Option<u64>,
) {
    outln!("{} choices computed, {} fit", units::group(considered), units::group(fitting));
    for plan in plans {
        outln!("{}", line(plan));
    }
    if let Some(why) = why {
        outln!("{}", why.reason.en);
    }
    if let Some(peak) = smallest {
        outln!("nothing fits; the lowest peak is {} per card", units::gib(peak));
    }
}

fn train(plan: &TrainPlan) -> String {
    let (step, mesh) = (&plan.step, &plan.step.mesh);
    format!(
        "{:>9.3} s {:>12}  {} × {}: {} {} {} zero {:?} dp {} tp {} pp {} ep {} micro-batch {} × {} states {:?} weights {:?}",
        plan.cost.total(),
        units::gib(plan.peak),
        plan.cards,
        plan.card,
        step.training.precision.id(),
        step.training.optimizer.id(),
        step.training.checkpointing.id(),
        step.zero as u8,
        mesh.data,
        mesh.tensor,
        mesh.pipeline,
        mesh.expert,
        step.training.batch,
        step.micro_batches,
        step.offload.states,
        step.offload.weights,
    )
}

fn serve(plan: &ServePlan) -> String {
    format!(
        "{:>9.5} s/token {:>12}  {} × {}: weights {} kv {} replicas {} tp {} pp {}, {} sequences fit a replica",
        plan.cost.total(),
        units::gib(plan.peak),
        plan.cards,
        plan.card,
        plan.weights.id(),
        plan.kv.id(),
        plan.replicas,
        plan.tensor,
        plan.pipeline,
        units::group(plan.largest_batch),
    )
}
