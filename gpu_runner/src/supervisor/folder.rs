//! Folders of a run, each of which says by a lock whether its runner lives. A runner that is killed leaves them behind; the next one
//! to start removes them.
//!
//! The lock (`flock`) lies on the folder itself: the kernel lets go of it with the process, however that ends and whoever gets its
//! number, and there is no file of ours in the folder that a child could remove.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use tempfile::TempDir;

/// For this user alone: what a child wrote, and what a learner's kernel compiled to.
const MODE: u32 = 0o700;
/// Letters and digits behind the kind, as many as are drawn.
const DRAWN: usize = 6;
/// A runner that starts at the same moment can take a folder that is not locked yet for one left behind.
const TRIES: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// In which a child works and leaves its report.
    Job,
    /// From which a child loads what a learner's kernel compiled to.
    Kernel,
}

impl Kind {
    const ALL: [Self; 2] = [Self::Job, Self::Kernel];

    const fn prefix(self) -> &'static str {
        match self {
            Self::Job => "vramlab-job-",
            Self::Kernel => "vramlab-kernel-",
        }
    }

    fn names(self, name: &OsStr) -> bool {
        let drawn = name.to_str().and_then(|name| name.strip_prefix(self.prefix()));
        drawn.is_some_and(|drawn| drawn.len() == DRAWN && drawn.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    }
}

/// Removed when dropped, and then let go.
pub struct Folder {
    dir: TempDir,
    _held: File,
}

impl Folder {
    pub fn new(kind: Kind) -> io::Result<Self> {
        Self::new_in(kind, &std::env::temp_dir())
    }

    fn new_in(kind: Kind, place: &Path) -> io::Result<Self> {
        for _ in 0..TRIES {
            let private = fs::Permissions::from_mode(MODE);
            let dir = tempfile::Builder::new()
                .prefix(kind.prefix())
                .rand_bytes(DRAWN)
                .permissions(private)
                .tempdir_in(place)?;
            let held = match open(dir.path()) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                opened => opened?,
            };
            match held.try_lock() {
                Err(TryLockError::WouldBlock) => continue,
                // A file system without such locks: there nobody gets one, and nothing is ever taken for left behind.
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            if stands(dir.path(), &held)? {
                return Ok(Self { dir, _held: held });
            }
        }
        Err(io::Error::other("a folder of this run was removed by somebody else as soon as it was made"))
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// Removes the folders of this user's runners that no longer live.
pub fn sweep() {
    let place = std::env::temp_dir();
    match sweep_in(&place) {
        Ok(0) => {}
        Ok(removed) => tracing::info!(removed, "folders that a killed runner had left behind are removed"),
        Err(error) => tracing::warn!(folder = %place.display(), %error, "folders left behind were not looked for"),
    }
}

/// How many were removed. One that cannot be is told and left.
fn sweep_in(place: &Path) -> io::Result<usize> {
    let mut removed = 0;
    for entry in fs::read_dir(place)? {
        let entry = entry?;
        if !Kind::ALL.iter().any(|kind| kind.names(&entry.file_name())) {
            continue;
        }
        match remove_left(&entry.path()) {
            Ok(true) => removed += 1,
            Ok(false) => {}
            // Its runner has just removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                tracing::warn!(folder = %entry.path().display(), %error, "a folder left behind could not be removed");
            }
        }
    }
    Ok(removed)
}

/// False for what is not ours (a link, a file, another user's, another mode) and for what a living runner holds.
fn remove_left(path: &Path) -> io::Result<bool> {
    // Looked at before it is opened, because to open what is not ours is an error to tell, and after, because it may have changed.
    if !is_ours(&fs::symlink_metadata(path)?) {
        return Ok(false);
    }
    let folder = open(path)?;
    if !is_ours(&folder.metadata()?) {
        return Ok(false);
    }
    match folder.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(false),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    // Held while it goes, so that of two who sweep one removes it.
    if !stands(path, &folder)? {
        return Ok(false);
    }
    fs::remove_dir_all(path)?;
    Ok(true)
}

fn is_ours(found: &Metadata) -> bool {
    found.is_dir() && found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o7777 == MODE
}

fn open(folder: &Path) -> io::Result<File> {
    File::options().read(true).custom_flags(libc::O_DIRECTORY | libc::O_NOFOLLOW).open(folder)
}

/// Whether the path still leads to the folder that was opened.
fn stands(path: &Path, opened: &File) -> io::Result<bool> {
    let opened = opened.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(found) => Ok((found.dev(), found.ino()) == (opened.dev(), opened.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{DirBuilderExt as _, symlink};
    use std::path::PathBuf;

    use super::*;

    /// As a runner leaves it that ended without a chance to clean up.
    fn left(place: &Path, name: &str, mode: u32) -> PathBuf {
        let path = place.join(name);
        fs::DirBuilder::new().mode(mode).create(&path).unwrap();
        fs::create_dir(path.join("deeper")).unwrap();
        fs::write(path.join("deeper/report.json"), "{}").unwrap();
        path
    }

    #[test]
    fn what_nobody_holds_goes_and_what_is_held_stays() {
        let place = tempfile::tempdir().unwrap();
        let held = [Kind::Job, Kind::Kernel].map(|kind| Folder::new_in(kind, place.path()).unwrap());
        let gone = [left(place.path(), "vramlab-job-Ab12cD", MODE), left(place.path(), "vramlab-kernel-Ab12cD", MODE)];
        assert_eq!(sweep_in(place.path()).unwrap(), 2);
        assert!(gone.iter().all(|path| !path.exists()));
        assert!(held.iter().all(|folder| folder.path().is_dir()));
        let paths = held.each_ref().map(|folder| folder.path().to_owned());
        drop(held);
        assert!(paths.iter().all(|path| !path.exists()));
    }

    #[test]
    fn what_is_not_ours_is_not_touched() {
        let (place, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let theirs = left(elsewhere.path(), "vramlab-job-target", MODE);
        symlink(&theirs, place.path().join("vramlab-job-LinkTo")).unwrap();
        fs::write(place.path().join("vramlab-job-AFile1"), "a file").unwrap();
        for (name, mode) in [
            // Other names, as a person or another program would give.
            ("vramlab-job-", MODE),
            ("vramlab-job-saved-by-hand", MODE),
            ("vramlab-job-Ab.2cD", MODE),
            ("vramlab-result-Ab12cD", MODE),
            // Others may look into it: no runner made that.
            ("vramlab-job-Open12", 0o755),
        ] {
            left(place.path(), name, mode);
        }
        // Ours goes, though it links to what is not.
        let own = left(place.path(), "vramlab-job-Ab12cD", MODE);
        symlink(&theirs, own.join("link")).unwrap();
        assert_eq!(sweep_in(place.path()).unwrap(), 1);
        assert!(!own.exists());
        assert!(theirs.join("deeper/report.json").is_file());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 7);
    }

    /// Only root can give a folder to somebody else; the tests of a clean clone run as root.
    #[test]
    fn what_another_user_left_is_not_touched() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let place = tempfile::tempdir().unwrap();
        let theirs = left(place.path(), "vramlab-job-Ab12cD", MODE);
        std::os::unix::fs::chown(&theirs, Some(65534), None).unwrap();
        assert_eq!(sweep_in(place.path()).unwrap(), 0);
        assert!(theirs.join("deeper/report.json").is_file());
    }
}
