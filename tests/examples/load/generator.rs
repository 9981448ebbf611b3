//! A small load generator: plain HTTP/1.1 over connections that stay open.

use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// Enough to keep two cores busy, few enough not to queue.
pub const CONNECTIONS: usize = 16;

#[derive(Clone)]
pub struct Target {
    host: String,
    path: String,
}

impl Target {
    pub fn parse(url: &str) -> Self {
        let rest = url.strip_prefix("http://").unwrap_or(url);
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        Self { host: host.to_owned(), path: format!("/{path}") }
    }

    /// The page's bytes.
    pub async fn fetch(&self) -> Vec<u8> {
        Connection::open(self).await.request("").await
    }

    /// Answers per second over `time`, with all connections at once.
    pub async fn load(&self, time: Duration, headers: &'static str) -> f64 {
        let start = Instant::now();
        let clients: Vec<_> = (0..CONNECTIONS)
            .map(|_| {
                let target = self.clone();
                tokio::spawn(async move {
                    let mut connection = Connection::open(&target).await;
                    let mut answers = 0_u64;
                    while start.elapsed() < time {
                        connection.request(headers).await;
                        answers += 1;
                    }
                    answers
                })
            })
            .collect();
        let mut answers = 0;
        for client in clients {
            answers += client.await.unwrap_or_else(|error| panic!("a client failed: {error}"));
        }
        answers as f64 / start.elapsed().as_secs_f64()
    }
}

struct Connection {
    stream: BufReader<TcpStream>,
    target: Target,
}

impl Connection {
    async fn open(target: &Target) -> Self {
        let stream = TcpStream::connect(&target.host).await;
        let stream = stream.unwrap_or_else(|error| panic!("{}: {error}", target.host));
        let _ = stream.set_nodelay(true);
        Self { stream: BufReader::with_capacity(64 << 10, stream), target: target.clone() }
    }

    /// One request; the whole answer is read.
    async fn request(&mut self, headers: &str) -> Vec<u8> {
        let Target { host, path } = self.target.clone();
        let head = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n{headers}\r\n");
        self.stream.write_all(head.as_bytes()).await.unwrap_or_else(|error| panic!("{host}: {error}"));
        let status = self.line().await;
        assert!(status.starts_with("HTTP/1.1 200"), "{path}: {status}");
        let (mut length, mut chunked) = (None, false);
        loop {
            let line = self.line().await.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse::<usize>().ok();
            }
            chunked |= line == "transfer-encoding: chunked";
        }
        match (length, chunked) {
            (Some(length), _) => self.bytes(length).await,
            (None, true) => self.chunks().await,
            (None, false) => panic!("{path}: an answer without a length"),
        }
    }

    async fn chunks(&mut self) -> Vec<u8> {
        let mut body = Vec::new();
        loop {
            let line = self.line().await;
            let length = usize::from_str_radix(&line, 16).unwrap_or_else(|_| panic!("no length of a chunk: {line:?}"));
            body.extend(self.bytes(length).await);
            self.line().await;
            if length == 0 {
                return body;
            }
        }
    }

    async fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).await.unwrap_or_else(|error| panic!("the answer ends early: {error}"));
        body
    }

    async fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).await.unwrap_or_else(|error| panic!("the connection ended: {error}"));
        line.trim_end().to_owned()
    }
}
