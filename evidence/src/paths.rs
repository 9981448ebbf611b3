//! Paths of somebody's machine.

/// The absolute path that a text is or holds: `/data/…`, `~/…`, `C:\…`, `\\server\…`, `file:///…`.
pub fn absolute_path(text: &str) -> Option<String> {
    let starts_like_one = |word: &str| {
        let bytes = word.as_bytes();
        let unix = word.starts_with('/')
            && !word.starts_with("//")
            && word.len() > 2
            && word[1..].contains('/')
            // Endpoints of a server are no files.
            && !["/v1/", "/api/"].iter().any(|endpoint| word.starts_with(endpoint))
            && word[1..].starts_with(|c: char| c.is_alphanumeric() || c == '.' || c == '_');
        let windows = bytes.len() > 3
            && bytes[0].is_ascii_alphabetic()
            && bytes[1] == b':'
            && matches!(bytes[2], b'\\' | b'/')
            // `s://…` of a URL is no drive.
            && bytes[3] != b'/';
        unix || windows || word.starts_with("\\\\") || word.starts_with("~/") || word.starts_with("file:///")
    };
    // Whatever an absolute path is, it holds one of these.
    if !text.contains(['/', '\\']) {
        return None;
    }
    let quotes = ['"', '\'', '(', ')', ',', ';', '=', '`', '<', '>', '[', ']'];
    if starts_like_one(text.trim()) && !text.trim().contains('\n') {
        return Some(text.trim().chars().take(120).collect());
    }
    text.split(|c: char| c.is_whitespace() || quotes.contains(&c))
        .find(|word| starts_like_one(word))
        .map(|word| word.chars().take(120).collect())
}

/// Whether a text is, or holds, an absolute path.
pub fn is_absolute_path(text: &str) -> bool {
    absolute_path(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::absolute_path;

    #[test]
    fn absolute_paths_are_told_from_everything_else() {
        let paths = [
            "/data/runs/76.json",
            "/home/x/a",
            "C:\\Users\\x\\a.json",
            "D:/runs/a.json",
            "~/runs/a.json",
            "file:///srv/a",
            "\\\\nas\\share\\a",
            "OutOfMemory in /opt/app/train.py line 3",
            "path='/home/x/a'",
        ];
        for text in paths {
            assert!(absolute_path(text).is_some(), "{text}");
        }
        let others = [
            "benchmarks/results/73.json",
            "http://127.0.0.1:8000/v1",
            "Qwen/Qwen2.5-0.5B-Instruct",
            "3.10 | packaged by conda-forge | [GCC 14.3.0]",
            "samples/s",
            "a / b",
            "/",
            "//",
            "torch.bfloat16",
            "baseline/checkpoint",
            "/v1/chat/completions",
        ];
        for text in others {
            assert_eq!(absolute_path(text), None, "{text}");
        }
    }
}
