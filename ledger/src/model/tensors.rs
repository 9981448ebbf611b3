//! The parameter tensors of a model, grouped by shape.
//!
//! Shapes follow the `modeling_*.py` modules of Hugging Face transformers: a tensor is what `named_parameters()` lists.

use crate::{
    Experts, Latent, LedgerError, Mlp, Model, Norm,
    formula::{product, sum},
};

/// What a parameter tensor does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    Embedding,
    /// Learned position table.
    Position,
    /// Weight of a matrix product in a layer.
    Linear,
    /// Stacked weights of the routed experts of a layer.
    Expert,
    Bias,
    Norm,
    /// Output head; absent where it is tied to the embedding.
    Head,
}

/// `count` parameter tensors of `elements` numbers each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tensors {
    /// `embedding`, `query`, `gate`, … ; `…_bias` for bias vectors.
    pub part: &'static str,
    pub role: Role,
    /// Matrices stacked in the tensor: experts; 1 otherwise.
    pub stack: u64,
    /// Outputs.
    pub rows: u64,
    /// Inputs; 1 for a vector.
    pub columns: u64,
    /// `stack × rows × columns`.
    pub elements: u64,
    pub count: u64,
}

impl Tensors {
    pub(crate) fn total(&self) -> Option<u64> {
        self.elements.checked_mul(self.count)
    }
}

struct List {
    groups: Vec<Tensors>,
}

impl List {
    fn add(&mut self, part: &'static str, role: Role, shape: [u64; 2], count: u64) -> Result<(), LedgerError> {
        self.stacked(part, role, [1, shape[0], shape[1]], count)
    }

    fn stacked(
        &mut self,
        part: &'static str,
        role: Role,
        [stack, rows, columns]: [u64; 3],
        count: u64,
    ) -> Result<(), LedgerError> {
        let elements = product(part, &[stack, rows, columns])?;
        if elements > 0 && count > 0 {
            self.groups.push(Tensors { part, role, stack, rows, columns, elements, count });
        }
        Ok(())
    }

    /// A weight of shape `[output, input]`, and its bias of shape `[output]` where there is one.
    fn linear(
        &mut self,
        parts: [&'static str; 2],
        [output, input]: [u64; 2],
        bias: bool,
        count: u64,
    ) -> Result<(), LedgerError> {
        self.add(parts[0], Role::Linear, [output, input], count)?;
        if bias { self.add(parts[1], Role::Bias, [output, 1], count) } else { Ok(()) }
    }

    fn norm(&mut self, model: &Model, part: &'static str, width: u64, count: u64) -> Result<(), LedgerError> {
        self.add(part, Role::Norm, [width, 1], count)?;
        match model.norm {
            Norm::Rms => Ok(()),
            Norm::Layer => self.add("norm_bias", Role::Bias, [width, 1], count),
        }
    }
}

impl Model {
    /// Every parameter tensor, grouped; a tied head is not listed a second time.
    ///
    /// # Errors
    /// An inconsistent model, or a tensor of 2⁶⁴ elements and more.
    pub fn tensors(&self) -> Result<Vec<Tensors>, LedgerError> {
        self.validate()?;
        let mut list = List { groups: Vec::with_capacity(20) };
        list.add("embedding", Role::Embedding, [self.vocab, self.hidden], 1)?;
        list.add("positions", Role::Position, [self.position_table, self.hidden], 1)?;
        self.attention_tensors(&mut list)?;
        self.mlp_tensors(&mut list)?;
        let norms = product("norms", &[self.layers, self.norms_per_layer])?;
        list.norm(self, "norm", self.hidden, norms)?;
        list.norm(self, "final_norm", self.hidden, 1)?;
        if !self.tied {
            list.add("head", Role::Head, [self.vocab, self.hidden], 1)?;
        }
        if self.biases.head {
            list.add("head_bias", Role::Bias, [self.vocab, 1], 1)?;
        }
        Ok(list.groups)
    }

