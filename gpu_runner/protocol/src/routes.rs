//! Paths below the server's address. The job id is parsed, so it needs no escaping.

use crate::ids::JobId;

pub const IDENTITY: &str = "/api/v1/runner/identity";
pub const CLAIMS: &str = "/api/v1/runner/claims";

pub fn heartbeats(job: &JobId) -> String {
    format!("/api/v1/runner/jobs/{job}/heartbeats")
}

pub fn reports(job: &JobId) -> String {
    format!("/api/v1/runner/jobs/{job}/reports")
}

pub fn failures(job: &JobId) -> String {
    format!("/api/v1/runner/jobs/{job}/failures")
}
