//! Two answers beside each other: what one change does to each memory object, and to which lines.

use ledger::Entry;

use super::Answer;

/// An object in both answers, at the moment that decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The object's id.
    pub object: String,
    pub before: u64,
    pub after: u64,
}

/// A line of the ledger that the change touches; one side is missing where the line is new or gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub before: Option<Entry>,
    pub after: Option<Entry>,
}

/// Every object of either answer, in the order of the first, then those that only the second has.
pub fn objects(before: &Answer, after: &Answer) -> Vec<Difference> {
    let mut all: Vec<Difference> = Vec::new();
    let mut add = |answer: &Answer, put: fn(&mut Difference, u64)| {
        for (object, bytes) in answer.main_bar().map(|bar| bar.parts.as_slice()).unwrap_or_default() {
            match all.iter_mut().find(|line| line.object == *object) {
                Some(line) => put(line, *bytes),
                None => {
                    let mut line = Difference { object: object.clone(), before: 0, after: 0 };
                    put(&mut line, *bytes);
                    all.push(line);
                }
            }
        }
    };
    add(before, |line, bytes| line.before = line.before.saturating_add(bytes));
    add(after, |line, bytes| line.after = line.after.saturating_add(bytes));
    all
}

/// The lines that differ, in the order of the first answer, then those that only the second has.
pub fn lines(before: &Answer, after: &Answer) -> Vec<Line> {
    let same = |one: &Entry, other: &Entry| one.object == other.object && one.part == other.part;
    let mut lines: Vec<Line> = Vec::new();
    for entry in &before.entries {
        let other = after.entries.iter().find(|other| same(entry, other));
        if other.is_none_or(|other| other.bytes != entry.bytes || other.span != entry.span) {
            lines.push(Line { before: Some(entry.clone()), after: other.cloned() });
        }
    }
    let new = after.entries.iter().filter(|entry| !before.entries.iter().any(|other| same(entry, other)));
    lines.extend(new.map(|entry| Line { before: None, after: Some(entry.clone()) }));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::{find, pairs_of};

    #[test]
    fn one_change_touches_the_objects_it_should() {
        let tool = find("inference").expect("a tool");
        let answer = |kv: &str| tool.run(&pairs_of(tool, &vec![("kv".to_owned(), kv.to_owned())])).expect("an answer");
        let (before, after) = (answer("bf16"), answer("fp8"));
        let objects = objects(&before, &after);
        let of = |id: &str| objects.iter().find(|line| line.object == id).expect("in both");
        assert_eq!(of("kv_cache").before, 2 * of("kv_cache").after, "8 bits instead of 16");
        assert_eq!(of("parameter").before, of("parameter").after);
        let lines = lines(&before, &after);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].after.as_ref().is_some_and(|entry| entry.object.id() == "kv_cache"));
        assert!(super::lines(&before, &before).is_empty());
    }

    #[test]
    fn lines_come_and_go() {
        let tool = find("training").expect("a tool");
        let answer = |text: &str| {
            tool.run(&pairs_of(tool, &vec![("optimizer".to_owned(), text.to_owned())])).expect("an answer")
        };
        let lines = lines(&answer("adamw_foreach"), &answer("sgd"));
        let gone = lines.iter().filter(|line| line.after.is_none()).count();
        assert!(gone >= 2, "both moments: {lines:?}");
    }
}
