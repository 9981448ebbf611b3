//! Parts of a layer that are computed again in the backward pass while the rest is kept.

use serde::{Deserialize, Serialize};

/// Which parts: the choices of Megatron's `--recompute-modules`, each with its own rule about what is kept.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = RecomputedParts))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Recompute {
    /// From query, key and value to the output of attention: scores, softmax, dropout, log-sum-exp. The three inputs
    /// and the output are kept.
    pub core_attention: bool,
    /// The norms of the layer, their outputs included; their inputs are kept, in the format of the residual stream.
    pub norms: bool,
    /// The activation function and the product with the gate; the outputs of gate and up are kept.
    pub activation: bool,
    /// The whole feed-forward block or mixture of experts; its input is kept.
    pub mlp: bool,
}

impl Recompute {
    pub const NOTHING: Recompute = Recompute { core_attention: false, norms: false, activation: false, mlp: false };
    pub const CORE_ATTENTION: Recompute = Recompute { core_attention: true, ..Self::NOTHING };

    /// Names in use, separated by `+`.
    pub fn slug(self) -> String {
        let names: Vec<&str> = self.switches().into_iter().filter(|(_, on)| *on).map(|(name, _)| name).collect();
        names.join("+")
    }

    fn switches(self) -> [(&'static str, bool); 4] {
        [
            ("core_attention", self.core_attention),
            ("norms", self.norms),
            ("activation", self.activation),
            ("mlp", self.mlp),
        ]
    }

    /// Reads what [`Recompute::slug`] writes; `None` for a name that is no part, and for an empty list.
    pub fn from_slug(slug: &str) -> Option<Self> {
        let mut parts = Self::NOTHING;
        for name in slug.split('+') {
            match name {
                "core_attention" => parts.core_attention = true,
                "norms" => parts.norms = true,
                "activation" => parts.activation = true,
                "mlp" => parts.mlp = true,
                _ => return None,
            }
        }
        Some(parts)
    }

    /// Norms or feed-forward parts: what adapters and their frozen layers have no rule for.
    pub(super) const fn beyond_attention(self) -> bool {
        self.norms || self.activation || self.mlp
    }
}
