//! Where a command's model comes from.

use std::path::PathBuf;

use super::Failure;

#[derive(clap::Args)]
#[group(required = true, multiple = false)]
pub struct Source {
    /// A Hugging Face config.json
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A model of the catalogue
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
}

/// The largest config.json that is read at all; the importer has its own, smaller limit.
const MAX_FILE: u64 = 16 << 20;

impl Source {
    /// The model as the named input that it is, before all others.
    pub fn pairs(self, fields: Vec<(&'static str, String)>) -> Result<Vec<(String, String)>, Failure> {
        let mut pairs: Vec<(String, String)> = Vec::with_capacity(fields.len() + 1);
        if let Some(file) = self.config {
            let named = |error: &dyn std::fmt::Display| Failure::File(format!("{}: {error}", file.display()));
            let size = std::fs::metadata(&file).map_err(|error| named(&error))?.len();
            if size > MAX_FILE {
                return Err(named(&"larger than 16 MiB: this is no config.json"));
            }
            let text = std::fs::read_to_string(&file).map_err(|error| named(&error))?;
            if text.trim().is_empty() {
                return Err(named(&"the file is empty: expected a config.json"));
            }
            pairs.push(("config".to_owned(), text));
        }
        if let Some(name) = self.model {
            pairs.push(("model".to_owned(), name));
        }
        pairs.extend(fields.into_iter().map(|(key, value)| (key.to_owned(), value)));
        Ok(pairs)
    }
}
