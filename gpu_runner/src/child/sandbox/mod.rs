//! What a child may still do once it has read its task: open the files its profile names, and ask the kernel for what its work needs.
//!
//! Files are landlock's affair, system calls are seccomp's. Both only ever take rights away, hold for everything that the process
//! starts afterwards, and need no privilege. They are entered before the first thread and before anything of a learner is read.

mod calls;
mod files;
mod profile;

pub use calls::Calls;
pub use files::Files;
pub use profile::{Profile, compile, kernel, lab, resources};

/// What this machine's kernel lacks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SandboxError {
    #[error("this machine's kernel has no landlock (Linux 5.13 or later, with landlock among its security modules)")]
    NoLandlock,
    #[error("this machine's kernel has no seccomp filters")]
    NoSeccomp,
    #[error("the sandbox could not be entered: {0}")]
    Setup(String),
}

/// Shuts this process in; only the calling thread and what it starts later, so there may be no other thread yet.
pub fn enter(profile: &Profile) -> Result<(), SandboxError> {
    files::enter(&profile.files)?;
    calls::enter(&profile.calls)
}

/// Takes away more calls, later.
pub fn enter_calls(calls: Calls) -> Result<(), SandboxError> {
    calls::enter(&calls)
}

/// Whether this machine can shut a process in. Tried on a thread that ends at once, for what is entered is never left.
pub fn probe() -> Result<(), SandboxError> {
    let tried = std::thread::spawn(|| {
        files::enter(&Files::default())?;
        calls::enter(&Calls::Trusted)
    });
    tried.join().unwrap_or_else(|_| Err(SandboxError::Setup("the attempt panicked".to_owned())))
}
