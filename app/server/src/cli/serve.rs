//! `vramlab serve`: opens course and store, then answers.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args as ClapArgs;
use tokio_util::sync::CancellationToken;

use super::out::sayln;
use crate::auth::{Auth, TrustedProxies};
use crate::course::{Course, Source};
use crate::http::listen::{self, Transport};
use crate::http::{App, Config, Pages, assets};
use crate::routes;
use crate::store::jobs::Limits;
use crate::store::{self, Store};

/// Where a trusted proxy on this machine connects from.
const LOOPBACK: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];

#[derive(ClapArgs)]
pub struct Args {
    /// Address and port
    #[arg(long, default_value = "127.0.0.1:3000", env = "VRAMLAB_LISTEN")]
    listen: SocketAddr,
    /// Folder of the database
    #[arg(long, default_value = "data", env = "VRAMLAB_DATA")]
    data: PathBuf,
    /// A PostgreSQL server instead of the file: postgres://…
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    database_url: Option<String>,
    /// Certificate chain (PEM) for HTTPS
    #[arg(long, env = "VRAMLAB_TLS_CERT")]
    tls_cert: Option<PathBuf>,
    /// Private key (PEM) for HTTPS
    #[arg(long, env = "VRAMLAB_TLS_KEY")]
    tls_key: Option<PathBuf>,
    /// A proxy on this machine ends TLS and sets X-Forwarded-For
    #[arg(long, env = "VRAMLAB_BEHIND_PROXY", value_name = "true|false", action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value_t = false)]
    behind_proxy: bool,
    /// The address that learners type, for the links that are printed
    #[arg(long, env = "VRAMLAB_ORIGIN")]
    origin: Option<String>,
    #[command(flatten)]
    queue: Queue,
    /// Read the course from a folder instead of the packed one
    #[arg(long, env = "VRAMLAB_CONTENT")]
    content: Option<PathBuf>,
    /// Add a demo class with a few learners and reports; their passwords are printed once
    #[arg(long)]
    demo: bool,
}

/// How much of the queue one learner may take.
#[derive(ClapArgs)]
struct Queue {
    /// Lab runs of one learner that may wait or run
    #[arg(long, default_value_t = Limits::default().active, value_parser = clap::value_parser!(u32).range(1..=1000), env = "VRAMLAB_JOBS_PER_LEARNER")]
    jobs_per_learner: u32,
    /// Lab runs of one learner that run at the same time
    #[arg(long, default_value_t = Limits::default().running, value_parser = clap::value_parser!(u32).range(1..=1000), env = "VRAMLAB_RUNNING_PER_LEARNER")]
    running_per_learner: u32,
    /// Lab runs of one learner in any sixty minutes; cancelled ones and failures of machines do not count
    #[arg(long, default_value_t = Limits::default().hourly, value_parser = clap::value_parser!(u32).range(1..=10_000), env = "VRAMLAB_JOBS_PER_HOUR")]
    jobs_per_hour: u32,
}

impl Queue {
    fn limits(&self) -> Limits {
        Limits { active: self.jobs_per_learner, running: self.running_per_learner, hourly: self.jobs_per_hour }
    }
}

pub fn run(args: Args) -> ExitCode {
    tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("VRAMLAB_LOG")
                .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info,sqlx=warn,tower_sessions_core=error")),
        )
        .with_writer(std::io::stderr)
        .init();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("vramlab: no runtime: {error}");
            return ExitCode::FAILURE;
        }
    };
    let served = runtime.block_on(serve(args));
    // A report that is being graded is graded again at the next start: nobody waits for it.
    runtime.shutdown_timeout(Duration::from_secs(3));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("vramlab: {why}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(args: Args) -> Result<(), String> {
    let tls = match (args.tls_cert, args.tls_key) {
        (Some(cert), Some(key)) => Some((cert, key)),
        (None, None) => None,
        (Some(_), None) => return Err("tls_cert is set and tls_key is not: HTTPS needs both".to_owned()),
        (None, Some(_)) => return Err("tls_key is set and tls_cert is not: HTTPS needs both".to_owned()),
    };
    let transport = listen::transport(args.listen, tls, args.behind_proxy).map_err(|error| error.to_string())?;
    let course =
        Course::load(&args.content.map_or(Source::Packed, Source::Folder)).map_err(|errors| errors.to_string())?;
    let names = assets::names()?;
    let pages = Pages::render(&course, &names);
    // The port is taken before anything is promised.
    let listener =
        TcpListener::bind(args.listen).map_err(|error| format!("cannot listen on {}: {error}", args.listen))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let database = args.database_url.unwrap_or_else(|| args.data.join("vramlab.db").to_string_lossy().into_owned());
    let store = Store::open(&database).await.map_err(|error| format!("the database cannot be opened: {error}"))?;
    let origin = args.origin.unwrap_or_else(|| match transport {
        Transport::Tls { .. } => format!("https://{address}"),
        _ => format!("http://{address}"),
    });
    let config = Config { data: args.data, origin, queue: args.queue.limits() };
    let proxies: &[IpAddr] = if args.behind_proxy { &LOOPBACK } else { &[] };
    let auth =
        Auth::new(store.clone(), TrustedProxies::new(proxies.iter().copied())).map_err(|error| error.to_string())?;
    let stop = CancellationToken::new();
    let app = Arc::new(App {
        course,
        pages,
        assets: names,
        store,
        auth,
        config,
        queue_moved: tokio::sync::Notify::new(),
        streams: Arc::default(),
        stop: stop.clone(),
    });
    sayln!("Vramlab is at {}", app.config.origin);
    set_up_link(&app).await?;
    if args.demo {
        super::demo::add(&app).await?;
    }
    let router = routes::router(app.clone());
    let tasks = routes::background(&app);
    tokio::spawn(stop_on_signal(stop.clone()));
    let served = listen::serve(listener, transport, router, stop.clone()).await;
    stop.cancel();
    for task in tasks {
        let _ = task.await;
    }
    app.store.close().await;
    served.map_err(|error| error.to_string())
}

/// Without an instructor nobody can run the course: a one-time link makes the first.
async fn set_up_link(app: &App) -> Result<(), String> {
    let any = store::users::any_instructor(&app.store).await.map_err(|error| error.to_string())?;
    if any {
        return Ok(());
    }
    let link = store::links::issue_setup(&app.store).await.map_err(|error| error.to_string())?;
    sayln!(
        "First instructor: open this link within 30 minutes; it works once.\n  {}/setup/{}",
        app.config.origin,
        link.token.reveal()
    );
    Ok(())
}

async fn stop_on_signal(stop: CancellationToken) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else { return };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
    tracing::info!("stopping");
    stop.cancel();
}
