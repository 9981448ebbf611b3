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
        all_positive(&sizes)?;
        if !self.heads.is_multiple_of(self.kv_heads) {
            return Err(LedgerError::Contradiction {
                field: "kv_heads",
                value: self.kv_heads,
                other: "heads",
                other_value: self.heads,
                why: "each key-value head serves the same number of query heads",
            });
        }
        self.validate_window()?;
        self.validate_experts()?;
        match &self.latent {
            Some(latent) => all_positive(&[
                ("latent.q_rank", latent.q_rank.unwrap_or(1)),
                ("latent.kv_rank", latent.kv_rank),
                ("latent.nope_dim", latent.nope_dim),
                ("latent.rope_dim", latent.rope_dim),
                ("latent.value_dim", latent.value_dim),
            ]),
            None => Ok(()),
        }
    }

    fn validate_window(&self) -> Result<(), LedgerError> {
        let Some(window) = &self.window else { return Ok(()) };
        all_positive(&[("window.tokens", window.tokens)])?;
        self.no_more_layers("window.layers", window.layers)
    }

    fn validate_experts(&self) -> Result<(), LedgerError> {
        let Some(experts) = &self.experts else { return Ok(()) };
        all_positive(&[
            ("experts.total", experts.total),
            ("experts.per_token", experts.per_token),
            ("experts.intermediate", experts.intermediate),
        ])?;
        if experts.per_token > experts.total {
            return Err(LedgerError::Contradiction {
                field: "experts.per_token",
                value: experts.per_token,
                other: "experts.total",
                other_value: experts.total,
                why: "a token cannot use more experts than there are",
            });
        }
        self.no_more_layers("experts.dense_layers", experts.dense_layers)
    }

    fn no_more_layers(&self, field: &'static str, value: u64) -> Result<(), LedgerError> {
        if value <= self.layers {
            return Ok(());
        }
        Err(LedgerError::Contradiction {
            field,
            value,
            other: "layers",
            other_value: self.layers,
            why: "there are no more layers than that",
        })
    }
}

fn all_positive(sizes: &[(&'static str, u64)]) -> Result<(), LedgerError> {
    match sizes.iter().find(|(_, value)| *value == 0) {
        Some((field, _)) => Err(LedgerError::Zero { field }),
        None => Ok(()),
    }
}
