//! Pictures of the pages, with a class that has just begun.
//!
//! `shots readme DIR` takes the two of the README, `shots all DIR` every page in both languages, light and dark, on a
//! desk and on a phone.

use std::path::{Path, PathBuf};

use e2e::reports::Strategies;
use e2e::story::{self, Person};
use e2e::{Browser, Folder, Scheme, Server, Tab};

const TEACHER: Person = Person { login: "chen", name: "陈老师", password: "ledger before measuring" };
const LEARNER: Person = Person { login: "lin", name: "林晓", password: "predict then reconcile" };

/// Pages of everybody, without the language.
const PUBLIC: [&str; 14] = [
    "/",
    "/task0",
    "/task1",
    "/task1/ledger",
    "/task4/kv-cache",
    "/task6b",
    "/tools",
    "/tools/inference",
    "/tools/training",
    "/labs",
    "/labs/76",
    "/labs/rmsnorm",
    "/sign-in",
    "/sign-up",
];

/// The README's pictures stay small: they are in the repository.
const README_QUALITY: i64 = 72;

#[tokio::main]
async fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (all, out) = match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["all", out] => (true, PathBuf::from(out)),
        ["readme", out] => (false, PathBuf::from(out)),
        _ => {
            eprintln!("usage: shots readme|all DIR");
            return;
        }
    };
    std::fs::create_dir_all(&out).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
    let server = Server::start();
    let browser = Browser::start().await;
    let teacher = browser.tab().await;
    let learner = browser.reader().await;
    story::set_up(&teacher, &server.setup_link(), TEACHER).await;
    let (class, link) = story::make_class(&teacher, &server, "周二晚上的班").await;
    story::sign_up(&learner, &link, LEARNER).await;
    let folder = Folder::new("report");
    story::hand_in(&learner, &server, "zh", &folder.write("76.json", &Strategies::default().json())).await;
    let report = learner.path().await.trim_start_matches("/zh").to_owned();
    if all {
        let guest = browser.reader().await;
        every(&guest, &server, &PUBLIC.map(str::to_owned), "", &out).await;
        every(&learner, &server, &[report, "/reports".to_owned(), "/account".to_owned()], "learner-", &out).await;
        let class = class.trim_start_matches("/zh").to_owned();
        teacher.goto(&server.url(&format!("/zh{class}"))).await;
        let cell: String = teacher.eval("document.querySelector('.gradebook .score a').pathname").await;
        let cell = cell.trim_start_matches("/zh").to_owned();
        let parts = ["", "/labs", "/labs/76", "/audit"].map(|part| format!("{class}{part}"));
        let pages = [vec!["/class".to_owned(), cell], parts.to_vec()].concat();
        every(&teacher, &server, &pages, "teacher-", &out).await;
        guest.end().await;
    } else {
        readme(&learner, &server, &report, &out).await;
    }
    learner.end().await;
    teacher.end().await;
}

async fn readme(tab: &Tab, server: &Server, report: &str, out: &Path) {
    tab.scheme(Scheme::Light).await;
    tab.size(1200, 800).await;
    tab.goto(&server.url("/zh/task4/kv-cache")).await;
    tab.eval::<bool>(
        "document.querySelector('section.ledger').scrollIntoView({ block: 'center', behavior: 'instant' }); true",
    )
    .await;
    tab.wait("the ledger is in view", "document.querySelector('section.ledger').getBoundingClientRect().top < 400")
        .await;
    save(&out.join("lesson.webp"), &tab.picture(README_QUALITY, false).await);
    tab.goto(&server.url(&format!("/en{report}"))).await;
    save(&out.join("report.webp"), &tab.picture(README_QUALITY, false).await);
}

async fn every(tab: &Tab, server: &Server, pages: &[String], who: &str, out: &Path) {
    for page in pages {
        // Ids are of no use in a file's name.
        let part = |part: &'_ str| if part.len() > 20 { "one".to_owned() } else { part.to_owned() };
        let name = page.trim_matches('/').split('/').map(part).collect::<Vec<_>>().join("-");
        let name = if name.is_empty() { "home".to_owned() } else { name };
        for lang in ["zh", "en"] {
            for scheme in Scheme::ALL {
                tab.scheme(scheme).await;
                for width in [1280, 390] {
                    tab.size(width, 900).await;
                    tab.goto(&server.url(&format!("/{lang}{page}"))).await;
                    let file = format!("{who}{name}-{lang}-{}-{width}.webp", scheme.id());
                    save(&out.join(file), &tab.picture(80, true).await);
                }
            }
        }
    }
}

fn save(path: &Path, picture: &[u8]) {
    std::fs::write(path, picture).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    println!("{} {} kB", path.display(), picture.len() / 1000);
}
