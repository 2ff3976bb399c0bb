//! A comparison as Markdown, for the text of a pull request.

use model::ComparisonOutcome;

use super::words::{
    self, CHANGE, MARKS, at, at_both, change, ends, grounds, group, letter, letters, marked, mean, origin, pairing,
    sweep, tally, verdict,
};
use super::{ComparisonView, compared_tests_of, price, shift};
use crate::figure::{UNKNOWN, number};
use crate::layout::clean;
use crate::words::unit_per_second;

/// The comparison as GitHub-flavoured Markdown tables: verdicts first, differences and reasons folded below.
pub fn comparison_markdown(view: &ComparisonView<'_>) -> String {
    let mut text = String::from("### dbdyno comparison\n\n");
    for (index, system) in view.systems.iter().enumerate() {
        let base = if index == 0 { " (base)" } else { "" };
        text.push_str(&format!("- **{}**{base}: {}; {}\n", letter(index), cell(&system.title), cell(&origin(system))));
    }
    for pairs in (1..view.systems.len()).flat_map(|index| pairing(view, index)) {
        text.push_str(&format!("- pairs: {}\n", cell(&pairs)));
    }
    gate(view, &mut text);
    tests(view, &mut text);
    together(view, &mut text);
    differences(view, &mut text);
    reasons(view, &mut text);
    prices(view, &mut text);
    for test in &view.comparison.unshared {
        text.push_str(&format!("- not compared: {}, only on {}\n", cell(&test.code), letters(&test.systems)));
    }
    for remark in view.remarks() {
        text.push_str(&format!("- caveat: {}\n", cell(&remark)));
    }
    text
}

/// A text escaped for a table cell.
fn cell(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in clean(text).chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            // `@` and `#` would mention people and issues.
            '@' => escaped.push_str("&#64;"),
            '#' => escaped.push_str("&#35;"),
            '|' | '`' | '*' | '_' | '[' | ']' | '\\' | '~' => escaped.extend(['\\', letter]),
            letter => escaped.push(letter),
        }
    }
    escaped
}

fn gate(view: &ComparisonView<'_>, text: &mut String) {
    let Some(gate) = view.gate else { return };
    let violations = view.violations();
    let word = if violations.is_empty() { "passed" } else { "violated" };
    text.push_str(&format!("\n**Fails if {}: {word}**\n", cell(&gate.to_string())));
    if !violations.is_empty() {
        text.push('\n');
    }
    for violation in &violations {
        text.push_str(&format!("- {}\n", cell(&super::text::violated(violation))));
    }
}

fn tests(view: &ComparisonView<'_>, text: &mut String) {
    if view.compared_tests().next().is_none() {
        return;
    }
    text.push_str("\n| test | | A | | best | change | 95 % interval | verdict |\n");
    text.push_str("|---|---|---:|---|---:|---:|---|---|\n");
    for test in &view.comparison.tests {
        for (index, compared_test) in compared_tests_of(test) {
            let best = |index: usize| {
                let point = test.sides.get(index)?.as_ref()?.best.as_ref()?;
                let sweep = sweep(view, index, &test.code);
                Some(format!("{} at {}", marked(view, index, &test.code, number(point.rate.0)), at(point, sweep)))
            };
            let best = |index: usize| best(index).unwrap_or_else(|| "invalid".to_owned());
            let shift = shift(compared_test);
            let at_both = at_both(view, test, index, compared_test).map(|at| format!(" {at}")).unwrap_or_default();
            let ratio = shift.map_or_else(|| UNKNOWN.to_owned(), |shift| change(shift.ratio) + &at_both);
            let interval = shift.and_then(|shift| shift.interval).map_or_else(String::new, ends);
            let (code, unit) = (cell(&test.code), unit_per_second(test.unit));
            let (base, other, letter, word) = (best(0), best(index), letter(index), verdict(compared_test));
            text.push_str(&format!(
                "| {code} {} | {unit} | {base} | {letter} | {other} | {ratio} | {interval} | {word} |\n",
                cell(&test.title)
            ));
        }
    }
    text.push_str(&format!("\n{CHANGE}; {MARKS}\n"));
}

fn together(view: &ComparisonView<'_>, text: &mut String) {
    text.push('\n');
    for (index, found) in view.comparison.means.iter().enumerate().skip(1) {
        let tally = tally(&view.comparison.tests, index);
        let mean = found
            .as_ref()
            .filter(|found| found.tests > 1)
            .map(|found| format!("; {}", mean(found)))
            .unwrap_or_default();
        if !tally.is_empty() {
            text.push_str(&format!("- **{}**: {tally}{mean}\n", letter(index)));
        }
    }
}

/// A collapsed part.
fn folded(text: &mut String, title: &str, body: &str) {
    if !body.is_empty() {
        text.push_str(&format!("\n<details><summary>{title}</summary>\n\n{body}\n</details>\n\n"));
    }
}

fn differences(view: &ComparisonView<'_>, text: &mut String) {
    let all = words::differences(view);
    let letters: Vec<String> = (0..view.systems.len()).map(letter).collect();
    let mut body = String::new();
    for (difference, values) in &all {
        let values: Vec<String> = values.iter().map(|value| cell(value)).collect();
        let (group, name) = (group(difference.group), cell(&difference.name));
        body.push_str(&format!("| {group} | {name} | {} |\n", values.join(" | ")));
    }
    if !all.is_empty() {
        let rule = "|---".repeat(letters.len() + 2);
        body.insert_str(0, &format!("| | | {} |\n{rule}|\n", letters.join(" | ")));
    }
    folded(text, &format!("Differences: {}", all.len()), &body);
}

fn reasons(view: &ComparisonView<'_>, text: &mut String) {
    let mut body = String::new();
    for (test, index, compared_test) in view.compared_tests() {
        let why = grounds(view, test, index, compared_test).join("; ");
        let open =
            matches!(compared_test.outcome, ComparisonOutcome::Judged { .. } | ComparisonOutcome::Incomparable { .. });
        if open && !why.is_empty() {
            body.push_str(&format!("- {} {}: {}\n", cell(&test.code), letter(index), cell(&why)));
        }
    }
    folded(text, "Evidence of the verdicts", &body);
}

fn prices(view: &ComparisonView<'_>, text: &mut String) {
    for (index, total) in price::totals(view) {
        text.push_str(&format!("- {} costs {}\n", letter(index), cell(&total)));
    }
    for (index, why) in price::without_ratio(view) {
        text.push_str(&format!("- {}: {}\n", letter(index), cell(&why)));
    }
    let costs = price::costs(view);
    if costs.is_empty() {
        return;
    }
    text.push_str("\n| test | | cost | per | against A |\n|---|---|---:|---|---|\n");
    for cost in costs {
        let against = cost.against_base.map_or_else(String::new, |ratio| {
            let turns = if ratio.turns() { ", another discount reverses the ranking" } else { "" };
            format!("{}{turns}", change(ratio.ratio))
        });
        text.push_str(&format!(
            "| {} | {} | {} {} | {} | {against} |\n",
            cell(&cost.test),
            letter(cost.system),
            cell(&cost.currency),
            number(cost.amount),
            cost.unit
        ));
    }
    text.push('\n');
}
