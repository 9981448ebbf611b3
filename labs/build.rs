//! Finds every folder with a `lab.toml`, validates it, and embeds it with its two READMEs.
//!
//! A new lab is a new folder; nothing else is edited. A bad `lab.toml` stops the build with the file and what is wrong.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "src/catalogue/file.rs"]
mod file;
#[path = "src/catalogue/formula.rs"]
mod formula;

type Problem = String;

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by Cargo"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by Cargo"));
    println!("cargo::rerun-if-changed=src/catalogue/file.rs");
    println!("cargo::rerun-if-changed=src/catalogue/formula.rs");
    println!("cargo::rerun-if-changed={}", root.display());
    let folders = folders(&root);
    match folders.and_then(|folders| Ok((generate(&folders)?, programs(&folders)))) {
        Ok((catalogue, programs)) => {
            fs::write(out.join("catalogue.rs"), catalogue).expect("OUT_DIR is writable");
            fs::write(out.join("programs.rs"), programs).expect("OUT_DIR is writable");
        }
        Err(problem) => {
            for line in problem.lines() {
                println!("cargo::error={line}");
            }
            std::process::exit(1);
        }
    }
}

/// Folders that hold a `lab.toml`, by name.
fn folders(root: &Path) -> Result<Vec<PathBuf>, Problem> {
    let entries = fs::read_dir(root).map_err(|error| format!("{}: {error}", root.display()))?;
    let mut folders: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.join("lab.toml").is_file()).collect();
    folders.sort();
    Ok(folders)
}

/// What an exercise starts with, by language.
const EXERCISES: [(&str, &str); 2] = [("cuda", "exercise.cu"), ("wgsl", "exercise.wgsl")];

fn generate(folders: &[PathBuf]) -> Result<String, Problem> {
    let mut code = String::from("pub(crate) static EMBEDDED: &[crate::catalogue::Embedded] = &[\n");
    let mut problems = String::new();
    for folder in folders {
        for name in ["lab.toml", "README.zh.md", "README.en.md", "exercise.cu", "exercise.wgsl"] {
            println!("cargo::rerun-if-changed={}", folder.join(name).display());
        }
        match check(folder) {
            Ok(()) => {
                let path = |name: &str| format!("{:?}", folder.join(name).display().to_string());
                let exercise: String = EXERCISES
                    .iter()
                    .filter(|(_, name)| folder.join(name).is_file())
                    .map(|(language, name)| format!("({language:?}, include_str!({})), ", path(name)))
                    .collect();
                let _ = writeln!(
                    code,
                    "crate::catalogue::Embedded {{ toml: include_str!({}), readme_zh: include_str!({}), readme_en: include_str!({}), exercise: &[{exercise}] }},",
                    path("lab.toml"),
                    path("README.zh.md"),
                    path("README.en.md"),
                );
            }
            Err(problem) => {
                let _ = writeln!(problems, "{problem}");
            }
        }
    }
    code.push_str("];\n");
    if problems.is_empty() { Ok(code) } else { Err(problems) }
}

/// A module for every folder with a `program.rs`, and the table that names them. Compiled with the feature `run`.
fn programs(folders: &[PathBuf]) -> String {
    let (mut modules, mut table, mut exercises) = (String::new(), String::new(), String::new());
    for program in folders.iter().map(|folder| folder.join("program.rs")).filter(|program| program.is_file()) {
        let id = program
            .parent()
            .and_then(Path::file_name)
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let name = format!("lab_{}", id.replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
        let _ = writeln!(modules, "#[path = {:?}]\nmod {name};", program.display().to_string());
        let _ = writeln!(table, "    ({id:?}, {name}::run),");
        if program.with_file_name("exercise.rs").is_file() {
            let _ = writeln!(exercises, "    ({id:?}, &{name}::EXERCISE),");
        }
    }
    let exercises = format!("pub(super) const EXERCISES: &[(&str, &Exercise)] = &[\n{exercises}];\n");
    format!("{modules}const PROGRAMS: &[(&str, Program)] = &[\n{table}];\n{exercises}")
}

fn check(folder: &Path) -> Result<(), Problem> {
    let path = folder.join("lab.toml");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lab: file::LabFile = toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let folder_name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut problems = lab.problems(&folder_name);
    for name in ["README.zh.md", "README.en.md"] {
        match fs::read_to_string(folder.join(name)) {
            Ok(text) if text.trim().is_empty() => problems.push(format!("{name} is empty")),
            Ok(_) => {}
            Err(error) => problems.push(format!("{name}: {error}")),
        }
    }
    if folder.join("program.rs").is_file() != (lab.kind == file::LabKind::Program) {
        problems.push("a lab of kind program, and no other, has a program.rs".to_owned());
    }
    if EXERCISES.iter().any(|(_, name)| folder.join(name).is_file()) != lab.exercise.is_some() {
        problems.push("a lab with an exercise, and no other, has an exercise.cu or an exercise.wgsl".to_owned());
    }
    if problems.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = problems.iter().map(|problem| format!("{}: {problem}", path.display())).collect();
    Err(lines.join("\n"))
}
