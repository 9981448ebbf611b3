//! The search for a serving process.
//!
//! A card holds its share of the weights (bare numbers), the cache of its share of the sequences at full context, and
//! the reserve. The time is that of one decoding step for all of a replica's sequences: weights and cache are read
//! once, matrix products may take longer than that, tensor ranks exchange two all-reduces per layer, stages pass the
//! tokens on one after another.

use serde::{Deserialize, Serialize};

use super::{
    Assumptions, Offer,
    cost::Rates,
    front::{Best, Front, Score},
    operations::forward,
};
use crate::{
    Dtype, LedgerError, Model,
    formula::{n, sum},
    inference,
    parallel::{Axis, Collective, Mesh, Quick, Shard},
};

/// What a service must hold.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServeGoal {
    /// Tokens per sequence, prompt and output together.
    pub context: u64,
    /// Sequences at the same time, on all cards together.
    pub concurrency: u64,
    /// Acceptable formats: they decide about quality.
    pub weights: Vec<Dtype>,
    pub kv: Vec<Dtype>,
}

/// Seconds of one decoding step by cause.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ServeCost {
    pub weights: f64,
    pub cache: f64,
    /// What matrix products take beyond reading.
    pub compute: f64,
    pub tensor: f64,
    pub pipeline: f64,
}

impl ServeCost {
    /// Seconds per token and sequence.
    pub fn total(&self) -> f64 {
        self.terms().iter().map(|(_, seconds)| seconds).sum()
    }

    /// Every term by slug.
    pub fn terms(&self) -> [(&'static str, f64); 5] {
        [
            ("weights", self.weights),
            ("cache", self.cache),
            ("compute", self.compute),
            ("tensor", self.tensor),
            ("pipeline", self.pipeline),
        ]
    }
}

/// One way to serve.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ServePlan {
    pub card: &'static str,
    pub cards: u64,
    /// Copies of the model, each with its share of the sequences.
    pub replicas: u64,
    pub tensor: u64,
    pub pipeline: u64,
    pub weights: Dtype,
    pub kv: Dtype,
    /// Bytes of weights and cache on the most loaded card, without the reserve.
    pub peak: u64,
    pub weight_bytes: u64,
    pub kv_bytes: u64,
    /// Sequences that one replica could hold.
    pub largest_batch: u64,
    pub cost: ServeCost,
}

/// What a search found.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ServePlans {
    /// Least time per token first.
    pub best: Vec<ServePlan>,
    pub front: Vec<ServePlan>,
    pub considered: u64,
    pub fitting: u64,
    pub smallest: Option<ServePlan>,
}

/// Searches every offer: replicas × tensor × pipeline ranks × formats.
///
/// ```
/// use ledger::{Dtype, catalogue, planner::{self, Assumptions, Offer, ServeGoal}};
/// let model = catalogue::model("Llama-3-70B").expect("in the catalogue");
/// let offers = [Offer { card: catalogue::card("h100-80gb").expect("in the catalogue"), count: 4 }];
/// let goal = ServeGoal { context: 8192, concurrency: 16, weights: vec![Dtype::Bf16], kv: vec![Dtype::Bf16] };
/// let plans = planner::serve(model, &goal, &offers, &Assumptions::default())?;
/// // 141 GB of weights need two cards; with the cache four serve fastest.
/// assert_eq!((plans.best[0].tensor, plans.best[0].replicas), (4, 1));
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// An inconsistent model, a context beyond a learned position table, or a number of zero.
pub fn serve(
    model: &Model,
    goal: &ServeGoal,
    offers: &[Offer],
    assumptions: &Assumptions,
) -> Result<ServePlans, LedgerError> {
    let workload = inference::Inference {
        weights: Dtype::Bf16,
        kv: Dtype::Bf16,
        batch: goal.concurrency,
        seq: goal.context,
        reserve: 0,
    };
    inference::check(model, &workload)?;
    let (mut best, mut front, mut smallest) = (Best::new(10), Front::new(), Best::new(1));
    let (mut considered, mut fitting) = (0, 0);
    for offer in offers {
        if offer.count == 0 {
            return Err(LedgerError::Zero { field: "count" });
        }
        let capacity = offer.card.capacity_bytes.saturating_sub(assumptions.reserve);
        for mesh in meshes(model, offer.count, assumptions.node) {
            let quick = Quick::new(model, mesh, goal.context)?;
            for weights in &goal.weights {
                for kv in &goal.kv {
                    considered += 1;
                    let Some(plan) = plan(model, goal, offer, &quick, mesh, (*weights, *kv), assumptions)? else {
                        continue;
                    };
                    let score = Score { seconds: plan.cost.total(), bytes: plan.peak };
                    if plan.peak > capacity {
                        smallest.offer(Score { seconds: plan.peak as f64, bytes: plan.peak }, || plan);
                        continue;
                    }
                    fitting += 1;
                    best.offer(score, || plan);
                    front.offer(score, || plan);
                }
            }
        }
    }
    let smallest = smallest.into_plans().into_iter().next().filter(|_| fitting == 0);
    Ok(ServePlans { best: best.into_plans(), front: front.into_plans(), considered, fitting, smallest })
}

