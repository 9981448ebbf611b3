//! The console of a page.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chromiumoxide::Page;
use chromiumoxide::cdp::browser_protocol::log::{EventEntryAdded, LogEntry, LogEntryLevel};
use chromiumoxide::cdp::js_protocol::runtime::{
    ConsoleApiCalledType, EvaluateParams, EventConsoleApiCalled, EventExceptionThrown,
};
use futures_util::{FutureExt, StreamExt, stream};
use tokio::sync::watch;

/// What a page says, told apart by where it says it.
enum Said {
    Console(Arc<EventConsoleApiCalled>),
    Thrown(Arc<EventExceptionThrown>),
    Log(Arc<EventEntryAdded>),
}

/// Begins the lines that the harness itself writes to the console, to know that everything before was read.
const MARK: &str = "e2e: settled ";

/// Listens to everything a page complains about.
pub(super) struct Watch {
    wrong: Arc<Mutex<Vec<String>>>,
    expected: Mutex<Vec<String>>,
    settled: watch::Receiver<u64>,
    next: Mutex<u64>,
}

impl Watch {
    pub(super) async fn start(page: &Page) -> Self {
        let failed = |error| -> ! { panic!("the page's console cannot be read: {error}") };
        let console = page.event_listener::<EventConsoleApiCalled>().await.unwrap_or_else(|error| failed(error));
        let thrown = page.event_listener::<EventExceptionThrown>().await.unwrap_or_else(|error| failed(error));
        let log = page.event_listener::<EventEntryAdded>().await.unwrap_or_else(|error| failed(error));
        page.enable_runtime().await.unwrap_or_else(|error| failed(error));
        page.enable_log().await.unwrap_or_else(|error| failed(error));
        let mut said = stream::select_all([
            console.map(Said::Console).boxed(),
            thrown.map(Said::Thrown).boxed(),
            log.map(Said::Log).boxed(),
        ]);
        let wrong = Arc::new(Mutex::new(Vec::new()));
        let (settle, settled) = watch::channel(0);
        let list = wrong.clone();
        tokio::spawn(async move {
            while let Some(first) = said.next().await {
                let mut mark = None;
                // All that is there already is read before a mark counts: the streams are not in one order.
                let mut waiting = Some(first);
                while let Some(one) = waiting {
                    mark = mark.max(read(&one, &list));
                    waiting = said.next().now_or_never().flatten();
                }
                if let Some(mark) = mark {
                    settle.send_replace(mark);
                }
            }
        });
        Self { wrong, expected: Mutex::default(), settled, next: Mutex::new(1) }
    }

    /// Waits until everything that the page has said so far was read.
    pub(super) async fn settle(&self, page: &Page) {
        let number = {
            let mut next = lock(&self.next);
            *next += 1;
            *next
        };
        let line = EvaluateParams::new(format!("console.debug('{MARK}{number}')"));
        page.execute(line).await.unwrap_or_else(|error| panic!("the page does not answer: {error}"));
        let mut settled = self.settled.clone();
        let read = tokio::time::timeout(crate::DEADLINE, settled.wait_for(|mark| *mark >= number)).await;
        assert!(matches!(read, Ok(Ok(_))), "the page's console fell silent");
    }

    pub(super) fn expect(&self, part: &str) {
        lock(&self.expected).push(part.to_owned());
    }

    /// Fails the test with everything that is wrong and was not expected.
    pub(super) fn check(&self) {
        let expected = lock(&self.expected);
        let wrong: Vec<String> = lock(&self.wrong)
            .iter()
            .filter(|line| !expected.iter().any(|part| line.contains(part.as_str())))
            .cloned()
            .collect();
        if wrong.is_empty() {
            return;
        }
        let mut counts = BTreeMap::<&str, usize>::new();
        for line in &wrong {
            *counts.entry(line).or_default() += 1;
        }
        let lines: Vec<String> = counts.iter().map(|(line, times)| format!("{times} × {line}")).collect();
        panic!("the page complains:\n{}", lines.join("\n"));
    }
}

/// Keeps what is wrong; gives the number of a mark.
fn read(said: &Said, wrong: &Mutex<Vec<String>>) -> Option<u64> {
    match said {
        Said::Console(event) => {
            let words = event.args.iter().map(|arg| match (&arg.value, &arg.description) {
                (Some(serde_json::Value::String(text)), _) => text.clone(),
                (Some(value), _) => value.to_string(),
                (None, description) => description.clone().unwrap_or_default(),
            });
            let text = words.collect::<Vec<_>>().join(" ");
            if let Some(mark) = text.strip_prefix(MARK) {
                return mark.parse().ok();
            }
            use ConsoleApiCalledType::{Assert, Error, Warning};
            if matches!(event.r#type, Error | Warning | Assert) {
                lock(wrong).push(format!("console.{}: {text}", event.r#type.as_ref()));
            }
        }
        Said::Thrown(event) => {
            let details = &event.exception_details;
            let what = details.exception.as_ref().and_then(|value| value.description.clone());
            lock(wrong).push(format!("exception: {} {}", details.text, what.unwrap_or_default()));
        }
        Said::Log(event) => {
            let LogEntry { level, text, url, source, .. } = &event.entry;
            if *level == LogEntryLevel::Error {
                lock(wrong).push(format!("{}: {text} {}", source.as_ref(), url.as_deref().unwrap_or_default()));
            }
        }
    }
    None
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
