//! The budget grid: sent as a form, opened for a stored report, asked by a machine.

use axum::{
    body::Body,
    http::{Request, StatusCode},
};
use serde_json::{Value, json};
use server::store::Role;

use crate::site::{Page, Site};

/// A 76 whose checkpoint is accepted under its own limits.
pub fn report() -> Value {
    let row = |name: &str, peak: f64, rate: f64, loss: f64| {
        json!({"name": name, "status": "ok", "step_time_ms": 2000.0 / rate, "samples_per_s": rate, "loss": loss,
               "eval_loss": loss, "peak_memory_mb": peak, "peak_reserved_mb": peak + 500.0})
    };
    json!({
        "stage": "activation_checkpoint_offload_benchmark",
        "source_baseline": "benchmarks/results/73.json",
        "config": {"model_id": "Qwen/Qwen2.5-0.5B-Instruct", "batch_size": 2, "seq_len": 1536, "dtype": "float32",
                   "optimizer": "AdamW", "warmup": 2, "iters": 5, "device": "NVIDIA GeForce RTX 4080"},
        "budget": {"memory_cap_mb": 13000.0, "min_samples_per_s": 1.0, "min_memory_saving_mb": 512.0, "min_throughput_ratio": 0.7},
        "quality_floor": {"max_val_loss": 3.471},
        "candidates": [row("baseline", 12160.5, 2.5, 3.403), row("<b>checkpoint", 11040.25, 2.0, 3.411)],
        "decision": {"decision": "accept", "reason": "strategy_is_best_feasible_option", "next_action": "promote_to_training_run"}
    })
}

async fn send(site: &Site, lang: &str, fields: &[(&str, &str)]) -> Page {
    let mut body = String::new();
    for (name, value) in fields {
        let file = if *name == "file" { "; filename=\"76.json\"" } else { "" };
        body += &format!("--cut\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{value}\r\n");
    }
    body += "--cut--\r\n";
    let request = Request::post(format!("/{lang}/tools/budget"))
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "multipart/form-data; boundary=cut")
        .body(Body::from(body));
    site.send(request.expect("a request")).await
}

#[tokio::test]
async fn a_report_that_is_sent_is_decided_under_every_budget() {
    let site = Site::open().await;
    let text = report().to_string();
    for lang in ["zh", "en"] {
        let empty = site.browser().get(&format!("/{lang}/tools/budget")).await;
        assert!(empty.status == StatusCode::OK && empty.body.contains("value=\"9500, 10000, 11200\""), "{lang}");
        assert!(!empty.body.contains("data-decision"), "{lang}");
        assert!(site.browser().get(&format!("/{lang}/tools")).await.body.contains(&format!("/{lang}/tools/budget")));
        let page =
            send(&site, lang, &[("caps", "9500, 11200"), ("rates", "0.5x, 0.9x"), ("losses", "+1%"), ("file", &text)])
                .await;
        assert_eq!(page.status, StatusCode::OK, "{lang}");
        assert_eq!(page.body.matches("data-decision=\"accept\"").count(), 1, "{lang}");
        assert_eq!(page.body.matches("data-decision=\"reject\"").count(), 3, "{lang}");
        assert!(
            page.body.contains("✓ accept") && page.body.contains("data-own=\"accept\""),
            "{lang}: words, not colour alone"
        );
        // 11,040.25 MiB less the tolerance of 1 KiB.
        assert!(page.body.contains("11,040.25 MiB"), "{lang}");
        assert!(
            page.body.contains("&lt;b&gt;checkpoint") && !page.body.contains("<b>checkpoint"),
            "{lang}: a name is text"
        );
        // Sent once more with other axes, the text that came back is enough.
        assert!(page.body.contains("activation_checkpoint_offload_benchmark"), "{lang}");
        let again =
            send(&site, lang, &[("caps", "20000"), ("rates", ""), ("losses", ""), ("file", ""), ("text", &text)]).await;
        assert_eq!(again.body.matches("data-decision=\"accept\"").count(), 1, "{lang}");
    }
}

