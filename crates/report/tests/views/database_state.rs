//! States of the database: what the windows began with, and runs that began with something else.

use dbdyno_report::Style;
use record::{Bytes, CacheFit, DataReads, DatabaseState, Record};

use crate::drawn::text;
use crate::sample;

const MIB: u64 = 1 << 20;

/// The sample, whose T616 reads at random outside a cache of half of the tables.
fn of_states(cached_mib: impl Fn(usize) -> u64) -> Record {
    let mut record = sample::record();
    let of_test = record.runs.iter_mut().filter(|run| run.test == "T616" && run.variation.is_none());
    for (place, run) in of_test.enumerate() {
        (run.cache_fit, run.rows_at_random, run.changes) = (Some(CacheFit::Outside), true, false);
        run.data_reads = Some(DataReads::Dropped);
        let state = DatabaseState {
            table_bytes: Some(Bytes(256 * MIB)),
            cached_bytes: Some(Bytes(cached_mib(place) * MIB)),
            dirty_bytes: Some(Bytes(0)),
            page_cached_bytes: Some(Bytes(8 * MIB)),
            ..DatabaseState::default()
        };
        run.state_at_begin = Some(Box::new(state.clone()));
        run.state_at_end = Some(Box::new(state));
    }
    record
}

/// Its text in one line, without the breaks of lines.
fn shown(record: &Record) -> String {
    text(record, "r.jsonl", Style::default(), 80).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_states_in_which_windows_began_are_told() {
    let shown = shown(&of_states(|_| 128));
    let expected = "begin tables of 256 MiB, of tables outside the cache 50 % in the buffer cache, of tables outside the cache 3 % in \
                    the page cache, nothing left to be written where nothing is changed";
    assert!(shown.contains(expected), "{shown}");
    assert!(!shown.contains("another state"), "{shown}");
}

#[test]
fn the_page_cache_is_none_of_reads_past_it() {
    let mut record = of_states(|_| 128);
    record.runs.iter_mut().for_each(|run| run.data_reads = run.data_reads.take().map(|_| DataReads::Direct));
    assert!(!shown(&record).contains("in the page cache, nothing left"), "{}", shown(&record));
}

#[test]
fn a_run_that_begins_with_another_cache_is_a_warning() {
    let shown = shown(&of_states(|place| if place == 0 { 64 } else { 128 }));
    for part in
        ["runs in another state: T616", "begins with 64 MiB of pages in the buffer cache, other runs with 128 MiB"]
    {
        assert!(shown.contains(part), "no {part:?}\n{shown}");
    }
}
