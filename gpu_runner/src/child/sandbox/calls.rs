//! System calls. Trusted code is refused what it has no business with; a learner's code is allowed only what computing needs.

use std::collections::BTreeMap;
use std::env::consts::ARCH;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter,
};

use super::SandboxError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// Programs of ours, GPU drivers, the compiler: a list of what is refused, each with "operation not permitted".
    Trusted,
    /// A process that loads a learner's code: a list of what is allowed; anything else ends the process.
    Learner,
    /// The same process once the code is loaded: no file is opened any more.
    LearnerLoaded,
}

/// The network, other processes, the machine's set-up, and parts of the kernel that are large and needed by nothing here.
/// `setpgid` and `setsid`, because a run is ended by its process group.
const REFUSED: &[c_long] = &[
    libc::SYS_socket,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_setpgid,
    libc::SYS_setsid,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_clock_settime,
    libc::SYS_settimeofday,
    libc::SYS_sethostname,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
];

/// Pipes that are open already, memory, signals of its own, the clock, and the end.
const COMPUTING: &[c_long] = &[
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_fstat,
    libc::SYS_lseek,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_futex,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_sched_yield,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // The second filter: it only takes away.
    libc::SYS_seccomp,
];

/// What loading a shared object needs besides. Which files it may open, landlock says.
const LOADING: &[c_long] = &[
    libc::SYS_openat,
    libc::SYS_pread64,
    libc::SYS_readlinkat,
    libc::SYS_faccessat,
    libc::SYS_getcwd,
    libc::SYS_sched_getaffinity,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_open,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_access,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_readlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_stat,
];

/// Asked by the C library about an open file, when it loads one and when it prints.
const ABOUT_FILES: &[c_long] = &[libc::SYS_newfstatat];

/// Asked by the C library on its own account, and easily done without: `printf` looks for a terminal.
const HARMLESS: &[c_long] = &[libc::SYS_ioctl, libc::SYS_prlimit64, libc::SYS_statx];

pub fn enter(calls: &Calls) -> Result<(), SandboxError> {
    let refuse = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    match calls {
        Calls::Trusted => apply(rules(&[REFUSED]), SeccompAction::Allow, refuse),
        Calls::Learner => {
            let mut allowed = rules(&[COMPUTING, LOADING, ABOUT_FILES, HARMLESS]);
            // `abort` sends a signal to the process that calls it.
            allowed.insert(libc::SYS_tgkill, vec![with_first_argument(std::process::id())?]);
            allowed.insert(libc::SYS_prctl, vec![with_first_argument(libc::PR_SET_NO_NEW_PRIVS.cast_unsigned())?]);
            apply(allowed, SeccompAction::KillProcess, SeccompAction::Allow)?;
            apply(rules(&[HARMLESS]), SeccompAction::Allow, refuse)
        }
        Calls::LearnerLoaded => {
            let mut gone = rules(&[LOADING]);
            gone.extend([(libc::SYS_seccomp, Vec::new()), (libc::SYS_prctl, Vec::new())]);
            // First the milder one: the stricter takes away the means to add another.
            apply(rules(&[ABOUT_FILES]), SeccompAction::Allow, refuse)?;
            apply(gone, SeccompAction::Allow, SeccompAction::KillProcess)
        }
    }
}

fn rules(lists: &[&[c_long]]) -> BTreeMap<c_long, Vec<SeccompRule>> {
    lists.iter().flat_map(|list| list.iter()).map(|call| (*call, Vec::new())).collect()
}

fn with_first_argument(value: u32) -> Result<SeccompRule, SandboxError> {
    SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, u64::from(value))
        .and_then(|condition| SeccompRule::new(vec![condition]))
        .map_err(|error| SandboxError::Setup(error.to_string()))
}

fn apply(
    rules: BTreeMap<c_long, Vec<SeccompRule>>,
    otherwise: SeccompAction,
    matched: SeccompAction,
) -> Result<(), SandboxError> {
    let setup = |error: seccompiler::BackendError| SandboxError::Setup(error.to_string());
    let architecture = ARCH.try_into().map_err(setup)?;
    let filter = SeccompFilter::new(rules, otherwise, matched, architecture).map_err(setup)?;
    let program: BpfProgram = filter.try_into().map_err(setup)?;
    apply_filter(&program).map_err(|error| match error {
        seccompiler::Error::Seccomp(error) | seccompiler::Error::Prctl(error)
            if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EINVAL)) =>
        {
            SandboxError::NoSeccomp
        }
        error => SandboxError::Setup(error.to_string()),
    })
}
