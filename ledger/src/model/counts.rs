//! Counts that follow from the tensors.

use crate::{LedgerError, Model, Role, Tensors, formula::n};

fn sum(groups: &[Tensors], wanted: impl Fn(Role) -> bool) -> Result<u64, LedgerError> {
    groups
        .iter()
        .filter(|group| wanted(group.role))
        .try_fold(0u64, |sum, group| sum.checked_add(group.total()?))
        .ok_or_else(|| LedgerError::Overflow { what: "parameters", formula: "Σ tensors".to_owned() })
}

impl Model {
    /// Parameters, exact; a tied matrix counts once.
    ///
    /// ```
    /// let model = ledger::catalogue::model("Qwen2.5-0.5B").expect("in the catalogue");
    /// assert_eq!(model.parameters()?, 494_032_768);
    /// # Ok::<(), ledger::LedgerError>(())
    /// ```
    ///
    /// # Errors
    /// An inconsistent model, or 2⁶⁴ parameters and more.
    pub fn parameters(&self) -> Result<u64, LedgerError> {
        sum(&self.tensors()?, |_| true)
    }

    /// Parameters as a sum over the tensors: `elements × count` where a shape occurs more than once.
    pub(crate) fn parameters_formula(&self) -> Result<(u64, String), LedgerError> {
        let term = |group: &Tensors| match group.count {
            1 => n(group.elements),
            count => n(count) * n(group.elements),
        };
        let sum = self.tensors()?.iter().map(term).reduce(|sum, next| sum + next);
        sum.unwrap_or_else(|| n(0)).finish("parameters")
    }

    /// Parameters if the output head were a matrix of its own.
    pub fn parameters_untied(&self) -> Result<u64, LedgerError> {
        Model { tied: false, ..self.clone() }.parameters()
    }

    /// Parameters of the token embedding.
    pub fn embedding_parameters(&self) -> Result<u64, LedgerError> {
        sum(&self.tensors()?, |role| role == Role::Embedding)
    }

    /// Elements of all weights that enter a matrix product, the head included even where it is tied: the weights
    /// of which autocast makes a low-precision copy.
    pub fn matmul_weights(&self) -> Result<u64, LedgerError> {
        let groups = self.tensors()?;
        let head = if self.tied { Role::Embedding } else { Role::Head };
        sum(&groups, |role| matches!(role, Role::Linear | Role::Expert) || role == head)
    }

    /// Parameters that one token uses: all but the routed experts that it is not sent to. Embeddings count whole.
    ///
    /// ```
    /// let model = ledger::catalogue::model("Mixtral-8x7B-v0.1").expect("in the catalogue");
    /// assert_eq!((model.parameters()?, model.active_parameters()?), (46_702_792_704, 12_879_925_248));
    /// # Ok::<(), ledger::LedgerError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Model::parameters`].
    pub fn active_parameters(&self) -> Result<u64, LedgerError> {
        let total = self.parameters()?;
        let Some(experts) = &self.experts else { return Ok(total) };
        let biases = if experts.biases { n(2) * n(experts.intermediate) + n(self.hidden) } else { n(0) };
        let one = n(3) * n(self.hidden) * n(experts.intermediate) + biases;
        let idle = n(self.layers - experts.dense_layers) * n(experts.total - experts.per_token) * one;
        Ok(n(total).minus(idle).finish("active_parameters")?.0)
    }

    /// Elements of the state dict: parameters and persistent buffers.
    ///
    /// # Errors
    /// As [`Model::parameters`].
    pub fn state_dict_elements(&self) -> Result<u64, LedgerError> {
        let buffers = match &self.experts {
            Some(experts) if experts.correction => n(self.layers - experts.dense_layers) * n(experts.total),
            _ => n(0),
        };
        Ok((n(self.parameters()?) + buffers).finish("state_dict")?.0)
    }

    /// Number of parameter tensors, as `len(list(model.parameters()))` gives it.
    pub fn tensor_count(&self) -> Result<u64, LedgerError> {
        self.tensors()?
            .iter()
            .try_fold(0u64, |sum, group| sum.checked_add(group.count))
            .ok_or_else(|| LedgerError::Overflow { what: "tensors", formula: "Σ count".to_owned() })
    }

    /// Elements of the largest parameter tensor.
    pub fn largest_tensor(&self) -> Result<u64, LedgerError> {
        Ok(self.tensors()?.iter().map(|group| group.elements).max().unwrap_or(0))
    }
}
