//! File streams: how fast files go into the engine and out of it, what that costs, and the same on the file system.

mod table;

use record::{FileStreams, Record, Run, StreamBackend, StreamDirection};

use crate::figure::memory;
use crate::words::plural;

pub(crate) use table::{costs, rates, rows};

/// The runs of file streams that are results.
pub(crate) fn valid(record: &Record) -> impl Iterator<Item = (&Run, &FileStreams)> {
    let runs = crate::listed(record).filter(|run| !model::is_invalid(run));
    runs.filter_map(|run| Some((run, run.streams.as_deref()?)))
}

/// Which way, in a word.
pub(crate) fn way(streams: &FileStreams) -> &'static str {
    streams.direction.word()
}

/// What the runs have in common and what their forms are, as sentences.
pub(crate) fn facts(record: &Record) -> Vec<String> {
    let Some((_, first)) = valid(record).next() else { return Vec::new() };
    let requests = first.file_bytes.0 / first.request_bytes.0.max(1);
    let commit = match first.requests_per_commit >= requests {
        true => "a whole file is one transaction".to_owned(),
        false => format!("a commit follows every {}", plural(first.requests_per_commit, "request")),
    };
    let mut facts = vec![format!(
        "each stream has a file of its own of {} and goes through it once in requests of {}, each a statement of its own; \
         {commit}",
        memory(first.file_bytes),
        memory(first.request_bytes)
    )];
    let mut seen: Vec<&str> = Vec::new();
    for (_, streams) in valid(record) {
        if !seen.contains(&streams.form.as_str()) {
            seen.push(&streams.form);
            facts.push(format!("{}: {}", streams.form, streams.means));
        }
    }
    let beside = valid(record).find(|(_, streams)| streams.backend != StreamBackend::Engine);
    if let Some((_, FileStreams { same_device, .. })) = beside {
        facts.push(match same_device {
            Some(true) => "files on the file system lay on the device of the engine's data".to_owned(),
            Some(false) => {
                "files on the file system lay on another device than the engine's data, so that no ratio is drawn"
                    .to_owned()
            }
            None => {
                "where the engine's data lie is not known, so files on the file system may lie elsewhere".to_owned()
            }
        });
    }
    let is_read = |(_, streams): &(&Run, &FileStreams)| {
        (streams.backend, streams.direction) == (StreamBackend::Engine, StreamDirection::Read)
    };
    if valid(record).any(|run| is_read(&run)) {
        facts.push(
            "the engine reads with its own cache as the writes left it, and its files put out of the page cache, as far as \
             that can be"
                .to_owned(),
        );
    }
    facts.extend(compared(record));
    facts
}

/// That the engine has room in its cache for what it read.
fn kept(record: &Record) -> Option<String> {
    let cache = record.engine.as_ref()?.cache_bytes?;
    let has_room = |(run, streams): &(&Run, &FileStreams)| {
        let is_read = (streams.backend, streams.direction) == (StreamBackend::Engine, StreamDirection::Read);
        is_read && run.data_bytes.is_some_and(|bytes| bytes <= cache)
    };
    let runs: Vec<String> = valid(record).filter(has_room).map(|(run, _)| run.number.to_string()).collect();
    let noun = if runs.len() == 1 { "run" } else { "runs" };
    (!runs.is_empty()).then(|| {
        format!(
            "{noun} {}: the engine's cache of {} has room for all that was read there, and may have kept it since the write",
            runs.join(", "),
            memory(cache)
        )
    })
}

/// What was compared, of all reads together.
fn compared(record: &Record) -> Option<String> {
    let files = || valid(record).flat_map(|(_, streams)| &streams.compared);
    let bytes = files().fold(0_u64, |bytes, file| bytes.saturating_add(file.size_bytes.0));
    let count = files().count() as u64;
    let outcome = match files().filter(|file| !file.equal).count() {
        0 => "every byte the same".to_owned(),
        different => format!("{different} of them NOT the same"),
    };
    (count > 0).then(|| {
        format!(
            "after each read all files were read once more and compared with what was written: {} in {}, {outcome}",
            crate::figure::volume(record::Bytes(bytes)),
            plural(count, "file")
        )
    })
}

/// Sentences about single runs: files that the time cut off, and reads of what the engine may have kept.
pub(crate) fn remarks(record: &Record) -> Vec<String> {
    let cut = |(run, streams): (&Run, &FileStreams)| {
        let missing = run.dop.jobs.saturating_sub(streams.whole_files);
        (streams.direction == StreamDirection::Write && missing > 0).then(|| {
            format!(
                "run {} ended by its time: {missing} of {} are shorter than they were to be",
                run.number,
                plural(run.dop.jobs.into(), "file")
            )
        })
    };
    valid(record).filter_map(cut).chain(kept(record)).collect()
}
