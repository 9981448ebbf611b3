//! Parts that every answer has.

use evidence::Lang;
use ledger::Text;

use crate::markup::Markup;
use crate::state::pick;

/// A number that stands out: its name, a class where something else than a reader looks for it, the same in other
/// units.
pub fn number(out: &mut Markup, name: &str, class: &str, value: &str, note: &str) {
    out.element("span", &[], &mut |out| {
        if !name.is_empty() {
            out.leaf("small", &[], &format!("{name} "));
        }
        out.leaf("strong", &[("class", class)], value);
        if !note.is_empty() {
            out.leaf("small", &[], &format!(" {note}"));
        }
    });
}

/// Yes or no, by sign as well as by colour.
pub fn badge(out: &mut Markup, good: bool, text: &str) {
    let (class, sign) = if good { ("badge ok", "✓") } else { ("badge bad", "✕") };
    out.leaf("span", &[("class", class)], &format!("{sign} {text}"));
}

/// Why there is no answer.
pub fn problem(out: &mut Markup, why: &str) {
    out.leaf("p", &[("class", "problem"), ("role", "alert")], why);
}

/// What the numbers take for granted.
pub fn assumptions(out: &mut Markup, assumptions: &[Text], lang: Lang) {
    if assumptions.is_empty() {
        return;
    }
    out.element("div", &[("class", "assumptions")], &mut |out| {
        out.leaf("b", &[], lang.pick("假设", "Assumptions"));
        out.element("ul", &[], &mut |out| {
            assumptions.iter().for_each(|text| out.leaf("li", &[], &pick(text, lang)));
        });
    });
}
