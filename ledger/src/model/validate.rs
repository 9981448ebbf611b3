//! Numbers of a model that contradict each other.

use crate::{LedgerError, Model};

impl Model {
    /// Checks that every size is at least 1 and that the numbers fit together.
    ///
    /// # Errors
    /// [`LedgerError::Zero`] and [`LedgerError::Contradiction`], with the fields by name.
    pub fn validate(&self) -> Result<(), LedgerError> {
        let sizes = [
            ("vocab", self.vocab),
            ("hidden", self.hidden),
            ("layers", self.layers),
            ("heads", self.heads),
            ("kv_heads", self.kv_heads),
            ("head_dim", self.head_dim),
            ("intermediate", self.intermediate),
            ("max_positions", self.max_positions),
            ("norms_per_layer", self.norms_per_layer),
        ];
        if let Some((field, _)) = sizes.into_iter().find(|(_, value)| *value == 0) {
            return Err(LedgerError::Zero { field });
        }
        if !self.heads.is_multiple_of(self.kv_heads) {
            return Err(LedgerError::Contradiction {
                field: "kv_heads",
                value: self.kv_heads,
                other: "heads",
                other_value: self.heads,
                why: "each key-value head serves the same number of query heads",
            });
        }
        match self.window {
            Some(window) if window.tokens == 0 => Err(LedgerError::Zero { field: "window.tokens" }),
            Some(window) if window.layers > self.layers => Err(LedgerError::Contradiction {
                field: "window.layers",
                value: window.layers,
                other: "layers",
                other_value: self.layers,
                why: "no more layers can slide than there are",
            }),
            _ => Ok(()),
        }
    }
}
