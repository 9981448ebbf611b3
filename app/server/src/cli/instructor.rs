//! `vramlab instructor-link`: a one-time link for a further instructor, or for one who forgot the password.
//!
//! Whoever can run this can read the database anyway: it asks for no password. It may run beside the server.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args as ClapArgs;

use crate::store::links::{self, LIFETIME, LinkError};
use crate::store::users::LoginName;
use crate::store::{Store, chain};

#[derive(ClapArgs)]
pub struct Args {
    /// Folder of the database
    #[arg(long, default_value = "data", env = "VRAMLAB_DATA")]
    data: PathBuf,
    /// A PostgreSQL server instead of the file: postgres://…
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    database_url: Option<String>,
    /// The address that instructors type
    #[arg(long, default_value = "http://127.0.0.1:3000", env = "VRAMLAB_ORIGIN")]
    origin: String,
    /// A new password for the instructor of this login name, instead of a new instructor
    #[arg(long, value_name = "LOGIN")]
    reset: Option<String>,
}

pub fn run(args: Args) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("vramlab: no runtime: {error}");
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(link(args)) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("vramlab instructor-link: {why}");
            ExitCode::FAILURE
        }
    }
}

async fn link(args: Args) -> Result<String, String> {
    let database = match args.database_url {
        Some(url) => url,
        None => {
            let file = args.data.join("vramlab.db");
            // Opening would make an empty database, and the link would open nothing.
            if !file.is_file() {
                return Err(format!("there is no {}; name the server's folder with --data", file.display()));
            }
            file.to_string_lossy().into_owned()
        }
    };
    let store =
        Store::open(&database).await.map_err(|error| format!("the database cannot be opened: {}", chain(&error)))?;
    let issued = issue(&store, args.reset.as_deref(), args.origin.trim_end_matches('/')).await;
    store.close().await;
    issued
}

/// The sentence and the link that are printed.
async fn issue(store: &Store, reset: Option<&str>, origin: &str) -> Result<String, String> {
    let minutes = LIFETIME.as_secs() / 60;
    let told = |error: LinkError| chain(&error);
    let Some(login) = reset else {
        let link = links::issue_setup(store).await.map_err(told)?;
        let path = link.token.reveal();
        return Ok(format!(
            "A further instructor: open this link within {minutes} minutes; it works once.\n  {origin}/setup/{path}"
        ));
    };
    let name = LoginName::parse(login).map_err(|error| format!("login name {login:?}: {error}"))?;
    let link = links::issue_instructor_reset(store, &name).await.map_err(|error| match error {
        LinkError::NoInstructor => format!("there is no instructor {login:?}; learners are helped on the class page"),
        error => told(error),
    })?;
    let path = link.token.reveal();
    Ok(format!(
        "A new password for {login}: open this link within {minutes} minutes; it works once.\n  {origin}/reset/{path}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::LinkPurpose;

    #[tokio::test]
    async fn what_is_printed_opens_a_page() {
        let folder = tempfile::tempdir().expect("a folder");
        let args = |data: &str, reset: Option<&str>| Args {
            data: folder.path().join(data),
            database_url: None,
            origin: "https://learn.example/".to_owned(),
            reset: reset.map(str::to_owned),
        };
        let refused = link(args("elsewhere", None)).await.expect_err("no database");
        assert!(refused.contains("--data") && !folder.path().join("elsewhere").exists());

        let file = folder.path().join("vramlab.db");
        let store = Store::open(file.to_str().expect("a plain path")).await.expect("a store");
        let text = link(args("", None)).await.expect("a link");
        let (_, token) = text.split_once("https://learn.example/setup/").expect("an address");
        assert!(links::is_valid(&store, token, LinkPurpose::Setup).await.expect("an answer"));
        for (login, why) in [("mei", "no instructor"), ("m", "login name")] {
            let refused = link(args("", Some(login))).await.expect_err("refused");
            assert!(refused.contains(why), "{refused}");
        }
    }
}
