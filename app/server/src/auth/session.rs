//! Signed-in browsers: the cookie and what a session holds.

use axum::{
    http::{
        HeaderMap, HeaderValue,
        header::{SET_COOKIE, USER_AGENT},
    },
    response::Response,
};
use time::Duration;
use tower::util::MapResponseLayer;
use tower_sessions::{Expiry, Session, SessionManagerLayer, cookie::SameSite, session::Error};

use crate::http::page::cookies;
use crate::store::{
    Store, User, UserId, clean_text,
    sessions::{EPOCH, SessionKey, SessionRows, USER, USER_AGENT as AGENT},
};

/// The prefix binds the cookie to this host, HTTPS (or loopback) and the whole site.
pub const COOKIE: &str = "__Host-vramlab";
/// Signed in for at most this long.
const LIFETIME: Duration = Duration::days(30);

/// Layer for every route that may have a signed-in user. A visitor without an account gets no cookie and no row.
pub fn layer(store: Store) -> SessionLayer {
    let sessions = SessionManagerLayer::new(SessionRows::new(store))
        .with_name(COOKIE)
        .with_secure(true)
        .with_http_only(true)
        // Lax, not Strict: a link to a lesson in a chat must open it signed in. Changes of state have `csrf`.
        .with_same_site(SameSite::Lax)
        .with_path("/")
        .with_expiry(Expiry::OnInactivity(LIFETIME));
    (MapResponseLayer::new(complete_removal as _), sessions)
}

/// The session layer, and outside it what its removal of a cookie lacks.
pub type SessionLayer = (MapResponseLayer<fn(Response) -> Response>, SessionManagerLayer<SessionRows>);

fn removes(set_cookie: &str) -> bool {
    set_cookie.strip_prefix(COOKIE).is_some_and(|rest| rest.starts_with("=;"))
}

/// The session layer takes a cookie away by name and path alone. Browsers refuse a `__Host-` cookie that is not
/// `Secure`, and with it the removal: the old cookie would stay until it expires.
fn complete_removal(mut response: Response) -> Response {
    let bare = |value: &HeaderValue| {
        let text = value.to_str().ok().filter(|text| removes(text) && !text.contains("; Secure"))?;
        HeaderValue::from_str(&format!("{text}; Secure; HttpOnly; SameSite=Lax")).ok()
    };
    let headers = response.headers_mut();
    if headers.get_all(SET_COOKIE).iter().any(|value| bare(value).is_some()) {
        let all: Vec<HeaderValue> =
            headers.get_all(SET_COOKIE).iter().map(|value| bare(value).unwrap_or_else(|| value.clone())).collect();
        headers.remove(SET_COOKIE);
        for value in all {
            headers.append(SET_COOKIE, value);
        }
    }
    response
}

/// Whether a request names a session at all, true or false.
pub fn is_named(headers: &HeaderMap) -> bool {
    cookies(headers).any(|(name, _)| name == COOKIE)
}

/// Signs this browser in under a new session id, so that an id planted beforehand is worth nothing.
pub async fn start(session: &Session, user: &User, headers: &HeaderMap) -> Result<(), Error> {
    let agent = headers.get(USER_AGENT).and_then(|v| v.to_str().ok()).unwrap_or_default();
    session.clear().await;
    session.cycle_id().await?;
    session.insert(USER, user.id).await?;
    session.insert(EPOCH, user.auth_epoch).await?;
    session.insert(AGENT, clean_text(agent, 200)).await
}

/// Signs this browser out.
pub async fn end(session: &Session) -> Result<(), Error> {
    session.flush().await
}

/// Where a sign-in may lead back to: a path of this site, nothing that a browser could read as another host.
pub fn return_path(next: &str) -> Option<&str> {
    let own = next.starts_with('/') && !next.starts_with("//");
    let plain = next.chars().all(|c| !c.is_control() && c != '\\');
    (own && plain && next.len() <= 2000).then_some(next)
}

/// Whose session this is, under which epoch, and how it is named in the user's list.
pub(crate) async fn holder(session: &Session) -> Result<Option<(UserId, i64, SessionKey)>, Error> {
    let user: Option<UserId> = session.get(USER).await?;
    let epoch: Option<i64> = session.get(EPOCH).await?;
    let key = session.id().as_ref().map(SessionKey::of);
    Ok(user.zip(epoch).zip(key).map(|((user, epoch), key)| (user, epoch, key)))
}

#[cfg(test)]
mod tests {
    use super::return_path;

    #[test]
    fn sign_in_leads_to_own_pages_only() {
        for (next, own) in [
            ("/", true),
            ("/en/reports?lab=76&x=显#top", true),
            ("", false),
            ("en/reports", false),
            ("//evil.example", false),
            ("/\\evil.example", false),
            ("/\t/evil.example", false),
            ("https://evil.example/", false),
            ("javascript:alert(1)", false),
        ] {
            assert_eq!(return_path(next).is_some(), own, "{next:?}");
        }
    }
}
