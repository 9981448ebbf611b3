//! The pages that are stepped through, as a browser without JavaScript sees them.

use axum::{
    body::Body,
    http::{Request, StatusCode},
};
use ledger::{
    allocator::Settings,
    snapshot::{again, read_snapshot, recorded},
    units,
};
use ui::state::{PagingState, paging};

use crate::site::{Page, Site};

const MIB: u64 = 1 << 20;
const BASE: u64 = 1 << 46;

/// A pickle of protocol 2: one device, a segment of 30 MiB that is used whole, then for 12 MiB.
fn snapshot() -> Vec<u8> {
    let text = |out: &mut Vec<u8>, text: &str| {
        out.push(b'X');
        out.extend((text.len() as u32).to_le_bytes());
        out.extend(text.as_bytes());
    };
    let number = |out: &mut Vec<u8>, number: u64| {
        out.extend([0x8a, 8]);
        out.extend(number.to_le_bytes());
    };
    let mut out = b"\x80\x02}(".to_vec();
    text(&mut out, "segments");
    out.extend(b"]");
    text(&mut out, "device_traces");
    out.extend(b"](](");
    let events = [
        ("segment_alloc", 30 * MIB),
        ("alloc", 30 * MIB),
        ("free_requested", 30 * MIB),
        ("free_completed", 30 * MIB),
        ("alloc", 12 * MIB),
    ];
    for (action, size) in events {
        out.extend(b"}(");
        text(&mut out, "action");
        text(&mut out, action);
        text(&mut out, "addr");
        number(&mut out, BASE);
        text(&mut out, "size");
        number(&mut out, size);
        out.push(b'u');
    }
    out.extend(b"eeu.");
    out
}

async fn send(site: &Site, path: &str, file: &[u8], fields: &[(&str, &str)]) -> Page {
    let mut body = Vec::new();
    for (name, value) in fields {
        body.extend(format!("--cut\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").bytes());
    }
    let head = "--cut\r\nContent-Disposition: form-data; name=\"snapshot\"; filename=\"<b>.pickle\"\r\n\r\n";
    body.extend(head.bytes());
    body.extend(file);
    body.extend(b"\r\n--cut--\r\n");
    let request = Request::post(path)
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "multipart/form-data; boundary=cut")
        .body(Body::from(body))
        .expect("a request");
    site.send(request).await
}

#[tokio::test]
async fn a_snapshot_that_is_sent_runs_twice() {
    let site = Site::open().await;
    let file = snapshot();
    let read = read_snapshot(&file).expect("a snapshot");
    let first = recorded(&read, 0).peaks();
    let other = again(&read, 0, Settings { max_split_size: Some(20 * MIB), ..read.settings }).peaks();
    assert_eq!((first.reserved, other.reserved), (30 * MIB, 42 * MIB));
    for lang in ["zh", "en"] {
        let path = format!("/{lang}/tools/allocator");
        let page = send(&site, &path, &file, &[("max_split_mib", "20"), ("expandable", ""), ("step", "5")]).await;
        assert_eq!(page.status, StatusCode::OK, "{lang}");
        for size in [first.reserved, other.reserved, other.allocated] {
            assert!(page.body.contains(&format!(">{}</td>", units::human_binary(size))), "{lang}: {size}");
        }
        assert!(page.body.contains("5 / 5: "), "{lang}: the step that was asked for");
        assert!(page.body.contains("&lt;b&gt;.pickle") && !page.body.contains("<b>.pickle"), "{lang}: a name is text");
        assert!(!page.body.contains("role=\"alert\""), "{lang}");
    }
}

#[tokio::test]
async fn what_is_no_snapshot_is_said() {
    let site = Site::open().await;
    let class = b"\x80\x02cos\nsystem\n.";
    for (file, en, zh) in [
        (&b"PK\x03\x04"[..], "byte 0: not a pickle", "第 0 字节"),
        (&class[..], "names a class", "拒绝读取"),
        (b"", "", ""),
    ] {
        for (lang, says) in [("en", en), ("zh", zh)] {
            let page = send(&site, &format!("/{lang}/tools/allocator"), file, &[]).await;
            assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{lang} {en}");
            assert!(page.body.contains("role=\"alert\"") && page.body.contains(says), "{lang} {en}");
        }
    }
    let long = "9".repeat(300);
    let page = send(&site, "/en/tools/allocator", &snapshot(), &[("step", &long)]).await;
    assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY);
    let page = send(&site, "/en/tools/allocator", &snapshot(), &[("expandable", "perhaps")]).await;
    assert!(page.body.contains("off | on") || page.body.contains("on | off"), "a setting that cannot be read is said");
}

#[tokio::test]
async fn a_script_is_told_under_two_settings() {
    let site = Site::open().await;
    let mut browser = site.browser();
    let script = "alloc%20a%2030%20MiB%0Afree%20a%0Aalloc%20b%2012%20MiB";
    let page = browser.get(&format!("/en/tools/allocator?script={script}&max_split_mib=20&step=3")).await;
    assert!(page.body.contains("3 / 3: alloc b 12 MiB"));
    for size in ["30 MiB", "42 MiB", "+12 MiB", "−18 MiB"] {
        assert!(page.body.contains(&format!(">{size}</td>")), "{size}");
    }
    assert!(page.body.contains("enctype=\"multipart/form-data\""), "a snapshot can be sent without JavaScript");
    let page = browser.get("/zh/tools/allocator?script=free%20a").await;
    assert!(page.body.contains("role=\"alert\"") && page.body.contains("第 1 个操作"));
}

#[tokio::test]
async fn the_paged_cache_shows_what_the_crate_counts() {
    let site = Site::open().await;
    let mut browser = site.browser();
    let state = PagingState::from_pairs(&[]);
    let bytes = paging::per_token(&state.source, state.kv).expect("a model of the catalogue");
    for step in [1, 5, 8, 48] {
        let view = paging::frame(&state.story(), step).expect("a story").expect("a step").view;
        for lang in ["zh", "en"] {
            let page = browser.get(&format!("/{lang}/tools/kv?step={step}")).await;
            assert_eq!(page.status, StatusCode::OK);
            let reserved = view.reserved(state.longest);
            for slots in [view.held(), view.empty(), view.shared(), reserved, reserved - view.held()] {
                for text in [units::group(slots), units::decimal(slots * bytes, units::GIB, 3)] {
                    assert!(page.body.contains(&format!(">{text}</td>")), "{lang} {step}: {text}");
                }
            }
            let shared = view.blocks.iter().filter(|block| block.references > 1).count();
            assert_eq!(page.body.matches("url(#weave)").count(), shared, "{lang} {step}: hatched where shared");
        }
    }
    let page = browser.get("/en/tools/kv?block=4&prefix=7&own=0&sequences=2&step=3").await;
    assert!(page.body.contains("A writes into shared block 1: copied to block 2 first"));
    for (query, says) in
        [("prefix=100000", "blocks in all"), ("prefix=0&own=0", "tokens of a prompt"), ("own=x", "own: expected")]
    {
        let page = browser.get(&format!("/en/tools/kv?{query}")).await;
        assert!(
            page.status == StatusCode::OK && page.body.contains("role=\"alert\"") && page.body.contains(says),
            "{query}"
        );
    }
    // The engine's pool has a place of its own.
    assert!(browser.get("/en/tools").await.body.contains("href=\"/en/tools/serving\""));
}
