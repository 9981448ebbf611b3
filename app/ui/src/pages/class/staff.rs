//! Who teaches and assists a class, and with which of the two rights.

use evidence::Lang;
use leptos::prelude::*;

use crate::rows::Rows;

#[derive(Debug, Clone)]
pub struct StaffLine {
    pub user: String,
    pub login: String,
    pub display_name: String,
    pub instructor: bool,
    pub may_edit: bool,
    pub may_grade: bool,
}

/// Both rights as boxes of a form; without any, the member is a learner.
#[component]
pub fn RightsForm(
    lang: Lang,
    class: String,
    user: String,
    about: String,
    may_edit: bool,
    may_grade: bool,
) -> impl IntoView {
    view! {
        <form class="rights" method="post" action=format!("/{}/class/{class}/rights", lang.code())>
            <input type="hidden" name="user" value=user />
            <label>
                <input type="checkbox" name="may_edit" value="true" checked=may_edit />
                " "
                {lang.pick("改内容与设置（日期、公布）", "edit content and settings (dates, release)")}
            </label>
            <label>
                <input type="checkbox" name="may_grade" value="true" checked=may_grade />
                " "
                {lang.pick("看学习者的数据并评分", "see learner data and grade")}
            </label>
            <button type="submit" class="button quiet" aria-label=format!("{}: {about}", lang.pick("保存权限", "Save the rights"))>
                {lang.pick("保存权限", "Save the rights")}
            </button>
        </form>
    }
    .into_any()
}

#[component]
pub fn StaffTable(lang: Lang, class: String, staff: Vec<StaffLine>, may_change: bool) -> impl IntoView {
    let head =
        vec![("", lang.pick("姓名", "Name")), ("", lang.pick("身份", "Role")), ("", lang.pick("权限", "Rights"))];
    let rows = staff
        .into_iter()
        .map(|member| {
            let rights = if may_change && !member.instructor {
                view! {
                    <RightsForm
                        lang
                        class=class.clone()
                        user=member.user
                        about=member.display_name.clone()
                        may_edit=member.may_edit
                        may_grade=member.may_grade
                    />
                }
                .into_any()
            } else {
                let words: Vec<&str> = [
                    (member.may_edit, lang.pick("内容与设置", "content and settings")),
                    (member.may_grade, lang.pick("学习者数据与评分", "learner data and grades")),
                ]
                .into_iter()
                .filter_map(|(has, word)| has.then_some(word))
                .collect();
                words.join(" · ").into_any()
            };
            view! {
                <tr>
                    <td>
                        <b><bdi>{member.display_name}</bdi></b>
                        <br />
                        <small>{member.login}</small>
                    </td>
                    <td>
                        {if member.instructor { lang.pick("教师", "Instructor") } else { lang.pick("助教", "Assistant") }}
                    </td>
                    <td>{rights}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <h2 id="staff">{lang.pick("教师与助教", "Instructors and assistants")}</h2>
        <Rows head>{rows}</Rows>
        {may_change
            .then(|| {
                view! {
                    <p class="hint">
                        {lang
                            .pick(
                                "两项权限都去掉，助教就重新成为学习者。助教不在成绩册里。",
                                "Without both rights an assistant is a learner again. Assistants have no row in the gradebook.",
                            )}
                    </p>
                }
            })}
    }
    .into_any()
}
