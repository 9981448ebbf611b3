//! Files: everything that is not named is refused.

use std::path::PathBuf;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError,
    RulesetStatus, Scope, path_beneath_rules,
};

use super::SandboxError;

/// Folders with all that is in them, or single files. What does not exist on this machine is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files {
    pub read: Vec<PathBuf>,
    /// Read, and run as a program.
    pub run: Vec<PathBuf>,
    /// Files come and go, but no links, sockets or devices.
    pub write: Vec<PathBuf>,
    /// Device nodes.
    pub devices: Vec<PathBuf>,
}

/// The newest rights this code knows; an older kernel enforces those it has, and the first version has those that matter here.
const ABI: ABI = ABI::V5;

pub fn enter(files: &Files) -> Result<(), SandboxError> {
    let status = restrict(files).map_err(|error| SandboxError::Setup(error.to_string()))?;
    if status == RulesetStatus::NotEnforced { Err(SandboxError::NoLandlock) } else { Ok(()) }
}

fn restrict(files: &Files) -> Result<RulesetStatus, RulesetError> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let write: BitFlags<AccessFs> =
        read | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::MakeReg | AccessFs::RemoveFile;
    let device = read | AccessFs::WriteFile | AccessFs::IoctlDev;
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(ABI))?
        // No rule follows for these: no port may be bound or connected to.
        .handle_access(AccessNet::from_all(ABI))?
        .scope(Scope::AbstractUnixSocket)?
        .create()?
        .add_rules(path_beneath_rules(&files.read, read))?
        .add_rules(path_beneath_rules(&files.run, read | AccessFs::Execute))?
        .add_rules(path_beneath_rules(&files.write, write))?
        .add_rules(path_beneath_rules(&files.devices, device))?
        .restrict_self()?;
    Ok(status.ruleset)
}
