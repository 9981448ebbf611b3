//! The cuda backend on machines without a GPU: its production code over a stand-in for the driver, its kernels through
//! NVIDIA's compiler, and what it says when something is missing.

mod check;
mod double;
mod errors;
mod sources;
mod whole;
