//! Files that no one else may read: the token and the private key. Their contents appear in no log, error or `Debug`.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use protocol::RunnerKey;

const MOST_BYTES: u64 = 4096;

#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    #[error("{}: {}", path.display(), source)]
    File { path: PathBuf, source: io::Error },
    #[error("{}: others can read it (mode {mode:04o}); run `chmod 600 {}`", path.display(), path.display())]
    Open { path: PathBuf, mode: u32 },
    #[error("{}: expected a regular file of at most {MOST_BYTES} bytes", path.display())]
    Form { path: PathBuf },
    #[error("{}: expected one line with the runner's token, as the server showed it", path.display())]
    Token { path: PathBuf },
    #[error("{}: {}; move the file away and start again for a new key (the server then needs a new token)", path.display(), source)]
    Key { path: PathBuf, source: protocol::KeyError },
    #[error("no random bytes from the operating system: {0}")]
    Random(getrandom::Error),
}

/// The token that the server knows this runner by.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    pub fn read(path: &Path) -> Result<Self, SecretError> {
        let bad = || SecretError::Token { path: path.to_owned() };
        let text = String::from_utf8(read_private(path)?).map_err(|_| bad())?;
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(bad());
        }
        Ok(Self(text.to_owned()))
    }

    /// The value of the header `Authorization`.
    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(secret)")
    }
}

/// Reads the key, or makes one where the file does not exist: mode 0600 from its first moment, complete or not there at all.
pub fn load_or_create_key(path: &Path) -> Result<RunnerKey, SecretError> {
    match read_private(path) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            RunnerKey::from_pem(&text).map_err(|source| SecretError::Key { path: path.to_owned(), source })
        }
        Err(SecretError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => create_key(path),
        Err(error) => Err(error),
    }
}

fn create_key(path: &Path) -> Result<RunnerKey, SecretError> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(SecretError::Random)?;
    let key = RunnerKey::from_seed(&seed);
    let pem = key.to_pem().map_err(|source| SecretError::Key { path: path.to_owned(), source })?;
    let fail = |source| SecretError::File { path: path.to_owned(), source };

    let unfinished = path.with_extension("unfinished");
    let result = write_private(&unfinished, pem.as_ref()).and_then(|()| {
        // A link, not a rename: two runners starting at once must not replace each other's key.
        fs::hard_link(&unfinished, path)
    });
    let removed = fs::remove_file(&unfinished);
    result.map_err(fail)?;
    removed.map_err(fail)?;
    Ok(key)
}

fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn read_private(path: &Path) -> Result<Vec<u8>, SecretError> {
    let fail = |source| SecretError::File { path: path.to_owned(), source };
    let file = File::open(path).map_err(fail)?;
    // Of the open file, not of the path: nothing can be swapped in between.
    let facts = file.metadata().map_err(fail)?;
    if !facts.is_file() || facts.len() > MOST_BYTES {
        return Err(SecretError::Form { path: path.to_owned() });
    }
    let mode = facts.permissions().mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(SecretError::Open { path: path.to_owned(), mode });
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(fail)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(dir: &tempfile::TempDir, text: &str, mode: u32) -> PathBuf {
        let path = dir.path().join(format!("f{mode:o}"));
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        for (mode, accepted) in
            [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o660, false), (0o644, false)]
        {
            let result = Token::read(&file(&dir, "vrr_secret\n", mode));
            assert_eq!(result.is_ok(), accepted, "{mode:o}");
            if let Err(error) = result {
                let text = format!("{error} {error:?}");
                assert!(error.to_string().contains("chmod 600") && !text.contains("vrr_secret"), "{text}");
            }
        }
        let key = dir.path().join("key.pem");
        load_or_create_key(&key).unwrap();
        fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(load_or_create_key(&key), Err(SecretError::Open { mode: 0o640, .. })));
    }

    #[test]
    fn a_key_is_made_once_private_and_then_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("runner-key.pem");
        let first = load_or_create_key(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
        assert_eq!(first.public(), load_or_create_key(&path).unwrap().public());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        let other = load_or_create_key(&dir.path().join("other.pem")).unwrap();
        assert_ne!(first.public(), other.public());
    }

    #[test]
    fn what_is_no_secret_file_is_refused_without_showing_it() {
        let dir = tempfile::tempdir().unwrap();
        let broken = file(&dir, "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n", 0o600);
        let error = load_or_create_key(&broken).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunter2"));
        assert!(matches!(load_or_create_key(dir.path()), Err(SecretError::Form { .. })));
        for text in ["", "  \n", "two words", "zwölf"] {
            assert!(matches!(Token::read(&file(&dir, text, 0o400)), Err(SecretError::Token { .. })), "{text:?}");
            fs::remove_file(dir.path().join("f400")).unwrap();
        }
    }

    #[test]
    fn a_token_does_not_show_in_debug() {
        let dir = tempfile::tempdir().unwrap();
        let token = Token::read(&file(&dir, "vrr_secret", 0o600)).unwrap();
        assert!(!format!("{token:?}").contains("vrr_secret"));
        assert_eq!(token.header(), "Bearer vrr_secret");
    }
}
