//! The guards, driven through a small application.

use std::net::SocketAddr;

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, FromRef},
    http::{HeaderMap, Request, StatusCode, header},
    routing::{get, post},
};
use server::{
    auth::{
        Auth, CurrentUser, Instructor, MaybeUser, RunnerAuth, TokenUser, accounts,
        accounts::NewAccount,
        session::{self, COOKIE},
    },
    store::{
        Role,
        api_tokens::{self, Scope, Scopes},
        runners,
    },
};
use tower::ServiceExt;
use tower_sessions::Session;

use crate::bed::Bed;

#[derive(Clone)]
struct State(Auth);

impl FromRef<State> for Auth {
    fn from_ref(state: &State) -> Auth {
        state.0.clone()
    }
}

const PASSWORD: &str = "correct horse battery";

/// Signs in whom the header names; forms are the product's, not ours.
async fn sign_in(auth: axum::extract::State<State>, session: Session, headers: HeaderMap) -> StatusCode {
    let login = headers.get("login").and_then(|v| v.to_str().ok()).unwrap_or_default();
    match accounts::sign_in(&auth.0.0, login, PASSWORD).await {
        Ok(user) => session::start(&session, &user, &headers)
            .await
            .map_or(StatusCode::INTERNAL_SERVER_ERROR, |()| StatusCode::OK),
        Err(_) => StatusCode::UNAUTHORIZED,
    }
}

async fn change(
    auth: axum::extract::State<State>,
    user: CurrentUser,
    session: Session,
    headers: HeaderMap,
) -> StatusCode {
    let changed =
        accounts::change_password(&auth.0.0, &user, PASSWORD, "staple battery horse", false).await.expect("changed");
    session::start(&session, &changed, &headers).await.expect("started");
    StatusCode::OK
}

fn app(bed: &Bed) -> Router {
    Router::new()
        .route("/sign-in", post(sign_in))
        .route("/sign-out", post(|session: Session| async move { session::end(&session).await.expect("ended") }))
        .route("/change", post(change))
        .route(
            "/who",
            get(|MaybeUser(user): MaybeUser| async move { user.map_or("nobody".into(), |u| u.login.clone()) }),
        )
        .route("/en/mine", get(|user: CurrentUser| async move { user.login.clone() }))
        .route("/en/teach", get(|user: Instructor| async move { user.login.clone() }))
        .route("/api/v1/mine", get(|user: CurrentUser| async move { user.login.clone() }))
        .route(
            "/api/v1/reports",
            get(|user: TokenUser| async move { user.require(Scope::ReadReports).map(|()| user.user.login.clone()) }),
        )
        .route("/api/v1/runner", get(|RunnerAuth(runner): RunnerAuth| async move { runner.name }))
        .layer(session::layer(bed.store.clone()))
        .with_state(State(bed.auth()))
}

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: String,
}

impl Answer {
    /// The session cookie that this answer sets, as the browser will send it.
    fn cookie(&self) -> Option<String> {
        let set = self.headers.get(header::SET_COOKIE)?.to_str().expect("text");
        Some(set.split(';').next().expect("a pair").to_owned())
    }
}

async fn call(app: &Router, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    let request = headers.iter().fold(Request::builder().method(method).uri(path), |r, (k, v)| r.header(*k, *v));
    let mut request = request.body(Body::empty()).expect("a request");
    request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([198, 51, 100, 7], 40_000))));
    let response = app.clone().oneshot(request).await.expect("an answer");
    let (status, headers) = (response.status(), response.headers().clone());
    let bytes = axum::body::to_bytes(response.into_body(), 1 << 20).await.expect("a body");
    Answer { status, headers, body: String::from_utf8(bytes.to_vec()).expect("text") }
}

async fn who(app: &Router, cookie: &str) -> String {
    call(app, "GET", "/who", &[("cookie", cookie)]).await.body
}

async fn people(bed: &Bed) {
    for (login, role) in [("mei", Role::Instructor), ("lin", Role::Learner)] {
        let account = NewAccount { login, display_name: login, password: PASSWORD };
        accounts::create(&bed.auth(), role, account).await.expect("an account");
    }
}

