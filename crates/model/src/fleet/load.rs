//! The shares of several agents in one load, added.

use record::{Bytes, Load, LoadNote, LoadStage, Nanos};

use super::AgentPart;

/// The load of all parts, described as that of the first; none where they are no loads. What is measured of the table
/// afterwards is not part of it.
pub(super) fn merged_load(parts: &[AgentPart<'_>]) -> Option<Load> {
    let loads: Vec<&Load> = parts.iter().filter_map(|part| part.run.load.as_deref()).collect();
    let first = loads.first()?;
    let sum = |count: fn(&Load) -> u64| loads.iter().map(|load| count(load)).fold(0, u64::saturating_add);
    let compressed = loads.iter().find(|load| load.compression != "none");
    Some(Load {
        compression: compressed.unwrap_or(first).compression.clone(),
        input_bytes: Bytes(sum(|load| load.input_bytes.0)),
        flat_bytes: Bytes(sum(|load| load.flat_bytes.0)),
        batches: sum(|load| load.batches),
        rows: sum(|load| load.rows),
        rejected_rows: sum(|load| load.rejected_rows),
        retried_batches: sum(|load| load.retried_batches),
        deferred_batches: sum(|load| load.deferred_batches),
        in_flight_bytes_max: Bytes(sum(|load| load.in_flight_bytes_max.0)),
        notes: merged_notes(loads.iter().flat_map(|load| &load.notes)),
        stages: merged_stages(&loads),
        ..(*first).clone()
    })
}

/// The notes of all loads, each kind once, in the order of their first occurrence.
fn merged_notes<'a>(notes: impl Iterator<Item = &'a LoadNote>) -> Vec<LoadNote> {
    let mut all: Vec<LoadNote> = Vec::new();
    for note in notes {
        match all.iter_mut().find(|known| known.kind == note.kind) {
            None => all.push(note.clone()),
            Some(known) => {
                known.files = known.files.saturating_add(note.files);
                let sum = |(one, other): (Bytes, Bytes)| Bytes(one.0.saturating_add(other.0));
                known.bytes = known.bytes.zip(note.bytes).map(sum);
            }
        }
    }
    all
}

/// The stages of all loads, each kind once, in the order of their first occurrence.
fn merged_stages(loads: &[&Load]) -> Vec<LoadStage> {
    let mut all: Vec<LoadStage> = Vec::new();
    for stage in loads.iter().flat_map(|load| &load.stages) {
        match all.iter_mut().find(|known| known.kind == stage.kind) {
            None => all.push(stage.clone()),
            Some(known) => {
                known.threads = known.threads.saturating_add(stage.threads);
                known.busy_ns = Nanos(known.busy_ns.0.saturating_add(stage.busy_ns.0));
                known.cpu_ns = known.cpu_ns.zip(stage.cpu_ns).map(|(one, other)| Nanos(one.0.saturating_add(other.0)));
                known.bytes = Bytes(known.bytes.0.saturating_add(stage.bytes.0));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use record::LoadNoteKind::{ByteOrderMark, ZeroPadding};

    use super::*;

    #[test]
    fn notes_of_one_kind_are_added() {
        let note = |kind, files, first: &str, bytes| LoadNote { kind, files, first: first.to_owned(), bytes };
        let notes = [
            note(ZeroPadding, 1, "a.gz", Some(Bytes(512))),
            note(ByteOrderMark, 2, "a.tbl", None),
            note(ZeroPadding, 3, "b.gz", Some(Bytes(3))),
        ];
        let merged = [note(ZeroPadding, 4, "a.gz", Some(Bytes(515))), note(ByteOrderMark, 2, "a.tbl", None)];
        assert_eq!(merged_notes(notes.iter()), merged);
    }
}
