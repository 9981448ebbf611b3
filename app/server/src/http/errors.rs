//! Errors of pages as pages: what happened, and where to go on.

use axum::extract::{FromRequestParts, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use leptos::prelude::*;
use ui::shell::Section;

use super::AppState;
use super::reader::Anonymous;

/// Middleware: a bare error of a page route becomes a page in the reader's language.
pub async fn draw(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let machine = ["/api/", "/assets/", "/schema/"].iter().any(|start| path.starts_with(start));
    let (mut parts, body) = request.into_parts();
    let Ok(Anonymous(reader)) = Anonymous::from_request_parts(&mut parts, &()).await;
    let response = next.run(Request::from_parts(parts, body)).await;
    let status = response.status();
    let bare = !response.headers().contains_key(header::CONTENT_TYPE)
        || response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "text/plain; charset=utf-8");
    if machine || !bare || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let (title, detail) = words(status, &reader);
    let lang = reader.lang;
    let home = format!("/{}/", lang.code());
    let mut page = reader.page_with(&app, status, Section::None, title, [], move || {
        view! { <ui::pages::ErrorPage lang title detail home /> }
    });
    if let Some(after) = response.headers().get(header::RETRY_AFTER) {
        page.headers_mut().insert(header::RETRY_AFTER, after.clone());
    }
    page
}

fn words(status: StatusCode, reader: &super::reader::Reader) -> (&'static str, &'static str) {
    let lang = reader.lang;
    match status {
        StatusCode::NOT_FOUND => (
            lang.pick("没有这一页", "No such page"),
            lang.pick("地址可能写错了，或者这一页不是你可以看的。", "The address may be mistyped, or the page is not yours to see."),
        ),
        StatusCode::FORBIDDEN => (
            lang.pick("不可以", "Not allowed"),
            lang.pick(
                "这一步只能从本站的页面发起，或者只有教师可以做。请回到页面上再试。",
                "This can only be done from a page of this site, or only by an instructor. Go back to the page and try again.",
            ),
        ),
        StatusCode::TOO_MANY_REQUESTS => (
            lang.pick("太快了", "Too many tries"),
            lang.pick("稍等一会儿再试；什么也没有丢。", "Wait a little and try again; nothing was lost."),
        ),
        StatusCode::PAYLOAD_TOO_LARGE => (
            lang.pick("文件太大", "The file is too large"),
            lang.pick("只提交结果 JSON；trace 与快照不用上传。", "Hand in the result JSON only, without traces or snapshots."),
        ),
        status if status.is_client_error() => (
            lang.pick("没有看懂这个请求", "The request was not understood"),
            lang.pick("请回到上一页，检查填写的内容。", "Go back to the previous page and check what was filled in."),
        ),
        _ => (
            lang.pick("服务器出错了", "The server failed"),
            lang.pick("这是我们的问题，什么也没有丢；请稍后再试。", "This is our fault and nothing was lost; try again in a moment."),
        ),
    }
}
