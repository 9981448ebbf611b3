//! A profiler trace that is sent: streamed in, summed up, told in both languages.

use axum::{
    body::{Body, Bytes},
    http::{Request, StatusCode},
};
use serde_json::{Value, json};

use crate::site::{Page, Site};

fn trace() -> Value {
    let event = |cat: &str, name: &str, ts: f64, dur: f64| json!({"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": 1, "ts": ts, "dur": dur});
    json!({"traceEvents": [
        event("user_annotation", "ProfilerStep#1", 0.0, 100.0),
        event("cpu_op", "aten::<script>", 5.0, 20.0),
        event("kernel", "gemm", 10.0, 40.0),
        event("gpu_memcpy", "Memcpy DtoH", 40.0, 20.0),
        {"ph": "i", "name": "[memory]", "ts": 30.0, "args": {"Total Allocated": 3_145_728, "Total Reserved": 4_194_304, "Device Type": 1, "Device Id": 0}},
    ]})
}

/// Sends a form whose file comes in small pieces.
async fn send(site: &Site, lang: &str, parts: &[(&str, &[u8])]) -> Page {
    let mut body = Vec::new();
    for (name, value) in parts {
        let file = if *name == "file" { "; filename=\"<i>.json\"" } else { "" };
        body.extend(format!("--cut\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n").bytes());
        body.extend(*value);
        body.extend(b"\r\n");
    }
    body.extend(b"--cut--\r\n");
    let pieces: Vec<Result<Bytes, std::io::Error>> =
        body.chunks(97).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    let request = Request::post(format!("/{lang}/tools/trace"))
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "multipart/form-data; boundary=cut")
        .body(Body::from_stream(futures_util::stream::iter(pieces)));
    site.send(request.expect("a request")).await
}

#[tokio::test]
async fn a_trace_that_is_sent_is_told() {
    let site = Site::open().await;
    let text = trace().to_string();
    for lang in ["zh", "en"] {
        let empty = site.browser().get(&format!("/{lang}/tools/trace")).await;
        assert!(empty.status == StatusCode::OK && empty.body.contains("512 MiB"), "{lang}: the limit is said");
        assert!(site.browser().get(&format!("/{lang}/tools")).await.body.contains(&format!("/{lang}/tools/trace")));
        let page = send(&site, lang, &[("file", text.as_bytes()), ("text", b"")]).await;
        assert_eq!(page.status, StatusCode::OK, "{lang}");
        // 10–60 of 100 µs; 10 of the copy's 20 beside the kernel.
        assert!(page.body.contains("busy\">50.0 %") && page.body.contains("hidden-share\">50.0 %"), "{lang}");
        assert!(page.body.contains("data-peak=\"3145728\"") && page.body.contains("3,145,728 B"), "{lang}");
        assert!(page.body.contains("data-overhead=\"0.000000\""), "{lang}");
        assert!(page.body.contains("&lt;i&gt;.json") && !page.body.contains("<script>"), "{lang}: names are text");
        assert!(!page.body.contains("role=\"alert\""), "{lang}");
    }
}

#[tokio::test]
async fn a_table_can_be_pasted() {
    let site = Site::open().await;
    let table = "----  ----  ----\nName  Self CUDA  # of Calls\n----  ----  ----\naten::mm  1.500ms  12\n----  ----\nSelf CUDA time total: 3.000ms\n";
    let page = send(&site, "en", &[("file", b""), ("text", table.as_bytes())]).await;
    assert!(page.status == StatusCode::OK && page.body.contains("aten::mm") && page.body.contains("50.0 %"));
}

#[tokio::test]
async fn what_is_no_trace_is_said_and_the_connection_is_kept() {
    let site = Site::open().await;
    // Long behind the place at which it is refused.
    let long = [b"{\"traceEvents\": [NaN".to_vec(), vec![b' '; 3 << 20]].concat();
    for (bytes, en, zh) in [
        (&b""[..], "the file is empty", "文件是空的"),
        (b" \r\n ", "the file is empty", "文件是空的"),
        (b"{\"a\": 1}", "no traceEvents", "没有 traceEvents"),
        (b"{\"traceEvents\": [{\"ph\": ", "ends inside the JSON", "内部中断"),
        (b"\x1f\x8b\x08 broken", "the gzip stream is broken", "gzip 数据损坏"),
        (&long, "byte 18", "第 18 字节"),
    ] {
        for (lang, says) in [("en", en), ("zh", zh)] {
            let page = send(&site, lang, &[("file", bytes)]).await;
            assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{lang} {says}");
            assert!(page.body.contains("role=\"alert\"") && page.body.contains(says), "{lang} {says}");
        }
    }
}
