//! A browser of the test's own.

use chromiumoxide::cdp::browser_protocol::target::{CreateBrowserContextParams, CreateTargetParams};
use chromiumoxide::{Browser as Chromium, BrowserConfig};
use futures_util::StreamExt;
use tokio::task::JoinHandle;

use crate::{DEADLINE, Folder, Tab, binaries};

/// Chromium with a fresh profile; ended when dropped.
pub struct Browser {
    chromium: Chromium,
    events: JoinHandle<()>,
    _profile: Folder,
}

/// Beside chromiumoxide's own: no sandbox in a container, no GPU, no traffic that is not the test's.
const FLAGS: [&str; 5] =
    ["disable-gpu", "disable-quic", "disable-component-update", "disable-extensions", "hide-scrollbars"];

impl Browser {
    /// # Panics
    /// When Chromium is missing or does not start.
    pub async fn start() -> Self {
        let profile = Folder::new("chromium");
        let config = BrowserConfig::builder()
            .chrome_executable(binaries::chromium())
            .new_headless_mode()
            .no_sandbox()
            .user_data_dir(profile.path())
            .viewport(None)
            .launch_timeout(DEADLINE)
            .request_timeout(DEADLINE)
            .args(FLAGS)
            .build()
            .unwrap_or_else(|error| panic!("Chromium's settings: {error}"));
        let (chromium, mut handler) =
            Chromium::launch(config).await.unwrap_or_else(|error| panic!("Chromium does not start: {error}"));
        let events = tokio::spawn(async move { while handler.next().await.is_some() {} });
        Self { chromium, events, _profile: profile }
    }

    /// A new tab. Cookies are those of the browser: one browser is one reader.
    ///
    /// # Panics
    /// When the tab cannot be opened.
    pub async fn tab(&self) -> Tab {
        self.open(CreateTargetParams::new("about:blank")).await
    }

    /// A tab of another reader: nothing is shared with the other tabs.
    ///
    /// # Panics
    /// When the tab cannot be opened.
    pub async fn reader(&self) -> Tab {
        let context = self.chromium.create_browser_context(CreateBrowserContextParams::default()).await;
        let mut params = CreateTargetParams::new("about:blank");
        params.browser_context_id = Some(context.unwrap_or_else(|error| panic!("no second reader: {error}")));
        self.open(params).await
    }

    async fn open(&self, params: CreateTargetParams) -> Tab {
        let page = self.chromium.new_page(params).await.unwrap_or_else(|error| panic!("no new tab: {error}"));
        Tab::new(page).await
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The process goes first, so that nothing writes to the profile while it is removed.
        if let Some(child) = self.chromium.get_mut_child() {
            let _ = child.inner.start_kill();
            while matches!(child.inner.try_wait(), Ok(None)) {
                std::thread::yield_now();
            }
        }
        self.events.abort();
    }
}
