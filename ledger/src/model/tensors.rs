//! The parameter tensors of a model, grouped by shape.
//!
//! Shapes follow the modules of Hugging Face transformers (`modeling_llama.py`, `modeling_qwen2.py`,
//! `modeling_qwen3.py`, `modeling_mistral.py`, `modeling_gpt2.py`): a tensor is what `named_parameters()` lists.

use crate::{LedgerError, Mlp, Model, Norm, formula::n};

/// What a parameter tensor does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    Embedding,
    /// Learned position table.
    Position,
    /// Weight of a matrix product in a layer.
    Linear,
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
        let (elements, _) = (n(shape[0]) * n(shape[1])).finish(part)?;
        if elements > 0 && count > 0 {
            self.groups.push(Tensors { part, role, elements, count });
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
        let (norms, _) = (n(self.layers) * n(self.norms_per_layer)).finish("norms")?;
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
        let (queries, _) = (n(self.heads) * n(self.head_dim)).finish("query")?;
        let (keys, _) = (n(self.kv_heads) * n(self.head_dim)).finish("key")?;
        if self.family == crate::Family::Gpt2 {
            // GPT-2 keeps query, key and value in one matrix, `c_attn`.
            let (fused, _) = (n(queries) + n(2) * n(keys)).finish("qkv")?;
            list.linear(["qkv", "qkv_bias"], [fused, self.hidden], self.biases.qkv, layers)?;
        } else {
            list.linear(["query", "query_bias"], [queries, self.hidden], self.biases.qkv, layers)?;
            list.linear(["key", "key_bias"], [keys, self.hidden], self.biases.qkv, layers)?;
            list.linear(["value", "value_bias"], [keys, self.hidden], self.biases.qkv, layers)?;
        }
        list.linear(["attention_out", "attention_out_bias"], [self.hidden, queries], self.biases.out, layers)?;
        if self.qk_norm {
            list.norm(self, "query_norm", self.head_dim, layers)?;
            list.norm(self, "key_norm", self.head_dim, layers)?;
        }
        Ok(())
    }

    fn mlp_tensors(&self, list: &mut List) -> Result<(), LedgerError> {
        let (bias, layers) = (self.biases.mlp, self.layers);
        if self.mlp == Mlp::Gated {
            list.linear(["gate", "gate_bias"], [self.intermediate, self.hidden], bias, layers)?;
        }
        list.linear(["up", "up_bias"], [self.intermediate, self.hidden], bias, layers)?;
        list.linear(["down", "down_bias"], [self.hidden, self.intermediate], bias, layers)
    }
}
