//! Pages around an account: coming in, one-time links, and what is one's own.

mod form;
mod links;
mod own;
mod secret;
mod sessions;
mod sign_in;
mod sign_up;
mod tokens;

pub use form::{Act, Field, Problems, Summary, When};
pub use links::{LinkEnded, ResetPage, SetUpPage};
pub use own::{AccountPage, ClassName, Forms, Own};
pub use secret::{Command, SecretText};
pub use sessions::SessionLine;
pub use sign_in::SignInPage;
pub use sign_up::{SignUpPage, SignUpTyped};
pub use tokens::{ScopeChoice, TokenLine, TokenMadePage, TokenTyped};
