//! The topics, grouped by what they need: each draws numbers that people meet, asks, computes and gives the rule.

mod adapters;
mod cache;
mod capacity;
mod head;
mod paging;
mod pools;
mod quantised;
mod ranks;
mod saved;
mod states;
mod weights;

use std::borrow::Cow;

use super::{Topic, question::Draft, unit::about};
use crate::{
    Entry, LedgerError, Model, Text,
    calculators::{Line, Quantity, Sheet},
    formula::n,
    part_name,
    random::Random,
    units,
};

/// A draft, or `None` where what was drawn makes no realistic question.
type Drawn = Result<Option<Draft>, LedgerError>;

pub(super) fn draft(topic: Topic, random: &mut Random) -> Drawn {
    match topic {
        Topic::Weights => weights::plain(random),
        Topic::QuantisedWeights => quantised::mixed(random),
        Topic::ExpertWeights => weights::experts(random),
        Topic::QloraBase => quantised::qlora_base(random),
        Topic::KvPerToken => cache::per_token(random),
        Topic::KvCache => cache::whole(random),
        Topic::WindowCache => cache::windows(random),
        Topic::LatentCache => cache::latent(random),
        Topic::LongestContext => capacity::longest_context(random),
        Topic::LargestBatch => capacity::largest_batch(random),
        Topic::PagingSaves => paging::saves(random),
        Topic::SharedPrefix => paging::shared_prefix(random),
        Topic::AttentionScores => saved::scores(random),
        Topic::Activations => saved::activations(random),
        Topic::Checkpoints => saved::checkpoints(random),
        Topic::Logits => head::logits(random),
        Topic::TrainingStates => states::all(random),
        Topic::OptimizerTemporary => states::temporary(random),
        Topic::ZeroStates => ranks::zero(random),
        Topic::FewestCards => ranks::fewest_cards(random),
        Topic::LoraStates => adapters::states(random),
    }
}

/// GiB of a billion bytes: 10⁹ ÷ 2³⁰, as one remembers it.
const GIB_PER_BILLION: f64 = 0.93;

/// Billions of parameters with three significant digits, as the text tells them.
fn billions(parameters: u64) -> f64 {
    let mut step = 1;
    while parameters / step >= 1_000 {
        step *= 10;
    }
    (parameters as f64 / step as f64).round() * step as f64 / 1e9
}

/// `billions × bytes × 0.93 GiB`: bytes, and the formula.
fn by_billions(parameters: u64, bytes: f64) -> (f64, String) {
    let billions = billions(parameters);
    let estimate = billions * bytes * GIB_PER_BILLION * units::GIB as f64;
    (estimate, format!("{billions} × {bytes} × {GIB_PER_BILLION} GiB ≈ {}", about(estimate)))
}

/// Part of a model at `packed` bytes, the rest in 16 bits: bytes, and the formula.
fn four_bit(parameters: u64, sixteen: u64, packed: f64) -> (f64, String) {
    let (rest, sixteen) = (billions(parameters.saturating_sub(sixteen)), billions(sixteen));
    let estimate = (rest * packed + sixteen * 2.0) * GIB_PER_BILLION * units::GIB as f64;
    let formula = format!("({rest} × {packed} + {sixteen} × 2) × {GIB_PER_BILLION} GiB ≈ {}", about(estimate));
    (estimate, formula)
}

/// Parameters of the embedding and, where it is a matrix of its own, the head.
fn ends(model: &Model) -> Result<u64, LedgerError> {
    let embedding = model.embedding_parameters()?;
    Ok(if model.tied { embedding } else { embedding.saturating_mul(2) })
}

/// An entry of a ledger as a line of the worked answer; its bytes.
fn enter(sheet: &mut Sheet, entry: &Entry) -> u64 {
    let name = part_name(&entry.part).unwrap_or_else(|| Text::new(entry.part.clone(), entry.part.clone()));
    let quantity = Quantity::Bytes(entry.bytes);
    sheet.lines.push(Line { id: entry.part.clone(), name, quantity, formula: entry.formula.clone() });
    entry.bytes
}

/// A count that is not a product of numbers: `⌊room ÷ per⌋`.
fn enter_count(sheet: &mut Sheet, id: &'static str, name: (&'static str, &'static str), count: u64, formula: String) {
    let (id, name) = (Cow::Borrowed(id), Text::new(name.0, name.1));
    sheet.lines.push(Line { id, name, quantity: Quantity::Count(count), formula });
}

/// The sum of lines as the last one.
fn total(sheet: &mut Sheet, name: (&'static str, &'static str), parts: &[u64]) -> Result<u64, LedgerError> {
    let sum = parts.iter().map(|part| n(*part)).reduce(|sum, part| sum + part);
    sheet.bytes("total", name, sum.unwrap_or_else(|| n(0)))
}

/// The entry of that part; a ledger without it is a model for which the question makes no sense.
fn part<'a>(entries: &'a [Entry], slug: &'static str) -> Result<&'a Entry, LedgerError> {
    entries.iter().find(|entry| entry.part == slug).ok_or(LedgerError::NotModelled { what: slug })
}
