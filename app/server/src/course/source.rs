//! Where the content comes from: the files packed into the binary, or a folder an author works in.

use std::borrow::Cow;
use std::path::PathBuf;

use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../content"]
#[include = "*.toml"]
#[include = "*.md"]
struct Packed;

/// A set of content files.
#[derive(Debug, Clone)]
pub enum Source {
    Packed,
    Folder(PathBuf),
    /// Files by path, for tests.
    Memory(Vec<(String, String)>),
}

impl Source {
    /// The text of a file, or why it cannot be had.
    pub fn read(&self, path: &str) -> Result<String, String> {
        let bytes: Cow<'_, [u8]> = match self {
            Source::Packed => match Packed::get(path) {
                Some(file) => file.data,
                None => return Err("the file does not exist".to_owned()),
            },
            Source::Folder(root) => match std::fs::read(root.join(path)) {
                Ok(bytes) => Cow::Owned(bytes),
                Err(error) => return Err(error.to_string()),
            },
            Source::Memory(files) => match files.iter().find(|(name, _)| name == path) {
                Some((_, text)) => Cow::Borrowed(text.as_bytes()),
                None => return Err("the file does not exist".to_owned()),
            },
        };
        String::from_utf8(bytes.into_owned())
            .map_err(|error| format!("not UTF-8 from byte {}", error.utf8_error().valid_up_to()))
    }
}
