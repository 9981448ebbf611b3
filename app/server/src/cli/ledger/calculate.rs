//! `vramlab ledger calculate`

use ledger::calculators::{Input, Kind, Sheet};

use super::{Failure, outln, print_json};
use crate::answers::{self, Refusal};

#[derive(clap::Args)]
pub struct Args {
    /// A calculator; without one, all of them with their inputs
    name: Option<String>,
    /// Its inputs; what is not given takes its default
    #[arg(value_name = "INPUT=VALUE")]
    inputs: Vec<String>,
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let Some(name) = args.name else {
        match args.json {
            true => print_json(&answers::calculators()),
            false => list(),
        }
        return Ok(());
    };
    let sheet = answers::calculate(&name, &pairs(args.inputs)?)?;
    match args.json {
        true => print_json(&sheet),
        false => print(&sheet),
    }
    Ok(())
}

fn pairs(inputs: Vec<String>) -> Result<Vec<(String, String)>, Refusal> {
    let pair = |text: String| match text.split_once('=') {
        Some((key, value)) => Ok((key.trim().to_owned(), value.to_owned())),
        None => Err(Refusal::Input { key: text.clone(), expected: "INPUT=VALUE".to_owned(), found: text }),
    };
    inputs.into_iter().map(pair).collect()
}

fn list() {
    for calculator in answers::calculators() {
        outln!("{:<20} {}", calculator.id, calculator.name.en);
        for Input { id, name, kind } in &calculator.inputs {
            let range = match kind {
                Kind::Whole { unit, default, min, max } => format!("{default} {unit} ({min} to {max})"),
                Kind::Decimal { unit, default, min, max } => format!("{default} {unit} ({min} to {max})"),
                Kind::Choice { default, options } if options.len() > 8 => {
                    format!("{default} (of {})", options.len())
                }
                Kind::Choice { default, options } => {
                    let ids: Vec<&str> = options.iter().map(|option| option.id.as_ref()).collect();
                    format!("{default} ({})", ids.join(", "))
                }
            };
            outln!("    {id:<18} {}: {range}", name.en);
        }
    }
}

fn print(sheet: &Sheet) {
    for line in &sheet.lines {
        outln!("{:>16}  {:<44} {}", line.quantity.to_string(), line.name.en, line.formula);
    }
    for plot in &sheet.plots {
        outln!("{} ({} / {}):", plot.name.en, plot.up.name.en, plot.along.name.en);
        for line in &plot.lines {
            outln!("  {}", line.name.en);
            for (x, y) in &line.points {
                outln!("{x:>16}  {y}");
            }
        }
        for mark in &plot.marks {
            outln!("  {}: {} {}", mark.name.en, mark.x, mark.y);
        }
    }
    if let Some(verdict) = &sheet.verdict {
        outln!("{}", verdict.en);
    }
    for assumption in &sheet.assumptions {
        outln!("assumed: {}", assumption.en);
    }
}