async fn signed_in(app: &Router, login: &str) -> String {
    let answer = call(app, "POST", "/sign-in", &[("login", login), ("user-agent", "Firefox 140")]).await;
    assert_eq!(answer.status, StatusCode::OK);
    answer.cookie().expect("a cookie")
}

on_both_engines! {
    async fn the_cookie(bed: Bed) {
        people(&bed).await;
        let app = app(&bed);
        let answer = call(&app, "POST", "/sign-in", &[("login", "lin")]).await;
        let set = answer.headers[header::SET_COOKIE].to_str().expect("text");
        let mut parts: Vec<_> = set.split("; ").collect();
        assert!(parts.remove(0).starts_with(&format!("{COOKIE}=")));
        for attribute in ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"] {
            assert!(parts.contains(&attribute), "{attribute} in {set}");
        }
        assert!(!set.contains("Domain"), "{set}");
        // Reading sets none.
        assert_eq!(call(&app, "GET", "/who", &[]).await.cookie(), None);
        assert_eq!(bed.column("sessions", "user_agent").await.len(), 1);
    }

    async fn in_and_out(bed: Bed) {
        people(&bed).await;
        let app = app(&bed);
        let cookie = signed_in(&app, "lin").await;
        assert_eq!(who(&app, &cookie).await, "lin");
        assert_eq!(bed.column("sessions", "user_agent").await, ["Firefox 140"]);
        let out = call(&app, "POST", "/sign-out", &[("cookie", &cookie)]).await;
        let removal = out.headers[header::SET_COOKIE].to_str().expect("text");
        // Without these a browser keeps the cookie: its name says that it is `Secure`.
        for part in [&format!("{COOKIE}=; "), "Max-Age=0", "Path=/", "; Secure", "; HttpOnly", "; SameSite=Lax"] {
            assert!(removal.contains(part), "{part} in {removal}");
        }
        assert_eq!(who(&app, &cookie).await, "nobody");
        assert_eq!(bed.column("sessions", "key").await.len(), 0);
        let refused = call(&app, "POST", "/sign-in", &[("login", "nobody")]).await;
        assert_eq!((refused.status, refused.cookie()), (StatusCode::UNAUTHORIZED, None));
    }

    /// An id known before sign-in, planted or left by another user, is not the one that is signed in.
    async fn the_id_is_new_at_sign_in(bed: Bed) {
        people(&bed).await;
        let app = app(&bed);
        let planted = format!("{COOKIE}=AAAAAAAAAAAAAAAAAAAAAA");
        let first = call(&app, "POST", "/sign-in", &[("login", "lin"), ("cookie", &planted)]).await;
        let first = first.cookie().expect("a cookie");
        assert_ne!(first, planted);
        assert_eq!(who(&app, &planted).await, "nobody");
        let second = call(&app, "POST", "/sign-in", &[("login", "mei"), ("cookie", &first)]).await;
        let second = second.cookie().expect("a cookie");
        assert_ne!(second, first);
        assert_eq!((who(&app, &first).await.as_str(), who(&app, &second).await.as_str()), ("nobody", "mei"));
    }

    async fn a_new_password_ends_the_other_sessions(bed: Bed) {
        people(&bed).await;
        let app = app(&bed);
        let (here, there) = (signed_in(&app, "lin").await, signed_in(&app, "lin").await);
        let kept = call(&app, "POST", "/change", &[("cookie", &here)]).await.cookie().expect("a cookie");
        assert_ne!(kept, here);
        let names = [who(&app, &here).await, who(&app, &there).await, who(&app, &kept).await];
        assert_eq!(names, ["nobody", "nobody", "lin"]);
    }

    /// Even a session row that survived is void under an older epoch.
    async fn the_epoch_decides(bed: Bed) {
        people(&bed).await;
        let app = app(&bed);
        let cookie = signed_in(&app, "lin").await;
        bed.sql("UPDATE users SET auth_epoch = auth_epoch + 1").await.expect("done");
        assert_eq!(who(&app, &cookie).await, "nobody");
        assert_eq!(bed.column("sessions", "key").await.len(), 0);
    }

    async fn pages_by_role(bed: Bed) {
        people(&bed).await;
        let app = app(&bed);
        let (lin, mei) = (signed_in(&app, "lin").await, signed_in(&app, "mei").await);
        let none = String::new();
        for (path, cookie, status) in [
            ("/en/mine", &none, StatusCode::SEE_OTHER),
            ("/en/mine", &lin, StatusCode::OK),
            ("/en/mine", &mei, StatusCode::OK),
            ("/en/teach", &none, StatusCode::SEE_OTHER),
            ("/en/teach", &lin, StatusCode::FORBIDDEN),
            ("/en/teach", &mei, StatusCode::OK),
            ("/api/v1/mine", &none, StatusCode::UNAUTHORIZED),
            ("/api/v1/mine", &lin, StatusCode::OK),
        ] {
            assert_eq!(call(&app, "GET", path, &[("cookie", cookie)]).await.status, status, "{path} {cookie:.20}");
        }
        let sent = call(&app, "GET", "/en/mine?lab=76", &[]).await;
        assert_eq!(sent.headers[header::LOCATION], "/en/sign-in?next=/en/mine%3Flab%3D76");
    }

    async fn bearer_tokens(bed: Bed) {
        people(&bed).await;
        let app = app(&bed);
        let lin = accounts::sign_in(&bed.auth(), "lin", PASSWORD).await.expect("signed in");
        let token = async |scopes: &[Scope]| {
            let made = api_tokens::create(&bed.store, lin.id, "t", Scopes::of(scopes)).await.expect("a token");
            format!("Bearer {}", made.token.reveal())
        };
        let (reads, submits) = (token(&[Scope::ReadReports]).await, token(&[Scope::SubmitReports]).await);
        let runner = runners::register(&bed.store, "gpu-1", None).await.expect("a runner");
        let runner = format!("Bearer {}", runner.token.reveal());
        let cookie = signed_in(&app, "lin").await;
        for (path, name, value, status) in [
            ("/api/v1/reports", "authorization", reads.as_str(), StatusCode::OK),
            ("/api/v1/reports", "authorization", &reads.replace("Bearer", "bearer"), StatusCode::OK),
            ("/api/v1/reports", "authorization", &submits, StatusCode::FORBIDDEN),
            ("/api/v1/reports", "authorization", &runner, StatusCode::UNAUTHORIZED),
            ("/api/v1/reports", "authorization", &reads.replace("Bearer", "Basic"), StatusCode::UNAUTHORIZED),
            ("/api/v1/reports", "authorization", "Bearer vl_wrong", StatusCode::UNAUTHORIZED),
            ("/api/v1/reports", "cookie", &cookie, StatusCode::UNAUTHORIZED),
            ("/api/v1/runner", "authorization", &runner, StatusCode::OK),
            ("/api/v1/runner", "authorization", &reads, StatusCode::UNAUTHORIZED),
            // A token is no session.
            ("/api/v1/mine", "authorization", &reads, StatusCode::UNAUTHORIZED),
        ] {
            assert_eq!(call(&app, "GET", path, &[(name, value)]).await.status, status, "{path} {name}");
        }
    }

    /// A script with a wrong token is slowed down.
    async fn wrong_tokens_are_limited(bed: Bed) {
        let app = app(&bed);
        let wrong = [("authorization", "Bearer vl_wrong")];
        let mut statuses = Vec::new();
        for _ in 0..40 {
            let answer = call(&app, "GET", "/api/v1/reports", &wrong).await;
            assert_eq!(answer.status == StatusCode::TOO_MANY_REQUESTS, answer.headers.contains_key(header::RETRY_AFTER));
            statuses.push(answer.status);
        }
        assert_eq!(statuses[0], StatusCode::UNAUTHORIZED);
        assert!(statuses.contains(&StatusCode::TOO_MANY_REQUESTS));
    }
}
