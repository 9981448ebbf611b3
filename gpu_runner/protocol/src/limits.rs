//! Sizes that neither side exceeds. They are part of the protocol: a server may not accept more, a runner may not send more.

/// Exact bytes of one report.
pub const REPORT_BYTES: usize = 1024 * 1024;
/// Body of any request a runner sends: a report in base64 with room for the rest.
pub const REQUEST_BYTES: usize = REPORT_BYTES / 3 * 4 + 16 * 1024;
/// A learner's kernel, as text.
pub const KERNEL_BYTES: usize = 64 * 1024;
/// Body of any answer a server gives to a runner: a kernel, at most twice as long as a JSON string, with room for the rest.
pub const ANSWER_BYTES: usize = 2 * KERNEL_BYTES + 64 * 1024;
/// A failure's message; longer text is cut by [`crate::Failure::new`].
pub const FAILURE_MESSAGE_BYTES: usize = 4096;
/// Runner names, device names and other facts, each.
pub const TEXT_BYTES: usize = 256;
pub const ID_BYTES: usize = 64;
pub const PARAMS: usize = 32;
pub const PARAM_TEXT_BYTES: usize = 128;
pub const LABS: usize = 256;
/// Stage times that one heartbeat or report carries.
pub const STAGE_TIMES: usize = 16;
/// Backends or labels that a runner names.
pub const LABELS: usize = 16;
/// Lines that one heartbeat carries; more wait for the next.
pub const NOTES: usize = 32;
