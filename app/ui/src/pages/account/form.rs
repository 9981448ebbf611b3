//! Parts of plain forms: a field with its problem, a button that does one thing, a moment in time.

use evidence::Lang;
use leptos::prelude::*;

/// What is wrong with a form, by field; the empty name means the form as a whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems(Vec<(&'static str, String)>);

impl Problems {
    pub fn none() -> Self {
        Self::default()
    }

    pub fn one(field: &'static str, message: impl Into<String>) -> Self {
        Self(vec![(field, message.into())])
    }

    pub fn of(&self, field: &str) -> Option<String> {
        self.0.iter().find(|(name, _)| *name == field).map(|(_, message)| message.clone())
    }

    /// What stands above the form: the form's own problem, or that a field has one.
    pub fn summary(&self, lang: Lang) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let general = lang.pick("有一项需要修改，已在下面标出。", "One field needs a change; it is marked below.");
        Some(self.of("").unwrap_or_else(|| general.to_owned()))
    }
}

/// The summary of a form's problems, read out by screen readers when the page arrives.
#[component]
pub fn Summary(lang: Lang, problems: Problems) -> impl IntoView {
    problems.summary(lang).map(|text| view! { <p class="problem" role="alert">{text}</p> })
}

/// A labelled input. What was typed stands in it again after a mistake; a password never does.
#[component]
pub fn Field(
    form: &'static str,
    name: &'static str,
    label: &'static str,
    #[prop(default = "text")] kind: &'static str,
    #[prop(default = "off")] autocomplete: &'static str,
    #[prop(optional, into)] value: String,
    #[prop(optional, into)] hint: String,
    #[prop(default = true)] required: bool,
    problems: Problems,
) -> impl IntoView {
    let id = format!("{form}-{name}");
    let problem = problems.of(name);
    let value = (kind != "password").then_some(value);
    let (hint_id, problem_id) = (format!("{id}-hint"), format!("{id}-problem"));
    let described: Vec<String> =
        [(!hint.is_empty()).then(|| hint_id.clone()), problem.is_some().then(|| problem_id.clone())]
            .into_iter()
            .flatten()
            .collect();
    view! {
        <label for=id.clone()>
            {label}
            <input
                id=id.clone()
                name=name
                type=kind
                value=value
                autocomplete=autocomplete
                autocapitalize="none"
                spellcheck="false"
                required=required
                aria-invalid=problem.is_some().then_some("true")
                aria-describedby=(!described.is_empty()).then(|| described.join(" "))
            />
            {(!hint.is_empty()).then(|| view! { <small class="hint" id=hint_id>{hint}</small> })}
            {problem.map(|text| view! { <small class="problem" id=problem_id>{text}</small> })}
        </label>
    }
    .into_any()
}

/// One button that posts one value.
#[component]
pub fn Act(
    action: String,
    label: &'static str,
    #[prop(default = "")] name: &'static str,
    #[prop(optional, into)] value: String,
    #[prop(default = "button quiet")] class: &'static str,
    /// What the button acts on, for those who hear the page.
    #[prop(optional, into)]
    about: String,
) -> impl IntoView {
    let spoken = (!about.is_empty()).then(|| format!("{label}: {about}"));
    view! {
        <form method="post" action=action>
            {(!name.is_empty()).then(|| view! { <input type="hidden" name=name value=value /> })}
            <button type="submit" class=class aria-label=spoken>
                {label}
            </button>
        </form>
    }
    .into_any()
}

/// A moment, to the minute, in UTC; given as RFC 3339.
#[component]
pub fn When(iso: String) -> impl IntoView {
    let shown = iso.get(..16).map_or_else(|| iso.clone(), |minute| format!("{} UTC", minute.replace('T', " ")));
    view! { <time datetime=iso>{shown}</time> }.into_any()
}
