use std::str::FromStr;

use crate::store::KindError;

kinds! {
    /// One thing that a token may be allowed to do.
    Scope {
        ReadReports = "reports:read",
        SubmitReports = "reports:submit",
        RunLabs = "jobs:run",
        ReadGradebook = "gradebook:read",
    }
}

impl Scope {
    /// Those that a route asks for today; a new token may have no other.
    pub const OFFERED: &[Self] = &[Self::ReadReports, Self::SubmitReports];
}

/// A set of scopes; text with spaces between them, as OAuth writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(u8);

impl Scopes {
    pub fn of(scopes: &[Scope]) -> Self {
        Self(scopes.iter().fold(0, |set, s| set | bit(*s)))
    }

    pub fn has(self, scope: Scope) -> bool {
        self.0 & bit(scope) != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |s| self.has(*s))
    }
}

fn bit(scope: Scope) -> u8 {
    1 << scope as u8
}

impl std::fmt::Display for Scopes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words: Vec<_> = self.iter().map(Scope::id).collect();
        f.write_str(&words.join(" "))
    }
}

impl FromStr for Scopes {
    type Err = KindError;
    fn from_str(text: &str) -> Result<Self, KindError> {
        let scopes = text.split_ascii_whitespace().map(str::parse).collect::<Result<Vec<Scope>, _>>()?;
        Ok(Self::of(&scopes))
    }
}

text_column!(Scopes);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        for (text, expected) in [
            ("", Some("")),
            ("reports:read", Some("reports:read")),
            ("jobs:run  reports:read reports:read", Some("reports:read jobs:run")),
            ("reports:read everything", None),
        ] {
            assert_eq!(text.parse::<Scopes>().ok().map(|s| s.to_string()).as_deref(), expected, "{text:?}");
        }
        let all = Scopes::of(Scope::ALL);
        assert_eq!(all.to_string().parse(), Ok(all));
    }
}
