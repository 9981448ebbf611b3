//! What only the larger calculators have: a model, a timeline, and one change held against what is, in two columns
//! with the difference per object.

use evidence::Lang;
use ledger::calculators::{Input, Kind};
use ledger::{Entry, units};
use leptos::prelude::*;

use super::Change;
use crate::chart::stack;
use crate::islands::answer::{figures, parts};
use crate::islands::inputs::Choice;
use crate::islands::model_input::ModelInput;
use crate::islands::table::{framed, named};
use crate::islands::timeline::TimelineView;
use crate::markup::Markup;
use crate::state::{ModelSource, pick};
use crate::tools::compare::{self, Difference, Line};
use crate::tools::{Answer, Bar, Tool};
use crate::words;

pub fn model_input(source: RwSignal<ModelSource>, lang: Lang) -> AnyView {
    view! { <ModelInput source lang /> }.into_any()
}

pub fn timeline(answer: Memo<Result<Answer, String>>, lang: Lang) -> AnyView {
    let timeline = Memo::new(move |_| answer.with(|answer| answer.as_ref().ok().and_then(|it| it.timeline.clone())));
    let capacity = Signal::derive(move || answer.with(|answer| answer.as_ref().ok().and_then(|it| it.capacity)));
    view! { <TimelineView timeline capacity lang /> }.into_any()
}

/// The two controls. `now` gives the present text of an input.
pub fn change_controls(
    tool: &'static Tool,
    change: Change,
    now: impl Fn(&str) -> String + Copy + Send + Sync + 'static,
    lang: Lang,
) -> AnyView {
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
            None => models().map(|name| (name.to_owned(), name.to_owned())).collect::<Vec<_>>(),
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

fn models() -> impl Iterator<Item = &'static str> {
    ledger::catalogue::models().iter().map(|model| model.name.as_str())
}

/// A value of an input that differs from the present one.
pub fn other(tool: &Tool, id: &str, now: &str) -> String {
    let Some(input) = tool.inputs.iter().find(|input: &&Input| input.id == *id) else {
        return models().find(|name| *name != now).unwrap_or_default().to_owned();
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

/// Both answers beside each other. `names` are what the changed input is in each, `keep` the address of the changed
/// state.
pub fn compared(out: &mut Markup, answers: [&Answer; 2], names: &[String; 2], keep: &str, lang: Lang) {
    let [before, after] = answers;
    let scale = answers.into_iter().flat_map(|answer| answer.main_bar().map(Bar::bytes)).max().unwrap_or(0);
    let scale = scale.max(before.capacity.unwrap_or(0)).max(after.capacity.unwrap_or(0));
    let label = lang.pick("比较", "Comparison");
    out.element("section", &[("class", "compared"), ("aria-label", label)], &mut |out| {
        out.element("div", &[("class", "sides")], &mut |out| {
            for (answer, name) in answers.into_iter().zip(names) {
                out.element("div", &[("class", "side")], &mut |out| {
                    out.leaf("h2", &[], name);
                    if let Some(bar) = answer.main_bar() {
                        let label = format!("{name}: {}", units::gib(bar.bytes()));
                        stack(out, &parts(bar, scale), answer.capacity, &label);
                    }
                    figures(out, &answer.figures, lang);
                });
            }
        });
        objects(out, &compare::objects(before, after), names, lang);
        let differ = compare::lines(before, after);
        if !differ.is_empty() {
            lines(out, &differ, names, lang);
        }
        out.element("p", &[], &mut |out| {
            out.leaf("a", &[("class", "button quiet"), ("href", keep)], lang.pick("采用这一改动", "Keep this change"));
        });
    });
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

/// Cells of numbers.
fn numbers(out: &mut Markup, tag: &'static str, texts: [&str; 3]) {
    texts.into_iter().for_each(|text| out.leaf(tag, &[("class", "n")], text));
}

fn objects(out: &mut Markup, objects: &[Difference], names: &[String; 2], lang: Lang) {
    let sum = |side: fn(&Difference) -> u64| objects.iter().map(side).fold(0, u64::saturating_add);
    let sizes = |out: &mut Markup, before: u64, after: u64| {
        numbers(out, "td", [&units::gib(before), &units::gib(after), &difference(before, after)]);
    };
    framed(out, "objects", &mut |out| {
        out.element("thead", &[], &mut |out| {
            out.element("tr", &[], &mut |out| {
                out.leaf("th", &[], lang.pick("对象（最紧的时刻）", "Object, at the tightest moment"));
                numbers(out, "th", [&names[0], &names[1], lang.pick("差", "Difference")]);
            });
        });
        out.element("tbody", &[], &mut |out| {
            for line in objects {
                out.element("tr", &[], &mut |out| {
                    named(out, &line.object, words::object(&line.object, lang).unwrap_or(&line.object));
                    sizes(out, line.before, line.after);
                });
            }
        });
        out.element("tfoot", &[], &mut |out| {
            out.element("tr", &[], &mut |out| {
                out.leaf("td", &[], lang.pick("合计", "Together"));
                sizes(out, sum(|line| line.before), sum(|line| line.after));
            });
        });
    });
}

fn lines(out: &mut Markup, lines: &[Line], names: &[String; 2], lang: Lang) {
    let formula = |entry: &Option<Entry>| entry.as_ref().map_or_else(|| "—".to_owned(), |entry| entry.formula.clone());
    framed(out, "", &mut |out| {
        out.element("thead", &[], &mut |out| {
            out.element("tr", &[], &mut |out| {
                out.leaf("th", &[], lang.pick("不同的行", "Lines that differ"));
                names.iter().for_each(|name| out.leaf("th", &[("class", "formula")], name));
            });
        });
        out.element("tbody", &[], &mut |out| {
            for line in lines {
                let Some(entry) = line.before.as_ref().or(line.after.as_ref()) else { continue };
                let object = entry.object.id();
                out.element("tr", &[], &mut |out| {
                    named(out, object, &words::part(&entry.part, object, lang));
                    for side in [&line.before, &line.after] {
                        out.leaf("td", &[("class", "formula")], &formula(side));
                    }
                });
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_a_sign_and_a_share() {
        assert_eq!(difference(4 << 30, 6 << 30), "+2 GiB · +50.0%");
        assert_eq!(difference(4 << 30, 1 << 30), "−3 GiB · −75.0%");
        assert_eq!(difference(0, 1 << 30), "+1 GiB");
        assert_eq!(difference(7, 7), "0");
    }

    #[test]
    fn another_value_differs_and_is_allowed() {
        for tool in crate::tools::all().iter().filter(|tool| tool.compares) {
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
