//! A sentence in the two languages of the product.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The same sentence in Chinese and in English; the caller picks.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    pub zh: Cow<'static, str>,
    pub en: Cow<'static, str>,
}

impl Text {
    pub fn new(zh: impl Into<Cow<'static, str>>, en: impl Into<Cow<'static, str>>) -> Self {
        Self { zh: zh.into(), en: en.into() }
    }
}
