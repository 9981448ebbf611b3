//! The ledgers over REST.

use serde_json::{Value, json};

use crate::site::{Page, Site};

const JSON: (&str, &str) = ("content-type", "application/json");

fn value(page: &Page) -> Value {
    serde_json::from_str(&page.body).unwrap_or_else(|error| panic!("{error}: {}", page.body))
}

async fn get(site: &Site, path: &str) -> Page {
    site.browser().call("GET", path, &[], "").await
}

async fn post(site: &Site, path: &str, body: &Value) -> Page {
    site.browser().call("POST", path, &[JSON], &body.to_string()).await
}

#[tokio::test]
async fn a_query_and_a_json_object_ask_the_same() {
    let site = Site::open().await;
    let asked = get(&site, "/api/v1/ledger/inference?model=Llama-3-8B&batch=1&seq=8192&reserve_mib=0").await;
    let sent = json!({ "model": "Llama-3-8B", "batch": 1, "seq": "8192", "reserve_mib": 0 });
    let posted = post(&site, "/api/v1/ledger/inference", &sent).await;
    assert_eq!(value(&asked), value(&posted));
    let answer = value(&asked);
    assert_eq!(answer["model"]["parameters"], 8_030_261_248_u64);
    // 2 × 32 layers × 8 heads × 128 × 2 bytes × 8,192 tokens.
    let kv = answer["entries"].as_array().and_then(|all| all.iter().find(|entry| entry["part"] == "kv"));
    assert_eq!(kv.map(|entry| &entry["bytes"]), Some(&json!(1_073_741_824)));
    assert_eq!(answer["total_bytes"], 16_060_522_496_u64 + 1_073_741_824);
}

#[tokio::test]
async fn a_config_is_sent_as_an_object_or_as_text() {
    let site = Site::open().await;
    let config = json!({
        "model_type": "llama", "vocab_size": 1000, "hidden_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "intermediate_size": 128, "max_position_embeddings": 512
    });
    let object = post(&site, "/api/v1/ledger/training", &json!({ "config": config })).await;
    let text = post(&site, "/api/v1/ledger/training", &json!({ "config": config.to_string() })).await;
    assert_eq!(value(&object), value(&text));
    // Embedding and head 2 × 1000 × 64, per layer 4 × 64² + 3 × 64 × 128 + 2 × 64, one last norm.
    assert_eq!(value(&object)["model"]["parameters"], 128_000 + 2 * (16_384 + 24_576 + 128) + 64);
}

#[tokio::test]
async fn mistakes_name_their_place() {
    let site = Site::open().await;
    for (path, body, pointer) in [
        ("inference", json!({ "batch": 0 }), "/batch"),
        ("inference", json!({ "batch": [1] }), "/batch"),
        ("inference", json!({ "card/slot": 1 }), "/card~1slot"),
        ("inference", json!({ "model": "GPT-9" }), "/config"),
        ("training", json!({ "config": {} }), "/config"),
        ("training", json!({ "optimizer": "adam" }), "/optimizer"),
        ("calculators/dp_sgd", json!({ "samples": -1 }), "/samples"),
        ("calculators/dp_sgd", json!({ "what": 1 }), "/what"),
        ("calculators/nothing", json!({}), "/calculator"),
    ] {
        let page = post(&site, &format!("/api/v1/ledger/{path}"), &body).await;
        assert_eq!(page.status.as_u16(), 422, "{path} {body}: {}", page.body);
        assert_eq!(page.header("content-type"), "application/problem+json");
        assert_eq!(value(&page)["pointer"], pointer, "{path} {body}");
    }
}

#[tokio::test]
async fn calculators_say_what_they_ask_and_what_they_assume() {
    let site = Site::open().await;
    let all = value(&get(&site, "/api/v1/ledger/calculators").await);
    let all = all.as_array().expect("a list");
    assert!(all.len() > 5);
    for calculator in all {
        let id = calculator["id"].as_str().expect("an id");
        let sheet = value(&get(&site, &format!("/api/v1/ledger/calculators/{id}")).await);
        assert!(sheet["lines"].as_array().is_some_and(|lines| !lines.is_empty()), "{id}: {sheet}");
        assert!(sheet["assumptions"].as_array().is_some_and(|all| !all.is_empty()), "{id}");
    }
}

#[tokio::test]
async fn a_snapshot_is_replayed_and_a_class_in_it_is_refused() {
    let site = Site::open().await;
    // {"segments": [], "device_traces": []} in protocol 2.
    let empty = b"\x80\x02}(X\x08\x00\x00\x00segments]X\x0d\x00\x00\x00device_traces]u.";
    let page = site.post_bytes("/api/v1/ledger/allocator/replays", empty).await;
    assert_eq!((page.status.as_u16(), &value(&page)["mismatches"]), (200, &json!(0)), "{}", page.body);
    let class = b"\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85R.";
    let page = site.post_bytes("/api/v1/ledger/allocator/replays", class).await;
    assert_eq!(page.status.as_u16(), 422, "{}", page.body);
}
