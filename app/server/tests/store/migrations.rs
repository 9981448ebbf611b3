use server::store::{Role, users};

on_both_engines! {
    /// Opening again finds the schema in place and the rows untouched.
    async fn opening_twice(bed: Bed) {
        let user = bed.user("mei", Role::Instructor).await;
        let again = bed.reopen().await;
        assert_eq!(users::for_sign_in(&again, user.id).await.expect("an answer"), Some(user));
        assert!(users::any_instructor(&again).await.expect("an answer"));
        again.ping().await.expect("alive");
    }

    /// Several web processes start at the same moment.
    async fn opening_at_once(bed: Bed) {
        let (a, b, c) = tokio::join!(bed.reopen(), bed.reopen(), bed.reopen());
        for store in [a, b, c] {
            store.ping().await.expect("alive");
        }
    }

    async fn an_empty_store_has_no_instructor(bed: Bed) {
        assert!(!users::any_instructor(&bed.store).await.expect("an answer"));
        bed.user("lin", Role::Learner).await;
        assert!(!users::any_instructor(&bed.store).await.expect("an answer"));
    }
}

/// The file holds password hashes.
#[cfg(unix)]
#[tokio::test]
async fn the_sqlite_file_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let bed = crate::bed::Bed::sqlite().await;
    bed.user("mei", Role::Learner).await;
    for side in ["", "-wal", "-shm"] {
        let mode = std::fs::metadata(format!("{}{side}", bed.url)).expect("the file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{side}");
    }
}

#[tokio::test]
async fn closing_folds_the_write_ahead_log() {
    let bed = crate::bed::Bed::sqlite().await;
    bed.user("mei", Role::Learner).await;
    bed.store.close().await;
    assert!(!std::path::Path::new(&format!("{}-wal", bed.url)).exists(), "the write-ahead log is folded in");
}

/// The engines share one schema: the same files, the same tables; only the type of bytes and the triggers differ.
#[test]
fn both_engines_have_the_same_tables() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
    let tables = |engine: &str| {
        let mut files: Vec<_> = std::fs::read_dir(folder.join(engine))
            .expect("the folder")
            .map(|entry| entry.expect("an entry").path())
            .map(|path| {
                let text = std::fs::read_to_string(&path).expect("the text").replace("BYTEA", "BLOB");
                let words: Vec<_> = text.split_whitespace().collect();
                let text = words.join(" ");
                let tables = text.split(" CREATE TRIGGER").next().and_then(|t| t.split(" CREATE FUNCTION").next());
                (path.file_name().map(std::ffi::OsStr::to_owned), tables.map(str::to_owned))
            })
            .collect();
        files.sort();
        files
    };
    let sqlite = tables("sqlite");
    assert!(sqlite.len() >= 4);
    assert_eq!(sqlite, tables("postgres"));
}
