//! Who may call which route.

use server::store::{
    Role,
    api_tokens::{self, Scope, Scopes},
    runners, sessions,
};

use crate::site::Site;

/// A route, what is sent to it, and the answer to each: nobody, a learner of another class, the instructor of another
/// class, the learner of this class, its instructor. `sign-in`: sent to sign in first.
type Case<'a> = (&'a str, String, Vec<(&'a str, String)>, [&'a str; 5]);

#[tokio::test]
async fn table() {
    let site = Site::open().await;
    let (mei, kai) = (site.account("mei", Role::Instructor).await, site.account("kai", Role::Instructor).await);
    let ((class, code), (_, other)) = (site.class(&mei, "A").await, site.class(&kai, "B").await);
    let lin = site.member("lin", &code).await;
    site.member("wen", &other).await;
    let mut people = [
        site.browser(),
        site.signed_in("wen").await,
        site.signed_in("kai").await,
        site.signed_in("lin").await,
        site.signed_in("mei").await,
    ];

    let store = &site.bed.store;
    let token = api_tokens::create(store, lin.id, "t", Scopes::of(&[Scope::ReadReports])).await.expect("a token");
    let runner = runners::register(store, "gpu-1", Some(mei.id)).await.expect("a runner");
    let key = sessions::list(store, lin.id).await.expect("sessions").remove(0).key;
    let at = |path: &str| format!("/en/class/{class}{path}");
    let user = || vec![("user", lin.id.to_string())];
    let name = || vec![("name", "New".to_owned())];
    let id = |id: String| vec![("id", id)];

    let own = ["sign-in", "200", "200", "200", "200"];
    let changes = ["sign-in", "303", "303", "303", "303"];
    let refused = ["sign-in", "422", "422", "422", "422"];
    let teachers = ["sign-in", "403", "200", "403", "200"];
    let teachers_change = ["sign-in", "403", "303", "403", "303"];
    let taught = ["sign-in", "403", "404", "403", "200"];
    let taught_change = ["sign-in", "403", "404", "403", "303"];
    let lins = ["sign-in", "404", "404", "303", "404"];
    let open = ["200", "303", "303", "303", "303"];
    let cases: Vec<Case<'_>> = vec![
        ("GET", "/en/sign-in".into(), vec![], open),
        ("GET", "/zh/sign-up".into(), vec![], open),
        ("GET", "/en/account".into(), vec![], own),
        ("GET", "/zh/account".into(), vec![], own),
        ("GET", "/xx/account".into(), vec![], ["404"; 5]),
        ("GET", "/xx/class".into(), vec![], ["404"; 5]),
        ("GET", "/en/account/password".into(), vec![], ["303"; 5]),
        ("POST", "/en/account/classes".into(), vec![("code", "nonsense".into())], refused),
        (
            "POST",
            "/en/account/password".into(),
            vec![("old", "wrong".into()), ("new", "staple battery".into())],
            refused,
        ),
        ("POST", "/en/account/tokens".into(), vec![("name", "t".into()), ("scope", "reports:read".into())], own),
        ("POST", "/en/account/tokens".into(), vec![("name", "t".into())], refused),
        ("POST", "/en/account/tokens".into(), vec![("name", "t".into()), ("scope", "gradebook:read".into())], refused),
        ("POST", "/en/account/tokens/revoke".into(), id(token.id.to_string()), lins),
        ("POST", "/en/account/sessions/end-others".into(), vec![], changes),
        ("GET", "/en/class".into(), vec![], teachers),
        ("POST", "/en/class".into(), name(), teachers_change),
        ("POST", "/en/class".into(), vec![("name", " ".into())], ["sign-in", "403", "422", "403", "422"]),
        ("POST", "/en/class/runners".into(), name(), teachers),
        ("POST", "/en/class/runners/revoke".into(), id(runner.id.to_string()), ["sign-in", "403", "404", "403", "303"]),
        ("POST", "/en/class/runners/revoke".into(), id("7".into()), ["sign-in", "403", "404", "403", "404"]),
        ("GET", "/en/class/queue".into(), vec![], teachers),
        ("GET", "/en/class/queue/pause".into(), vec![], ["303"; 5]),
        ("POST", "/en/class/queue/pause".into(), vec![("set", "true".into())], teachers_change),
        (
            "POST",
            "/en/class/queue/pause".into(),
            vec![("set", format!("true {}", runner.id))],
            ["sign-in", "403", "404", "403", "404"],
        ),
        (
            "POST",
            "/en/class/queue/priority".into(),
            vec![("set", format!("true {class}"))],
            ["sign-in", "403", "404", "403", "303"],
        ),
        ("POST", "/en/class/queue/requeue".into(), id("7".into()), ["sign-in", "403", "404", "403", "404"]),
        ("POST", "/en/class/queue/dismiss".into(), id("7".into()), ["sign-in", "403", "404", "403", "404"]),
        ("POST", "/en/class/queue/cancel".into(), id("7".into()), ["sign-in", "403", "404", "403", "404"]),
        ("GET", at(""), vec![], taught),
        ("GET", at("/gradebook.csv"), vec![], taught),
        ("GET", at("/canvas.csv"), vec![], taught),
        ("GET", at("/attempts.csv"), vec![], taught),
        ("GET", at("/import"), vec![], taught),
        ("GET", at("/regrades"), vec![], taught),
        ("GET", at("/labs/76/statistics"), vec![], taught),
        // Nothing was handed in, so there is nothing to grade anew.
        ("POST", at("/regrades"), vec![("lab", String::new())], ["sign-in", "403", "404", "403", "422"]),
        ("GET", at("/labs"), vec![], taught),
        ("GET", at("/labs/73"), vec![], taught),
        ("GET", at("/labs/none"), vec![], ["sign-in", "403", "404", "403", "404"]),
        ("GET", at("/audit"), vec![], taught),
        ("GET", at("/audit?before=7"), vec![], ["sign-in", "403", "404", "403", "404"]),
        ("GET", at(&format!("/learners/{}", lin.id)), vec![], taught),
        ("GET", at(&format!("/learners/{}/73", lin.id)), vec![], taught),
        ("GET", at(&format!("/learners/{}/73", kai.id)), vec![], ["sign-in", "403", "404", "403", "404"]),
        ("POST", at("/counting"), vec![("counting", "latest".into())], taught_change),
        ("POST", at("/counting"), vec![("counting", "both".into())], ["sign-in", "403", "404", "403", "404"]),
        ("POST", at("/labs/73/dates"), vec![("due", "2026-03-01T00:00".into())], taught_change),
        ("POST", at("/labs/73/release"), vec![("release", "held".into())], taught_change),
        (
            "POST",
            at(&format!("/learners/{}/73/points", lin.id)),
            vec![("part", "cpu".into()), ("points", "1".into()), ("reason", "seen".into())],
            taught_change,
        ),
        ("POST", at(&format!("/learners/{}/73/dates", lin.id)), vec![], taught_change),
        ("POST", at("/rights"), vec![("user", mei.id.to_string())], ["sign-in", "403", "404", "403", "404"]),
        ("GET", "/en/class/nonsense".into(), vec![], ["sign-in", "403", "404", "403", "404"]),
        ("GET", "/en/class/nonsense/gradebook.csv".into(), vec![], ["sign-in", "403", "404", "403", "404"]),
        ("POST", at("/code"), vec![], taught_change),
        ("POST", at("/open"), vec![("open", "false".into())], taught_change),
        ("POST", at("/resets"), user(), taught),
        ("POST", at("/resets"), vec![("user", kai.id.to_string())], ["sign-in", "403", "404", "403", "404"]),
        ("POST", at("/removals"), user(), taught_change),
        // Gone now: no member of this class any more.
        ("POST", at("/removals"), user(), ["sign-in", "403", "404", "403", "404"]),
        ("POST", at("/resets"), user(), ["sign-in", "403", "404", "403", "404"]),
        ("POST", "/en/account/sessions/end".into(), vec![("key", key.as_str().to_owned())], lins),
        ("POST", "/en/sign-out".into(), vec![], ["303"; 5]),
        ("GET", "/en/account".into(), vec![], ["sign-in"; 5]),
    ];
    for (method, path, fields, expected) in cases {
        for (person, expected) in people.iter_mut().zip(expected) {
            let page = if method == "GET" {
                person.get(&path).await
            } else {
                let fields: Vec<(&str, &str)> = fields.iter().map(|(key, value)| (*key, value.as_str())).collect();
                person.post(&path, &fields).await
            };
            assert_eq!(page.verdict(), expected, "{method} {path} {fields:?} by {:?}", person.cookie);
        }
    }
}

