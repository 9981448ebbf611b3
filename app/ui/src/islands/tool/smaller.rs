//! Small calculators ask for no model, compare nothing and have no timeline: their client carries no code for it.

use evidence::Lang;
use leptos::prelude::*;

use super::Change;
use crate::markup::Markup;
use crate::state::ModelSource;
use crate::tools::{Answer, Tool};

pub fn model_input(_: RwSignal<ModelSource>, _: Lang) -> AnyView {
    ().into_any()
}

pub fn timeline(_: Memo<Result<Answer, String>>, _: Lang) -> AnyView {
    ().into_any()
}

pub fn change_controls<F>(_: &'static Tool, _: Change, _: F, _: Lang) -> AnyView {
    ().into_any()
}

pub fn other(_: &Tool, _: &str, _: &str) -> String {
    String::new()
}

pub fn compared(_: &mut Markup, _: [&Answer; 2], _: &[String; 2], _: &str, _: Lang) {}
