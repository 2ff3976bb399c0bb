//! The states of the database in which the runs of a record began, in words.

use record::{Bytes, CacheFit, DatabaseState, Record, Run};

use crate::fact::size_text;
use crate::words::list;

/// In which states the windows of `record` began: the tables, what of them was cached where they should not fit the cache,
/// what was still to be written where nothing is changed, and the log of those that commit. None where no engine told.
pub(crate) fn states_at_begin(record: &Record) -> Option<String> {
    let of = |is_wanted: fn(&Run) -> bool| -> Vec<&DatabaseState> {
        record.runs.iter().filter(|run| is_wanted(run)).filter_map(|run| run.state_at_begin.as_deref()).collect()
    };
    let (all, outside) = (of(|_| true), of(|run| run.cache_fit == Some(CacheFit::Outside)));
    let (reading, changing) = (of(|run| !run.changes), of(|run| run.changes));
    let share = |bytes: fn(&DatabaseState) -> Option<Bytes>, place: &str| {
        let of_tables = |state: &&DatabaseState| Some((bytes(state)?.0, state.table_bytes?.0.max(1)));
        let shares = outside.iter().filter_map(of_tables).map(|(cached, tables)| cached.min(tables) * 100 / tables);
        let (least, most) = range(shares)?;
        let shares = if least == most { format!("{least} %") } else { format!("{least} to {most} %") };
        Some(format!("of tables outside the cache {shares} in {place}"))
    };
    let tables = range(all.iter().filter_map(|state| state.table_bytes)).map(|(least, most)| match least == most {
        true => format!("tables of {}", size_text(least)),
        false => format!("tables of {} to {}", size_text(least), size_text(most)),
    });
    let dirty = range(reading.iter().filter_map(|state| state.dirty_bytes)).map(|(_, most)| match most {
        Bytes(0) => "nothing left to be written where nothing is changed".to_owned(),
        most => format!("up to {} to be written where nothing is changed", size_text(most)),
    });
    let log = range(changing.iter().filter_map(|state| state.is_log_written_before)).map(|ends| match ends {
        (true, true) => "log files written before",
        (false, false) => "log files that are reserved and were never written",
        _ => "log files that were written before in a part of the runs",
    });
    let dead = range(all.iter().filter_map(|state| state.dead_row_count)).filter(|(_, most)| *most > 0);
    let parts = [
        tables,
        share(|state| state.cached_bytes, "the buffer cache"),
        share(|state| state.page_cached_bytes, "the page cache"),
        dirty,
        log.map(str::to_owned),
        dead.map(|(_, most)| format!("up to {most} dead rows")),
    ];
    let text = list(parts.into_iter().flatten());
    (!text.is_empty()).then_some(text)
}

/// The least and the most of `values`.
fn range<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Option<(T, T)> {
    values.fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((least, most)) => Some((value.min(least), value.max(most))),
    })
}
