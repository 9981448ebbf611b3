//! Head, top bar and foot of every page.

use evidence::Lang;
use leptos::prelude::*;

use super::{AssetNames, Hole, PageMeta, Section};

/// The document around a page's body.
#[component]
pub fn Frame(meta: PageMeta, assets: AssetNames, children: Children) -> impl IntoView {
    let (lang, work) = (meta.lang, meta.is_work());
    let html_lang = lang.pick("zh-CN", "en");
    let title = if meta.title.is_empty() {
        lang.pick("Vramlab 显存账本", "Vramlab").to_owned()
    } else {
        format!("{} · Vramlab", meta.title)
    };
    let alternate = |to: Lang| format!("/{}{}", to.code(), meta.path);
    let nonce = Hole::Nonce.text();
    let files: Vec<_> = meta.clients.iter().filter_map(|client| assets.clients.get(*client as usize)).collect();
    let preloaded = files.iter().map(|files| view! { <link rel="modulepreload" href=files.script.clone() /> });
    let preloaded = preloaded.collect_view();
    let named = files.iter().map(|files| format!("{} {}", files.script, files.wasm)).collect::<Vec<_>>().join(" ");
    let islands = (!named.is_empty()).then(|| {
        let (src, nonce) = (assets.islands_script, nonce.clone());
        view! { <script type="module" src=src data-clients=named id="islands" nonce=nonce></script> }
    });
    let path = meta.path.clone();
    view! {
        <html lang=html_lang data-theme=Hole::Theme.text()>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <title>{title}</title>
                <link rel="icon" href=assets.icon type="image/svg+xml" />
                <link rel="stylesheet" href=assets.style />
                {work.then(|| view! { <link rel="stylesheet" href=assets.work_style /> })}
                <link rel="alternate" hreflang="zh-CN" href=alternate(Lang::Zh) />
                <link rel="alternate" hreflang="en" href=alternate(Lang::En) />
                <script src=assets.site_script defer nonce=nonce></script>
                {preloaded}
                {islands}
            </head>
            <body>
                <a class="skip" href="#main">
                    {lang.pick("跳到正文", "Skip to content")}
                </a>
                <TopBar lang path section=meta.section />
                {children()}
                <Foot lang />
            </body>
        </html>
    }
    .into_any()
}

#[component]
fn TopBar(lang: Lang, path: String, section: Section) -> impl IntoView {
    let link = move |to: Section, href: &'static str, zh: &'static str, en: &'static str| {
        view! {
            <a
                href=format!("/{}{}", lang.code(), href)
                aria-current=(to == section).then_some("page")
            >
                {lang.pick(zh, en)}
            </a>
        }
    };
    let other = lang.other();
    view! {
        <header class="top">
            <a class="brand" href=format!("/{}/", lang.code())>
                "Vram"
                <i>"·"</i>
                "lab"
                <span>{lang.pick("显存账本", "ledger")}</span>
            </a>
            <details class="menu">
                <summary aria-label=lang.pick("菜单", "Menu")>"☰"</summary>
            </details>
            <nav aria-label=lang.pick("主导航", "Main")>
                {link(Section::Course, "/", "课程", "Course")}
                {link(Section::Tools, "/tools", "账本", "Ledger")}
                {link(Section::Labs, "/labs", "实验", "Labs")}
                {link(Section::Reports, "/reports", "报告", "Reports")}
                {Hole::Class.text()}
                <a
                    class="language"
                    hreflang=other.pick("zh-CN", "en")
                    lang=other.pick("zh-CN", "en")
                    href=format!("/{}{}", other.code(), path)
                >
                    {other.pick("中文", "English")}
                </a>
                <form class="theme" method="post" action="/theme">
                    <input type="hidden" name="back" value=format!("/{}{}", lang.code(), path) />
                    <button
                        type="submit"
                        aria-label=lang.pick("切换明暗", "Switch between light and dark")
                        title=lang.pick("明 / 暗 / 自动", "Light / dark / auto")
                    >
                        "◐"
                    </button>
                </form>
                <a
                    class="account"
                    href=format!("/{}/account", lang.code())
                    aria-current=(section == Section::Account).then_some("page")
                >
                    {Hole::Account.text()}
                </a>
            </nav>
        </header>
    }
    .into_any()
}

#[component]
fn Foot(lang: Lang) -> impl IntoView {
    view! {
        <footer class="foot">
            <p>
                {lang
                    .pick(
                        "字节是整数；GB = 10⁹，GiB = 2³⁰。CPU 证据与 GPU 证据从不混在一起。",
                        "Bytes are integers; GB = 10⁹, GiB = 2³⁰. CPU evidence and GPU evidence never mix.",
                    )}
            </p>
            <p>
                {lang.pick("内容 CC BY-SA 4.0，代码 MIT 或 Apache-2.0。", "Content CC BY-SA 4.0, code MIT or Apache-2.0.")}
            </p>
        </footer>
    }
    .into_any()
}
