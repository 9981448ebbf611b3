//! Every lab of the course, embedded at build time.

mod chain;
mod cost;
mod file;
mod formula;

use std::sync::OnceLock;

use evidence::{Document, Grade, GradeContext, Lang, Phrase, Rubric, Shape};

pub use chain::Chain;
pub use cost::{Cost, CostError};
pub use file::{LabKind, Param, Presets};

/// What the build script embeds for a lab.
pub(crate) struct Embedded {
    pub(crate) toml: &'static str,
    pub(crate) readme_zh: &'static str,
    pub(crate) readme_en: &'static str,
    /// What the exercise starts with: language and text, none for a lab without one.
    pub(crate) exercise: &'static [(&'static str, &'static str)],
}

/// A kernel that a learner may write in the place of the lab's own.
#[derive(Debug, Clone)]
pub struct KernelExercise {
    /// The function that the lab launches.
    pub kernel: String,
    text: Phrase,
    /// For each language it may be written in (`cuda`, `wgsl`), what the editor shows first: right, and worth improving.
    pub starters: &'static [(&'static str, &'static str)],
}

impl KernelExercise {
    /// What is asked, plain text.
    pub fn text(&self, lang: Lang) -> &str {
        self.text.get(lang)
    }

    /// `None` for a language that the exercise is not written in.
    pub fn starter(&self, language: &str) -> Option<&'static str> {
        self.starters.iter().find(|(known, _)| *known == language).map(|(_, text)| *text)
    }
}

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));
}

/// One lab.
#[derive(Debug, Clone)]
pub struct Lab {
    /// The name of its folder.
    pub id: String,
    title: Phrase,
    summary: Phrase,
    /// The Task of the course it belongs to (`task3`).
    pub task: String,
    pub kind: LabKind,
    /// The shapes of report it takes.
    pub shapes: Vec<Shape>,
    pub rubric: Rubric,
    /// Backends its program runs on; empty for a lab that is run elsewhere.
    pub backends: Vec<String>,
    /// How long one run may take, seconds; 0 for a lab that is run elsewhere.
    pub timeout_s: u64,
    /// What its program can be given, by name.
    pub params: Vec<Param>,
    pub exercise: Option<KernelExercise>,
    /// Values for them under a name; every program has `smoke`, a run of at most 0.3 s.
    pub presets: Presets,
    kernels: Vec<cost::KernelFormulas>,
    readme: [&'static str; 2],
}

impl Lab {
    pub fn title(&self, lang: Lang) -> &str {
        self.title.get(lang)
    }

    pub fn summary(&self, lang: Lang) -> &str {
        self.summary.get(lang)
    }

    /// Its text, Markdown.
    pub fn readme(&self, lang: Lang) -> &'static str {
        lang.pick(self.readme[0], self.readme[1])
    }

    /// The kind of work it is about.
    pub fn chain(&self) -> Chain {
        Chain::of(&self.task, self.rubric.rule)
    }

    /// Whether a report of this shape may be handed in for it.
    pub fn takes(&self, shape: Shape) -> bool {
        self.shapes.contains(&shape)
    }
}

/// All labs, ordered by id.
pub fn catalogue() -> &'static [Lab] {
    static LABS: OnceLock<Vec<Lab>> = OnceLock::new();
    LABS.get_or_init(|| embedded::EMBEDDED.iter().map(parse).collect())
}

/// The lab with this id.
pub fn lab(id: &str) -> Option<&'static Lab> {
    catalogue().iter().find(|lab| lab.id == id)
}

/// Grades a report under the rubric of the lab it names. A report of no lab we know is examined and is no evidence.
pub fn grade(doc: &Document, ctx: &GradeContext<'_>) -> Grade {
    match lab(doc.lab()) {
        Some(lab) => evidence::grade(doc, &lab.rubric, ctx),
        None => evidence::grade(doc, &Rubric::empty(), ctx),
    }
}

