//! Full disclosure: what a reader has to know to believe a figure or to repeat it, each with its value or with the
//! reason why it is not there. After the disclosure rules of TPC and SPEC, the report format of SNIA and the badges of
//! the ACM.

mod claim;
mod measurement;
mod platform;
mod workload;

use maud::{Markup, html};
use model::Sheet;
use record::Record;

use super::PageOptions;
use super::ceiling::Limited;
use super::table::{Cell, Column, Row, Table};

/// Who has to fill a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// dbdyno, from what it finds or computes.
    Tool,
    /// Whoever publishes the result.
    Publisher,
    /// dbdyno, but not in this version.
    Nobody,
}

/// One field of the checklist.
struct Field {
    /// What is disclosed.
    name: &'static str,
    /// Who has to fill it.
    by: By,
    /// The value, or why there is none.
    value: Result<String, &'static str>,
}

/// A field that dbdyno fills.
fn tool(name: &'static str, value: Option<String>, missing: &'static str) -> Field {
    let value = value.filter(|value| !value.trim().is_empty()).ok_or(missing);
    Field { name, by: By::Tool, value }
}

/// A field that dbdyno always fills.
fn told(name: &'static str, value: impl Into<String>) -> Field {
    Field { name, by: By::Tool, value: Ok(value.into()) }
}

/// A field that only the publisher can fill.
fn publisher(name: &'static str) -> Field {
    Field { name, by: By::Publisher, value: Err("has to be stated by whoever publishes the result") }
}

/// What the page says that is not a plain figure of the record.
pub(super) struct Modelled<'a> {
    /// The sheet.
    pub(super) sheet: &'a Sheet,
    /// Charts with a peak, a ceiling or a curve beyond what was measured.
    pub(super) estimates: usize,
    /// What limits the best runs.
    pub(super) limited: &'a [Limited<'a>],
}

/// A field that dbdyno should fill, and that this version fills in no record.
fn never(name: &'static str, missing: &'static str) -> Field {
    Field { name, by: By::Nobody, value: Err(missing) }
}

/// The twelve groups of fields, and the class that follows from them.
pub(super) fn disclosure(record: &Record, modelled: &Modelled<'_>, options: &PageOptions<'_>) -> Markup {
    let groups: Vec<(&str, Vec<Field>)> = vec![
        ("1 Identity", claim::identity(record, options)),
        ("2 Hardware of the system under test", platform::hardware(record)),
        ("3 Software of the system under test", platform::software(record)),
        ("4 Workload", workload::workload(record)),
        ("5 Measurement", measurement::measurement(record, modelled.sheet)),
        ("6 Correctness", measurement::correctness(record)),
        ("7 Validity of the environment", measurement::environment(record)),
        ("8 Models", claim::models(record, modelled)),
        ("9 Price", claim::price(options)),
        ("10 Claims", claim::claims(record)),
        ("11 Artefact", claim::artefact(record, options)),
        ("12 Deviations", claim::deviations(record)),
    ];
    let columns = [Column::text("field"), Column::text("value")];
    let mut table =
        Table::new("disclosure-table", "Disclosure: every field with its value, or why it is not there", &columns);
    for (head, fields) in &groups {
        table.rows.push(Row::group(*head));
        table.rows.extend(fields.iter().map(row));
    }
    html! { (class(record, &groups)) div class="disclosure" { (table.html()) } }
}

fn row(field: &Field) -> Row {
    let value = match &field.value {
        Ok(value) => html! { (crate::layout::clean(value)) },
        Err(reason) => html! { span class="missing" { "not available: " (reason) } },
    };
    Row::new(vec![Cell::text(field.name), Cell::Markup(value)])
}

/// INDICATIVE or PUBLISHABLE, and why.
fn class(record: &Record, groups: &[(&str, Vec<Field>)]) -> Markup {
    let all = || groups.iter().flat_map(|(_, fields)| fields);
    let missing = all().filter(|field| field.by != By::Publisher && field.value.is_err()).count();
    let never = all().filter(|field| field.by == By::Nobody).count();
    let unstated = all().filter(|field| field.by == By::Publisher).count();
    let void = record.runs.iter().filter(|run| model::is_void(run)).count();
    let publishable = missing == 0 && void == 0;
    html! {
        div class="note" {
            p {
                "Class of this result: " strong { (if publishable { "PUBLISHABLE" } else { "INDICATIVE" }) } ". "
                "Of " (all().count()) " fields " (missing) " that dbdyno should fill are not available, " (unstated)
                " have to be stated by whoever publishes, and " (void) " of " (record.runs.len()) " runs are void."
            }
            @if never > 0 {
                p {
                    "This version of dbdyno can only give INDICATIVE: it fills " (never) " of these fields in no record."
                }
            }
        }
    }
}
