//! LaTeX to MathML, on the server: works offline, in print and without a script.

use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Parser, RenderConfig, Storage, push_mathml};

/// MathML of a formula, or what is wrong in it.
pub fn mathml(latex: &str, display: bool) -> Result<String, String> {
    let storage = Storage::new();
    let events: Vec<_> = Parser::new(latex, &storage)
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned())?;
    let config = RenderConfig {
        display_mode: if display { DisplayMode::Block } else { DisplayMode::Inline },
        annotation: None,
        xml: false,
        ..RenderConfig::default()
    };
    let mut out = String::new();
    let events = events.into_iter().map(Ok::<_, std::convert::Infallible>);
    push_mathml(&mut out, events, config).map_err(|error| error.to_string())?;
    Ok(if display { format!("<div class=\"maths\" tabindex=\"0\">{out}</div>") } else { out })
}
