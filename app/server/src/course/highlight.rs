//! Code with classes for its colours, made on the server.

use std::sync::LazyLock;

use syntect::html::{ClassStyle, ClassedHTMLGenerator};
use syntect::parsing::SyntaxSet;
use syntect::util::LinesWithEndings;

use super::numbers::escape;

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);
const STYLE: ClassStyle = ClassStyle::SpacedPrefixed { prefix: "hl-" };

/// A `<pre>` of highlighted code, or `None` when the language is unknown.
pub fn highlight(language: &str, code: &str) -> Option<String> {
    let body = match language {
        "" | "text" => escape(code),
        // CUDA and WGSL read well enough as C++ and Rust.
        name => {
            let name = match name {
                "cuda" | "cu" => "cpp",
                "wgsl" => "rs",
                "console" | "shell" => "sh",
                other => other,
            };
            let syntax = SYNTAXES.find_syntax_by_token(name)?;
            let mut generator = ClassedHTMLGenerator::new_with_class_style(syntax, &SYNTAXES, STYLE);
            let mut whole = true;
            for line in LinesWithEndings::from(code) {
                whole &= generator.parse_html_for_line_which_includes_newline(line).is_ok();
            }
            if whole { generator.finalize() } else { escape(code) }
        }
    };
    let label = escape(language);
    Some(format!(
        "<figure class=\"code\" data-language=\"{label}\"><pre tabindex=\"0\"><code>{body}</code></pre></figure>\n"
    ))
}
