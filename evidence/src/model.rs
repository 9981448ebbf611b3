//! Facts about the model a report names.

use ledger::Model;

/// A model of the catalogue for a Hugging Face id or a catalogue name.
///
/// `Qwen/Qwen2.5-0.5B-Instruct` is the architecture of `Qwen2.5-0.5B`: a fine-tuned variant adds no parameter. A name
/// the catalogue does not hold gives nothing, and whoever asks stays silent.
pub(crate) fn named(id: &str) -> Option<Model> {
    let bare = id.trim_end_matches('/').rsplit('/').next().unwrap_or(id);
    // The distilled 1.5B model is Qwen2.5-1.5B with an output matrix of its own (`tie_word_embeddings: false`).
    if bare.eq_ignore_ascii_case("DeepSeek-R1-Distill-Qwen-1.5B") {
        let base = in_catalogue("Qwen2.5-1.5B")?;
        return Some(Model { name: bare.to_owned(), tied: false, ..base.clone() });
    }
    ["", "-Instruct", "-Chat", "-Base", "-hf", "-it"]
        .iter()
        .find_map(|suffix| in_catalogue(bare.strip_suffix(suffix)?))
        .cloned()
}

fn in_catalogue(name: &str) -> Option<&'static Model> {
    ledger::catalogue::models().iter().find(|model| model.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn hugging_face_ids_find_their_exact_parameter_counts() {
        // Counts: the sum over the tensors of each model's safetensors index.
        let cases = [
            ("Qwen/Qwen2.5-0.5B-Instruct", Some(494_032_768)),
            ("Qwen2.5-0.5B", Some(494_032_768)),
            ("deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", Some(1_777_088_000)),
            ("Qwen/Qwen2.5-1.5B-Instruct", Some(1_543_714_304)),
            ("someone/unheard-of-7b", None),
            ("", None),
            ("/", None),
        ];
        for (id, expected) in cases {
            let found = named(id).map(|model| model.parameters().expect("counts"));
            assert_eq!(found, expected, "{id}");
        }
    }
}
