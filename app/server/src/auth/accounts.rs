//! Making accounts, signing in, and changing passwords.

use super::{
    Auth,
    password::{HashError, Password, PasswordError},
};
use crate::store::{
    ClassId, Role, StoreError, User, UserId,
    classes::{self, JoinCode, JoinError},
    clean_name,
    links::{self, LinkError},
    users::{self, CreateUserError, LoginName, LoginNameError, NewUser},
};

pub const DISPLAY_NAME_MAX: usize = 80;

/// What a person types to get an account.
#[derive(Clone, Copy)]
pub struct NewAccount<'a> {
    pub login: &'a str,
    pub display_name: &'a str,
    pub password: &'a str,
}

/// What is wrong with what was typed, by field.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum FieldError {
    #[error("login name: {0}")]
    Login(#[from] LoginNameError),
    #[error("the display name has no letter or digit, or more than {DISPLAY_NAME_MAX} characters")]
    DisplayName,
    #[error("password: {0}")]
    Password(#[from] PasswordError),
}

#[derive(Debug, thiserror::Error)]
pub enum SignUpError {
    #[error(transparent)]
    Field(#[from] FieldError),
    /// Unknown, replaced or closed.
    #[error("the join code opens no class")]
    Code,
    #[error("the login name is taken")]
    LoginTaken,
    #[error(transparent)]
    Hash(#[from] HashError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The form's fields within the rules.
struct Parsed {
    login: LoginName,
    display_name: String,
    password: Password,
}

fn parse(typed: NewAccount<'_>) -> Result<Parsed, FieldError> {
    let login = LoginName::parse(typed.login)?;
    let display_name = display_name(typed.display_name)?;
    let password = Password::choose(typed.password, login.as_str())?;
    Ok(Parsed { login, display_name, password })
}

fn display_name(text: &str) -> Result<String, FieldError> {
    // Unseen characters come along when a name is pasted; they are dropped. Control characters are no part of a name.
    let fits = !text.trim().chars().any(char::is_control);
    let name = clean_name(text, usize::MAX).filter(|name| fits && name.chars().count() <= DISPLAY_NAME_MAX);
    name.ok_or(FieldError::DisplayName)
}

impl Parsed {
    fn with_hash<'a>(&'a self, role: Role, password_hash: &'a str) -> NewUser<'a> {
        NewUser { login: &self.login, display_name: &self.display_name, role, password_hash }
    }
}

/// A learner signs up with the code of a class.
pub async fn sign_up(auth: &Auth, join_code: &str, account: NewAccount<'_>) -> Result<(UserId, ClassId), SignUpError> {
    let parsed = parse(account)?;
    // The code comes before the costly hash and before the login name: without one, nothing is learnt or spent.
    let code = JoinCode::parse(join_code).ok_or(SignUpError::Code)?;
    if !classes::code_is_open(&auth.store, &code).await? {
        return Err(SignUpError::Code);
    }
    let hash = auth.hasher.hash(&parsed.password).await?;
    classes::sign_up(&auth.store, &code, &parsed.with_hash(Role::Learner, &hash)).await.map_err(|err| match err {
        JoinError::Code => SignUpError::Code,
        JoinError::LoginTaken => SignUpError::LoginTaken,
        JoinError::Store(err) => SignUpError::Store(err),
    })
}

/// An account without a class: for the command line and the demo class.
pub async fn create(auth: &Auth, role: Role, account: NewAccount<'_>) -> Result<UserId, SignUpError> {
    let parsed = parse(account)?;
    let hash = auth.hasher.hash(&parsed.password).await?;
    users::create(&auth.store, &parsed.with_hash(role, &hash)).await.map_err(|err| match err {
        CreateUserError::LoginTaken => SignUpError::LoginTaken,
        CreateUserError::Store(err) => SignUpError::Store(err),
    })
}

#[derive(Debug, thiserror::Error)]
pub enum LinkUseError {
    #[error(transparent)]
    Field(#[from] FieldError),
    /// Unknown, used, replaced or expired.
    #[error("the link is not valid any more")]
    NotValid,
    #[error("the login name is taken")]
    LoginTaken,
    #[error(transparent)]
    Hash(#[from] HashError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<LinkError> for LinkUseError {
    fn from(err: LinkError) -> Self {
        match err {
            LinkError::NotValid | LinkError::NotTaught | LinkError::NoInstructor => Self::NotValid,
            LinkError::LoginTaken => Self::LoginTaken,
            LinkError::Store(err) => Self::Store(err),
        }
    }
}

/// Makes the instructor that a set-up link is for. A form with a mistake leaves the link good.
pub async fn set_up(auth: &Auth, token: &str, account: NewAccount<'_>) -> Result<UserId, LinkUseError> {
    let parsed = parse(account)?;
    if !links::is_valid(&auth.store, token, crate::store::LinkPurpose::Setup).await? {
        return Err(LinkUseError::NotValid);
    }
    let hash = auth.hasher.hash(&parsed.password).await?;
    Ok(links::use_setup(&auth.store, token, &parsed.with_hash(Role::Instructor, &hash)).await?)
}

/// Sets the password of the account that a reset link is for and ends its sessions and API tokens.
pub async fn reset_password(auth: &Auth, token: &str, new: &str) -> Result<UserId, LinkUseError> {
    let login = links::login_of_reset(&auth.store, token).await?.ok_or(LinkUseError::NotValid)?;
    let password = Password::choose(new, &login).map_err(FieldError::from)?;
    let hash = auth.hasher.hash(&password).await?;
    Ok(links::use_reset(&auth.store, token, &hash).await?)
}

#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// Unknown login or wrong password: nobody learns which.
    #[error("login name and password do not belong together")]
    Refused,
    #[error(transparent)]
    Hash(#[from] HashError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Whom this login name and password belong to. Takes one hash's time whether or not the account exists.
pub async fn sign_in(auth: &Auth, login: &str, password: &str) -> Result<User, SignInError> {
    let found = match LoginName::parse(login) {
        Ok(login) => users::credentials(&auth.store, &login).await?,
        Err(_) => None,
    };
    let stored = found.as_ref().map(|found| found.password_hash.as_str());
    let opened = auth.hasher.verify(password, stored).await?;
    let Some(found) = found.filter(|_| opened) else { return Err(SignInError::Refused) };
    let user = users::for_sign_in(&auth.store, found.id).await?;
    // A password changed while the old one was being checked: the old one opens nothing any more.
    user.filter(|user| user.auth_epoch == found.auth_epoch).ok_or(SignInError::Refused)
}

#[derive(Debug, thiserror::Error)]
pub enum ChangePasswordError {
    /// The old password is not the one in force.
    #[error("the old password is wrong")]
    OldWrong,
    #[error(transparent)]
    New(#[from] PasswordError),
    #[error(transparent)]
    Hash(#[from] HashError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Changes the password and ends every session of the account, and its API tokens if asked to. The account comes back
/// with the epoch that a new session needs: `session::start` with it keeps this browser signed in.
pub async fn change_password(
    auth: &Auth,
    user: &User,
    old: &str,
    new: &str,
    revoke_tokens: bool,
) -> Result<User, ChangePasswordError> {
    let password = Password::choose(new, &user.login)?;
    let found = users::credentials_of(&auth.store, user.id).await?;
    let stored = found.as_ref().map(|found| found.password_hash.as_str());
    let opened = auth.hasher.verify(old, stored).await?;
    let Some(found) = found.filter(|_| opened) else { return Err(ChangePasswordError::OldWrong) };
    let hash = auth.hasher.hash(&password).await?;
    let epoch = users::replace_password(&auth.store, user.id, found.auth_epoch, &hash, revoke_tokens).await?;
    let auth_epoch = epoch.ok_or(ChangePasswordError::OldWrong)?;
    Ok(User { auth_epoch, ..user.clone() })
}
