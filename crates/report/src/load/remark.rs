//! Common facts of the loads, and remarks about single ones.

use record::{IndexTime, Load, LoadForm, LoadNote, LoadNoteKind, LoadStageKind, Record, Run};

use super::valid;
use crate::figure::{count, memory, three_digits, volume};
use crate::layout::clean;
use crate::owed::owed_text;
use crate::words::plural;

/// The common facts of the loads of `record`, as sentences; nothing without loads.
pub(super) fn facts(record: &Record) -> Vec<String> {
    let Some(load) = record.runs.iter().find_map(|run| run.load.as_deref()) else { return Vec::new() };
    let mut facts = vec![format!(
        "{} of flat file in the layout {}, {}{}",
        volume(load.flat_bytes),
        clean(&load.layout),
        clean(&load.source),
        compressed(load)
    )];
    facts.extend(load.notes.iter().map(noted));
    let any = |has: fn(&Load) -> bool| record.runs.iter().any(|run| run.load.as_deref().is_some_and(has));
    facts.push(format!(
        "loaded and committed in batches of at most {}; at most {} in flight",
        memory(load.batch_bytes),
        memory(load.in_flight_bytes_max)
    ));
    if any(|load| load.deferred_batches > 0) {
        let waits =
            "waits until all of its batches are on stable storage, within the window; earlier commits do not wait";
        facts.push(format!("the last commit of each session {waits}"));
    }
    facts.push(
        match load.indexes {
            IndexTime::None => "the table has no indexes",
            IndexTime::Before => "indexes existed before and were maintained by the load",
            IndexTime::After => "indexes were built after the load; the rate excludes their build time",
        }
        .to_owned(),
    );
    if any(|load| load.form == LoadForm::AsIs) {
        facts.push("as-is: lines were sent unparsed, and the engine parsed them".to_owned());
    }
    if load.stages.iter().any(|stage| stage.kind == LoadStageKind::Insert) {
        facts.push("in-process engine: its CPU time is that of the client".to_owned());
    }
    facts
}

/// What was left out of files.
fn noted(note: &LoadNote) -> String {
    let first = clean(&note.first);
    let files = match note.files {
        0 | 1 => format!("of {first}"),
        files => format!("of {}, the first of which is {first}", plural(files, "file")),
    };
    match note.kind {
        LoadNoteKind::ByteOrderMark => format!("the byte order mark at the start {files} was left out"),
        LoadNoteKind::UnreadHeader => {
            format!("the first line {files} was skipped unread: its names were not compared with the layout")
        }
        LoadNoteKind::ZeroPadding => {
            let bytes = note.bytes.map_or(String::new(), |bytes| format!(" ({})", plural(bytes.0, "byte")));
            format!("zeros behind the last gzip member {files} are padding, and were left out{bytes}")
        }
    }
}

fn compressed(load: &Load) -> String {
    match load.compression.as_str() {
        "" | "none" => String::new(),
        name => {
            let read = load.input_bytes.0;
            let ratio = (read > 0 && load.flat_bytes.0 > 0 && !load.is_resumed())
                .then(|| format!(" at {}", three_digits(load.flat_bytes.0 as f64 / read as f64)));
            format!(", read as {}{}", clean(name), ratio.unwrap_or_default())
        }
    }
}

/// Sentences about single loads.
pub(super) fn remarks(record: &Record) -> Vec<String> {
    valid(record).flat_map(|(run, load, _)| of_one(run, load)).collect()
}

fn of_one(run: &Run, load: &Load) -> Vec<String> {
    let number = run.number;
    let mut remarks = Vec::new();
    if load.rejected_rows > 0 {
        remarks.push(format!("run {number} rejected {}", plural(load.rejected_rows, "line")));
    }
    if load.resumed_rows > 0 {
        let rows = count(load.resumed_rows);
        remarks.push(format!("run {number} resumed a table that held {rows} rows: its figures are of the rest"));
    }
    if load.retried_batches > 0 {
        remarks.push(format!(
            "in run {number} the engine rejected {} as-is, which were loaded typed",
            plural(load.retried_batches, "batch")
        ));
    }
    if let Some(owed) = owed_text(run, run.unit) {
        remarks.push(format!("run {number}: {owed}"));
    }
    remarks
}
