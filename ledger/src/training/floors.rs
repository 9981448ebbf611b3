//! Levels below which no strategy of a kind can bring the peak.

use serde::{Deserialize, Serialize};

use super::{Line, Moment, head, moments};
use crate::{LedgerError, Text, object::Object};

/// A lower bound of the peak and what it holds against.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Floor {
    /// `optimizer_floor`, `loss_floor`, `weights_floor`.
    pub slug: std::borrow::Cow<'static, str>,
    /// Bytes.
    pub bytes: u64,
    /// What cannot go below it, in words.
    pub why: Text,
}

fn floor(slug: &'static str, bytes: u64, why: Text) -> Floor {
    Floor { slug: std::borrow::Cow::Borrowed(slug), bytes, why }
}

/// The floors of a run, given what is alive in `step()`.
pub(super) fn floors(lines: &[Line], step: u64) -> Result<Vec<Floor>, LedgerError> {
    // Activations of the layers may be computed again or moved away; the last norm and the head's input belong to
    // the loss.
    let beside_layers = |line: &&Line| line.entry.object != Object::Activation || head::is_part(&line.entry.part);
    let at = |moment: Moment| moments::total_bytes(lines.iter().filter(beside_layers), moment);
    let loss = at(Moment::ForwardEnd)?.max(at(Moment::LossBackward)?).max(at(Moment::HeadBackward)?);
    let weights =
        moments::total_bytes(lines.iter().filter(|line| line.entry.object == Object::Parameter), Moment::Step)?;
    Ok(vec![
        floor(
            "optimizer_floor",
            step,
            Text::new(
                "任何激活策略都不能让峰值低于优化器更新时的占用：权重、梯度、状态与更新的临时量。",
                "No activation strategy can go below what the optimizer's step holds: weights, gradients, states and its temporary.",
            ),
        ),
        floor(
            "loss_floor",
            loss,
            Text::new(
                "损失的算法不变，重算或搬走各层激活也不能低于损失处的占用。",
                "With the same way to compute the loss, neither recomputing nor moving layers' activations can go below what it holds.",
            ),
        ),
        floor(
            "weights_floor",
            weights,
            Text::new(
                "不切分、不卸载时，任何策略都不能低于权重及其主副本。",
                "Without sharding or offloading, no strategy can go below the weights and their master copy.",
            ),
        ),
    ])
}
