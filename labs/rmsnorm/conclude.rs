//! The decision, computed from the numbers of the report and nothing else.

use evidence::{Decision, Word};

use crate::run::Summary;

/// Two runs of the same program on the same machine differ by about this much: a smaller gain is noise however many samples there
/// are within one run.
const BETWEEN_RUNS: f64 = 0.05;

/// The speed-up that lies outside the noise band: three standard errors of the ratio, or the usual difference between runs.
pub fn least_speedup(baseline: &Summary, candidate: &Summary) -> f64 {
    let error = baseline.relative_standard_error.hypot(candidate.relative_standard_error);
    let band = (3.0 * error).max(BETWEEN_RUNS);
    // A ratio with four decimals is what the report shows; rounded up, so that rounding never makes a gain.
    ((1.0 + band) * 1e4).ceil() / 1e4
}

pub enum Finding<'a> {
    Compared {
        baseline: &'a Summary,
        candidate: &'a Summary,
        least_speedup: f64,
    },
    CandidateWrong,
    /// Both are right, and no one asked how fast.
    NotTimed,
    CandidateOutOfMemory,
    BaselineOutOfMemory,
}

pub fn decide(finding: &Finding<'_>) -> Decision {
    let (decision, reason, next_action) = match finding {
        Finding::CandidateWrong => (Word::Reject, "wrong_result", "mend the kernel before timing it again"),
        Finding::NotTimed => (Word::Tune, "not_timed", "time both on a GPU"),
        Finding::CandidateOutOfMemory => (Word::Reject, "candidate_out_of_memory", "choose a smaller shape"),
        Finding::BaselineOutOfMemory => {
            (Word::Tune, "baseline_out_of_memory", "compare at a shape that both variants fit")
        }
        Finding::Compared { baseline, candidate, least_speedup } => {
            let speedup = baseline.mean / candidate.mean;
            if speedup >= *least_speedup {
                (Word::Accept, "faster", "adopt the fused kernel for this shape")
            } else if speedup * least_speedup <= 1.0 {
                (Word::Reject, "slower", "keep the separate passes for this shape")
            } else {
                (Word::Tune, "within_noise", "measure a larger shape or for longer")
            }
        }
    };
    Decision { decision, reason: reason.to_owned(), next_action: Some(next_action.to_owned()) }
}
