//! The layouts that a search tries.

use super::Space;
use crate::{
    Model,
    parallel::{Mesh, Schedule},
};

fn divisors(number: u64) -> impl Iterator<Item = u64> {
    (1..=number).filter(move |divisor| number.is_multiple_of(*divisor))
}

/// All layouts of `cards` cards that the model, the sequence and the batch can be divided on. Tensor ranks stay in one
/// machine of `node` cards and use sequence parallelism where the tokens divide; expert ranks are tried where there
/// are experts.
pub(crate) fn meshes(model: &Model, cards: u64, node: u64, batch: u64, seq: u64, space: &Space) -> Vec<Mesh> {
    let mut meshes = Vec::new();
    for tensor in divisors(cards).filter(|tensor| *tensor <= node.min(space.max_tensor)) {
        for pipeline in divisors(cards / tensor).filter(|pipeline| *pipeline <= space.max_pipeline) {
            for context in divisors(cards / tensor / pipeline).filter(|context| *context <= space.max_context) {
                let data = cards / tensor / pipeline / context;
                if !batch.is_multiple_of(data) {
                    continue;
                }
                let experts = if model.experts.is_some() { data * context } else { 1 };
                for expert in divisors(experts).filter(|expert| *expert <= space.max_expert) {
                    for schedule in schedules(pipeline, space) {
                        let sequence = tensor > 1 && (seq / context).is_multiple_of(tensor);
                        let mesh = Mesh { data, tensor, sequence, pipeline, schedule, expert, context };
                        if mesh.check(model, seq, pipeline).is_ok() {
                            meshes.push(mesh);
                        }
                    }
                }
            }
        }
    }
    meshes
}

fn schedules(pipeline: u64, space: &Space) -> impl Iterator<Item = Schedule> {
    let several = pipeline > 1;
    let one = [Schedule::OneForwardOneBackward];
    space.schedules.iter().copied().filter(move |_| several).chain(one.into_iter().filter(move |_| !several))
}
