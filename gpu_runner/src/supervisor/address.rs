//! The server's address. Plain HTTP beyond this machine would show the token to everyone on the way.

use std::fmt;
use std::net::IpAddr;

use ureq::http::Uri;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerAddress {
    /// Scheme, host, port and path prefix, without a slash at the end.
    base: String,
    loopback: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("{text:?} is no address of a server; expected something like https://course.example.org")]
    Form { text: String },
    #[error("the address must not hold a user name or password: the runner signs in with its token file")]
    UserInfo,
    #[error(
        "{host} is not this machine, and over plain http everyone on the way can read the runner's token and use it. \
         Use the server's https address (a certificate of its own: --ca-file). If the network between is yours alone, \
         --insecure-http accepts it"
    )]
    PlainHttp { host: String },
}

impl ServerAddress {
    pub fn parse(text: &str, insecure_http: bool) -> Result<Self, AddressError> {
        let form = || AddressError::Form { text: text.to_owned() };
        // Told before the text could be repeated in another error.
        if text.contains('@') {
            return Err(AddressError::UserInfo);
        }
        let uri: Uri = text.parse().map_err(|_| form())?;
        let scheme = uri.scheme_str().ok_or_else(form)?;
        let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(form)?;
        if uri.query().is_some() || text.contains('#') || !matches!(scheme, "http" | "https") {
            return Err(form());
        }
        let loopback = is_loopback(host);
        if scheme == "http" && !loopback && !insecure_http {
            return Err(AddressError::PlainHttp { host: host.to_owned() });
        }
        Ok(Self { base: text.trim_end_matches('/').to_owned(), loopback })
    }

    pub fn is_loopback(&self) -> bool {
        self.loopback
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base)
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_stays_on_this_machine_unless_asked() {
        for (text, insecure, accepted) in [
            ("https://course.example.org", false, true),
            ("https://course.example.org/vramlab/", false, true),
            ("http://127.0.0.1:3000", false, true),
            ("http://[::1]:3000", false, true),
            ("http://localhost:3000", false, true),
            ("http://10.0.0.7:3000", false, false),
            ("http://localhost.example.org", false, false),
            ("http://127.0.0.1.example.org", false, false),
            ("http://10.0.0.7:3000", true, true),
            ("ftp://127.0.0.1", true, false),
            ("https://user:pass@course.example.org", false, false),
            ("https://course.example.org?token=x", false, false),
            ("course.example.org", false, false),
            ("", false, false),
        ] {
            assert_eq!(ServerAddress::parse(text, insecure).is_ok(), accepted, "{text}");
        }
    }

    #[test]
    fn the_refusal_says_why_and_what_to_do() {
        let text = ServerAddress::parse("http://10.0.0.7:3000", false).unwrap_err().to_string();
        for part in ["10.0.0.7", "token", "https", "--ca-file", "--insecure-http"] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn a_path_prefix_is_kept() {
        let address = ServerAddress::parse("https://example.org/vramlab/", false).unwrap();
        assert_eq!(address.url("/api/v1/runner/claims"), "https://example.org/vramlab/api/v1/runner/claims");
    }
}
