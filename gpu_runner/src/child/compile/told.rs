//! The compiler's messages as a learner sees them: with the lines of their file, without this machine's paths.

/// More lines are of no use to anybody.
const MOST_LINES: usize = 40;

/// Words that tell a file that is not there from one that may not be read. A learner is told neither.
const ABSENT: [&str; 4] = ["No such file or directory", "Permission denied", "Is a directory", "Not a directory"];

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
    if kept.is_empty() { "the compiler gave no reason".to_owned() } else { kept.join("\n") }
}

fn line(text: &str) -> String {
    let mut text = shortened(text);
    for word in ABSENT {
        text = text.replace(word, "not available to a kernel");
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
    use super::lines;

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
}
