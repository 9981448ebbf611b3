//! Where the server listens, and when it refuses to.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use axum::Router;
use axum_server::Server;
use hyper_util::rt::TokioTimer;
use tokio_util::sync::CancellationToken;

/// How the traffic is protected.
#[derive(Debug, Clone)]
pub enum Transport {
    /// Plain HTTP on the loopback address.
    Loopback,
    /// A proxy in front ends TLS.
    Proxy,
    Tls {
        cert: PathBuf,
        key: PathBuf,
    },
}

/// The listen address is reachable by others, and nothing would protect passwords on the way.
#[derive(Debug, thiserror::Error)]
#[error(
    "refusing plain HTTP on {0}: passwords and tokens would travel in the clear.\n\
     Either give a certificate:      vramlab serve --listen {0} --tls-cert cert.pem --tls-key key.pem\n\
     or listen on the loopback address behind a proxy that ends TLS:\n\
     \x20                               vramlab serve --listen 127.0.0.1:3000 --behind-proxy --origin https://your.name"
)]
pub struct PlainHttpRefused(SocketAddr);

/// Chooses the transport, or refuses.
pub fn transport(
    listen: SocketAddr,
    tls: Option<(PathBuf, PathBuf)>,
    behind_proxy: bool,
) -> Result<Transport, PlainHttpRefused> {
    match tls {
        Some((cert, key)) => Ok(Transport::Tls { cert, key }),
        None if !listen.ip().is_loopback() => Err(PlainHttpRefused(listen)),
        None if behind_proxy => Ok(Transport::Proxy),
        None => Ok(Transport::Loopback),
    }
}

/// How long requests may still run after the signal to stop.
const GRACE: Duration = Duration::from_secs(5);

/// Serves until `stop` is cancelled, then lets requests end.
pub async fn serve(
    listener: std::net::TcpListener,
    transport: Transport,
    router: Router,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let handle = axum_server::Handle::new();
    let ending = handle.clone();
    tokio::spawn(async move {
        stop.cancelled().await;
        ending.graceful_shutdown(Some(GRACE));
    });
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    listener.set_nonblocking(true)?;
    match transport {
        Transport::Loopback | Transport::Proxy => {
            patient(axum_server::from_tcp(listener)?.handle(handle)).serve(service).await
        }
        Transport::Tls { cert, key } => {
            // An error here means that a provider is already installed, which is as good.
            let _ = rustls::crypto::ring::default_provider().install_default();
            let config = axum_server::tls_rustls::RustlsConfig::from_pem_file(cert, key).await?;
            patient(axum_server::from_tcp_rustls(listener, config)?.handle(handle)).serve(service).await
        }
    }
}

/// How long a client may take to send its headers: half-open connections must not use up all there are.
const HEADERS: Duration = Duration::from_secs(10);

fn patient<A>(mut server: Server<SocketAddr, A>) -> Server<SocketAddr, A> {
    let builder = server.http_builder();
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADERS);
    server
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_stays_at_home() {
        let address = |text: &str| text.parse::<SocketAddr>().expect("an address");
        for text in ["0.0.0.0:3000", "192.168.1.2:80", "[::]:3000"] {
            for behind_proxy in [false, true] {
                let error = transport(address(text), None, behind_proxy).expect_err(text).to_string();
                assert!(error.contains("--tls-cert") && error.contains("--behind-proxy"), "{error}");
            }
        }
        for text in ["127.0.0.1:3000", "[::1]:3000"] {
            assert!(transport(address(text), None, false).is_ok());
        }
        let tls = Some(("c".into(), "k".into()));
        assert!(matches!(transport(address("0.0.0.0:443"), tls, false), Ok(Transport::Tls { .. })));
    }
}