fn parse(embedded: &Embedded) -> Lab {
    let file: file::LabFile =
        toml::from_str(embedded.toml).unwrap_or_else(|error| unreachable!("the build script read this file: {error}"));
    Lab {
        id: file.id,
        title: file.title,
        summary: file.summary,
        task: file.task,
        kind: file.kind,
        shapes: file.shapes.iter().filter_map(|id| Shape::from_id(id)).collect(),
        rubric: file.rubric,
        backends: file.backends,
        timeout_s: file.timeout_s,
        params: file.params,
        exercise: file.exercise.map(|table| KernelExercise {
            kernel: table.kernel,
            text: table.text,
            starters: embedded.exercise,
        }),
        presets: file.presets,
        kernels: file.kernels.iter().filter_map(cost::KernelFormulas::of).collect(),
        readme: [embedded.readme_zh, embedded.readme_en],
    }
}

#[cfg(test)]
mod tests {
    use super::file::LabFile;

    const SOUND: &str = r#"
id = "x"
kind = "program"
task = "task1"
shapes = ["v1"]
backends = ["cpu"]
timeout_s = 60
params = [{ name = "rows", default = 4, min = 1, max = 8 }]
presets = { smoke = { rows = 2 } }
kernels = [{ name = "k", given = ["bits"], bytes = "4 * rows * bits", flops = "rows" }]
title = { zh = "题", en = "title" }
summary = { zh = "述", en = "summary" }

[rubric]
rule = "kernel_pair"
gpu_provenance = ["runner"]

[[rubric.items]]
id = "right"
points = 2
part = "cpu"
title = { zh = "对", en = "right" }
checks = ["kernel_error_within_tolerance"]
"#;

    fn problems(text: &str) -> String {
        match toml::from_str::<LabFile>(text) {
            Ok(lab) => lab.problems("x").join("; "),
            Err(error) => error.message().to_owned(),
        }
    }

    #[test]
    fn a_sound_file_has_no_problem() {
        assert_eq!(problems(SOUND), "");
    }

    #[test]
    fn a_bad_file_is_told_by_what_is_wrong() {
        let cases = [
            ("id = \"x\"", "id = \"y\"", "the folder is `x`"),
            ("task1", "task7", "one of task0 … task6"),
            ("[\"v1\"]", "[]", "no report could be handed in"),
            ("[\"v1\"]", "[\"lab99\"]", "shapes names `lab99`"),
            ("[\"cpu\"]", "[]", "a program needs backends"),
            ("[\"cpu\"]", "[\"tpu\"]", "backends names `tpu`"),
            ("timeout_s = 60", "timeout_s = 0", "a timeout_s above 0"),
            ("kind = \"program\"", "kind = \"report_only\"", "has no backends"),
            ("zh = \"述\"", "zh = \" \"", "summary needs zh and en"),
            ("zh = \"对\"", "zh = \"\"", "needs a title in zh and en"),
            ("points = 2", "points = 0", "worth 0 points"),
            ("[\"kernel_error_within_tolerance\"]", "[]", "names no check"),
            ("kernel_error_within_tolerance", "looks_nice", "unknown check `looks_nice`"),
            ("[\"runner\"]", "[\"friend\"]", "gpu_provenance names `friend`"),
            ("smoke =", "quick =", "a program, and no other lab, has [presets.smoke]"),
            ("{ rows = 2 }", "{ rows = 9 }", "preset `smoke`: rows = 9 is outside 1..=8"),
            ("{ rows = 2 }", "{ row = 2 }", "preset `smoke` names `row`, which is no parameter"),
            ("* bits", "* width", "kernel `k`: bytes `4 * rows * width`: `width` is no parameter"),
            ("flops = \"rows\"", "flops = \"rows -\"", "flops `rows -`: at byte 5"),
            ("rule = \"kernel_pair\"", "rule = \"dice\"", "unknown variant `dice`"),
            ("timeout_s = 60", "timeout_s = 60\ncolour = 1", "unknown field `colour`"),
        ];
        for (from, to, expected) in cases {
            let found = problems(&SOUND.replacen(from, to, 1));
            assert!(found.contains(expected), "{to}: {found}");
        }
    }
}
