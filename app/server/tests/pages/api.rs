//! Reports over the API, as its document describes them.

use axum::http::StatusCode;
use serde_json::Value;
use server::store::Role;

use crate::site::Site;

#[tokio::test]
async fn the_example_of_the_document_is_answered_as_it_says() {
    let site = Site::open().await;
    site.account("lin", Role::Learner).await;
    let mut browser = site.signed_in("lin").await;
    let fields = [("name", "notebook"), ("scope", "reports:read"), ("scope", "reports:submit")];
    let token = format!("Bearer {}", browser.post("/en/account/tokens", &fields).await.secret());
    let headers = [("authorization", token.as_str()), ("content-type", "application/json")];

    let document: Value =
        serde_json::from_str(&site.browser().get("/api/v1/openapi.json").await.body).expect("the document");
    let post = &document["paths"]["/api/v1/reports"]["post"];
    let example = &post["requestBody"]["content"]["application/json"]["example"];
    let promised = &post["responses"]["201"]["content"]["application/json"]["example"];
    let sent = example.to_string();
    for (status, new) in [(StatusCode::CREATED, true), (StatusCode::OK, false)] {
        let page = site.browser().call("POST", "/api/v1/reports", &headers, &sent).await;
        assert_eq!(page.status, status, "{}", page.body);
        let mut answer: Value = serde_json::from_str(&page.body).expect("JSON");
        assert_eq!(answer["new"], new);
        let id = answer["id"].as_str().expect("an id").to_owned();
        assert!(answer["url"].as_str().is_some_and(|url| url.ends_with(&id)), "{}", answer["url"]);
        for key in ["id", "url", "new"] {
            answer[key] = promised[key].clone();
        }
        assert_eq!(&answer, promised);

        let one = site.browser().call("GET", &format!("/api/v1/reports/{id}"), &headers, "").await;
        let one: Value = serde_json::from_str(&one.body).expect("JSON");
        assert_eq!(one["points"], promised["points"]);
    }
    let list = site.browser().call("GET", "/api/v1/reports", &headers, "").await;
    let list: Vec<Value> = serde_json::from_str(&list.body).expect("a list");
    let described = &document["components"]["schemas"]["Listed"]["properties"];
    assert_eq!(list.len(), 1);
    for key in list[0].as_object().expect("an object").keys() {
        assert!(described.get(key).is_some(), "{key} is not described");
    }
}
