//! Compressed answers: which encoding a client takes.

use axum::http::{HeaderMap, header};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Brotli,
    Gzip,
}

impl Encoding {
    /// What the client accepts, the smallest first.
    pub fn accepted(headers: &HeaderMap) -> impl Iterator<Item = Encoding> {
        let header = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
        [Encoding::Brotli, Encoding::Gzip].into_iter().filter(|encoding| accepts(header, encoding.name()))
    }

    /// The word of `Accept-Encoding` and `Content-Encoding`.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Brotli => "br",
            Encoding::Gzip => "gzip",
        }
    }
}

/// Whether an `Accept-Encoding` header allows an encoding.
fn accepts(header: &str, encoding: &str) -> bool {
    header.split(',').any(|part| {
        let mut words = part.split(';').map(str::trim);
        let named = words.next() == Some(encoding);
        let refused = words.any(|word| matches!(word, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"));
        named && !refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_taken_only_when_accepted() {
        use Encoding::*;
        let cases: [(&'static str, &[Encoding]); 5] = [
            ("gzip, deflate, br, zstd", &[Brotli, Gzip]),
            ("gzip;q=1.0, br;q=0", &[Gzip]),
            ("brotli", &[]),
            ("", &[]),
            ("br", &[Brotli]),
        ];
        for (header, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, axum::http::HeaderValue::from_static(header));
            assert_eq!(Encoding::accepted(&headers).collect::<Vec<_>>(), expected, "{header}");
        }
    }
}
