//! What a page loads.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use chromiumoxide::Page;
use chromiumoxide::cdp::browser_protocol::network::{
    ClearBrowserCacheParams, EnableParams, EventLoadingFinished, EventRequestWillBeSent, EventResponseReceived,
};
use futures_util::{StreamExt, stream};

use super::Tab;

/// The requests of a page and the bytes that came for them, as they crossed the network.
#[derive(Debug, Clone, Default)]
pub struct Traffic {
    requests: HashMap<String, Request>,
}

#[derive(Debug, Clone, Default)]
struct Request {
    url: String,
    bytes: u64,
    finished: bool,
}

impl Traffic {
    pub fn requests(&self) -> usize {
        self.requests.len()
    }

    /// Compressed bytes with their headers.
    pub fn bytes(&self) -> u64 {
        self.requests.values().map(|request| request.bytes).sum()
    }

    /// Bytes of the addresses that a test chooses.
    pub fn bytes_of(&self, chosen: impl Fn(&str) -> bool) -> u64 {
        self.requests.values().filter(|request| chosen(&request.url)).map(|request| request.bytes).sum()
    }

    pub fn urls(&self) -> impl Iterator<Item = &str> {
        self.requests.values().map(|request| request.url.as_str())
    }

    fn settled(&self) -> bool {
        !self.requests.is_empty() && self.requests.values().all(|request| request.finished)
    }
}

enum Seen {
    Sent(Arc<EventRequestWillBeSent>),
    Received(Arc<EventResponseReceived>),
    Finished(Arc<EventLoadingFinished>),
}

pub(super) async fn start(page: &Page) -> Arc<Mutex<Traffic>> {
    let failed = |error| -> ! { panic!("the page's network cannot be watched: {error}") };
    let sent = page.event_listener::<EventRequestWillBeSent>().await.unwrap_or_else(|error| failed(error));
    let received = page.event_listener::<EventResponseReceived>().await.unwrap_or_else(|error| failed(error));
    let finished = page.event_listener::<EventLoadingFinished>().await.unwrap_or_else(|error| failed(error));
    if let Err(error) = page.execute(EnableParams::default()).await {
        failed(error);
    }
    let mut seen = stream::select_all([
        sent.map(Seen::Sent).boxed(),
        received.map(Seen::Received).boxed(),
        finished.map(Seen::Finished).boxed(),
    ]);
    let traffic = Arc::new(Mutex::new(Traffic::default()));
    let list = traffic.clone();
    tokio::spawn(async move {
        while let Some(event) = seen.next().await {
            let mut traffic = list.lock().unwrap_or_else(PoisonError::into_inner);
            let id = match &event {
                Seen::Sent(event) => event.request_id.inner(),
                Seen::Received(event) => event.request_id.inner(),
                Seen::Finished(event) => event.request_id.inner(),
            };
            let request = traffic.requests.entry(id.clone()).or_default();
            match event {
                Seen::Sent(event) => request.url = event.request.url.clone(),
                Seen::Received(event) => request.url = event.response.url.clone(),
                Seen::Finished(event) => {
                    request.bytes = event.encoded_data_length.max(0.0) as u64;
                    request.finished = true;
                }
            }
        }
    });
    traffic
}

impl Tab {
    /// Opens an address with an empty cache and gives what it loaded.
    ///
    /// # Panics
    /// When the page does not come to rest within the deadline.
    pub async fn load_cold(&self, url: &str) -> Traffic {
        self.command(ClearBrowserCacheParams::default()).await;
        self.goto("about:blank").await;
        self.check().await;
        *self.traffic.lock().unwrap_or_else(PoisonError::into_inner) = Traffic::default();
        self.goto(url).await;
        let look = || async {
            let traffic = self.traffic.lock().unwrap_or_else(PoisonError::into_inner).clone();
            traffic.settled().then_some(traffic)
        };
        crate::until("everything the page asked for has come", look).await
    }
}
