//! `vramlab ledger inference|training`: the calculators on the command line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use ledger::{Entry, Model, catalogue, units};
use serde::Serialize;
use ui::state::{InferenceState, TrainingState};

use super::out::outln;

#[derive(Subcommand)]
pub enum Kind {
    /// What serving needs: weights, KV cache, reserve
    Inference {
        #[command(flatten)]
        source: ModelArgs,
        /// Format of the weights: fp32, bf16, fp16, fp8, int8, int4
        #[arg(long, default_value = "bf16")]
        weights: String,
        /// Format of the KV cache
        #[arg(long, default_value = "bf16")]
        kv: String,
        #[arg(long, default_value = "1")]
        batch: String,
        /// Tokens per request
        #[arg(long, default_value = "8192")]
        seq: String,
        /// A card of the catalogue
        #[arg(long, default_value = "h100-80gb")]
        card: String,
        /// Bytes set aside for context and graphs, in MiB: an assumption
        #[arg(long, default_value = "1024")]
        reserve_mib: String,
        #[arg(long)]
        json: bool,
    },
    /// What a training step needs, phase by phase
    Training {
        #[command(flatten)]
        source: ModelArgs,
        /// fp32, amp_bf16, amp_fp16, bf16_master, bf16_master_fp32_grad, pure_bf16
        #[arg(long, default_value = "fp32")]
        precision: String,
        /// adamw_foreach, adamw_fused, adamw_in_backward, adamw_8bit, lion, adafactor, sgd, momentum
        #[arg(long, default_value = "adamw_foreach")]
        optimizer: String,
        #[arg(long, default_value = "1")]
        batch: String,
        #[arg(long, default_value = "768")]
        seq: String,
        /// none, every_layer, sqrt_segments
        #[arg(long, default_value = "none")]
        checkpointing: String,
        #[arg(long, default_value = "h100-80gb")]
        card: String,
        #[arg(long)]
        json: bool,
    },
    /// The models and cards of the catalogue
    Catalogue,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
pub struct ModelArgs {
    /// A Hugging Face config.json
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A model of the catalogue
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
}

/// Exit 0 computed, 1 the model or the numbers are refused, 2 the arguments are wrong.
pub fn run(kind: Kind) -> ExitCode {
    let result = match kind {
        Kind::Inference { source, weights, kv, batch, seq, card, reserve_mib, json } => {
            let fields = [
                ("weights", weights),
                ("kv", kv),
                ("batch", batch),
                ("seq", seq),
                ("card", card),
                ("reserve_mib", reserve_mib),
            ];
            inference(source, &fields, json)
        }
        Kind::Training { source, precision, optimizer, batch, seq, checkpointing, card, json } => {
            let fields = [
                ("precision", precision),
                ("optimizer", optimizer),
                ("batch", batch),
                ("seq", seq),
                ("checkpointing", checkpointing),
                ("card", card),
            ];
            training(source, &fields, json)
        }
        Kind::Catalogue => {
            print_catalogue();
            Ok(())
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(why)) => {
            eprintln!("vramlab ledger: {why}");
            ExitCode::from(2)
        }
        Err(Failure::Refused(why)) => {
            eprintln!("vramlab ledger: {why}");
            ExitCode::FAILURE
        }
    }
}

enum Failure {
    Usage(String),
    Refused(String),
}

/// The largest config.json that is read at all; the importer has its own, smaller limit.
const MAX_FILE: u64 = 16 << 20;

fn pairs(source: ModelArgs, fields: &[(&str, String)]) -> Result<Vec<(String, String)>, Failure> {
    let mut pairs: Vec<(String, String)> =
        fields.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    if let Some(file) = source.config {
        let named = |error: &dyn std::fmt::Display| Failure::Refused(format!("{}: {error}", file.display()));
        let size = std::fs::metadata(&file).map_err(|error| named(&error))?.len();
        if size > MAX_FILE {
            return Err(named(&"larger than 16 MiB: this is no config.json"));
        }
        let text = std::fs::read_to_string(&file).map_err(|error| named(&error))?;
        if text.trim().is_empty() {
            return Err(named(&"the file is empty: expected a config.json"));
        }
        pairs.push(("config".to_owned(), text));
    }
    if let Some(name) = source.model {
        pairs.push(("model".to_owned(), name));
    }
    Ok(pairs)
}

fn usage(problems: &[ui::state::Problem]) -> Result<(), Failure> {
    match problems.first() {
        Some(problem) => Err(Failure::Usage(format!(
            "--{}: expected {}, found {:?}",
            problem.key.replace('_', "-"),
            problem.expected,
            problem.found
        ))),
        None => Ok(()),
    }
}

fn model(source: &ui::state::ModelSource) -> Result<Model, Failure> {
    source.model().map_err(|why| Failure::Refused(why.en.into_owned()))
}

fn inference(source: ModelArgs, fields: &[(&str, String)], json: bool) -> Result<(), Failure> {
    let state = InferenceState::from_pairs(&pairs(source, fields)?);
    usage(&state.problems)?;
    let model = model(&state.source)?;
    let (ledger, fit) = state.evaluate(&model).map_err(|error| Failure::Refused(error.to_string()))?;
    if json {
        return print_json(&serde_json::json!({
            "kind": "inference", "model": model, "workload": state.workload(), "card": state.card,
            "entries": ledger.entries, "total_bytes": ledger.total, "fit": fit,
        }));
    }
    print_entries(&ledger.entries);
    outln!("{:>14}  = {}  total", units::gib(ledger.total), units::gb(ledger.total));
    let verdict = if fit.fits {
        format!("fits, {} free", units::gib(fit.free))
    } else {
        format!("does not fit, {} short", units::gib(fit.short))
    };
    outln!("{} ({}): {verdict}", state.card, units::gib(fit.capacity));
    let limit = |value: Option<u64>| value.map_or_else(|| "none".to_owned(), units::group);
    outln!("longest context at batch {}: {}", state.batch, limit(fit.longest_context));
    outln!("largest batch at {} tokens: {}", units::group(state.seq), limit(fit.largest_batch));
    Ok(())
}

fn training(source: ModelArgs, fields: &[(&str, String)], json: bool) -> Result<(), Failure> {
    let state = TrainingState::from_pairs(&pairs(source, fields)?);
    usage(&state.problems)?;
    let model = model(&state.source)?;
    let ledger = state.evaluate(&model).map_err(|error| Failure::Refused(error.to_string()))?;
    if json {
        return print_json(&serde_json::json!({
            "kind": "training", "model": model, "workload": state.workload(), "card": state.card,
            "capacity_bytes": state.capacity(), "entries": ledger.entries, "phases": ledger.phases,
            "peak": ledger.peak, "floor_bytes": ledger.floor,
        }));
    }
    print_entries(&ledger.entries);
    for phase in &ledger.phases {
        let mark = if phase.phase == ledger.peak.phase { "  <- peak" } else { "" };
        outln!("{:>14}  {}{mark}", units::mib(phase.bytes), phase.phase.id());
    }
    outln!(
        "peak {} = {}, caused by {}",
        units::gib(ledger.peak.bytes),
        units::gb(ledger.peak.bytes),
        ledger.peak.cause.id()
    );
    outln!("floor {}: no activation strategy can go below it", units::mib(ledger.floor));
    Ok(())
}

fn print_entries(entries: &[Entry]) {
    for entry in entries {
        outln!(
            "{:>14}  {:<22} {} → {}  {}",
            units::gib(entry.bytes),
            entry.part,
            entry.span.from.id(),
            entry.span.to.id(),
            entry.formula
        );
    }
}

fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Failure::Refused(error.to_string()))?;
    outln!("{text}");
    Ok(())
}

fn print_catalogue() {
    for model in catalogue::models() {
        let count = model.parameters().map_or_else(|error| error.to_string(), units::group);
        outln!("{:<20} {count:>18} parameters", model.name);
    }
    for card in catalogue::cards() {
        outln!("{:<20} {:>18}  {}", card.id, units::gib(card.capacity_bytes), card.name);
    }
}
