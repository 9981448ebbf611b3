//! A PostgreSQL cluster that lives as long as this process.
//!
//! A shell holds it: it starts the server, says so, and waits for the end of its input. However this process ends, the
//! pipe closes, and the shell stops the server and removes the folder.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use sqlx::{Connection, Executor, PgConnection};

const SCRIPT: &str = r#"
set -e
initdb=$(find /usr/lib/postgresql /usr/local/pgsql -name initdb 2>/dev/null | sort -V | tail -1)
[ -n "$initdb" ] || initdb=$(command -v initdb) || { echo absent; exit 0; }
bin=$(dirname "$initdb")
dir=$(mktemp -d /tmp/vramlab-pg.XXXXXX)
as=
if [ "$(id -u)" = 0 ]; then
    as="setpriv --reuid=postgres --regid=postgres --clear-groups"
    chown postgres:postgres "$dir"
fi
cd "$dir"
stop() { $as "$bin/pg_ctl" -D "$dir/data" -m immediate -s -w stop >/dev/null 2>&1 || true; cd /; rm -rf "$dir"; }
trap stop EXIT
trap '' INT
$as "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 -N >/dev/null
$as "$bin/pg_ctl" -D "$dir/data" -w -s -l "$dir/log" -o "-k $dir -c listen_addresses='' -c fsync=off \
    -c full_page_writes=off -c synchronous_commit=off -c max_connections=400" start >/dev/null
echo "ready $dir"
read -r end || true
"#;

struct Cluster {
    folder: String,
    /// Dropped at exit at the latest, which closes the pipe.
    _shell: Child,
}

static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
static DATABASES: AtomicU32 = AtomicU32::new(0);

#[expect(clippy::zombie_processes, reason = "the shell ends after this process, by design")]
fn start() -> Option<Cluster> {
    let mut shell =
        Command::new("sh").args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell");
    let mut line = String::new();
    BufReader::new(shell.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
    if let Some(folder) = line.trim().strip_prefix("ready ") {
        return Some(Cluster { folder: folder.to_owned(), _shell: shell });
    }
    assert_eq!(line.trim(), "absent", "the PostgreSQL cluster did not start; its messages are above");
    let required = std::env::var("VRAMLAB_REQUIRE_POSTGRES").is_ok_and(|v| v == "1");
    assert!(!required, "PostgreSQL is not installed, but VRAMLAB_REQUIRE_POSTGRES=1");
    // Past libtest's capture, so that the line is seen even when every test passes.
    use std::io::Write;
    writeln!(std::io::stderr(), "skipped: PostgreSQL not installed").expect("a line");
    None
}

/// The URL of a new, empty database; `None` where there is no PostgreSQL.
pub async fn new_database() -> Option<String> {
    let cluster = tokio::task::spawn_blocking(|| CLUSTER.get_or_init(start).as_ref()).await.expect("the cluster")?;
    let url = |database: &str| format!("postgres://postgres@localhost/{database}?host={}", cluster.folder);
    let database = format!("t{}", DATABASES.fetch_add(1, Ordering::SeqCst));
    let mut admin = PgConnection::connect(&url("postgres")).await.expect("the cluster answers");
    admin.execute(sqlx::AssertSqlSafe(format!("CREATE DATABASE {database}"))).await.expect("a database");
    admin.close().await.expect("closed");
    Some(url(&database))
}
