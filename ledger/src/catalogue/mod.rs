//! Models and cards whose facts are typed in with their source (`models/*.toml`, `cards/*.toml`).

use std::sync::LazyLock;

use serde::Serialize;

use crate::{Biases, Experts, Family, Latent, Mlp, Model, Norm, Window};

/// The generated row of a model; sizes in the order of [`model_of`].
struct ModelFacts {
    name: &'static str,
    source: &'static str,
    family: Family,
    sizes: [u64; 10],
    tied: bool,
    qk_norm: bool,
    mlp: Mlp,
    norm: Norm,
    biases: Biases,
    window: Option<Window>,
    sinks: bool,
    experts: Option<Experts>,
    latent: Option<Latent>,
}

/// A card and the capacity that its driver reports.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Card {
    /// `h100-80gb`
    pub id: &'static str,
    /// The product name.
    pub name: &'static str,
    /// Total memory as `nvidia-smi` reports it (MiB there), in bytes. Less than that is available to a program.
    pub capacity_bytes: u64,
    /// Where the number was read.
    pub source: &'static str,
    /// Rates by data sheet, where they are typed in.
    pub speed: Option<Speed>,
}

/// How fast a card is by its data sheet: peaks that no program reaches.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Speed {
    pub source: &'static str,
    /// Bytes per second of the card's memory.
    pub memory: u64,
    /// Bytes per second to the host over PCIe, per direction.
    pub pcie: Option<u64>,
    /// Bytes per second to the other cards together, per direction.
    pub nvlink: Option<u64>,
    /// Bytes per second to the host over NVLink-C2C, per direction.
    pub c2c: Option<u64>,
    /// Operations per second of dense matrix products, by format (`bf16`, `fp8`, `tf32`, …).
    pub dense: &'static [(&'static str, u64)],
}

impl Speed {
    /// Dense operations per second in a format.
    pub fn dense_rate(&self, format: &str) -> Option<u64> {
        self.dense.iter().find(|(known, _)| *known == format).map(|(_, rate)| *rate)
    }

    /// Bytes per second to the host, per direction, over whichever link leads there.
    ///
    /// ```
    /// let host = |card| ledger::catalogue::card(card).and_then(|card| card.speed).and_then(|speed| speed.host());
    /// assert_eq!(host("gh200-96gb"), Some(450_000_000_000));
    /// assert_eq!(host("h100-80gb"), Some(63_015_000_000));
    /// ```
    pub fn host(&self) -> Option<u64> {
        self.c2c.or(self.pcie)
    }

    /// Bytes per second to the other cards of the machine, per direction: NVLink, or PCIe where there is none.
    pub fn peers(&self) -> Option<u64> {
        self.nvlink.or(self.pcie)
    }

    /// The ridge point of the roofline: operations per byte of memory traffic above which a kernel is limited by
    /// arithmetic.
    ///
    /// ```
    /// let speed = ledger::catalogue::card("h100-80gb").and_then(|card| card.speed).expect("typed in");
    /// assert_eq!(speed.ridge("bf16").map(f64::round), Some(295.0));
    /// ```
    pub fn ridge(&self, format: &str) -> Option<f64> {
        Some(self.dense_rate(format)? as f64 / self.memory as f64)
    }
}

include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));

fn model_of(facts: &ModelFacts) -> Model {
    let [
        vocab,
        hidden,
        layers,
        heads,
        kv_heads,
        head_dim,
        intermediate,
        max_positions,
        position_table,
        norms_per_layer,
    ] = facts.sizes;
    Model {
        name: facts.name.to_owned(),
        family: facts.family,
        vocab,
        hidden,
        layers,
        heads,
        kv_heads,
        head_dim,
        intermediate,
        max_positions,
        position_table,
        tied: facts.tied,
        mlp: facts.mlp,
        norm: facts.norm,
        norms_per_layer,
        qk_norm: facts.qk_norm,
        biases: facts.biases,
        window: facts.window,
        sinks: facts.sinks,
        experts: facts.experts,
        latent: facts.latent,
    }
}

/// All models, in the order of their file names.
pub fn models() -> &'static [Model] {
    static ALL: LazyLock<Vec<Model>> = LazyLock::new(|| MODELS.iter().map(model_of).collect());
    &ALL
}

/// The model of that name; case does not matter.
pub fn model(name: &str) -> Option<&'static Model> {
    models().iter().find(|model| model.name.eq_ignore_ascii_case(name))
}

/// Where the facts of a catalogue model come from.
pub fn model_source(name: &str) -> Option<&'static str> {
    MODELS.iter().find(|facts| facts.name.eq_ignore_ascii_case(name)).map(|facts| facts.source)
}

/// All cards, in the order of their file names.
pub fn cards() -> &'static [Card] {
    CARDS
}

/// The card of that id; case does not matter.
pub fn card(id: &str) -> Option<&'static Card> {
    CARDS.iter().find(|card| card.id.eq_ignore_ascii_case(id))
}
