//! Pages of Markdown outside the Tasks: how other tools count, and corrected claims.

use axum::http::StatusCode;
use ledger::{catalogue, inference};
use server::store::Role;

use crate::site::Site;

const PAGES: [&str; 4] = ["/zh/tools/others", "/en/tools/others", "/zh/tools/corrections", "/en/tools/corrections"];

/// `8,030,261,248`, written without the crate's own formatter.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let commas = digits.char_indices().flat_map(|(at, digit)| {
        let comma = at > 0 && (digits.len() - at).is_multiple_of(3);
        comma.then_some(',').into_iter().chain(std::iter::once(digit))
    });
    commas.collect()
}

#[tokio::test]
async fn they_show_what_the_ledger_computes_and_load_no_wasm() {
    let site = Site::with_course().await;
    let model = |name| catalogue::model(name).expect("in the catalogue");
    let kv =
        |name, batch, seq| inference::kv_bytes(model(name), ledger::Dtype::Bf16, batch, seq).expect("fits in 64 bits");
    let parameters = grouped(model("Llama-3-8B").parameters().expect("parameters"));
    assert_eq!(parameters, "8,030,261,248");
    let others = [parameters.clone(), format!("{} B", grouped(kv("Llama-3-8B", 1, 8192)))];
    let corrections = [parameters, format!("{} B", grouped(kv("Llama-2-7B", 32, 32_768)))];
    for path in PAGES {
        let page = site.browser().get(path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        for number in if path.ends_with("others") { &others } else { &corrections } {
            assert!(page.body.contains(&format!("\">{number}</span>")), "{path} does not compute {number}");
        }
        assert!(!page.body.contains("leptos-island") && !page.body.contains("wasm"), "{path}");
        assert!(!page.header("content-security-policy").contains("wasm"), "{path}");
        assert!(!page.header("etag").is_empty(), "{path} is one of the shared pages");
        assert!(!page.body.contains("class=\"done\"") && !page.body.contains("class=\"turn\""), "{path}");
        assert!(page.body.contains("aria-current=\"page\""), "{path}");
    }
}

#[tokio::test]
async fn the_list_of_ledgers_leads_to_them() {
    let site = Site::with_course().await;
    for (path, title) in [("/zh/tools", "勘误"), ("/en/tools", "Corrected claims")] {
        let page = site.browser().get(path).await;
        let link = format!("href=\"{path}/corrections\"");
        assert!(page.body.contains(&link) && page.body.contains(title), "{path}");
        assert!(page.body.contains(&format!("href=\"{path}/others\"")), "{path}");
    }
}

#[tokio::test]
async fn a_learner_reads_them_and_cannot_finish_them() {
    let site = Site::with_course().await;
    site.account("chen", Role::Learner).await;
    let mut browser = site.signed_in("chen").await;
    let page = browser.get("/en/tools/others").await;
    assert_eq!((page.status, page.header("etag")), (StatusCode::OK, ""));
    assert!(page.body.contains(">chen</a>"));
    let marked = browser.post("/en/progress", &[("lesson", "tools/others")]).await;
    assert_eq!(marked.status, StatusCode::NOT_FOUND);
    let marked = browser.post("/en/progress", &[("lesson", "task1/ledger")]).await;
    assert_eq!(marked.status, StatusCode::SEE_OTHER);
}
