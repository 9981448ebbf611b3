//! Who is in a class, and help for who forgot a password.

use evidence::Lang;
use leptos::prelude::*;

use super::staff::RightsForm;
use crate::pages::account::{Act, SecretText, When};

#[derive(Debug, Clone)]
pub struct MemberLine {
    pub user: String,
    pub login: String,
    pub display_name: String,
    pub joined: String,
}

#[component]
pub fn Members(
    lang: Lang,
    class: String,
    members: Vec<MemberLine>,
    /// The reader teaches the class: says who belongs to it and who assists.
    may_change: bool,
) -> impl IntoView {
    let empty = members.is_empty();
    let rows = members
        .into_iter()
        .map(|member| {
            let name = member.display_name.clone();
            view! {
                <tr>
                    <td>
                        <b><bdi>{name.clone()}</bdi></b>
                        <br />
                        <small>{member.login}</small>
                    </td>
                    <td>
                        <When iso=member.joined />
                    </td>
                    {may_change.then(|| view! { <Changes lang class=class.clone() member=member.user name /> })}
                </tr>
            }
        })
        .collect_view();
    (!empty).then(|| {
        view! {
            <h2 id="members">{lang.pick("成员", "Members")}</h2>
            <div class="table">
                <table>
                    <thead>
                        <tr>
                            <th>{lang.pick("学习者", "Learner")}</th>
                            <th>{lang.pick("加入于", "Joined")}</th>
                            {may_change
                                .then(|| {
                                    view! {
                                        <th>{lang.pick("忘记密码", "Forgot the password")}</th>
                                        <td></td>
                                        <td></td>
                                    }
                                })}
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        }
    })
}

/// What the teacher of a class can do with a learner.
#[component]
fn Changes(lang: Lang, class: String, member: String, name: String) -> impl IntoView {
    let at = format!("/{}/class/{class}", lang.code());
    view! {
        <td>
            <Act
                action=format!("{at}/resets")
                label=lang.pick("生成重设密码链接", "Issue a reset link")
                name="user"
                value=member.clone()
                about=name.clone()
            />
        </td>
        <td>
            <details>
                <summary>{lang.pick("移出班级…", "Remove…")}</summary>
                <p class="hint">
                    {lang
                        .pick(
                            "账号与报告仍归学习者所有；只是不再属于这个班级。",
                            "Account and reports stay the learner's; the learner merely leaves this class.",
                        )}
                </p>
                <Act
                    action=format!("{at}/removals")
                    label=lang.pick("确认移出", "Remove")
                    name="user"
                    value=member.clone()
                    class="button danger"
                    about=name.clone()
                />
            </details>
        </td>
        <td>
            <details>
                <summary>{lang.pick("设为助教…", "Make an assistant…")}</summary>
                <RightsForm lang class user=member about=name may_edit=false may_grade=false />
            </details>
        </td>
    }
    .into_any()
}

/// The only page that ever shows a reset link.
#[component]
pub fn ResetLinkPage(lang: Lang, name: String, link: String, expires: String, back: String) -> impl IntoView {
    view! {
        <main id="main" class="narrow">
            <h1>{lang.pick("重设密码链接：", "Reset link: ")} <bdi>{name.clone()}</bdi></h1>
            <SecretText lang text=link />
            <p>
                {lang
                    .pick(
                        "当面或通过可信的渠道交给本人。30 分钟内有效，用一次即作废；之前的重设链接已经失效。有效至 ",
                        "Give it to the learner in person or over a channel you trust. It is valid for 30 minutes and works once; earlier reset links have ended. Valid until ",
                    )} <When iso=expires /> {lang.pick("。", ".")}
            </p>
            <p class="actions">
                <a class="button" href=back>
                    {lang.pick("回到班级", "Back to the class")}
                </a>
            </p>
        </main>
    }
    .into_any()
}
