//! What the loader accepts, and the words with which it refuses.

use evidence::Lang;
use ui::lesson::Block;

use super::{Course, Source};

const ROUTE: &str = r#"
[[task]]
id = "task1"
title = { zh = "账本", en = "Ledger" }
branch = "core"
minutes = 5
cpu = { zh = "甲", en = "a" }
gpu = { zh = "乙", en = "b" }
exit = { zh = "丙", en = "c" }
"#;

/// A course of one page, whose body is the same in both languages.
fn course(body: &str) -> Result<Course, String> {
    let page = format!("+++\ntitle = \"T\"\nlead = \"L\"\nask = \"A\"\nminutes = 5\n+++\n{body}\n");
    let files = vec![
        ("course.toml".to_owned(), ROUTE.to_owned()),
        ("zh/task1/index.md".to_owned(), page.clone()),
        ("en/task1/index.md".to_owned(), page),
    ];
    Course::load(&Source::Memory(files)).map_err(|errors| errors.to_string())
}

fn html(body: &str) -> String {
    let course = course(body).expect("a good page");
    let page = course.page(Lang::En, "task1").expect("the page");
    page.blocks
        .iter()
        .map(|block| match block {
            Block::Html(html) => html.as_str(),
            _ => "[block]",
        })
        .collect()
}

#[test]
fn what_is_wrong_is_refused_with_file_and_line() {
    let cases = [
        ("fine\n\n{{ 8 }}", "zh/task1/index.md:9:"),
        ("{{ weights model=\"No-Such-Model\" }}", "No-Such-Model"),
        ("{{ weights model=\"Llama-3-8B\"", "does not close"),
        ("[a](/nowhere)", "/nowhere leads to no page"),
        ("[a](#nowhere)", "no heading #nowhere"),
        ("[a](javascript:alert)", "starts with /, # or https://"),
        ("<script>alert(1)</script>", "raw HTML"),
        ("a <b>c</b>", "raw HTML"),
        ("![x](/a.png)", "images are not used"),
        ("## Title", "needs an anchor"),
        ("# Title {#t}", "headings start at ##"),
        ("## A {#t}\n\n## B {#t}", "stands twice"),
        ("a[^1]", "[^1]"),
        ("```klingon\nx\n```", "unknown language"),
        ("$\\nonsense$", "formula"),
        ("```lab\nid = \"nothing\"\n```", "lab nothing"),
        ("```ledger\nkind = \"magic\"\n```", "kind is"),
        ("```ledger\nkind = \"inference\"\nmodel = \"Nope\"\n```", "no model Nope"),
        ("```ledger\nkind = \"inference\"\nbatch = 0\n```", "batch"),
        ("```ledger\nkind = \"inference\"\nspeed = 1\n```", "speed"),
        (
            "```figure\ncaption = \"c\"\n[[bar]]\nlabel = \"l\"\nobject = \"gold\"\nvalue = \"params model='x'\"\n```",
            "gold",
        ),
        (
            "```quiz\nid = \"q\"\n[[question]]\nid = \"a\"\ntext = \"t\"\nexplain = \"e\"\nchoices = [{ text = \"x\", why = \"w\" }]\n```",
            "at least two choices",
        ),
        ("```quiz\nid = \"q\"\n[[question]]\nid = \"a\"\nwrong = 1\n```", "wrong"),
    ];
    for (body, expected) in cases {
        let error = course(body).expect_err(body);
        assert!(error.contains(expected), "{body}\n-> {error}");
        assert!(error.contains("zh/task1/index.md:"), "no file and line in: {error}");
    }
}

#[test]
fn languages_must_agree() {
    let page = |body: &str| format!("+++\ntitle = \"T\"\nlead = \"L\"\nask = \"A\"\nminutes = 5\n+++\n{body}\n");
    let load = |zh: &str, en: &str| {
        let files = vec![
            ("course.toml".to_owned(), ROUTE.to_owned()),
            ("zh/task1/index.md".to_owned(), page(zh)),
            ("en/task1/index.md".to_owned(), page(en)),
        ];
        Course::load(&Source::Memory(files)).map(|_| ()).map_err(|errors| errors.to_string())
    };
    let quiz = |right: usize| {
        format!(
            "```quiz\nid = \"q\"\n[[question]]\nid = \"a\"\ntext = \"t\"\nexplain = \"e\"\nchoices = [{{ text = \"x\", why = \"w\", correct = {} }}, {{ text = \"y\", why = \"w\", correct = {} }}]\n```",
            right == 0,
            right == 1
        )
    };
    assert!(load("## 甲 {#a}", "## A {#b}").expect_err("anchors").contains("anchors differ"));
    assert!(load(&quiz(0), "text").expect_err("blocks").contains("blocks differ"));
    assert!(load(&quiz(0), &quiz(1)).expect_err("answers").contains("quiz q differs"));
    assert_eq!(load(&quiz(0), &quiz(0)), Ok(()));
    assert_eq!(load("## 甲 {#a}", "## A {#a}"), Ok(()));
}

#[test]
fn computed_numbers_are_evaluated_in_text_and_left_alone_in_code() {
    let page = html("KV is {{ kv_cache model=\"Llama-3-8B\" seq=8192 dtype=\"bf16\" }}.\n\n```text\n{{x}}\n```\n");
    assert!(page.contains(">1.00 GiB</span>"), "{page}");
    assert!(page.contains("title=\"2 × 32 × 8 × 128"), "{page}");
    assert!(page.contains("{{x}}"), "{page}");
}

