//! What is wrong with what was typed, in both languages.

use evidence::Lang;

use super::answer::{Failure, Trouble, unavailable};
use crate::auth::accounts::{ChangePasswordError, DISPLAY_NAME_MAX, FieldError, LinkUseError, SignUpError};
use crate::auth::password::{HashError, PasswordError};
use crate::store::users::LoginNameError;

/// The form's trouble, or a failure of ours.
type Told = Result<Trouble, Failure>;

pub fn hash(error: HashError, lang: Lang) -> Told {
    match error {
        HashError::Busy => Ok(Trouble::busy(lang)),
        error @ HashError::Argon2(_) => Err(unavailable(error)),
    }
}

fn login(error: &LoginNameError, lang: Lang) -> String {
    match (lang, error) {
        (Lang::Zh, LoginNameError::Length { found, min, max }) => {
            format!("这里有 {found} 个字符；需要 {min}–{max} 个。")
        }
        (Lang::En, LoginNameError::Length { found, min, max }) => {
            format!("{found} characters here; {min} to {max} are needed.")
        }
        (Lang::Zh, LoginNameError::Character { found }) => format!("不能用“{found}”；只能用字母、数字与 . _ - @ +"),
        (Lang::En, LoginNameError::Character { found }) => {
            format!("“{found}” cannot be used; letters, digits and . _ - @ + can.")
        }
    }
}

pub fn password(error: &PasswordError, lang: Lang) -> String {
    match (lang, error) {
        (Lang::Zh, PasswordError::TooShort { found, min }) => format!("只有 {found} 个字符；至少需要 {min} 个。"),
        (Lang::En, PasswordError::TooShort { found, min }) => {
            format!("Only {found} characters; at least {min} are needed.")
        }
        (Lang::Zh, PasswordError::TooLong { max, .. }) => format!("太长了；最多 {max} 字节。"),
        (Lang::En, PasswordError::TooLong { max, .. }) => format!("Too long; at most {max} bytes are taken."),
        (Lang::Zh, PasswordError::Guessable) => "太容易猜到；换一个更长、与登录名无关的。".to_owned(),
        (Lang::En, PasswordError::Guessable) => {
            "Too easy to guess; take a longer one that does not repeat the login name.".to_owned()
        }
    }
}

fn field(error: &FieldError, lang: Lang) -> Trouble {
    match error {
        FieldError::Login(error) => Trouble::field("login", login(error, lang)),
        FieldError::Password(error) => Trouble::field("password", password(error, lang)),
        FieldError::DisplayName => Trouble::field(
            "display_name",
            match lang {
                Lang::Zh => format!("请填写 1–{DISPLAY_NAME_MAX} 个字符，其中至少有一个字母、汉字或数字。"),
                Lang::En => format!("1 to {DISPLAY_NAME_MAX} characters, at least one of them a letter or digit."),
            },
        ),
    }
}

fn login_taken(lang: Lang) -> Trouble {
    Trouble::field("login", lang.pick("这个登录名已经有人用了，换一个。", "This login name is taken; choose another."))
}

pub fn code(lang: Lang) -> Trouble {
    Trouble::field(
        "code",
        lang.pick(
            "这个加入码打不开任何班级：可能打错了、已更换或班级已关闭。请向教师确认。",
            "This code opens no class: it may be mistyped, replaced, or the class is closed. Ask your instructor.",
        ),
    )
}

pub fn sign_up(error: SignUpError, lang: Lang) -> Told {
    match error {
        SignUpError::Field(error) => Ok(field(&error, lang)),
        SignUpError::Code => Ok(code(lang)),
        SignUpError::LoginTaken => Ok(login_taken(lang)),
        SignUpError::Hash(error) => hash(error, lang),
        SignUpError::Store(error) => Err(error.into()),
    }
}

/// `None`: the link itself is not valid any more.
pub fn link_use(error: LinkUseError, lang: Lang) -> Result<Option<Trouble>, Failure> {
    match error {
        LinkUseError::NotValid => Ok(None),
        LinkUseError::Field(error) => Ok(Some(field(&error, lang))),
        LinkUseError::LoginTaken => Ok(Some(login_taken(lang))),
        LinkUseError::Hash(error) => hash(error, lang).map(Some),
        LinkUseError::Store(error) => Err(error.into()),
    }
}

pub fn change_password(error: ChangePasswordError, lang: Lang) -> Told {
    match error {
        ChangePasswordError::OldWrong => {
            Ok(Trouble::field("old", lang.pick("现在的密码不对。", "This is not the current password.")))
        }
        ChangePasswordError::New(error) => Ok(Trouble::field("new", password(&error, lang))),
        ChangePasswordError::Hash(error) => hash(error, lang),
        ChangePasswordError::Store(error) => Err(error.into()),
    }
}
