//! Closed lists that live in text columns. The migrations repeat each list as a CHECK.

use sqlx::{Database, Decode, Encode, Type, encode::IsNull, error::BoxDynError};

/// A text column holds a word that is not in its closed list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {kind}: {found:?}")]
pub struct KindError {
    pub kind: &'static str,
    pub found: String,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident { $($variant:ident = $id:literal),+ $(,)? })+) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($variant),+ }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            pub fn id(self) -> &'static str {
                match self { $(Self::$variant => $id),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.id())
            }
        }

        impl std::str::FromStr for $name {
            type Err = KindError;
            fn from_str(text: &str) -> Result<Self, KindError> {
                match text {
                    $($id => Ok(Self::$variant),)+
                    other => Err(KindError { kind: stringify!($name), found: other.to_owned() }),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(self.id())
            }
        }

        impl<DB: Database> Type<DB> for $name where String: Type<DB> {
            fn type_info() -> DB::TypeInfo {
                <String as Type<DB>>::type_info()
            }
            fn compatible(ty: &DB::TypeInfo) -> bool {
                <String as Type<DB>>::compatible(ty)
            }
        }

        impl<'q, DB: Database> Encode<'q, DB> for $name where String: Encode<'q, DB> {
            fn encode_by_ref(&self, buf: &mut <DB as Database>::ArgumentBuffer) -> Result<IsNull, BoxDynError> {
                self.id().to_owned().encode(buf)
            }
        }

        impl<'r, DB: Database> Decode<'r, DB> for $name where String: Decode<'r, DB> {
            fn decode(value: <DB as Database>::ValueRef<'r>) -> Result<Self, BoxDynError> {
                Ok(String::decode(value)?.parse()?)
            }
        }
    )+ };
}

kinds! {
    /// What an account may do.
    Role { Learner = "learner", Instructor = "instructor" }
    /// What a one-time link is for.
    LinkPurpose { Setup = "setup", Reset = "reset" }
    /// How far a learner is with a lesson.
    Progress { Opened = "opened", Done = "done" }
    /// Where a job stands.
    JobState {
        Queued = "queued", Leased = "leased", Done = "done", FailedInfra = "failed_infra", Cancelled = "cancelled",
    }
}