/// Layouts of all cards that the model divides on; a replica is what one data rank is in training.
fn meshes(model: &Model, cards: u64, node: u64) -> Vec<Mesh> {
    let divisors = |number: u64| (1..=number).filter(move |divisor| number.is_multiple_of(*divisor));
    let mut meshes = Vec::new();
    for tensor in divisors(cards).filter(|tensor| *tensor <= node) {
        for pipeline in divisors(cards / tensor) {
            let mesh = Mesh { tensor, pipeline, data: cards / tensor / pipeline, ..Mesh::SINGLE };
            if mesh.check(model, 1, pipeline).is_ok() {
                meshes.push(mesh);
            }
        }
    }
    meshes
}

/// The cache of one card: the stage's layers, the rank's key-value heads; a latent is whole on every rank.
fn cache_bytes(model: &Model, shard: &Shard, kv: Dtype, batch: u64, seq: u64) -> Result<u64, LedgerError> {
    let mut narrow = shard.model.clone();
    // Sliding layers are taken to be spread evenly over the stages.
    narrow.window = model
        .window
        .map(|window| crate::Window { layers: window.layers.saturating_mul(narrow.layers) / model.layers, ..window });
    inference::kv_bytes(&narrow, kv, batch, seq)
}

/// The share of the weights that a step reads: few sequences do not reach all experts.
fn read_share(model: &Model, shard: &Shard, batch: u64) -> f64 {
    let Some(experts) = &model.experts else { return 1.0 };
    let reached = (batch as f64 * experts.per_token as f64 / experts.total as f64).min(1.0);
    1.0 - (1.0 - reached) * shard.experts as f64 / shard.whole.parameters as f64
}

fn plan(
    model: &Model,
    goal: &ServeGoal,
    offer: &Offer,
    quick: &Quick<'_>,
    mesh: Mesh,
    (weights, kv): (Dtype, Dtype),
    assumptions: &Assumptions,
) -> Result<Option<ServePlan>, LedgerError> {
    // Products of quantised weights run in 16 bit unless the card multiplies the format itself.
    let formats: &[&str] = match weights {
        Dtype::F32 => &["tf32", "fp32"],
        Dtype::Bf16 => &["bf16"],
        Dtype::F16 | Dtype::Int8 | Dtype::Int4 => &["fp16"],
        Dtype::Fp8 => &["fp8", "fp16"],
    };
    let rates = offer.card.speed.as_ref().and_then(|speed| Rates::of(speed, formats, assumptions));
    let Some(rates) = rates else { return Ok(None) };
    let batch = goal.concurrency.div_ceil(mesh.data);
    let (mut most, mut slowest) = ([0u64; 3], ServeCost::default());
    let mut largest = u64::MAX;
    for (shard, work) in quick.shards().iter().zip(forward(model, quick, 1)?) {
        let weight_bytes = n(shard.whole.parameters).of_bits(weights.bits()).finish("weights")?.0;
        let kv_bytes = cache_bytes(model, shard, kv, batch, goal.context)?;
        let peak = sum("total", [weight_bytes, kv_bytes].into_iter())?;
        if peak > most[0] {
            most = [peak, weight_bytes, kv_bytes];
        }
        let room = offer.card.capacity_bytes.saturating_sub(assumptions.reserve).saturating_sub(weight_bytes);
        let one = cache_bytes(model, shard, kv, 1, goal.context)?;
        largest = largest.min(room / one.max(1));
        let read = ServeCost {
            weights: weight_bytes as f64 * read_share(model, shard, batch) / rates.memory,
            cache: kv_bytes as f64 / rates.memory,
            ..ServeCost::default()
        };
        let products = (work.layers + work.head) * batch as f64 / rates.operations;
        // Stages work one after another on the same tokens.
        slowest.weights += read.weights * shard.stage.count as f64;
        slowest.cache += read.cache * shard.stage.count as f64;
        slowest.compute += (products - read.total()).max(0.0) * shard.stage.count as f64;
    }
    let token = batch.saturating_mul(model.hidden).saturating_mul(2);
    let link = |axis| rates.links.rate(axis, &mesh) as f64;
    let reduced = Collective::AllReduce.bytes_sent(token, mesh.tensor)?;
    slowest.tensor = 2.0 * model.layers as f64 * reduced as f64 / link(Axis::Tensor);
    slowest.pipeline = (mesh.pipeline - 1) as f64 * token as f64 / link(Axis::Pipeline);
    Ok(Some(ServePlan {
        card: offer.card.id,
        cards: offer.count,
        replicas: mesh.data,
        tensor: mesh.tensor,
        pipeline: mesh.pipeline,
        weights,
        kv,
        peak: most[0],
        weight_bytes: most[1],
        kv_bytes: most[2],
        largest_batch: largest,
        cost: slowest,
    }))
}
