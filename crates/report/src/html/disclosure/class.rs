//! The class of a result: PUBLISHABLE where every field that dbdyno has to fill is filled and nothing disturbed the
//! measurement, otherwise INDICATIVE, with the obstacles.

use maud::{Markup, html};
use record::{Preset, Record, Status};

use super::field::{By, Field};
use crate::inventory::{Change, SPEED_CHANGE_MAX};
use crate::load_curve::has_found_a_limit;
use crate::words::{plural, status};

/// Obstacles that are named in a sentence; more are counted.
const NAMED_MAX: usize = 6;

/// Fields that are named for one reason.
const FIELDS_NAMED_MAX: usize = 4;

/// The class of a result, with its obstacles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Class {
    /// The obstacles to publishing; empty where there are none.
    pub(crate) obstacles: Vec<String>,
}

impl Class {
    /// The class from the fields of the disclosure and the record.
    pub(super) fn of(record: &Record, fields: &[&Field]) -> Class {
        let mut obstacles = gates(record);
        obstacles.extend(undisclosed(fields));
        Class { obstacles }
    }

    /// The class in one word.
    pub(crate) fn word(&self) -> &'static str {
        if self.obstacles.is_empty() { "PUBLISHABLE" } else { "INDICATIVE" }
    }

    /// The class in a sentence, with the obstacles.
    pub(crate) fn sentence(&self) -> String {
        if self.obstacles.is_empty() {
            return "This result is PUBLISHABLE: all fields of dbdyno are disclosed, and nothing disturbed the \
                    measurement; the publisher has to state the other fields."
                .to_owned();
        }
        let named: Vec<&str> = self.obstacles.iter().take(NAMED_MAX).map(String::as_str).collect();
        let more = self.obstacles.len().saturating_sub(NAMED_MAX);
        let more = if more > 0 { format!("; and {more} more, see the disclosure") } else { String::new() };
        format!("This result is INDICATIVE and not PUBLISHABLE, because {}{more}.", named.join("; "))
    }
}

/// The fields that dbdyno should have filled and has not, those with the same reason together.
fn undisclosed(fields: &[&Field]) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for field in fields.iter().filter(|field| field.is_missing()) {
        let Err(reason) = &field.value else { continue };
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, names)) => names.push(field.name),
            None => reasons.push((reason, vec![field.name])),
        }
    }
    let clause = |(reason, names): (&str, Vec<&str>)| {
        let more = names.len().saturating_sub(FIELDS_NAMED_MAX);
        let more = if more > 0 { format!(" and {}", plural(more as u64, "other field")) } else { String::new() };
        let names = names.iter().take(FIELDS_NAMED_MAX).copied().collect::<Vec<_>>().join(", ");
        format!("{names}{more} not disclosed ({reason})")
    };
    reasons.into_iter().map(clause).collect()
}

/// Obstacles in the record itself, whatever is disclosed.
fn gates(record: &Record) -> Vec<String> {
    let mut gates = Vec::new();
    let mut gate = |applies: bool, words: String| gates.extend(applies.then_some(words));
    gate(!record.tool.optimised, "dbdyno was built without optimisation".to_owned());
    if let Some((program, machine)) = model::emulation(record) {
        gate(true, format!("dbdyno for {program} was emulated on {machine}"));
    }
    gate(record.plan.preset == Preset::Smoke, "preset smoke only proves that everything works".to_owned());
    gate(record.status != Status::Finished, format!("the measurement is not finished but {}", status(record.status)));
    gate(record.runs.is_empty(), "there is no run".to_owned());
    let invalid = record.runs.iter().filter(|run| model::is_invalid(run) && !has_found_a_limit(run)).count();
    gate(invalid > 0, format!("{invalid} of {} are invalid", plural(record.runs.len() as u64, "run")));
    if let Some(change) = Change::of(&record.host) {
        gate(change.faults() > 0, format!("the kernel reported {}", plural(change.faults(), "hardware fault")));
        let throttles = change.throttles().unwrap_or(0);
        gate(throttles > 0, format!("thermal throttling occurred {}", plural(throttles, "time")));
        let slowing = change.slowing().unwrap_or(0.0);
        let drift = format!("the CPU probe took {:.2} times as long after the measurement as before", 1.0 + slowing);
        gate(slowing.abs() > SPEED_CHANGE_MAX, drift);
    }
    gates
}

/// The class above the disclosure, with the number of missing fields.
pub(super) fn note(class: &Class, fields: &[&Field]) -> Markup {
    let count = |by: By| fields.iter().filter(|field| field.by == by && field.value.is_err()).count();
    html! {
        div class="note" {
            p { "Class of this result: " strong { (class.word()) } ". " (crate::layout::clean(&class.sentence())) }
            p {
                "Of " (fields.len()) " fields, " (count(By::Tool)) " of dbdyno are not available, " (count(By::Publisher))
                " have to be stated by the publisher, and " (count(By::Optional))
                " optional ones are not known: no performance figure depends on them, but they limit other claims."
            }
        }
    }
}
