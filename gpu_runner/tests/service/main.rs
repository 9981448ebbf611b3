//! The service against a server that plays its part: claim, lease, heartbeats, report, and everything that goes wrong between.

mod cases;
mod learner;
mod server;
mod support;
