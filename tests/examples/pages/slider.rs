//! From the movement of a slider to the new number on the screen.

use chromiumoxide::cdp::browser_protocol::emulation::SetCpuThrottlingRateParams;
use e2e::Tab;
use ledger::catalogue;

/// Moves the slider at the start of a frame; the message is handled after that frame was painted.
/// A number that is not there by then costs whole frames more.
const MOVES: &str = "
(async () => {
  const slider = document.querySelector('section.ledger label.number:has(input[name=batch]) input[type=range]');
  // The peak of a training step need not move with the batch; the lines of the ledger do.
  const text = () => document.querySelector('section.ledger .entries').textContent;
  const frame = () => new Promise(requestAnimationFrame);
  const painted = () => new Promise((done) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(0);
  });
  const took = [];
  for (let move = 0; move < 60; move++) {
    await frame();
    const before = text();
    const start = performance.now();
    // From 16 on, every place of the slider is another whole number.
    slider.value = String(16 + (move % 20));
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    await Promise.resolve();
    let waited = 0;
    while (text() === before && waited++ < 60) await frame();
    if (text() === before) throw new Error('the number did not change');
    await painted();
    took.push(performance.now() - start);
  }
  return took;
})()";

pub async fn measure(tab: &Tab, origin: &str) {
    let largest = catalogue::models()
        .iter()
        .max_by_key(|model| model.parameters().unwrap_or(0))
        .map_or("Llama-3-8B", |model| model.name.as_str());
    for kind in ["inference", "training"] {
        tab.goto(&format!("{origin}/en/tools/{kind}?model={largest}&seq=1024")).await;
        for slower in [1.0, 4.0] {
            tab.command(SetCpuThrottlingRateParams::new(slower)).await;
            let mut took: Vec<f64> = tab.eval(MOVES).await;
            tab.command(SetCpuThrottlingRateParams::new(1.0)).await;
            took.sort_by(f64::total_cmp);
            let at = |part: f64| took[((took.len() - 1) as f64 * part).round() as usize];
            println!(
                "slider, {kind} ledger of {largest}, CPU {slower:.0}× slower: input to painted number median {:.1} ms, p95 {:.1} ms, max {:.1} ms over {} moves",
                at(0.5),
                at(0.95),
                at(1.0),
                took.len()
            );
        }
    }
}
