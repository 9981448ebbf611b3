//! The drill in a browser: the clock runs, the answer is judged in place, the keyboard goes on to the next question.

use e2e::{Browser, Server, Tab};
use ledger::drill::{self, Question, Topic};

/// The question of the page, from what its form sends.
async fn question(tab: &Tab) -> Question {
    let value = |name: &str| format!("document.querySelector('.drill input[name={name}]').value");
    let seed: String = tab.eval(&value("seed")).await;
    let topic: String = tab.eval(&value("topic")).await;
    let topic = Topic::from_id(&topic).expect("a topic");
    drill::question(seed.parse().expect("a seed"), &[topic]).expect("a question")
}

#[tokio::test]
async fn a_minute_in_the_head() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    for (lang, width) in [("en", 1280), ("zh", 390)] {
        tab.size(width, 844).await;
        tab.goto(&server.url(&format!("/{lang}/tools/drill?topic=kv_cache"))).await;
        tab.wait("the island is awake", "document.documentElement.dataset.islands === 'ready'").await;
        let asked = question(&tab).await;
        let text = if lang == "en" { &asked.text.en } else { &asked.text.zh };
        assert_eq!(&tab.text(".drill .ask").await, text);
        tab.wait("the clock runs", "document.querySelector('.drill progress').value < 60").await;

        // The browser asks for the server's words in its own place; nothing is lost.
        tab.expect_error("422");
        tab.fill(".drill input[name=answer]", "12 eggs").await;
        tab.press("Enter").await;
        tab.wait_text(".drill .problem", "eggs").await;

        tab.fill(".drill input[name=answer]", &format!("{:.3}", asked.answer() / 2.0)).await;
        tab.press("Enter").await;
        tab.wait_text(".drill .verdict", "50.0 %").await;
        assert_eq!(tab.count(".drill .badge.bad").await, 1);
        let lines: Vec<String> = tab
            .eval("[...document.querySelectorAll('.drill .verdict tbody tr')].map(row => row.cells[2].textContent)")
            .await;
        let worked: Vec<String> = asked.worked.lines.iter().map(|line| line.formula.clone()).collect();
        assert_eq!(lines, worked);
        let wide: i64 = tab.eval("document.scrollingElement.scrollWidth - innerWidth").await;
        assert_eq!(wide, 0, "at {width}");

        tab.wait("the keyboard is on the way to the next", "document.activeElement.matches('.drill a.button')").await;
        tab.turn("Enter").await;
        assert_eq!(tab.path().await, format!("/{lang}/tools/drill?topic=kv_cache"));
        assert_ne!(question(&tab).await.seed, asked.seed);
    }
    tab.end().await;
}