/// What a form of the class does reaches the audit log, and no secret does.
#[tokio::test]
async fn instructors_leave_a_trace() {
    let site = Site::open().await;
    let mei = site.account("mei", Role::Instructor).await;
    let mut browser = site.signed_in("mei").await;
    let made = browser.post("/en/class", &[("name", "Class A")]).await;
    let at = made.location().to_owned();
    let class = at.rsplit('/').next().expect("an id").parse().expect("an id");
    let class =
        server::store::classes::get(&site.bed.store, mei.viewer(), class).await.expect("an answer").expect("it");
    let code = server::store::classes::JoinCode::parse(&class.join_code).expect("a code");
    let lin = site.member("lin", &code).await.id.to_string();
    let reset = browser.post(&format!("{at}/resets"), &[("user", &lin)]).await.secret();
    let runner = browser.post("/en/class/runners", &[("name", "gpu-1")]).await.secret();
    browser.post(&format!("{at}/code"), &[]).await;
    browser.post(&format!("{at}/open"), &[("open", "false")]).await;
    browser.post(&format!("{at}/open"), &[("open", "true")]).await;
    browser.get(&format!("{at}/gradebook.csv")).await;
    browser.post(&format!("{at}/removals"), &[("user", &lin)]).await;

    let log = server::store::audit::list(&site.bed.store, mei.viewer(), 50).await.expect("a log");
    let mut actions: Vec<&str> = log.iter().map(|entry| entry.action.id()).collect();
    actions.sort_unstable();
    assert_eq!(
        actions,
        [
            "class_created",
            "code_rotated",
            "gradebook_exported",
            "join_closed",
            "join_opened",
            "member_removed",
            "reset_issued",
            "runner_registered"
        ]
    );
    let texts = [site.bed.column("audit_log", "subject").await, site.bed.column("audit_log", "detail").await].concat();
    let token = reset.rsplit('/').next().expect("a token");
    assert!(texts.iter().all(|text| !text.contains(token) && !text.contains(&runner)), "{texts:?}");
}
