//! When a page is first painted, and when it answers.

use chromiumoxide::cdp::browser_protocol::emulation::SetCpuThrottlingRateParams;
use chromiumoxide::cdp::browser_protocol::page::{
    AddScriptToEvaluateOnNewDocumentParams, RemoveScriptToEvaluateOnNewDocumentParams,
};
use e2e::Tab;

use crate::spread;

/// Notes when the islands are awake. A page without islands answers when its document is there.
const NOTE: &str = "
new MutationObserver((_, observer) => {
  if (document.documentElement?.dataset.islands !== 'ready') return;
  window.awake = performance.now();
  observer.disconnect();
}).observe(document, { attributes: true, subtree: true, attributeFilter: ['data-islands'] });";

const TIMES: &str = "
(() => {
  const paint = performance.getEntriesByName('first-contentful-paint')[0];
  if (!paint) return null;
  const islands = document.getElementById('islands');
  const answers = islands ? window.awake : performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd;
  return answers ? [paint.startTime, answers] : null;
})()";

/// Prints medians over some loads with an empty cache on a CPU that is `slower` times slower.
pub async fn measure(tab: &Tab, url: &str, slower: f64, loads: usize) {
    let note = tab.command(AddScriptToEvaluateOnNewDocumentParams::new(NOTE)).await.identifier;
    let (mut painted, mut awake) = (Vec::new(), Vec::new());
    for _ in 0..loads {
        tab.command(SetCpuThrottlingRateParams::new(slower)).await;
        tab.load_cold(url).await;
        tab.wait("the page has been painted", &format!("{TIMES} !== null")).await;
        let (paint, answers): (f64, f64) = tab.eval(TIMES).await;
        painted.push(paint);
        awake.push(answers);
        tab.command(SetCpuThrottlingRateParams::new(1.0)).await;
    }
    tab.command(RemoveScriptToEvaluateOnNewDocumentParams::new(note)).await;
    println!("  CPU {slower:.0}× slower: first paint {}, answers {}", spread(&mut painted), spread(&mut awake));
}
