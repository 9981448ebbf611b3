use std::fmt;

use crate::store::StoreError;

/// Ten characters that are not mistaken for each other when read from a blackboard: about 49 bits, behind a rate limit.
#[derive(Clone, PartialEq, Eq)]
pub struct JoinCode(String);

/// No `0 O`, `1 I L`, `U V`.
const ALPHABET: &[u8; 29] = b"23456789ABCDEFGHJKMNPQRSTWXYZ";
const LENGTH: usize = 10;

impl JoinCode {
    pub fn random() -> Result<Self, StoreError> {
        let mut code = String::with_capacity(LENGTH);
        while code.len() < LENGTH {
            let mut bytes = [0u8; 16];
            getrandom::fill(&mut bytes).map_err(|_| StoreError::NoRandomness)?;
            // 232 = 8 × 29: the bytes above would favour the first letters.
            let letters = bytes.iter().filter(|b| **b < 232).map(|b| char::from(ALPHABET[usize::from(b % 29)]));
            code.extend(letters.take(LENGTH - code.len()));
        }
        Ok(Self(code))
    }

    /// What a person typed: case, spaces and hyphens do not matter. `None` when it cannot be a code.
    pub fn parse(text: &str) -> Option<Self> {
        let code: String = text
            .chars()
            .filter(|c| !c.is_whitespace() && *c != '-')
            .map(|c| c.to_ascii_uppercase())
            .take(LENGTH + 1)
            .collect();
        let fits = code.len() == LENGTH && code.bytes().all(|b| ALPHABET.contains(&b));
        fits.then_some(Self(code))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// In two groups, as it is shown.
impl fmt::Display for JoinCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (left, right) = self.0.split_at(LENGTH / 2);
        std::write!(f, "{left}-{right}")
    }
}

impl fmt::Debug for JoinCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("«hidden»")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_codes() {
        for (typed, expected) in [
            ("ABCDE23456", Some("ABCDE23456")),
            ("abcde-23456", Some("ABCDE23456")),
            (" ab cde 234 56 ", Some("ABCDE23456")),
            ("ABCDE2345", None),
            ("ABCDE234567", None),
            ("ABCDE2345O", None),
            ("显存优化显存优化显存", None),
            ("", None),
        ] {
            assert_eq!(JoinCode::parse(typed).as_ref().map(JoinCode::as_str), expected, "{typed:?}");
        }
    }

    #[test]
    fn drawn_codes_read_back_as_shown() {
        for _ in 0..50 {
            let code = JoinCode::random().expect("random bytes");
            assert_eq!(JoinCode::parse(&code.to_string()), Some(code));
        }
    }
}
