//! Closed lists that live in text columns. The migrations repeat each list as a CHECK.

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
            type Err = $crate::store::KindError;
            fn from_str(text: &str) -> Result<Self, $crate::store::KindError> {
                match text {
                    $($id => Ok(Self::$variant),)+
                    other => Err($crate::store::KindError { kind: stringify!($name), found: other.to_owned() }),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(self.id())
            }
        }

        text_column!($name);
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
        Queued = "queued", Leased = "leased", Done = "done", FailedInfra = "failed_infra",
        FailedLab = "failed_lab", Cancelled = "cancelled",
    }
    /// What a line of a job's log tells.
    LogKind {
        Queued = "queued", Claimed = "claimed", Stage = "stage", Note = "note", Lost = "lost", Back = "back",
        Failed = "failed", Ended = "ended", Requeued = "requeued", Cancelled = "cancelled", Reported = "reported",
    }
    /// How a report came to us.
    ReportOrigin { Runner = "runner", Upload = "upload", Browser = "browser" }
    /// What somebody is in a class.
    Membership { Learner = "learner", Assistant = "assistant", Instructor = "instructor" }
    /// Which attempt of a learner counts in a class.
    Counting { Best = "best", Latest = "latest" }
    /// When a class shows its learners the points and feedback of a lab.
    Release { AtOnce = "at_once", Held = "held", At = "at" }
    /// What the grader made of a report.
    GradeOutcome { Graded = "graded", NotEvidence = "not_evidence" }
}
