//! One change held against what is: two columns, and the difference per object.

use evidence::Lang;
use ledger::calculators::{Input, Kind};
use ledger::{Entry, catalogue, units};
use leptos::prelude::*;

use crate::chart::{Part, Stack};
use crate::islands::answer::Figures;
use crate::islands::inputs::Choice;
use crate::state::pick;
use crate::tools::compare::{self, Difference, Line};
use crate::tools::{Answer, Bar, Tool};
use crate::words;

/// What the form's two fields hold: the input that changes, and what it changes to.
#[derive(Clone, Copy)]
pub struct Change {
    pub input: RwSignal<String>,
    pub to: RwSignal<String>,
}

/// The two controls. `now` gives the present text of an input.
#[component]
pub fn ChangeControls(
    tool: &'static Tool,
    change: Change,
    now: impl Fn(&str) -> String + Copy + Send + Sync + 'static,
    lang: Lang,
) -> impl IntoView {
    let mut options = vec![(String::new(), lang.pick("不比较", "nothing").to_owned())];
    options.extend(tool.model.map(|_| ("model".to_owned(), lang.pick("模型", "Model").to_owned())));
    options.extend(tool.inputs.iter().map(|input| (input.id.to_string(), pick(&input.name, lang))));
    // Another input starts with a value that differs from the present one.
    Effect::new(move |before: Option<String>| {
        let id = change.input.get();
        if before.is_some_and(|before| before != id) {
            change.to.set(other(tool, &id, &now(&id)));
        }
        id
    });
    let to = move || {
        let id = change.input.get();
        let label = lang.pick("换成", "To");
        if id.is_empty() {
            return ().into_any();
        }
        let options = match tool.inputs.iter().find(|input| input.id == *id).map(|input| &input.kind) {
            Some(Kind::Choice { options, .. }) => {
                options.iter().map(|option| (option.id.to_string(), pick(&option.name, lang))).collect()
            }
            Some(_) => {
                return view! {
                    <label class="number">
                        <span>{label}</span>
                        <input
                            type="number"
                            name="to"
                            step="any"
                            value=change.to.get_untracked()
                            prop:value=move || change.to.get()
                            on:change=move |event| change.to.set(event_target_value(&event))
                        />
                    </label>
                }
                .into_any();
            }
            None => {
                catalogue::models().iter().map(|model| (model.name.clone(), model.name.clone())).collect::<Vec<_>>()
            }
        };
        view! { <Choice name="to" label options value=change.to /> }.into_any()
    };
    view! {
        <fieldset class="change">
            <legend>{lang.pick("比较：一次只改一处", "Compare: one change at a time")}</legend>
            <Choice name="vs" label=lang.pick("改哪一项", "What changes") options value=change.input />
            {to}
        </fieldset>
    }
    .into_any()
}

/// A value of an input that differs from the present one.
fn other(tool: &Tool, id: &str, now: &str) -> String {
    let Some(input) = tool.inputs.iter().find(|input: &&Input| input.id == *id) else {
        let names = catalogue::models().iter().map(|model| model.name.as_str());
        return names.into_iter().find(|name| *name != now).unwrap_or_default().to_owned();
    };
    match &input.kind {
        Kind::Whole { min, max, .. } => {
            let now = now.parse::<u64>().unwrap_or(*min);
            let twice = now.saturating_mul(2).max(1);
            if twice <= *max { twice } else { (now / 2).max(*min) }.to_string()
        }
        Kind::Decimal { min, max, .. } => {
            let now = now.parse::<f64>().unwrap_or(*min);
            if now * 2.0 <= *max { now * 2.0 } else { (now / 2.0).max(*min) }.to_string()
        }
        Kind::Choice { options, .. } => {
            options.iter().map(|option| option.id.as_ref()).find(|id| *id != now).unwrap_or_default().to_owned()
        }
    }
}

/// Both answers beside each other.
#[component]
pub fn Compared(
    before: Answer,
    after: Answer,
    /// What the changed input is in each.
    names: [String; 2],
    /// The address of the changed state.
    keep: String,
    lang: Lang,
) -> impl IntoView {
    let lines = compare::lines(&before, &after);
    let objects = compare::objects(&before, &after);
    let scale = [&before, &after].into_iter().flat_map(|answer| answer.main_bar().map(Bar::bytes)).max().unwrap_or(0);
    let scale = scale.max(before.capacity.unwrap_or(0)).max(after.capacity.unwrap_or(0));
    let columns = [before, after]
        .into_iter()
        .zip(names.clone())
        .map(|(answer, name)| {
            let bar = answer.main_bar().cloned().map(|bar| {
                let mut parts: Vec<Part> =
                    bar.parts.iter().map(|(object, bytes)| Part { object: object.clone(), bytes: *bytes }).collect();
                parts.push(Part { object: "free".to_owned(), bytes: scale.saturating_sub(bar.bytes()) });
                let label = format!("{name}: {}", units::gib(bar.bytes()));
                view! { <Stack parts capacity=answer.capacity label /> }
            });
            view! {
                <div class="side">
                    <h3>{name}</h3>
                    {bar}
                    <Figures figures=answer.figures lang />
                </div>
            }
        })
        .collect_view();
    view! {
        <section class="compared" aria-label=lang.pick("比较", "Comparison")>
            <div class="sides">{columns}</div>
            <Objects objects names=names.clone() lang />
            {(!lines.is_empty()).then(|| view! { <Lines lines names lang /> })}
            <p>
                <a class="button quiet" href=keep>
                    {lang.pick("采用这一改动", "Keep this change")}
                </a>
            </p>
        </section>
    }
    .into_any()
}

