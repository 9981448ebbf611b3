//! One page in a browser.

mod input;
mod look;
mod watch;

pub(crate) mod traffic;

use std::sync::{Arc, Mutex};

use chromiumoxide::Page;
use chromiumoxide::cdp::browser_protocol::emulation::{
    SetFocusEmulationEnabledParams, SetScriptExecutionDisabledParams,
};
use chromiumoxide::cdp::browser_protocol::page::NavigateParams;
use chromiumoxide::cdp::js_protocol::runtime::EvaluateParams;
use chromiumoxide::types::Command;
use serde::de::DeserializeOwned;

pub use look::Scheme;
use traffic::Traffic;
use watch::Watch;

use crate::until;

/// A page that fails its test on any error of its console, any uncaught exception and any broken policy.
///
/// Call [`Tab::end`] when the story is over: it looks at the console one last time.
pub struct Tab {
    pub(crate) page: Page,
    watch: Watch,
    traffic: Arc<Mutex<Traffic>>,
    scripts: bool,
    ended: bool,
}

impl Tab {
    pub(crate) async fn new(page: Page) -> Self {
        let watch = Watch::start(&page).await;
        let traffic = traffic::start(&page).await;
        let tab = Self { page, watch, traffic, scripts: true, ended: false };
        // Every tab behaves as the one in front.
        tab.command(SetFocusEmulationEnabledParams::new(true)).await;
        tab.size(1280, 900).await;
        tab
    }

    /// Sends a command of the DevTools protocol.
    ///
    /// # Panics
    /// When the browser refuses it.
    pub async fn command<T: Command>(&self, command: T) -> T::Response {
        match self.page.execute(command).await {
            Ok(response) => response.result,
            Err(error) => panic!("the browser refuses a command: {error}"),
        }
    }

    /// Opens an address and waits until it is loaded and its islands are awake.
    ///
    /// # Panics
    /// When the address cannot be opened, or anything on the page is wrong.
    pub async fn goto(&self, url: &str) {
        let answer = self.command(NavigateParams::new(url)).await;
        assert!(answer.error_text.is_none(), "{url}: {}", answer.error_text.unwrap_or_default());
        self.loaded().await;
    }

    /// Waits until the document is complete and every island is awake.
    async fn loaded(&self) {
        let awake = if self.scripts {
            "(!document.getElementById('islands') || document.documentElement.dataset.islands === 'ready')"
        } else {
            "true"
        };
        let ready = format!("document.readyState === 'complete' && {awake}");
        self.wait("the page is loaded and its islands are awake", &ready).await;
    }

    /// What an expression of JavaScript gives; a promise is awaited.
    ///
    /// # Panics
    /// When the expression throws or gives something else than a `T`.
    pub async fn eval<T: DeserializeOwned>(&self, js: &str) -> T {
        match self.try_eval(js).await {
            Ok(value) => value,
            Err(why) => panic!("{js}: {why}"),
        }
    }

    async fn try_eval<T: DeserializeOwned>(&self, js: &str) -> Result<T, String> {
        let mut params = EvaluateParams::new(js);
        params.return_by_value = Some(true);
        params.await_promise = Some(true);
        params.user_gesture = Some(true);
        let answer = self.page.execute(params).await.map_err(|error| error.to_string())?.result;
        if let Some(thrown) = answer.exception_details {
            return Err(thrown.exception.and_then(|value| value.description).unwrap_or(thrown.text));
        }
        let value = answer.result.value.unwrap_or(serde_json::Value::Null);
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    /// Waits until an expression of JavaScript is true. While a page is being left it counts as not yet.
    ///
    /// # Panics
    /// At the deadline, or when the console has an error by then.
    pub async fn wait(&self, what: &str, js: &str) {
        let look = || async {
            self.watch.check();
            self.try_eval::<bool>(js).await.unwrap_or(false).then_some(())
        };
        until(&format!("{what} ({js})"), look).await;
    }

    /// Waits for an element.
    ///
    /// # Panics
    /// At the deadline.
    pub async fn wait_for(&self, selector: &str) {
        self.wait(&format!("there is {selector}"), &format!("!!document.querySelector({})", quoted(selector))).await;
    }

    /// Waits until the text of an element contains `part`.
    ///
    /// # Panics
    /// At the deadline.
    pub async fn wait_text(&self, selector: &str, part: &str) {
        let js = format!("!!document.querySelector({})?.textContent.includes({})", quoted(selector), quoted(part));
        self.wait(&format!("{selector} says {part:?}"), &js).await;
    }

    /// The text of the first element, with runs of white space as one space.
    ///
    /// # Panics
    /// When there is no such element within the deadline.
    pub async fn text(&self, selector: &str) -> String {
        self.wait_for(selector).await;
        self.eval(&format!("document.querySelector({}).textContent.replace(/\\s+/g, ' ').trim()", quoted(selector)))
            .await
    }

    /// How many elements there are.
    pub async fn count(&self, selector: &str) -> usize {
        self.eval(&format!("document.querySelectorAll({}).length", quoted(selector))).await
    }

    /// The path and query of the page.
    pub async fn path(&self) -> String {
        self.eval("location.pathname + location.search").await
    }

    /// Switches the page's JavaScript off, from the next page on.
    pub async fn without_scripts(&mut self) {
        self.command(SetScriptExecutionDisabledParams::new(true)).await;
        self.scripts = false;
    }

    /// An error whose text contains `part` is expected from now on.
    pub fn expect_error(&self, part: &str) {
        self.watch.expect(part);
    }

    /// Fails the test when anything was wrong so far.
    pub async fn check(&self) {
        self.watch.settle(&self.page).await;
        self.watch.check();
    }

    /// The last look at the console.
    pub async fn end(mut self) {
        self.check().await;
        self.ended = true;
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        assert!(self.ended || std::thread::panicking(), "the test did not call end() on its tab");
    }
}

/// A string as JavaScript writes it.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
