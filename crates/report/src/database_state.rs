//! The states of the database in which the runs of a record began, in words.

use record::{Bytes, CacheFit, DataReads, DatabaseState, Record, Run};

use crate::fact::size_text;
use crate::words::list;

/// In which states the windows of `record` began: the tables, what of them was cached where they should not fit the cache,
/// what was still to be written where nothing is changed, and the log of those that commit. None where no engine told.
pub(crate) fn states_at_begin(record: &Record) -> Option<String> {
    let of = |is_wanted: fn(&Run) -> bool| -> Vec<&DatabaseState> {
        record.runs.iter().filter(|run| is_wanted(run)).filter_map(|run| run.state_at_begin.as_deref()).collect()
    };
    let all = of(|_| true);
    let outside = of(|run| run.cache_fit == Some(CacheFit::Outside));
    // Reads past the page cache do not find what is in it.
    let through_page_cache =
        of(|run| run.cache_fit == Some(CacheFit::Outside) && run.data_reads != Some(DataReads::Direct));
    let parts = [
        range(all.iter().filter_map(|state| state.table_bytes)).map(tables),
        share(&outside, |state| state.cached_bytes, "the buffer cache"),
        share(&through_page_cache, |state| state.page_cached_bytes, "the page cache"),
        range(of(|run| !run.changes).iter().filter_map(|state| state.dirty_bytes)).map(|(_, most)| dirty(most)),
        range(of(|run| run.changes).iter().filter_map(|state| state.is_log_written_before)).map(log),
        range(all.iter().filter_map(|state| state.dead_row_count))
            .filter(|(_, most)| *most > 0)
            .map(|(_, most)| format!("up to {most} dead rows")),
    ];
    let text = list(parts.into_iter().flatten());
    (!text.is_empty()).then_some(text)
}

fn tables((least, most): (Bytes, Bytes)) -> String {
    match least == most {
        true => format!("tables of {}", size_text(least)),
        false => format!("tables of {} to {}", size_text(least), size_text(most)),
    }
}

/// Which share of the tables was in `place` in `states`, where so many bytes of them were.
fn share(states: &[&DatabaseState], bytes: fn(&DatabaseState) -> Option<Bytes>, place: &str) -> Option<String> {
    let of_tables = |state: &&DatabaseState| Some((bytes(state)?.0, state.table_bytes?.0.max(1)));
    let percents = states.iter().filter_map(of_tables).map(|(cached, tables)| cached.min(tables) * 100 / tables);
    let (least, most) = range(percents)?;
    let percents = if least == most { format!("{least} %") } else { format!("{least} to {most} %") };
    Some(format!("of tables outside the cache {percents} in {place}"))
}

fn dirty(most: Bytes) -> String {
    match most {
        Bytes(0) => "nothing left to be written where nothing is changed".to_owned(),
        most => format!("up to {} to be written where nothing is changed", size_text(most)),
    }
}

fn log(is_written_before: (bool, bool)) -> String {
    match is_written_before {
        (true, true) => "a log that was written before",
        (false, false) => "a log whose next part was never written",
        _ => "a log that was written before in a part of the runs",
    }
    .to_owned()
}

/// The least and the most of `values`.
fn range<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Option<(T, T)> {
    values.fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((least, most)) => Some((value.min(least), value.max(most))),
    })
}
