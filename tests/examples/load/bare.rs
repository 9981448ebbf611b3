//! The least that a server can do for the same bytes.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use axum::Router;
use axum::body::Bytes;
use axum::response::Html;
use axum::routing::get;

/// Serves the bytes of a file at `/` on a free port and prints its address.
pub async fn serve(file: &str) {
    let page = Bytes::from(std::fs::read(file).unwrap_or_else(|error| panic!("{file}: {error}")));
    let router = Router::new().route("/", get(move || std::future::ready(Html(page.clone()))));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.unwrap_or_else(|error| panic!("no port: {error}"));
    let address = listener.local_addr().unwrap_or_else(|error| panic!("no address: {error}"));
    println!("http://{address}/");
    if let Err(error) = axum::serve(listener, router).await {
        panic!("the bare handler ended: {error}");
    }
}

/// The bare handler as a process of its own, as the server under test is one.
pub struct Process {
    child: Child,
    pub url: String,
}

impl Process {
    pub fn start(file: &Path) -> Self {
        let own = std::env::current_exe().unwrap_or_else(|error| panic!("{error}"));
        let child = Command::new(own).arg("bare").arg(file).stdout(Stdio::piped()).spawn();
        let mut child = child.unwrap_or_else(|error| panic!("the bare handler does not start: {error}"));
        let mut url = String::new();
        if let Some(out) = child.stdout.take() {
            let _ = BufReader::new(out).read_line(&mut url);
        }
        Self { child, url: url.trim().to_owned() }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