#[tokio::test]
async fn what_cannot_be_decided_is_said() {
    let site = Site::open().await;
    let text = report().to_string();
    let kernel = json!({"stage": "environment_preflight", "run_mode": "dry_run", "config": {}}).to_string();
    for (fields, en, zh) in [
        (vec![("text", "")], "the file is empty", "文件是空的"),
        (vec![("text", "{\"a\": NaN}")], "NaN at /a is not JSON", "不是 JSON"),
        (vec![("text", &kernel[..])], "compares no strategies", "没有可比较的策略"),
        (vec![("caps", "<script>"), ("text", &text[..])], "is no level", "不是档位"),
        (vec![("caps", ""), ("rates", ""), ("text", &text[..])], "nothing limits memory", "没有限制"),
    ] {
        for (lang, says) in [("en", en), ("zh", zh)] {
            let page = send(&site, lang, &fields).await;
            assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{lang} {says}");
            assert!(page.body.contains("role=\"alert\"") && page.body.contains(says), "{lang} {says}");
            assert!(!page.body.contains("<script>"), "{lang}");
        }
    }
}

#[tokio::test]
async fn a_stored_report_opens_the_grid_for_those_who_may_read_it() {
    let site = Site::open().await;
    let lin = site.account("lin", Role::Learner).await;
    site.account("other", Role::Learner).await;
    let received = server::grading::store_and_grade(&site.app.store, &lin, report().to_string().into_bytes())
        .await
        .expect("stored");
    let server::grading::Received::Graded { id, .. } = received else { panic!("a 76 is a report") };
    let path = format!("/en/reports/{id}/budget");
    let mut browser = site.signed_in("lin").await;
    assert!(browser.get(&format!("/en/reports/{id}")).await.body.contains(&path), "the report links to its grid");
    let page = browser.get(&path).await;
    assert_eq!((page.status, page.body.matches("data-decision").count()), (StatusCode::OK, 27));
    let page = browser.get(&format!("{path}?caps=11200&rates=0.5x&losses=%2B1%25")).await;
    assert_eq!(page.body.matches("data-decision=\"accept\"").count(), 1);
    assert!(page.body.contains("value=\"+1%\""), "the axes stay in the form");
    assert_eq!(browser.get(&format!("{path}?caps=x")).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(site.signed_in("other").await.get(&path).await.status, StatusCode::NOT_FOUND);
    let guest = site.browser().get(&path).await;
    assert!(guest.status != StatusCode::OK && !guest.body.contains("data-decision"));
}

#[tokio::test]
async fn machines_get_the_same_numbers() {
    let site = Site::open().await;
    let ask = async |query: &str, body: String| {
        let request = Request::post(format!("/api/v1/budget{query}")).body(Body::from(body)).expect("a request");
        let page = site.send(request).await;
        (page.status, serde_json::from_str::<Value>(&page.body).expect("JSON"))
    };
    let (status, grid) = ask("?caps=9500,11200&rates=0.5x&losses=%2B1%25", report().to_string()).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(grid["summary"]["decision_counts"], json!({"accept": 1, "reject": 1}));
    assert_eq!(grid["scenarios"][1]["memory_cap_bytes"], json!(11_200_u64 * 1_048_576));
    assert_eq!(grid["scenarios"][1]["best"], json!("<b>checkpoint"));
    // An unescaped plus arrives as a space and means the same.
    let (_, same) = ask("?caps=9500,11200&rates=0.5x&losses=+1%25", report().to_string()).await;
    assert_eq!(same, grid);
    let (status, problem) = ask("?caps=x", report().to_string()).await;
    assert!(
        status == StatusCode::UNPROCESSABLE_ENTITY && problem["detail"].as_str().is_some_and(|d| d.starts_with("caps"))
    );
    let (status, problem) = ask("", "{\"a\": 1e999}".to_owned()).await;
    assert_eq!((status, &problem["pointer"]), (StatusCode::UNPROCESSABLE_ENTITY, &json!("/a")));
    let document = site.browser().get("/api/v1/openapi.json").await;
    let document: Value = serde_json::from_str(&document.body).expect("JSON");
    assert!(document["paths"]["/api/v1/budget"]["post"]["requestBody"].is_object());
    assert!(document["components"]["schemas"]["Grid"]["properties"]["sweeps"].is_object());
}
