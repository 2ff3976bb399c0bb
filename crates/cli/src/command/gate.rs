//! What `--fail-if` asks of a comparison.

use model::Comparison;
use report::ComparisonView;
use run::{Error, Result};

/// What `--fail-if` asks for, as an error with exit code 1.
///
/// # Errors
/// Where a condition is met.
pub fn violated(view: &ComparisonView<'_>, comparison: &Comparison) -> Result<()> {
    let violations = view.violations();
    if violations.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = violations
        .iter()
        .map(|violation| {
            let name = violation.system.and_then(|index| comparison.systems.get(index));
            let on = name.map(|name| format!(" on {name}")).unwrap_or_default();
            match &violation.test {
                Some(test) => {
                    format!("test {test}{on} meets {}: {}", violation.rule, report::found_text(&violation.found))
                }
                None => report::found_text(&violation.found),
            }
        })
        .collect();
    Err(Error::environment(lines.join("\n")).hint("this is what --fail-if asks for"))
}
