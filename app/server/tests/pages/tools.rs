//! The pages of the calculators, as a browser without JavaScript sees them.

use axum::http::StatusCode;
use ledger::calculators::{self, Kind};

use crate::site::Site;

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[tokio::test]
async fn every_tool_has_a_page_in_both_languages() {
    let site = Site::open().await;
    let mut browser = site.browser();
    for lang in ["zh", "en"] {
        let list = browser.get(&format!("/{lang}/tools")).await;
        for tool in ui::tools::all() {
            assert!(list.body.contains(&format!("href=\"/{lang}/tools/{}\"", tool.id)), "{}", tool.id);
            let page = browser.get(&format!("/{lang}/tools/{}", tool.id)).await;
            assert_eq!(page.status, StatusCode::OK, "{}", tool.id);
            let title = if lang == "zh" { &tool.title.zh } else { &tool.title.en };
            assert!(page.body.contains(&escaped(title)), "{}", tool.id);
            assert!(!page.body.contains("role=\"alert\""), "{}", tool.id);
            assert!(page.header("content-security-policy").contains("'wasm-unsafe-eval'"));
            for input in &tool.inputs {
                assert!(page.body.contains(&format!("name=\"{}\"", input.id)), "{}: {}", tool.id, input.id);
            }
        }
    }
    assert_eq!(browser.get("/en/tools/nothing").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_form_that_is_sent_shows_what_the_crate_computes() {
    let site = Site::open().await;
    let mut browser = site.browser();
    for calculator in calculators::all() {
        // Another number than the default, where there is one to type.
        let changed = calculator.inputs.iter().find_map(|input| match input.kind {
            Kind::Whole { default, min, max, .. } => {
                let other = if default < max { default + 1 } else { default.saturating_sub(1).max(min) };
                Some((input.id.to_string(), other.to_string()))
            }
            _ => None,
        });
        let Some((name, number)) = changed else { continue };
        let Ok(sheet) = calculators::run(calculator.id, &[(name.clone(), number.clone())].into()) else { continue };
        let tool = ui::tools::all().iter().find(|tool| tool.title == calculator.name).expect("a page");
        let page = browser.get(&format!("/en/tools/{}?{name}={number}", tool.id)).await;
        for line in &sheet.lines {
            let (value, formula) = (escaped(&line.quantity.to_string()), escaped(&line.formula));
            assert!(page.body.contains(&format!(">{value}</td>")), "{}: {} {value}", tool.id, line.id);
            assert!(page.body.contains(&formula), "{}: {} {formula}", tool.id, line.id);
        }
        assert!(page.body.contains(&format!("value=\"{number}\"")), "{}: the form keeps {name}", tool.id);
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_said_and_shown_as_text() {
    let site = Site::open().await;
    let mut browser = site.browser();
    for (path, says) in [
        ("parallel?tensor=7", "it must be a multiple"),
        ("parallel?config=%7B%7D", "config.json"),
        ("planner?count=0", "1…4096"),
        ("dp_sgd?samples=%3Cscript%3E", "expected an integer"),
        ("serving?weights=%22%3E%3Cscript%3Ealert(1)%3C/script%3E", "weights"),
        ("decide?task=sleep", "serve | train"),
    ] {
        let page = browser.get(&format!("/en/tools/{path}")).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        assert!(page.body.contains("role=\"alert\"") && page.body.contains(says), "{path}");
        assert!(!page.body.contains("<script>"), "{path}");
    }
}
