//! Where one is signed in.

use evidence::Lang;
use leptos::prelude::*;

use super::form::{Act, When};

#[derive(Debug, Clone)]
pub struct SessionLine {
    /// Names the session without opening it.
    pub key: String,
    pub user_agent: String,
    pub created: String,
    pub last_seen: String,
    /// The session that asks.
    pub here: bool,
}

#[component]
pub fn Sessions(lang: Lang, sessions: Vec<SessionLine>) -> impl IntoView {
    let others = sessions.iter().filter(|session| !session.here).count();
    let at = move |path: &str| format!("/{}/account/sessions/{path}", lang.code());
    let rows = sessions
        .into_iter()
        .map(|session| {
            let name = browser(&session.user_agent, lang);
            let mark =
                session.here.then(|| view! { " " <span class="badge ok">{lang.pick("这里", "this one")}</span> });
            let end = (!session.here).then(|| {
                view! {
                    <Act
                        action=at("end")
                        label=lang.pick("结束", "End")
                        name="key"
                        value=session.key.clone()
                        about=name.clone()
                    />
                }
            });
            view! {
                <tr>
                    <td title=session.user_agent.clone()>{name.clone()} {mark}</td>
                    <td>
                        <When iso=session.created />
                    </td>
                    <td>
                        <When iso=session.last_seen />
                    </td>
                    <td>{end}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <h2 id="sessions">{lang.pick("已登录的设备", "Signed-in devices")}</h2>
        <div class="table">
            <table>
                <thead>
                    <tr>
                        <th>{lang.pick("设备", "Device")}</th>
                        <th>{lang.pick("登录于", "Signed in")}</th>
                        <th>{lang.pick("最近使用", "Last seen")}</th>
                        <td></td>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        {(others > 0)
            .then(|| {
                view! { <Act action=at("end-others") label=lang.pick("结束其他所有登录", "End all the others") class="button danger" /> }
            })}
    }
    .into_any()
}

/// A short name for a browser's long one.
fn browser(agent: &str, lang: Lang) -> String {
    // Order matters: Edge and Opera also say Chrome, Chrome also says Safari.
    let programs = [
        ("Edg", "Edge"),
        ("OPR", "Opera"),
        ("Firefox", "Firefox"),
        ("Chrome", "Chrome"),
        ("Safari", "Safari"),
        ("curl", "curl"),
    ];
    let systems = [
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Android", "Android"),
        ("Windows", "Windows"),
        ("Mac OS", "macOS"),
        ("Linux", "Linux"),
    ];
    let first =
        |list: &[(&str, &'static str)]| list.iter().find(|(word, _)| agent.contains(word)).map(|(_, name)| *name);
    match (first(&programs), first(&systems)) {
        (Some(program), Some(system)) => format!("{program} · {system}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => lang.pick("未知设备", "Unknown device").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_have_short_names() {
        for (agent, name) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox · Linux"),
            ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge · Windows"),
            ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1", "Safari · iPhone"),
            ("curl/8.14", "curl"),
            ("", "Unknown device"),
        ] {
            assert_eq!(browser(agent, Lang::En), name, "{agent}");
        }
    }
}