    fn attention_tensors(&self, list: &mut List) -> Result<(), LedgerError> {
        let layers = self.layers;
        let queries = product("query", &[self.heads, self.head_dim])?;
        let keys = product("key", &[self.kv_heads, self.head_dim])?;
        if let Some(latent) = &self.latent {
            self.latent_tensors(list, latent)?;
        } else if self.family.fuses_projections() {
            let fused = sum("qkv", [queries, keys, keys].into_iter())?;
            list.linear(["qkv", "qkv_bias"], [fused, self.hidden], self.biases.qkv, layers)?;
        } else {
            list.linear(["query", "query_bias"], [queries, self.hidden], self.biases.qkv, layers)?;
            list.linear(["key", "key_bias"], [keys, self.hidden], self.biases.qkv, layers)?;
            list.linear(["value", "value_bias"], [keys, self.hidden], self.biases.qkv, layers)?;
        }
        let outputs = match &self.latent {
            Some(latent) => product("attention_out", &[self.heads, latent.value_dim])?,
            None => queries,
        };
        list.linear(["attention_out", "attention_out_bias"], [self.hidden, outputs], self.biases.out, layers)?;
        if self.qk_norm {
            list.norm(self, "query_norm", self.head_dim, layers)?;
            list.norm(self, "key_norm", self.head_dim, layers)?;
        }
        if self.sinks {
            list.add("sinks", Role::Bias, [self.heads, 1], layers)?;
        }
        Ok(())
    }

    fn latent_tensors(&self, list: &mut List, latent: &Latent) -> Result<(), LedgerError> {
        let layers = self.layers;
        let per_query = sum("query", [latent.nope_dim, latent.rope_dim].into_iter())?;
        let queries = product("query", &[self.heads, per_query])?;
        match latent.q_rank {
            Some(rank) => {
                list.linear(["query_down", "query_down_bias"], [rank, self.hidden], self.biases.qkv, layers)?;
                list.norm(self, "query_norm", rank, layers)?;
                list.add("query_up", Role::Linear, [queries, rank], layers)?;
            }
            None => list.add("query", Role::Linear, [queries, self.hidden], layers)?,
        }
        let down = sum("key_value_down", [latent.kv_rank, latent.rope_dim].into_iter())?;
        list.linear(["key_value_down", "key_value_down_bias"], [down, self.hidden], self.biases.qkv, layers)?;
        list.norm(self, "key_value_norm", latent.kv_rank, layers)?;
        let per_head = sum("key_value_up", [latent.nope_dim, latent.value_dim].into_iter())?;
        let up = product("key_value_up", &[self.heads, per_head])?;
        list.add("key_value_up", Role::Linear, [up, latent.kv_rank], layers)
    }

    fn mlp_tensors(&self, list: &mut List) -> Result<(), LedgerError> {
        let dense = match &self.experts {
            Some(experts) => {
                self.expert_tensors(list, experts)?;
                experts.dense_layers
            }
            None => self.layers,
        };
        let (bias, width) = (self.biases.mlp, self.intermediate);
        match self.mlp {
            Mlp::Gated if self.family.fuses_projections() => {
                let both = product("gate_up", &[2, width])?;
                list.linear(["gate_up", "gate_up_bias"], [both, self.hidden], bias, dense)?;
            }
            Mlp::Gated => {
                list.linear(["gate", "gate_bias"], [width, self.hidden], bias, dense)?;
                list.linear(["up", "up_bias"], [width, self.hidden], bias, dense)?;
            }
            Mlp::Plain => list.linear(["up", "up_bias"], [width, self.hidden], bias, dense)?,
        }
        list.linear(["down", "down_bias"], [self.hidden, width], bias, dense)
    }

    /// transformers keeps the experts of a layer in two stacked tensors.
    fn expert_tensors(&self, list: &mut List, experts: &Experts) -> Result<(), LedgerError> {
        let layers = self.layers - experts.dense_layers;
        list.linear(["router", "router_bias"], [experts.total, self.hidden], experts.biases, layers)?;
        let (total, width) = (experts.total, experts.intermediate);
        let both = product("expert_gate_up", &[2, width])?;
        list.stacked("expert_gate_up", Role::Expert, [total, both, self.hidden], layers)?;
        list.stacked("expert_down", Role::Expert, [total, self.hidden, width], layers)?;
        if experts.biases {
            list.stacked("expert_gate_up_bias", Role::Bias, [total, both, 1], layers)?;
            list.stacked("expert_down_bias", Role::Bias, [total, self.hidden, 1], layers)?;
        }
        if experts.shared_intermediate > 0 {
            let width = experts.shared_intermediate;
            list.add("shared_gate", Role::Linear, [width, self.hidden], layers)?;
            list.add("shared_up", Role::Linear, [width, self.hidden], layers)?;
            list.add("shared_down", Role::Linear, [self.hidden, width], layers)?;
        }
        if experts.shared_gate {
            list.add("shared_expert_gate", Role::Linear, [1, self.hidden], layers)?;
        }
        Ok(())
    }
}
