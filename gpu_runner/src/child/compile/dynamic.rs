//! `extern __shared__ float tile[];` for the processor: an array without a size, of which the launch says how large it is. C++ knows no
//! such thing, so it becomes a pointer to where that memory lies (`host/dynamic.h`), in the same line.

const WORDS: [&str; 2] = ["extern", "__shared__"];

/// The text with every such declaration written anew. What only looks like one is left for the compiler to judge.
pub fn rewritten(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(WORDS[0]) {
        let (before, here) = rest.split_at(at);
        out.push_str(before);
        let starts = !before.ends_with(is_word);
        match starts.then(|| declaration(here)).flatten() {
            Some((declared, length)) => {
                out.push_str(&declared);
                rest = &here[length..];
            }
            None => {
                out.push_str(WORDS[0]);
                rest = &here[WORDS[0].len()..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// `extern __shared__ TYPE NAME[];` at the beginning: what stands for it, and how long it was.
fn declaration(text: &str) -> Option<(String, usize)> {
    let mut inner = text;
    for word in WORDS {
        inner = inner.strip_prefix(word).filter(|rest| !rest.starts_with(is_word))?.trim_start();
    }
    let end = inner.find(';')?;
    let length = text.len() - inner.len() + end + 1;
    let declared = inner[..end].trim_end().strip_suffix(']')?.trim_end().strip_suffix('[')?.trim_end();
    let plain = without_alignment(declared)?;
    let name_at = plain.rfind(|c: char| !is_word(c)).map_or(0, |at| at + 1);
    let (kind, name) = (plain[..name_at].trim(), &plain[name_at..]);
    let plain_kind = |c: char| is_word(c) || c.is_whitespace() || "<>:,".contains(c);
    if name.is_empty() || kind.is_empty() || !kind.chars().all(plain_kind) {
        return None;
    }
    // What the declaration took of lines stays.
    let lines = "\n".repeat(text[..length].matches('\n').count());
    Some((format!("{kind} *const {name} = vramlab::dynamic_shared<{kind}>();{lines}"), length))
}

/// The memory begins at a page: every alignment is kept.
fn without_alignment(declared: &str) -> Option<String> {
    let mut text = declared.to_owned();
    for word in ["__align__", "alignas"] {
        if let Some(at) = text.find(word) {
            let end = at + text[at..].find(')')? + 1;
            text.replace_range(at..end, "");
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::rewritten;

    #[test]
    fn only_an_array_without_a_size_is_written_anew_and_lines_stay() {
        for (text, expected) in [
            ("extern __shared__ float s[];", "float *const s = vramlab::dynamic_shared<float>();"),
            (
                "  extern  __shared__\tunsigned char raw [ ] ; x",
                "  unsigned char *const raw = vramlab::dynamic_shared<unsigned char>(); x",
            ),
            ("extern __shared__ __align__(16) float4 s[];", "float4 *const s = vramlab::dynamic_shared<float4>();"),
            ("extern __shared__\n  float\n s[];\n", "float *const s = vramlab::dynamic_shared<float>();\n\n\n"),
            (
                "extern __shared__ T s[]; extern \"C\" int k;",
                "T *const s = vramlab::dynamic_shared<T>(); extern \"C\" int k;",
            ),
            ("extern \"C\" __global__ void k()", "extern \"C\" __global__ void k()"),
            ("my_extern __shared__ float s[];", "my_extern __shared__ float s[];"),
            ("extern __shared__ float s[8];", "extern __shared__ float s[8];"),
            ("extern __shared__x float s[];", "extern __shared__x float s[];"),
            ("extern __shared__ float (s)[];", "extern __shared__ float (s)[];"),
            ("extern __shared__ __align__(16 float s[];", "extern __shared__ __align__(16 float s[];"),
            ("extern __shared__ []; 长 extern", "extern __shared__ []; 长 extern"),
            ("extern", "extern"),
        ] {
            assert_eq!(rewritten(text), expected, "{text}");
        }
    }
}
