//! The page of quantisation as a form: what is pasted is computed, and goes into the link only where it is short.

use axum::http::StatusCode;
use ledger::formats::{Code, Granularity, MAX_TYPED, granularity_sweep, quantise, scale_channel, with_outliers};
use ledger::units;

use crate::site::Site;

#[tokio::test]
async fn the_page_shows_what_the_crate_computes() {
    let site = Site::open().await;
    let mut browser = site.browser();
    let mut values = with_outliers(64, 256, 0, 1.0, 1).expect("small");
    scale_channel(&mut values, 256, 7, 50.0);
    let losses = granularity_sweep(&values, 64, 256, Code::Int8, 64).expect("finite");
    for lang in ["zh", "en"] {
        let page = browser.get(&format!("/{lang}/tools/quantisation")).await;
        assert_eq!(page.status, StatusCode::OK);
        assert!(page.header("content-security-policy").contains("'wasm-unsafe-eval'"));
        assert!(!page.body.contains("role=\"alert\"") && !page.body.contains(" style="));
        for loss in &losses {
            assert!(page.body.contains(&format!(">{}</td>", units::significant(loss.mean_square))), "{loss:?}");
            assert!(page.body.contains(&format!(">{}<", units::group(loss.bytes))), "{loss:?}");
        }
        // Before and after, and the levels of the one scale.
        assert!(page.body.matches("class=\"bins ").count() == 2 && page.body.matches("class=\"ladder\"").count() == 1);
        let list = browser.get(&format!("/{lang}/tools")).await;
        assert!(list.body.contains(&format!("href=\"/{lang}/tools/quantisation\"")));
    }
    let channel = browser.get("/en/tools/quantisation?granularity=channel&code=nf4&factor=9").await;
    let mut values = with_outliers(64, 256, 0, 1.0, 1).expect("small");
    scale_channel(&mut values, 256, 7, 9.0);
    let chosen = quantise(&values, 64, 256, Code::Nf4, Granularity::Channel).expect("finite").loss;
    let decibel = format!(">{:.1} dB</strong>", chosen.signal_to_noise_db.expect("something is lost"));
    assert!(channel.body.contains(&decibel), "{decibel}");
    assert_eq!(channel.body.matches("class=\"ladder\"").count(), 2, "the largest and the smallest scale");
}

#[tokio::test]
async fn a_short_tensor_goes_into_the_link_and_a_long_one_does_not() {
    let site = Site::open().await;
    let mut browser = site.browser();
    let sent =
        browser.post("/en/tools/quantisation", &[("tensor", "127 4\r\n1 2"), ("code", "int8"), ("seed", "")]).await;
    assert_eq!(sent.status, StatusCode::SEE_OTHER);
    assert_eq!(sent.location(), "/en/tools/quantisation?tensor=127%204%0D%0A1%202");
    let page = browser.get(sent.location()).await;
    assert!(page.body.contains("127 4\r\n1 2</textarea>") && page.body.contains("∞"), "integers lose nothing");
    // As many numbers as are allowed come with the form, not with the link.
    let long = "0.25,".repeat(MAX_TYPED / 64 - 1) + "1\n";
    let long = long.repeat(64);
    let sent = browser.post("/en/tools/quantisation", &[("tensor", long.as_str()), ("factor", "3")]).await;
    assert_eq!(sent.status, StatusCode::OK);
    assert!(sent.body.contains("too long for a link") && !sent.body.contains("role=\"alert\""));
    assert!(sent.body.contains("href=\"/en/tools/quantisation?factor=3\""));
    assert!(sent.body.contains("href=\"/zh/tools/quantisation\""), "the other language of this page");
    let bytes = units::group(MAX_TYPED as u64 + 4);
    assert!(sent.body.contains(&format!(">{bytes}<")), "one scale per tensor");
}

#[tokio::test]
async fn what_is_wrong_is_named_with_its_place() {
    let site = Site::open().await;
    let mut browser = site.browser();
    for (query, says) in [
        ("tensor=1%202%0A3%20NaN", "row 2, column 2: expected a finite FP32 number"),
        ("tensor=1%202%0A3", "row 2 has 1 numbers: expected 2"),
        ("tensor=%3C/textarea%3E%3Cscript%3Ealert(1)%3C/script%3E", "row 1, column 1: expected a number"),
        ("width=100&granularity=head", "256 columns do not divide into heads of 100"),
        ("rows=65", "1…64"),
        ("code=%22%3E%3Cscript%3E", "int8_asymmetric"),
    ] {
        let page = browser.get(&format!("/en/tools/quantisation?{query}")).await;
        assert_eq!(page.status, StatusCode::OK, "{query}");
        assert!(page.body.contains("role=\"alert\"") && page.body.contains(says), "{query}");
        assert!(!page.body.contains("<script>"), "{query}");
    }
    let posted = browser.post("/zh/tools/quantisation", &[("code", "int3"), ("tensor", "1 2")]).await;
    assert!(posted.status == StatusCode::OK && posted.body.contains("role=\"alert\""), "{}", posted.status);
    let huge = "1 ".repeat(3 << 20);
    let refused = browser.post("/en/tools/quantisation", &[("tensor", huge.as_str())]).await;
    assert_eq!(refused.status, StatusCode::PAYLOAD_TOO_LARGE);
}
