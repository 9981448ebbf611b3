//! The audit log of a class, page by page.

use axum::extract::{Path, Query, State};
use evidence::Lang;
use leptos::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use ui::pages::class::{AuditLine, AuditPage};

use super::one::taught;
use crate::auth::Staff;
use crate::credit::points;
use crate::http::{AppState, Reader};
use crate::routes::account::answer::{Answer, Failure, Trouble, iso};
use crate::store::audit::{self, AuditAction, AuditEntry};
use crate::store::{AuditId, UtcMs};

/// Entries of a page.
const PAGE: u32 = 50;

#[derive(Deserialize)]
pub struct Place {
    before: Option<String>,
}

pub async fn show(
    State(app): State<AppState>,
    user: Staff,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
    Query(place): Query<Place>,
) -> Answer {
    let class = taught(&app, &user, &id).await?;
    if !class.may_grade {
        return Err(Failure::NotFound);
    }
    let before: Option<AuditId> = place.before.as_deref().map(str::parse).transpose().map_err(|_| Failure::NotFound)?;
    let lang = reader.lang;
    // One more than is shown tells whether older ones follow.
    let mut entries = audit::of_class(&app.store, user.viewer(), class.id, before, PAGE + 1).await?;
    let more = entries.len() > PAGE as usize;
    entries.truncate(PAGE as usize);
    let older = entries.last().filter(|_| more).map(|entry| entry.id.to_string());
    let lines: Vec<AuditLine> = entries.into_iter().map(|entry| line(entry, lang)).collect();
    let (id, later) = (class.id.to_string(), before.is_some());
    Ok(Trouble::none().page(&app, &reader, lang.pick("操作记录", "Audit log"), move || {
        view! { <AuditPage lang class=id name=class.name lines older later /> }
    }))
}

fn line(entry: AuditEntry, lang: Lang) -> AuditLine {
    let class = entry.class_id.map(|id| id.to_string());
    let detail = entry.detail.parse().unwrap_or(Value::Null);
    let mut values = Vec::new();
    flatten("", &detail, &mut values);
    AuditLine {
        at: iso(entry.at_ms),
        actor: entry.actor,
        action: said(entry.action, lang).to_owned(),
        // An entry about the class itself needs no subject; the beginning of an id tells two of them apart.
        subject: entry.subject_name.unwrap_or_else(|| {
            let of_class = Some(&entry.subject) == class.as_ref();
            if of_class { String::new() } else { entry.subject.chars().take(8).collect() }
        }),
        detail: values,
    }
}

/// Names and values of the detail; dates and points as people write them, what is not set left out.
fn flatten(name: &str, value: &Value, out: &mut Vec<(String, String)>) {
    match value {
        Value::Null => {}
        Value::Object(map) => {
            for (key, value) in map {
                let name = if name.is_empty() { key.clone() } else { format!("{name} {key}") };
                flatten(&name, value, out);
            }
        }
        Value::Number(number) if name.ends_with("_ms") || name == "at" => {
            let at = number.as_i64().map(|ms| iso(UtcMs(ms))).unwrap_or_default();
            out.push((name.trim_end_matches("_ms").replace('_', " "), at));
        }
        Value::Number(number) if name.ends_with("hundredths") => {
            let name = name.replace("hundredths", "points").replace('_', " ");
            out.push((name, number.as_i64().map(points).unwrap_or_default()));
        }
        Value::String(text) => out.push((name.replace('_', " "), text.clone())),
        other => out.push((name.replace('_', " "), other.to_string())),
    }
}

fn said(action: AuditAction, lang: Lang) -> &'static str {
    use AuditAction as A;
    match action {
        A::ClassCreated => lang.pick("建立班级", "created the class"),
        A::CodeRotated => lang.pick("更换加入码", "replaced the join code"),
        A::JoinOpened => lang.pick("开放加入", "opened the class"),
        A::JoinClosed => lang.pick("关闭加入", "closed the class"),
        A::MemberRemoved => lang.pick("移出成员", "removed a member"),
        A::ResetIssued => lang.pick("生成重设密码链接", "issued a reset link"),
        A::GradebookExported => lang.pick("导出成绩册", "exported the gradebook"),
        A::DrillOpened => lang.pick("布置题组", "opened a set of the drill"),
        A::RightsSet => lang.pick("设定助教权限", "set an assistant's rights"),
        A::CountingSet => lang.pick("设定计分的提交", "set which attempt counts"),
        A::DatesSet => lang.pick("设定日期", "set the dates"),
        A::ExtensionSet => lang.pick("设定个人日期", "gave an extension"),
        A::ExtensionRemoved => lang.pick("取消个人日期", "ended an extension"),
        A::ReleaseSet => lang.pick("设定公布", "set the release"),
        A::PointsSet => lang.pick("人工设定分数", "set points by hand"),
        A::PointsWithdrawn => lang.pick("撤回设定的分数", "took points back"),
        A::RunnerRegistered => lang.pick("登记 runner", "registered a runner"),
        A::RunnerRevoked => lang.pick("吊销 runner", "revoked a runner"),
        A::JobCancelled => lang.pick("取消任务", "cancelled a job"),
        A::JobRequeued => lang.pick("让失败的任务重新排队", "queued a failed job again"),
        A::JobDismissed => lang.pick("划掉失败的任务", "dismissed a failed job"),
        A::RunnerPaused => lang.pick("暂停 runner", "paused a runner"),
        A::RunnerResumed => lang.pick("恢复 runner", "let a runner go on"),
        A::PrioritySet => lang.pick("设定班级优先", "set whether the class goes first"),
        A::ReportRegraded => lang.pick("重新评分一份报告", "graded a report anew"),
        A::RegradeStarted => lang.pick("开始重新评分", "started a regrade"),
        A::RegradePublished => lang.pick("发布重新评分", "published a regrade"),
        A::RegradeDiscarded => lang.pick("放弃重新评分", "discarded a regrade"),
        A::GradesImported => lang.pick("导入分数", "imported points"),
    }
}
