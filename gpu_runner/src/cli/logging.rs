//! Progress and warnings on standard error.

use tracing_subscriber::EnvFilter;

/// `RUST_LOG` adds detail to this program's own lines. The HTTP client's stay off: they are about requests that carry the token.
pub fn start() {
    let filter = EnvFilter::builder().with_default_directive(tracing::Level::INFO.into()).from_env_lossy();
    let quiet = ["ureq=off", "ureq_proto=off", "rustls=off"].into_iter().filter_map(|directive| directive.parse().ok());
    let filter = quiet.fold(filter, EnvFilter::add_directive);
    // A second start, as in tests, changes nothing.
    let _ =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false).try_init();
}
