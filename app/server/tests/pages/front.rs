//! Pages of the course: shared bytes for readers who are not signed in, own ones for the others.

use std::io::Read;

use axum::http::StatusCode;
use server::store::Role;

use crate::site::{Page, Site};

const LESSON: &str = "/en/task4/kv-cache";

async fn get(site: &Site, path: &str, headers: &[(&str, &str)]) -> Page {
    site.browser().call("GET", path, headers, "").await
}

#[tokio::test]
async fn a_signed_out_reader_gets_the_same_page_in_every_encoding() {
    let site = Site::with_course().await;
    let plain = get(&site, LESSON, &[]).await;
    assert_eq!(plain.status, StatusCode::OK);
    assert!(plain.body.contains("Sign in</a>") && plain.body.ends_with("</html>"));
    let mut brotli = Vec::new();
    let packed = get(&site, LESSON, &[("accept-encoding", "gzip, br")]).await;
    assert_eq!(packed.header("content-encoding"), "br");
    brotli::Decompressor::new(packed.bytes.as_slice(), 4096).read_to_end(&mut brotli).expect("brotli");
    let mut gzip = Vec::new();
    let packed = get(&site, LESSON, &[("accept-encoding", "gzip")]).await;
    assert_eq!(packed.header("content-encoding"), "gzip");
    flate2::read::GzDecoder::new(packed.bytes.as_slice()).read_to_end(&mut gzip).expect("gzip");
    assert!(brotli == plain.bytes && gzip == plain.bytes);
    for page in [&plain, &packed] {
        assert_eq!(page.header("vary"), "accept-encoding, cookie");
        assert_eq!(page.header("cache-control"), "no-cache, private");
        assert!(page.header("content-security-policy").contains("'wasm-unsafe-eval'"));
    }
    let home = get(&site, "/zh/", &[]).await;
    assert!(home.body.contains("登录</a>"));
    assert!(!home.header("content-security-policy").contains("wasm"), "no island, no wasm");
}

#[tokio::test]
async fn a_kept_page_is_not_sent_again() {
    let site = Site::with_course().await;
    let tag = get(&site, LESSON, &[]).await.header("etag").to_owned();
    for (known, status) in [(tag.clone(), 304), (format!("\"x\", W/{tag}"), 304), ("\"x\"".to_owned(), 200)] {
        let page = get(&site, LESSON, &[("if-none-match", &known)]).await;
        assert_eq!((page.status.as_u16(), page.header("etag")), (status, tag.as_str()), "{known}");
        assert_eq!(page.bytes.is_empty(), status == 304);
    }
    let dark = get(&site, LESSON, &[("cookie", "theme=dark"), ("if-none-match", &tag)]).await;
    assert_eq!(dark.status, StatusCode::OK, "another theme is another page");
    assert!(dark.body.contains("data-theme=\"dark\""));
    for cookie in ["theme=\"><script>", "theme=", "a=b; themes=dark"] {
        assert!(get(&site, LESSON, &[("cookie", cookie)]).await.body.contains("data-theme=\"auto\""), "{cookie}");
    }
}

#[tokio::test]
async fn a_signed_in_reader_gets_an_own_page() {
    let site = Site::with_course().await;
    site.account("chen", Role::Instructor).await;
    let anonymous = get(&site, LESSON, &[]).await;
    let mut browser = site.signed_in("chen").await;
    let known = [("if-none-match", anonymous.header("etag"))];
    let page = browser.call("GET", LESSON, &known, "").await;
    assert_eq!((page.status, page.header("etag")), (StatusCode::OK, ""));
    assert!(page.body.contains(">chen</a>") && page.body.contains("href=\"/en/class\""));
    assert!(!anonymous.body.contains("href=\"/en/class\""));
    // A cookie that names no session is a reader without an account.
    let page = get(&site, LESSON, &[("cookie", "__Host-vramlab=nobody")]).await;
    assert!(page.status == StatusCode::OK && page.body.contains("Sign in</a>"));
}

#[tokio::test]
async fn what_is_not_a_page_of_the_course_goes_the_long_way() {
    let site = Site::with_course().await;
    for path in ["/en/task9", "/fr/", "/en", "/en/task4/../task4", "/en//task4"] {
        assert_eq!(get(&site, path, &[]).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    let head = site.browser().call("HEAD", LESSON, &[], "").await;
    assert_eq!((head.status, head.header("content-type")), (StatusCode::OK, "text/html; charset=utf-8"));
    let post = site.browser().call("POST", LESSON, &[("sec-fetch-site", "same-origin")], "").await;
    assert_eq!(post.status, StatusCode::METHOD_NOT_ALLOWED);
}
