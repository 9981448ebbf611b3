//! The compiler's messages as a learner sees them: with the lines of their file, without this machine's paths.

/// More lines are of no use to anybody.
const MOST_LINES: usize = 40;
/// Of all of them: what a child says is one line of its own, which is bounded.
const MOST_BYTES: usize = 4096;

/// Words that tell a file that is not there from one that may not be read. A learner is told neither.
const ABSENT: [&str; 4] = ["No such file or directory", "Permission denied", "Is a directory", "Not a directory"];
const ABSENT_HERE: &str = "not available to a kernel";

pub fn lines(log: &str) -> String {
    // Where the learner's own file is at fault, what follows from it in ours helps nobody.
    let own = |line: &str| line.starts_with(super::SOURCE_NAME);
    let theirs = log.lines().any(|line| own(line) && line.contains("error"));
    let kept: Vec<String> = log
        .lines()
        .filter(|line| !line.starts_with("In file included") && !line.starts_with("compilation terminated"))
        .filter(|line| !line.trim_start().starts_with("from "))
        .filter(|line| !theirs || own(line))
        .map(line)
        .filter(|line| !line.is_empty())
        .take(MOST_LINES)
        .collect();
    if kept.is_empty() {
        return "the compiler gave no reason".to_owned();
    }
    let mut text = kept.join("\n");
    if text.len() > MOST_BYTES {
        text.truncate(text.floor_char_boundary(MOST_BYTES));
        text.push_str(" …");
    }
    text
}

/// What NVIDIA's compiler says, as [`lines`] of the same form: `kernel.cu(3): error` becomes `kernel.cu:3: error`.
pub fn nvidia_lines(log: &str) -> String {
    let lines_of_ours: String = log.lines().map(|line| format!("{}\n", placed(line))).collect();
    lines(&lines_of_ours)
}

fn placed(line: &str) -> String {
    let parts = || {
        let (number, rest) = line.strip_prefix(super::SOURCE_NAME)?.strip_prefix('(')?.split_once(')')?;
        number.bytes().all(|byte| byte.is_ascii_digit()).then_some((number, rest))
    };
    let Some((number, rest)) = parts() else { return line.to_owned() };
    // It says of some files that they are there and may not be read.
    let rest = match rest.split_once("open source file \"").and_then(|(_, name)| name.split_once('"')) {
        Some((name, _)) => format!(": error: \"{name}\": {ABSENT_HERE}"),
        None => rest.to_owned(),
    };
    format!("{}:{number}{rest}", super::SOURCE_NAME)
}

fn line(text: &str) -> String {
    let mut text = shortened(text).replace(|c: char| c.is_control(), " ");
    for word in ABSENT {
        text = text.replace(word, ABSENT_HERE);
    }
    text
}

/// Every absolute path becomes its last part.
fn shortened(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, path) = rest.split_at(at);
        out.push_str(before);
        // A division, or a comment: no path starts within a word.
        let starts = before.is_empty() || before.ends_with([' ', '(', '\'', '"', '<', '‘', '`', '\t']);
        let end = path.find(|c: char| c.is_whitespace() || ":;,)'\"’>`".contains(c)).unwrap_or(path.len());
        let word = &path[..end];
        out.push_str(if starts && word.len() > 1 { word.rsplit('/').next().unwrap_or(word) } else { word });
        rest = &path[end..];
    }
    out.push_str(rest);
    out.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{MOST_BYTES, lines, nvidia_lines};

    #[test]
    fn a_message_keeps_its_line_and_loses_the_machine() {
        for (log, expected) in [
            ("kernel.cu:3:5: error: 'x' was not declared", "kernel.cu:3:5: error: 'x' was not declared"),
            ("/usr/include/c++/12/cmath:45:1: error: no", "cmath:45:1: error: no"),
            (
                "kernel.cu:1:1: error: 'oops'\nexport: In function 'f':\nexport:1:16: error: 'k'\nkernel.cu:9:1: note: here",
                "kernel.cu:1:1: error: 'oops'\nkernel.cu:9:1: note: here",
            ),
            (
                "kernel.cu:1:10: fatal error: /etc/shadow: Permission denied",
                "kernel.cu:1:10: fatal error: shadow: not available to a kernel",
            ),
            (
                "kernel.cu:1:10: fatal error: /etc/shadov: No such file or directory",
                "kernel.cu:1:10: fatal error: shadov: not available to a kernel",
            ),
            ("kernel.cu:2:1: error: in 'a/b' and c/d", "kernel.cu:2:1: error: in 'a/b' and c/d"),
            (
                "In file included from /tmp/job/source/cuda_on_cpu.h:15,\n                 from <stdin>:1:",
                "the compiler gave no reason",
            ),
        ] {
            assert_eq!(lines(log), expected, "{log}");
        }
    }

    #[test]
    fn messages_of_either_compiler_have_one_form() {
        for (log, expected) in [
            (
                "kernel.cu(3): error: identifier \"x\" is undefined\n\n1 error detected",
                "kernel.cu:3: error: identifier \"x\" is undefined",
            ),
            (
                "kernel.cu(1): catastrophic error: cannot open source file \"/etc/shadow\": Permission denied",
                "kernel.cu:1: error: \"shadow\": not available to a kernel",
            ),
            (
                "kernel.cu(1): catastrophic error: could not open source file \"a.h\" (no directories in search list)",
                "kernel.cu:1: error: \"a.h\": not available to a kernel",
            ),
            ("/etc/passwd(1): error: no type\nkernel.cu(2): error: no", "kernel.cu:2: error: no"),
            ("kernel.cu(x): error", "kernel.cu(x): error"),
            ("", "the compiler gave no reason"),
        ] {
            assert_eq!(nvidia_lines(log), expected, "{log}");
        }
    }

    #[test]
    fn a_long_or_wild_message_is_cut_and_tamed() {
        let long = lines(&format!("kernel.cu:1:1: error: {}", "长".repeat(40_000)));
        assert!(long.len() < MOST_BYTES + 8 && long.ends_with('…'), "{}", long.len());
        assert_eq!(lines("kernel.cu:1:1: error: \u{1b}[31mred\u{7}"), "kernel.cu:1:1: error:  [31mred ");
    }
}
