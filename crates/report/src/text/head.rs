//! The head of the sheet: what was measured, how, on what, with which instrument.

use record::{Preset, Record, Status};

use crate::data_reads::data_reads;
use crate::figure::nanos;
use crate::inventory;
use crate::layout::{clean, cut, paragraph};
use crate::plan::settings;
use crate::style::{Ink, Style};
use crate::words::{list, plural, status};

/// Title, platform, settings, cost of the instrument, and what makes all figures doubtful.
pub(super) fn head(record: &Record, style: Style, width: usize) -> Vec<String> {
    let subject = record.engine.as_ref().map_or_else(|| "probes".to_owned(), |engine| engine.title.clone());
    let host = record.host.host_name.as_deref().unwrap_or("an unnamed host");
    let title = cut(&clean(&format!("dbdyno spec sheet: {subject} on {host}")), width);
    let mut lines = vec![style.paint(&title, Ink::Head), String::new()];
    lines.extend(inventory::head(&record.host, record.engine.as_ref(), style, width));
    let mut fact = |label: &str, text: String| lines.extend(paragraph(label, 10, &text, width));
    data_reads(record).into_iter().for_each(|reads| fact("reads", reads));
    fact("measured", format!("{}, {}", begun(record), settings(&record.plan)));
    fact("dbdyno", instrument(record));
    lines.extend(warned(record, style, width));
    lines
}

/// The same for a record of storage alone, which has no engine and whose jobs say themselves how long they run.
pub(crate) fn storage_head(record: &Record, style: Style, width: usize) -> Vec<String> {
    let host = record.host.host_name.as_deref().unwrap_or("an unnamed host");
    let title = cut(&clean(&format!("dbdyno: storage of {host}")), width);
    let mut lines = vec![style.paint(&title, Ink::Head), String::new()];
    lines.extend(inventory::machine(&record.host, width));
    let mut fact = |label: &str, text: String| lines.extend(paragraph(label, 10, &text, width));
    fact("measured", format!("{}, {}", begun(record), plural(record.runs.len() as u64, "run")));
    fact("directory", record.plan.directory.clone());
    fact("dbdyno", instrument(record));
    lines.extend(warned(record, style, width));
    lines
}

/// What concerns every figure, as paragraphs.
fn warned(record: &Record, style: Style, width: usize) -> Vec<String> {
    let paragraphs = warnings(record).into_iter().flat_map(|warning| paragraph("!", 10, &warning, width));
    paragraphs.map(|line| style.paint(&line, Ink::Warning)).collect()
}

/// Day and time without what nobody reads, and how far it came.
pub(crate) fn begun(record: &Record) -> String {
    let begun: String = record.started_at.0.chars().take("2026-01-31T12:00".len()).collect();
    let began =
        if begun.is_empty() { "at an unknown time".to_owned() } else { format!("{} UTC", begun.replace('T', " ")) };
    format!("{began}, {}", status(record.status))
}

/// What the tool is and what it costs.
pub(crate) fn instrument(record: &Record) -> String {
    let costs = &record.instrument;
    let cost = |value: f64, what: &str| (value > 0.0).then(|| format!("{} {what}", nanos(value)));
    let parts = [
        cost(costs.loop_step_ns, "a step"),
        cost(costs.null_engine_step_ns, "a step of a test on the null engine"),
        cost(costs.clock_read_ns, "a reading of the clock"),
        cost(costs.sample_ns.0 as f64, "a sample of the host"),
    ];
    let known = list(parts.into_iter().flatten());
    let version = &record.tool.version;
    if known.is_empty() { version.clone() } else { format!("{version}, which itself costs {known}") }
}

/// What is to be known of every figure of the preset smoke.
pub(crate) const SMOKE: &str = "preset smoke proves that everything works: its figures mean nothing";

/// What concerns every figure of the record.
pub(crate) fn warnings(record: &Record) -> Vec<String> {
    let mut warnings = Vec::new();
    if !record.tool.optimised {
        warnings.push("dbdyno was built without optimisation: the figures mean nothing".to_owned());
    }
    if record.plan.preset == Preset::Smoke {
        warnings.push(SMOKE.to_owned());
    }
    let (runs, planned) = (record.runs.len(), record.plan.runs.len());
    let reason = record.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
    if record.status != Status::Finished {
        warnings.push(format!("{} after {runs} of {planned} runs{reason}", status(record.status)));
    } else if runs < planned {
        warnings.push(format!("{runs} of {planned} runs are in this record{reason}"));
    }
    warnings
}
