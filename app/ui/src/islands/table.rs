//! The ledger as a table: object, phase, formula, bytes.

use evidence::Lang;
use ledger::{Entry, units};

use crate::markup::Markup;
use crate::words;

const SCROLLS: [(&str, &str); 2] = [("class", "table"), ("tabindex", "0")];

/// A table that scrolls by itself where it is wider than the page. `cells` writes what stands in head and body.
pub fn framed(out: &mut Markup, class: &str, cells: &mut dyn FnMut(&mut Markup)) {
    out.element("div", &SCROLLS, &mut |out| out.element("table", &[("class", class)], cells));
}

/// [`framed`] with a head of class and name; the class of numbers is `n`.
pub fn headed(out: &mut Markup, class: &str, head: &[(&str, &str)], rows: &mut dyn FnMut(&mut Markup)) {
    framed(out, class, &mut |out| {
        out.element("thead", &[], &mut |out| {
            out.element("tr", &[], &mut |out| {
                for (class, name) in head {
                    // A column of marks has no name, and an empty header would be read out.
                    let tag = if name.trim().is_empty() { "td" } else { "th" };
                    out.leaf(tag, &[("class", class)], name);
                }
            });
        });
        out.element("tbody", &[], rows);
    });
}

/// The colour and the name of an object's line.
pub fn named(out: &mut Markup, object: &str, name: &str) {
    out.element("td", &[], &mut |out| {
        out.leaf("i", &[("class", &format!("swatch {}", words::object_class(object)))], "");
        out.text(name);
    });
}

/// One row per entry and a double rule above the total.
pub fn ledger_table(out: &mut Markup, entries: &[Entry], total: u64, total_label: &str, lang: Lang) {
    let sizes = |out: &mut Markup, bytes: u64| {
        let exact = format!("{} B", units::group(bytes));
        out.leaf("td", &[("class", "n"), ("title", &exact)], &units::decimal(bytes, units::GIB, 3));
        out.leaf("td", &[("class", "n gb")], &units::decimal(bytes, units::GB, 3));
    };
    framed(out, "entries", &mut |out| {
        out.element("thead", &[], &mut |out| {
            out.element("tr", &[], &mut |out| {
                out.leaf("th", &[], lang.pick("对象", "Object"));
                out.leaf("th", &[], lang.pick("阶段", "Phase"));
                out.leaf("th", &[("class", "formula")], lang.pick("公式", "Formula"));
                out.leaf("th", &[("class", "n")], "GiB");
                out.leaf("th", &[("class", "n gb")], "GB");
            });
        });
        out.element("tbody", &[], &mut |out| {
            for entry in entries {
                let object = entry.object.id();
                let from = words::phase(entry.span.from.id(), lang);
                let to = words::phase(entry.span.to.id(), lang);
                out.element("tr", &[], &mut |out| {
                    named(out, object, &words::part(&entry.part, object, lang));
                    out.leaf("td", &[], &if from == to { from.to_owned() } else { format!("{from} → {to}") });
                    out.leaf("td", &[("class", "formula")], &entry.formula);
                    sizes(out, entry.bytes);
                });
            }
        });
        out.element("tfoot", &[], &mut |out| {
            out.element("tr", &[], &mut |out| {
                out.leaf("td", &[], total_label);
                out.leaf("td", &[], "");
                out.leaf("td", &[("class", "formula")], &format!("{} B", units::group(total)));
                sizes(out, total);
            });
        });
    });
}
