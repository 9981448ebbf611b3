//! What is stepped through by hand: the allocator with a real snapshot, and the paged cache.

use std::path::PathBuf;

use e2e::{Browser, Server, Tab};
use ledger::allocator::{Moment, Settings};
use ledger::paging::Story;
use ledger::snapshot::{again, read_snapshot, recorded};
use ledger::units;

const AWAKE: &str = "document.documentElement.dataset.islands === 'ready'";

/// The last three cells of the rows of the table of peaks.
async fn peaks(tab: &Tab) -> Vec<Vec<String>> {
    tab.eval("[...document.querySelector('table.peaks tbody').rows].map(row => [...row.cells].slice(1, 3).map(cell => cell.textContent))")
        .await
}

fn shown(first: Moment, other: Moment) -> Vec<Vec<String>> {
    let row = |one: u64, two: u64| vec![units::human_binary(one), units::human_binary(two)];
    vec![
        row(first.allocated, other.allocated),
        row(first.reserved, other.reserved),
        row(first.inactive_split, other.inactive_split),
    ]
}

/// No sideways scrolling.
async fn fits(tab: &Tab, what: &str) {
    let wide: i64 = tab.eval("document.scrollingElement.scrollWidth - innerWidth").await;
    assert_eq!(wide, 0, "{what}");
}

#[tokio::test]
async fn the_keyboard_steps_through_a_script() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    for width in [1280, 390] {
        tab.size(width, 844).await;
        tab.goto(&server.url("/en/tools/allocator")).await;
        tab.wait("the island is awake", AWAKE).await;
        fits(&tab, "the script").await;
        tab.focus(".steps .walk button").await;
        for (key, says) in [
            ("ArrowRight", "2 / 13: alloc bias"),
            ("End", "13 / 13: empty"),
            ("ArrowRight", "13 / 13: empty"),
            ("ArrowLeft", "12 / 13: free tmp"),
            ("PageUp", "1 / 13: alloc emb"),
            ("PageDown", "13 / 13: empty"),
            ("Home", "1 / 13: alloc emb"),
        ] {
            tab.press(key).await;
            tab.wait_text(".story .ask", says).await;
        }
        // In a field the keys belong to the text.
        tab.focus(".script textarea").await;
        tab.press("ArrowRight").await;
        assert!(tab.text(".story .ask").await.starts_with("1 / 13"));
        tab.fill(".steps input[type=number]", "6").await;
        tab.press("Tab").await;
        tab.wait_text(".story .ask", "6 / 13: free w1").await;
        tab.wait("the address follows", "location.search.includes('step=6')").await;
    }
    tab.end().await;
}

#[tokio::test]
async fn a_real_snapshot_is_read_here_and_runs_under_other_settings() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/snapshots/full_step.pickle");
    // Chromium opens no path with dots in it.
    let Ok(file) = file.canonicalize() else {
        println!("skipped: no snapshots beside the repository");
        return;
    };
    let snapshot = read_snapshot(&std::fs::read(&file).expect("a file")).expect("a snapshot");
    let first = recorded(&snapshot, 0);
    let grown = again(&snapshot, 0, Settings { expandable_segments: true, ..snapshot.settings });
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    for width in [1280, 390] {
        tab.size(width, 844).await;
        tab.goto(&server.url("/en/tools/allocator")).await;
        tab.wait("the island is awake", AWAKE).await;
        tab.upload(".drop input[type=file]", &file).await;
        tab.wait_text(".loaded", &format!("{} events", units::group(first.len() as u64))).await;
        fits(&tab, "the snapshot").await;
        assert_eq!(peaks(&tab).await, shown(first.peaks(), first.peaks()), "the same settings, the same peaks");
        tab.focus(".steps .walk button").await;
        for (key, step) in [("End", first.len()), ("PageUp", first.len() - 100), ("ArrowLeft", first.len() - 101)] {
            tab.press(key).await;
            let at = format!("{} / {}: ", units::group(step as u64), units::group(first.len() as u64));
            tab.wait_text(".story .ask", &at).await;
            let moment = first.moments()[step];
            let figures: Vec<String> =
                tab.eval("[...document.querySelectorAll('.story .answer strong')].map(e => e.textContent)").await;
            let expected = [moment.allocated, moment.reserved, moment.inactive_split].map(units::human_binary);
            assert_eq!(figures[..3], expected, "step {step}");
        }
        tab.choose("select[name=expandable]", "on").await;
        tab.wait_text("table.peaks", &units::human_binary(grown.peaks().inactive_split)).await;
        assert_eq!(peaks(&tab).await, shown(first.peaks(), grown.peaks()));
        tab.click(".loaded button").await;
        tab.wait_text(".story .ask", "1 / 13: alloc emb").await;
    }
    tab.end().await;
}

