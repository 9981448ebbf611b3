//! Quantisation in the hand: the outlier, the granularity, a pasted tensor, on a desk and on a phone.

use e2e::{Browser, Server, Tab};
use ledger::formats::{
    Code, Granularity, Loss, granularity_sweep, parse_matrix, quantise, scale_channel, with_outliers,
};
use ledger::units;

/// Squared error, largest error and bytes of each granularity, as the table shows them.
fn cells(losses: &[Loss]) -> Vec<Vec<String>> {
    let row = |loss: &Loss| {
        vec![units::significant(loss.mean_square), units::significant(loss.max_error), units::group(loss.bytes)]
    };
    losses.iter().map(row).collect()
}

async fn shows(tab: &Tab, losses: &[Loss]) {
    let wanted = serde_json::to_string(&cells(losses)).expect("strings");
    let shown = "[...document.querySelectorAll('.losses tbody tr')].map(row => [1, 2, 4].map(at => row.cells[at].textContent.trim()))";
    tab.wait("the table is that of the crate", &format!("JSON.stringify({shown}) === JSON.stringify({wanted})")).await;
}

fn seeded(factor: f32) -> Vec<f32> {
    let mut values = with_outliers(64, 256, 0, 1.0, 1).expect("small");
    scale_channel(&mut values, 256, 7, factor);
    values
}

#[tokio::test]
async fn the_outlier_follows_the_hand() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    for (width, lang) in [(1280, "zh"), (390, "en")] {
        tab.size(width, 844).await;
        tab.goto(&server.url(&format!("/{lang}/tools/quantisation"))).await;
        tab.wait("the island is awake", "document.documentElement.dataset.islands === 'ready'").await;
        let wide: i64 = tab.eval("document.scrollingElement.scrollWidth - innerWidth").await;
        assert_eq!(wide, 0, "at {width}");
        let sweep = |factor, code| granularity_sweep(&seeded(factor), 64, 256, code, 64).expect("finite");
        shows(&tab, &sweep(50.0, Code::Int8)).await;
        // The slider runs from 1 to 1024 in quarters of an octave.
        tab.focus(".quantisation label.number:has(input[name=factor]) input[type=range]").await;
        tab.press("End").await;
        shows(&tab, &sweep(1024.0, Code::Int8)).await;
        tab.press("Home").await;
        shows(&tab, &sweep(1.0, Code::Int8)).await;
        tab.choose(".quantisation select[name=code]", "int4").await;
        shows(&tab, &sweep(1.0, Code::Int4)).await;
        // The picture is that of the chosen granularity.
        tab.choose(".quantisation select[name=granularity]", "group").await;
        let group = Granularity::Group { size: 64 };
        let chosen = quantise(&seeded(1.0), 64, 256, Code::Int4, group).expect("finite").loss;
        let decibel = format!("{:.1} dB", chosen.signal_to_noise_db.expect("something is lost"));
        tab.wait_text(".quantisation .answer strong", &decibel).await;
        assert_eq!(tab.count(".histograms .ladder").await, 2);
        tab.wait("the address follows", "location.search === '?code=int4&granularity=group&factor=1'").await;
    }
    tab.end().await;
}

#[tokio::test]
async fn a_tensor_is_pasted() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    tab.goto(&server.url("/en/tools/quantisation")).await;
    tab.wait("the island is awake", "document.documentElement.dataset.islands === 'ready'").await;
    tab.click("details.config summary").await;
    let text = "[[0.3, 100], [-0.2, 90]]";
    tab.fill("textarea[name=tensor]", text).await;
    let matrix = parse_matrix(text).expect("a matrix");
    let sweep = |values: &[f32], columns| granularity_sweep(values, 2, columns, Code::Int8, 64).expect("finite");
    shows(&tab, &sweep(&matrix.values, 2)).await;
    let factor: String = tab.eval("document.querySelector('input[type=number][name=factor]').value").await;
    assert_eq!(factor, "1", "one's own tensor comes as it is");
    tab.wait("a short tensor is in the link", "location.search.startsWith('?tensor=')").await;
    let link: String = tab.eval("location.href").await;
    let other = browser.reader().await;
    other.goto(&link).await;
    shows(&other, &sweep(&matrix.values, 2)).await;
    other.end().await;

    tab.fill("textarea[name=tensor]", "1 2\n3 inf").await;
    tab.wait_text(".quantisation .problem", "row 2, column 2").await;
    let long = "0.5 -1.25 3 ".repeat(200);
    tab.fill("textarea[name=tensor]", &format!("{long}\n{long}")).await;
    let matrix = parse_matrix(&format!("{long}\n{long}")).expect("a matrix");
    shows(&tab, &sweep(&matrix.values, 600)).await;
    tab.wait_text(".quantisation [role=status]", "leaves it out").await;
    tab.wait("the link leaves it out", "!location.search.includes('tensor')").await;
    tab.end().await;
}

#[tokio::test]
async fn without_scripts_it_is_a_form() {
    let server = Server::start();
    let browser = Browser::start().await;
    let mut tab = browser.tab().await;
    tab.without_scripts().await;
    tab.goto(&server.url("/zh/tools/quantisation")).await;
    tab.fill("input[name=factor]", "9").await;
    tab.choose("select[name=code]", "e4m3").await;
    tab.follow(".quantisation button[type=submit]").await;
    let losses = granularity_sweep(&seeded(9.0), 64, 256, Code::E4m3, 64).expect("finite");
    shows(&tab, &losses).await;
    assert_eq!(tab.path().await, "/zh/tools/quantisation?code=e4m3&factor=9");
    tab.end().await;
}