#[test]
fn markdown_has_its_furniture() {
    let page = html(
        "## Units {#units}\n\nText[^n] and $x^2$ and [self](#units).\n\n[^n]: A *note*.\n\n> [!WARNING]\n> Mind.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    );
    for expected in [
        "<h2 id=\"units\">",
        "class=\"anchor\" href=\"#units\"",
        "<math",
        "<sup class=\"note\"><a href=\"#fn-n\"",
        "<li id=\"fn-n\">",
        "A <em>note</em>.",
        "markdown-alert-warning",
        "class=\"alert-title\"",
        "<div class=\"table\"",
        "href=\"#units\">self</a>",
    ] {
        assert!(page.contains(expected), "{expected} in {page}");
    }
}

#[test]
fn chinese_runs_on_over_line_ends_and_english_does_not() {
    assert!(html("显存\n账本").contains("显存账本"));
    assert!(html("GPU\nmemory").contains("GPU\nmemory"));
}

/// A course with the Task's page, an entry for a page outside the Tasks, and that page at `tools/extra`.
fn beside(entry: &str, front: &str, body: &str) -> Result<Course, String> {
    let index = "+++\ntitle = \"T\"\nlead = \"L\"\nask = \"A\"\nminutes = 5\n+++\n[b](/tools/extra#part)\n";
    let page = format!("+++\n{front}\n+++\n{body}\n");
    let files = vec![
        ("course.toml".to_owned(), format!("{ROUTE}[[page]]\n{entry}\n")),
        ("zh/task1/index.md".to_owned(), index.to_owned()),
        ("en/task1/index.md".to_owned(), index.to_owned()),
        ("zh/tools/extra.md".to_owned(), page.replace("\"T\"", "\"题\"")),
        ("en/tools/extra.md".to_owned(), page),
    ];
    Course::load(&Source::Memory(files)).map_err(|errors| errors.to_string())
}

const ENTRY: &str = "path = \"tools/extra\"";
const FRONT: &str = "title = \"T\"\nlead = \"L\"";

#[test]
fn a_page_outside_the_tasks_is_a_page_of_the_course() {
    let body = "## Part {#part}\n\n{{ params model=\"gpt2\" }} [a](/task1) [b](/tools/parallel)";
    let course = beside(ENTRY, FRONT, body).expect("a good page");
    let page = course.page(Lang::En, "tools/extra").expect("the page");
    assert!(page.task.is_none() && page.clients().is_empty());
    assert!(matches!(&page.blocks[..], [Block::Html(html)] if html.contains(">124,439,808</span>")));
    let pages = &course.route.pages;
    assert_eq!(pages.len(), 1);
    assert_eq!((pages[0].title.zh.as_str(), pages[0].title.en.as_str()), ("题", "T"));
    assert!(course.page(Lang::En, "task1").is_some_and(|page| page.task.is_some()));
}

#[test]
fn a_bad_page_outside_the_tasks_is_refused_with_file_and_line() {
    let part = "## Part {#part}";
    let cases = [
        // Where it may stand: the entry's path is line 11.
        ("path = \"task1/extra\"", FRONT, part, "course.toml:11: page task1/extra: a page outside the Tasks"),
        ("path = \"tools/Extra\"", FRONT, part, "course.toml:11: page tools/Extra: a page outside the Tasks"),
        ("path = \"tools/a/b\"", FRONT, part, "course.toml:11: page tools/a/b: a page outside the Tasks"),
        ("path = \"tools/\"", FRONT, part, "course.toml:11: page tools/: a page outside the Tasks"),
        ("path = \"tools/training\"", FRONT, part, "course.toml:11: page tools/training: the application has a page"),
        ("path = \"tools/parallel\"", FRONT, part, "course.toml:11: page tools/parallel: the application has a page"),
        ("path = \"tools/extra\"\n[[page]]\npath = \"tools/extra\"", FRONT, part, "page tools/extra stands twice"),
        ("path = \"tools/extra\"\ntitle = \"T\"", FRONT, part, "course.toml:12: unknown field `title`"),
        ("", FRONT, part, "course.toml:10: missing field `path`"),
        ("path = \"tools/other\"", FRONT, part, "zh/tools/other.md: the file does not exist"),
        // What it says.
        (ENTRY, "title = \"T\"\nlead = \"L\"\nask = \"A\"", part, "zh/tools/extra.md:4: unknown field `ask`"),
        (ENTRY, "title = \"T\"", part, "zh/tools/extra.md:2: missing field `lead`"),
        (ENTRY, FRONT, "## Part {#part}\n\n{{ 8 }}", "zh/tools/extra.md:7: {{ 8 }}"),
        (ENTRY, FRONT, "## Part {#part}\n\n[a](/task9)", "zh/tools/extra.md:7: the link /task9 leads to no page"),
        (ENTRY, FRONT, "## Part {#other}", "zh/task1/index.md:7: the page /tools/extra has no heading #part"),
    ];
    for (entry, front, body, expected) in cases {
        let error = beside(entry, front, body).expect_err(expected);
        assert!(error.contains(expected), "{expected}\n-> {error}");
    }
}

#[test]
fn every_lab_stands_in_its_task() {
    let course = Course::load(&Source::Packed).expect("the course");
    for lab in labs::catalogue() {
        let tasks: Vec<&str> = course
            .route
            .tasks
            .iter()
            .filter(|task| task.labs.iter().any(|own| own.id == lab.id))
            .map(|task| task.id.as_str())
            .collect();
        assert_eq!(tasks, [lab.task.as_str()], "lab {}", lab.id);
    }
}