#[tokio::test]
async fn a_file_that_is_no_snapshot_is_named_and_the_story_stays() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    tab.goto(&server.url("/zh/tools/allocator")).await;
    tab.wait("the island is awake", AWAKE).await;
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    tab.upload(".drop input[type=file]", &file).await;
    tab.wait_text(".drop .problem", "第 0 字节").await;
    assert!(tab.text(".story .ask").await.starts_with("1 / 13"));
    tab.goto(&server.url("/zh/tools/allocator")).await;
    tab.wait("the island is awake", AWAKE).await;
    tab.drop_text(".drop", "trace.pickle", "no pickle").await;
    tab.wait_text(".drop .problem", "第 0 字节").await;
    tab.end().await;
}

#[tokio::test]
async fn the_paged_cache_follows_the_hand() {
    let server = Server::start();
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    for (width, lang) in [(1280, "en"), (390, "zh")] {
        tab.size(width, 844).await;
        tab.goto(&server.url(&format!("/{lang}/tools/kv?block=4&prefix=7&own=0&sequences=2&decode=3"))).await;
        tab.wait("the island is awake", AWAKE).await;
        fits(&tab, "the paged cache").await;
        let story = Story { block: 4, prefix: 7, prompts: vec![7, 7], decode: 3 };
        let mut views = Vec::new();
        story.tell(|_, pool, _| views.push(pool.view())).expect("a story");
        tab.focus(".steps .walk button").await;
        for (at, view) in views.iter().enumerate() {
            let ask = format!("{} / {}: ", at + 1, views.len());
            tab.wait_text(".story .ask", &ask).await;
            let slots: Vec<String> = tab
                .eval("[...document.querySelector('table.peaks tbody').rows].map(row => row.cells[1].textContent)")
                .await;
            let reserved = view.reserved(2048);
            let expected =
                [view.held(), view.empty(), view.shared(), reserved, reserved - view.held()].map(units::group);
            assert_eq!(slots, expected, "step {}", at + 1);
            let tables: Vec<String> =
                tab.eval("[...document.querySelectorAll('table.maps tbody .map')].map(cell => [...cell.querySelectorAll('b')].map(b => b.textContent.split('×')[0]).join(' '))").await;
            let named = view
                .living()
                .map(|(_, sequence)| sequence.table.iter().map(u32::to_string).collect::<Vec<_>>().join(" "));
            assert_eq!(tables, named.collect::<Vec<_>>(), "step {}", at + 1);
            assert_eq!(
                tab.count(".blocks .weave").await,
                view.blocks.iter().filter(|block| block.references > 1).count()
            );
            tab.press("ArrowRight").await;
        }
        // It plays by itself, from the beginning, and rests when asked.
        tab.click(".steps .play").await;
        tab.wait_text(".story .ask", "3 / ").await;
        tab.click(".steps .play").await;
        let before = tab.text(".steps .play").await;
        assert!(["Play", "播放"].contains(&before.as_str()), "{before}");
    }
    tab.end().await;
}
