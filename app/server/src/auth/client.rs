//! Where a request comes from.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::{
    extract::{ConnectInfo, FromRef, FromRequestParts},
    http::{HeaderMap, StatusCode, request::Parts},
};

use super::Auth;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// The proxies whose `X-Forwarded-For` is believed. Empty: the header is ignored, as anybody can send it.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Vec<IpAddr>);

impl TrustedProxies {
    pub fn new(proxies: impl IntoIterator<Item = IpAddr>) -> Self {
        Self(proxies.into_iter().map(|ip| ip.to_canonical()).collect())
    }

    fn contains(&self, ip: IpAddr) -> bool {
        self.0.contains(&ip)
    }

    /// The nearest address that is not a trusted proxy: what stands before it in the header was sent by the client.
    pub fn client_of(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        let lines: Vec<_> = headers.get_all(FORWARDED_FOR).iter().filter_map(|v| v.to_str().ok()).collect();
        let mut hops = lines.iter().flat_map(|line| line.split(',')).rev();
        while self.contains(client) {
            match hops.next().map(|hop| hop.trim().parse::<IpAddr>()) {
                Some(Ok(ip)) => client = ip.to_canonical(),
                // Nothing or nonsense: the proxy itself is the best that is known.
                _ => break,
            }
        }
        client
    }
}

/// The address that limits count by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientIp(pub IpAddr);

impl ClientIp {
    /// One household or lab has a whole /64 of IPv6; an IPv4 address stands for itself.
    pub fn network(self) -> IpAddr {
        match self.0 {
            IpAddr::V4(_) => self.0,
            IpAddr::V6(ip) => {
                let [a, b, c, d, ..] = ip.segments();
                IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
            }
        }
    }
}

impl<S> FromRequestParts<S> for ClientIp
where
    Auth: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, StatusCode> {
        // Missing only when the server was built without connect info: a mistake of ours.
        let ConnectInfo(peer) =
            parts.extensions.get::<ConnectInfo<SocketAddr>>().ok_or(StatusCode::INTERNAL_SERVER_ERROR)?;
        Ok(Self(Auth::from_ref(state).proxies.client_of(peer.ip(), &parts.headers)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_trusted_proxies_speak_for_others() {
        let none: &[&str] = &[];
        let cases: &[(&[&str], &str, &[&str], &str)] = &[
            // trusted, peer, header lines, client
            (none, "203.0.113.9", &["198.51.100.1"], "203.0.113.9"),
            (&["127.0.0.1"], "127.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            (&["127.0.0.1"], "::ffff:127.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            (&["127.0.0.1"], "127.0.0.1", &["6.6.6.6, 198.51.100.1"], "198.51.100.1"),
            (&["127.0.0.1"], "127.0.0.1", &["6.6.6.6", "198.51.100.1"], "198.51.100.1"),
            (&["127.0.0.1", "10.0.0.2"], "127.0.0.1", &["198.51.100.1, 10.0.0.2"], "198.51.100.1"),
            (&["127.0.0.1"], "127.0.0.1", none, "127.0.0.1"),
            (&["127.0.0.1"], "127.0.0.1", &["unknown"], "127.0.0.1"),
            (&["127.0.0.1"], "203.0.113.9", &["127.0.0.1"], "203.0.113.9"),
        ];
        let ip = |text: &str| text.parse::<IpAddr>().expect("an address");
        for (trusted, peer, lines, client) in cases {
            let mut headers = HeaderMap::new();
            for line in *lines {
                headers.append(FORWARDED_FOR, line.parse().expect("a header"));
            }
            let proxies = TrustedProxies::new(trusted.iter().map(|t| ip(t)));
            assert_eq!(proxies.client_of(ip(peer), &headers), ip(client), "{trusted:?} {peer} {lines:?}");
        }
    }

    #[test]
    fn an_ipv6_client_is_its_network() {
        for (address, network) in [("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"), ("198.51.100.7", "198.51.100.7")] {
            let ip = ClientIp(address.parse().expect("an address"));
            assert_eq!(ip.network().to_string(), network);
        }
    }
}
