//! What the server says about a run, and how it reads.

use evidence::Lang;
use serde::{Deserialize, Serialize};

/// What the server says about a job, at once and whenever it changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobState {
    pub id: String,
    pub lab: String,
    /// `queued`, `running`, `graded`, `failed` or `cancelled`
    pub state: String,
    /// Jobs before this one.
    pub position: Option<u64>,
    /// Stages with the time each began or took, in the order they came.
    pub stages: Vec<StageState>,
    /// Where the report is, once it is graded.
    pub report: Option<String>,
    /// `■ CPU` or `◆ GPU`, derived from device facts.
    pub class: Option<String>,
    /// What went wrong, in words; an infrastructure failure costs no attempt.
    pub message: Option<String>,
    /// Why it waits, beside those before it.
    #[serde(default)]
    pub wait: Option<Wait>,
}

/// What a queued run waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "for", rename_all = "snake_case")]
pub enum Wait {
    /// No connected runner has what it needs; empty when it needs nothing special.
    Runner { needs: String },
    /// The instructor paused the runners that could take it.
    Pause,
    /// The machine failed; it is tried again at this moment (RFC 3339).
    Retry { at: String },
}

impl Wait {
    pub fn words(&self, lang: Lang) -> String {
        match (self, lang) {
            (Self::Runner { needs }, Lang::Zh) if needs.is_empty() => {
                "没有连接着能跑这个实验的 runner；等有一台连上就开始。".to_owned()
            }
            (Self::Runner { needs }, Lang::En) if needs.is_empty() => {
                "No runner that has this lab is connected; the run starts when one is.".to_owned()
            }
            (Self::Runner { needs }, Lang::Zh) => format!("没有连接着带 {needs} 的 runner；等有一台连上就开始。"),
            (Self::Runner { needs }, Lang::En) => {
                format!("No runner with {needs} is connected; the run starts when one is.")
            }
            (Self::Pause, Lang::Zh) => "教师暂停了 runner：正在跑的会跑完，其余的排队等待，什么也不会丢。".to_owned(),
            (Self::Pause, Lang::En) => {
                "The instructor has paused the runners: what runs will finish, the rest waits, nothing is lost."
                    .to_owned()
            }
            (Self::Retry { at }, Lang::Zh) => format!("机器出了故障，不计入提交次数；{at} 自动重试。"),
            (Self::Retry { at }, Lang::En) => {
                format!("The machine failed, which costs no attempt; it is tried again by itself at {at}.")
            }
        }
    }
}

/// Why a run was not queued.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Refusal {
    /// So many of the learner's runs wait or run already.
    TooMany { limit: u32 },
    /// So many in an hour; the next may start in some seconds, at a moment (RFC 3339).
    TooOften { limit: u32, wait_s: u64, at: String },
}

impl Refusal {
    pub fn words(&self, lang: Lang) -> String {
        match (self, lang) {
            (Self::TooMany { limit }, Lang::Zh) => {
                format!("你已有 {limit} 次运行在排队或执行，这是上限；等其中一次结束或取消它，马上可以再运行。")
            }
            (Self::TooMany { limit }, Lang::En) => format!(
                "{limit} of your runs wait or run, which is the most; the next may start as soon as one ends or is cancelled."
            ),
            (Self::TooOften { limit, wait_s, at }, Lang::Zh) => {
                format!("一小时最多 {limit} 次运行；下一次最早在 {} 分钟后（{at}）。", wait_s.div_ceil(60))
            }
            (Self::TooOften { limit, wait_s, at }, Lang::En) => {
                format!("At most {limit} runs in an hour; the next may start in {} min ({at}).", wait_s.div_ceil(60))
            }
        }
    }
}

/// One line of a run's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    pub seq: i64,
    /// RFC 3339
    pub at: String,
    /// The hand-out that it belongs to.
    pub attempt: i64,
    pub kind: String,
    pub body: String,
}

impl LogLine {
    pub fn words(&self, lang: Lang) -> String {
        let (n, body) = (self.attempt, &self.body);
        match (self.kind.as_str(), lang) {
            ("queued", _) => lang.pick("排队", "queued").to_owned(),
            ("claimed", Lang::Zh) => format!("第 {n} 次交给 runner {body}"),
            ("claimed", Lang::En) => format!("handed to runner {body}, attempt {n}"),
            ("stage", _) => stage_or(body, lang),
            ("lost", _) => lang.pick("runner 失去联系", "the runner fell silent").to_owned(),
            ("back", _) => lang.pick("runner 回来了，继续", "the runner is back and goes on").to_owned(),
            ("failed", Lang::Zh) => format!("第 {n} 次失败：{body}"),
            ("failed", Lang::En) => format!("attempt {n} failed: {body}"),
            ("ended", _) => lang.pick("不再重试", "not tried again").to_owned(),
            ("requeued", _) => lang.pick("教师让它重新排队", "queued again by the instructor").to_owned(),
            ("cancelled", _) => lang.pick("已取消", "cancelled").to_owned(),
            ("reported", _) => lang.pick("报告已收到，等待评分", "the report arrived, to be graded").to_owned(),
            _ => body.clone(),
        }
    }
}

/// A stage of a runner; what it calls otherwise is shown as it is.
fn stage_or(name: &str, lang: Lang) -> String {
    match name {
        "compiling" | "checking" | "measuring" => stage(name, lang).to_owned(),
        "claimed" => lang.pick("准备", "preparing").to_owned(),
        "reporting" => lang.pick("送出报告", "sending the report").to_owned(),
        other => other.to_owned(),
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageState {
    pub name: String,
    pub took_ms: Option<u64>,
}

pub(super) fn stage(name: &str, lang: Lang) -> &'static str {
    match name {
        "queued" => lang.pick("排队", "queued"),
        "compiling" => lang.pick("编译", "compiling"),
        "checking" => lang.pick("检查", "checking"),
        "measuring" => lang.pick("测量", "measuring"),
        _ => lang.pick("评分", "graded"),
    }
}

pub(super) fn is_over(job: &JobState) -> bool {
    matches!(job.state.as_str(), "graded" | "failed" | "cancelled")
}
