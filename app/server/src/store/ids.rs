//! Identifiers: UUID v7 kept as text, one type per table so that they cannot be mixed up.

use std::{fmt, str::FromStr};

use uuid::Uuid;

/// The text is not an identifier of this system.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an identifier: {found:?}")]
pub struct IdError {
    pub found: String,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// A new identifier; later ones of one process sort after earlier ones.
            #[allow(clippy::new_without_default)]
            pub fn new() -> Self {
                Self(Uuid::now_v7())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                std::write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                // Only the canonical form: other spellings would not be found in a text column.
                match Uuid::try_parse(text) {
                    Ok(id) if id.to_string() == text => Ok(Self(id)),
                    _ => Err(IdError { found: text.chars().take(64).collect() }),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(&self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(d)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        text_column!($name);
    )+ };
}

ids!(
    UserId,
    ClassId,
    LinkId,
    ApiTokenId,
    AnswerId,
    ReportId,
    GradeId,
    RunnerId,
    JobId,
    AuditId,
    DrillQuestionId,
    DrillSetId,
    OverrideId,
    RegradeId,
    CommentId,
    ImportId,
);
