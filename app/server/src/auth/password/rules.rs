use std::fmt;

/// OWASP ASVS 5.0 asks for at least 8 and for no rule on the mix of characters.
pub const MIN_CHARS: usize = 10;
/// Bounds the work that one request can ask for.
pub const MAX_BYTES: usize = 1024;

/// A password that a person chose, within the rules. `Debug` hides it.
#[derive(Clone)]
pub struct Password(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PasswordError {
    #[error("{found} characters; at least {min} are needed")]
    TooShort { found: usize, min: usize },
    #[error("{found} bytes; at most {max} are taken")]
    TooLong { found: usize, max: usize },
    /// Among the first that anybody tries, or made of the login name.
    #[error("too easy to guess")]
    Guessable,
}

impl Password {
    /// `login` because a password that repeats it is the first guess.
    pub fn choose(text: &str, login: &str) -> Result<Self, PasswordError> {
        if text.len() > MAX_BYTES {
            return Err(PasswordError::TooLong { found: text.len(), max: MAX_BYTES });
        }
        let found = text.chars().count();
        if found < MIN_CHARS {
            return Err(PasswordError::TooShort { found, min: MIN_CHARS });
        }
        if guessable(&text.to_lowercase(), &login.to_lowercase()) {
            return Err(PasswordError::Guessable);
        }
        Ok(Self(text.to_owned()))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("«hidden»")
    }
}

/// What is left when digits and punctuation around it are taken off is compared with these, so that `Password123!`
/// is refused with `password`.
const STEMS: &[&str] = &[
    "password",
    "passw0rd",
    "p@ssword",
    "p@ssw0rd",
    "qwerty",
    "qwertyuiop",
    "qwertyui",
    "asdfghjkl",
    "zxcvbnm",
    "iloveyou",
    "letmein",
    "welcome",
    "admin",
    "administrator",
    "root",
    "changeme",
    "secret",
    "sunshine",
    "princess",
    "football",
    "baseball",
    "superman",
    "dragon",
    "monkey",
    "master",
    "trustno",
    "whatever",
    "computer",
    "internet",
    "instructor",
    "teacher",
    "student",
    "learner",
    "vramlab",
    "nvidia",
    "woaini",
    "mima",
    "test",
    "guest",
    "user",
];

const WHOLE: &[&str] =
    &["1q2w3e4r5t", "1qaz2wsx3edc", "q1w2e3r4t5", "abc123abc123", "a1b2c3d4e5", "qazwsxedcrfv", "1qazxsw23edc"];

fn guessable(text: &str, login: &str) -> bool {
    let stem = text.trim_matches(|c: char| !c.is_alphabetic());
    let letters_of_login = login.trim_matches(|c: char| !c.is_alphabetic());
    stem.is_empty() && text.chars().all(|c| c.is_ascii_digit())
        || few_different(text)
        || STEMS.contains(&stem)
        || WHOLE.contains(&text)
        || !login.is_empty() && text == login
        || !letters_of_login.is_empty() && stem == letters_of_login
}

/// `aaaaaaaaaa`, `ababababab`, `1111111112`.
fn few_different(text: &str) -> bool {
    let mut seen: Vec<char> = text.chars().collect();
    seen.sort_unstable();
    seen.dedup();
    seen.len() < 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules() {
        let long = "长".repeat(400);
        let cases: &[(&str, Result<(), PasswordError>)] = &[
            ("correct horse", Ok(())),
            ("显存优化一二三四五六", Ok(())),
            ("vramlab-is-fun-7", Ok(())),
            ("short9!", Err(PasswordError::TooShort { found: 7, min: 10 })),
            ("显存优化", Err(PasswordError::TooShort { found: 4, min: 10 })),
            (&long, Err(PasswordError::TooLong { found: 1200, max: 1024 })),
            ("Password123!", Err(PasswordError::Guessable)),
            ("1234567890", Err(PasswordError::Guessable)),
            ("20260301123456", Err(PasswordError::Guessable)),
            ("aaaaaaaaaaaa", Err(PasswordError::Guessable)),
            ("ababababab12", Ok(())),
            ("1Q2W3E4R5T", Err(PasswordError::Guessable)),
            ("mei.lin-2026", Err(PasswordError::Guessable)),
            ("MEI.LIN2026!!", Err(PasswordError::Guessable)),
        ];
        for (text, expected) in cases {
            assert_eq!(&Password::choose(text, "Mei.Lin").map(drop), expected, "{text:?}");
        }
    }

    #[test]
    fn debug_hides_it() {
        let password = Password::choose("correct horse", "mei").map(|p| format!("{p:?}"));
        assert_eq!(password.as_deref(), Ok("«hidden»"));
    }
}
