//! The application over an empty store, and browsers that send forms to it.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::ConnectInfo,
    http::{HeaderMap, Request, StatusCode, header},
};
use server::{
    auth::accounts::{self, NewAccount},
    course::{Course, Source},
    http::{App, AppState, Config, Pages},
    routes,
    store::{
        ClassId, Role, User,
        classes::{self, JoinCode},
        jobs::Limits,
    },
};
use tower::ServiceExt;
use ui::shell::AssetNames;

use crate::bed::Bed;

pub const PASSWORD: &str = "correct horse battery";
pub const ORIGIN: &str = "https://learn.example";

pub struct Site {
    pub bed: Bed,
    pub app: AppState,
    router: Router,
}

impl Site {
    pub async fn open() -> Self {
        Self::with(|_| Pages::default(), Limits::default()).await
    }

    pub async fn limited(queue: Limits) -> Self {
        Self::with(|_| Pages::default(), queue).await
    }

    /// With the pages of the course, which take a moment to render.
    pub async fn with_course() -> Self {
        Self::with(|course| Pages::render(course, &AssetNames::default()), Limits::default()).await
    }

    async fn with(pages: impl FnOnce(&Course) -> Pages, queue: Limits) -> Self {
        let bed = Bed::sqlite().await;
        let course = Course::load(&Source::Packed).expect("the course");
        let config = Config { data: "data".into(), origin: ORIGIN.to_owned(), queue };
        let app = Arc::new(App {
            pages: pages(&course),
            course,
            assets: AssetNames::default(),
            store: bed.store.clone(),
            auth: bed.auth(),
            config,
            queue_moved: tokio::sync::Notify::new(),
            streams: Default::default(),
            stop: Default::default(),
        });
        let router = routes::router(app.clone());
        Self { bed, app, router }
    }

    /// An account whose password is [`PASSWORD`].
    pub async fn account(&self, login: &str, role: Role) -> User {
        let account = NewAccount { login, display_name: login, password: PASSWORD };
        let id = accounts::create(&self.app.auth, role, account).await.expect("an account");
        self.bed.reload(id).await
    }

    pub async fn class(&self, of: &User, name: &str) -> (ClassId, JoinCode) {
        self.bed.class(of, name).await
    }

    pub async fn member(&self, login: &str, code: &JoinCode) -> User {
        let user = self.account(login, Role::Learner).await;
        classes::join(&self.bed.store, code, user.id).await.expect("a member");
        user
    }

    pub fn browser(&self) -> Browser<'_> {
        Browser { site: self, cookie: None }
    }

    pub async fn signed_in(&self, login: &str) -> Browser<'_> {
        let mut browser = self.browser();
        let page = browser.post("/en/sign-in", &[("login", login), ("password", PASSWORD)]).await;
        assert_eq!(page.status, StatusCode::SEE_OTHER, "{login}");
        browser
    }

    pub async fn post_bytes(&self, path: &str, body: &'static [u8]) -> Page {
        self.send(Request::post(path).body(Body::from(body)).expect("a request")).await
    }

    pub async fn send(&self, request: Request<Body>) -> Page {
        let (mut parts, body) = request.into_parts();
        parts.extensions.insert(ConnectInfo(SocketAddr::from(([198, 51, 100, 7], 40_000))));
        let response = self.router.clone().oneshot(Request::from_parts(parts, body)).await.expect("an answer");
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = axum::body::to_bytes(response.into_body(), 1 << 22).await.expect("a body");
        Page { status, headers, body: String::from_utf8_lossy(&bytes).into_owned(), bytes: bytes.to_vec() }
    }
}

/// One browser: keeps its cookie and follows nothing by itself.
pub struct Browser<'a> {
    site: &'a Site,
    pub cookie: Option<String>,
}

impl Browser<'_> {
    pub async fn get(&mut self, path: &str) -> Page {
        self.call("GET", path, &[("sec-fetch-site", "same-origin")], "").await
    }

    pub async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let form: Vec<String> = fields.iter().map(|(key, value)| format!("{key}={}", encode(value))).collect();
        let headers = [
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/x-www-form-urlencoded"),
            ("user-agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"),
        ];
        self.call("POST", path, &headers, &form.join("&")).await
    }

    pub async fn call(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Page {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(cookie) = &self.cookie {
            request = request.header(header::COOKIE, cookie);
        }
        let page = self.site.send(request.body(Body::from(body.to_owned())).expect("a request")).await;
        if let Some(set) = page.headers.get(header::SET_COOKIE) {
            let set = set.to_str().expect("text");
            let pair = set.split(';').next().expect("a pair").to_owned();
            self.cookie = (!set.contains("Max-Age=0")).then_some(pair);
        }
        page
    }
}

fn encode(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

pub struct Page {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
    pub bytes: Vec<u8>,
}

impl Page {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().expect("text")).unwrap_or_default()
    }

    pub fn location(&self) -> &str {
        self.header("location")
    }

    /// `sign-in` when the way leads over signing in, otherwise the status.
    pub fn verdict(&self) -> String {
        let asked = self.status == StatusCode::SEE_OTHER && self.location().contains("/sign-in?next=");
        if asked { "sign-in".to_owned() } else { self.status.as_u16().to_string() }
    }

    /// The text between two others, the first time they enclose one.
    pub fn between(&self, before: &str, after: &str) -> Option<&str> {
        let (_, rest) = self.body.split_once(before)?;
        Some(rest.split_once(after)?.0)
    }

    /// The secret that the page shows.
    pub fn secret(&self) -> String {
        self.between("<p class=\"secret\">", "</p>").expect("a secret").to_owned()
    }

    /// The body without what differs from answer to answer: the nonce of the content security policy.
    pub fn without_nonce(&self) -> String {
        match self.between("nonce=\"", "\"") {
            Some(nonce) => self.body.replace(nonce, ""),
            None => self.body.clone(),
        }
    }
}