/// `+1.234 GiB · +12.5%`
fn difference(before: u64, after: u64) -> String {
    let (sign, size) = if after >= before { ("+", after - before) } else { ("−", before - after) };
    if size == 0 {
        return "0".to_owned();
    }
    let size_text = format!("{sign}{}", units::human_binary(size));
    match before {
        0 => size_text,
        _ => format!("{size_text} · {sign}{:.1}%", size as f64 / before as f64 * 100.0),
    }
}

#[component]
fn Objects(objects: Vec<Difference>, names: [String; 2], lang: Lang) -> impl IntoView {
    let sum = |side: fn(&Difference) -> u64| objects.iter().map(side).fold(0, u64::saturating_add);
    let (before, after) = (sum(|line| line.before), sum(|line| line.after));
    let rows = objects
        .iter()
        .map(|line| {
            let name = words::object(&line.object, lang).unwrap_or(&line.object).to_owned();
            view! {
                <tr>
                    <td>
                        <i class=format!("swatch {}", words::object_class(&line.object))></i>
                        {name}
                    </td>
                    <td class="n">{units::gib(line.before)}</td>
                    <td class="n">{units::gib(line.after)}</td>
                    <td class="n">{difference(line.before, line.after)}</td>
                </tr>
            }
        })
        .collect_view();
    let [first, second] = names;
    view! {
        <div class="table" tabindex="0">
            <table class="objects">
                <thead>
                    <tr>
                        <th>{lang.pick("对象（最紧的时刻）", "Object, at the tightest moment")}</th>
                        <th class="n">{first}</th>
                        <th class="n">{second}</th>
                        <th class="n">{lang.pick("差", "Difference")}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
                <tfoot>
                    <tr>
                        <td>{lang.pick("合计", "Together")}</td>
                        <td class="n">{units::gib(before)}</td>
                        <td class="n">{units::gib(after)}</td>
                        <td class="n">{difference(before, after)}</td>
                    </tr>
                </tfoot>
            </table>
        </div>
    }
    .into_any()
}

#[component]
fn Lines(lines: Vec<Line>, names: [String; 2], lang: Lang) -> impl IntoView {
    let side = |entry: Option<Entry>| {
        let text = entry.map_or_else(|| "—".to_owned(), |entry| entry.formula);
        view! { <td class="formula">{text}</td> }
    };
    let rows = lines
        .into_iter()
        .map(|line| {
            let (part, object) = match line.before.as_ref().or(line.after.as_ref()) {
                Some(entry) => (words::part(&entry.part, entry.object.id(), lang), entry.object.id()),
                None => (String::new(), ""),
            };
            view! {
                <tr>
                    <td>
                        <i class=format!("swatch {}", words::object_class(object))></i>
                        {part}
                    </td>
                    {side(line.before)}
                    {side(line.after)}
                </tr>
            }
        })
        .collect_view();
    let [first, second] = names;
    view! {
        <div class="table" tabindex="0">
            <table>
                <thead>
                    <tr>
                        <th>{lang.pick("不同的行", "Lines that differ")}</th>
                        <th class="formula">{first}</th>
                        <th class="formula">{second}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_a_sign_and_a_share() {
        assert_eq!(difference(4 << 30, 6 << 30), "+2.000 GiB · +50.0%");
        assert_eq!(difference(4 << 30, 1 << 30), "−3.000 GiB · −75.0%");
        assert_eq!(difference(0, 1 << 30), "+1.000 GiB");
        assert_eq!(difference(7, 7), "0");
    }

    #[test]
    fn another_value_differs_and_is_allowed() {
        for tool in crate::tools::all() {
            let now = crate::tools::pairs_of(tool, &Vec::new());
            for (id, text) in now {
                let other = other(tool, &id, &text);
                let alone = tool.inputs.iter().find(|input| input.id == *id).map(|input| &input.kind);
                let fixed = match alone {
                    Some(Kind::Whole { min, max, .. }) => min == max,
                    Some(Kind::Decimal { min, max, .. }) => min == max,
                    Some(Kind::Choice { options, .. }) => options.len() < 2,
                    None => false,
                };
                assert!(other != text || fixed, "{} {id}: {text}", tool.id);
            }
        }
    }
}
