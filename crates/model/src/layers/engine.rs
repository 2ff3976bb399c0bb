//! The layers of the engine: database time and waits.

use record::{Activity, Location, OperationClass, Run, WaitClass, name};

use super::{Found, LayerAbsence, LayerMethod, LayerRow, added_up};
use crate::delta::{delta, share};
use crate::rules::RULES;
use crate::wait_count::{event_words, is_coarse, sample_period, wait_count};

/// The suffix of the counter of database time in older records.
const ACTIVE_TIME: &str = "_active_time_ns";

/// Database time of all sessions in the window, nanoseconds, with its counter. None where the engine does not count it.
pub fn database_time(run: &Run) -> Option<(&str, u64)> {
    let is_it = |counter: &&String| *counter == name::DATABASE_TIME_NS || counter.ends_with(ACTIVE_TIME);
    let mut counters: Vec<&String> = run.readings.first()?.values.keys().filter(is_it).collect();
    counters.sort_by_key(|counter| *counter != name::DATABASE_TIME_NS);
    counters.into_iter().find_map(|counter| Some((counter.as_str(), delta(run, counter)?)))
}

/// Database time per step, without dbdyno's session samples, which the engine counts like any statement.
pub(super) fn database(run: &Run, location: Option<Location>) -> Found {
    match database_time(run) {
        Some((counter, total)) => {
            let steps = Some(run.totals.steps);
            let (sampling, source) = match &run.activity {
                Some(activity) => (activity.cost_ns.0, format!("{counter} less dbdyno's session samples")),
                None => (0, counter.to_owned()),
            };
            let total_ns = total.saturating_sub(sampling) as f64;
            Found::Rows(vec![added_up(Some(OperationClass::Step), "database time of a step", &source, steps, total_ns)])
        }
        None if location == Some(Location::InProcess) => Found::Missing(LayerAbsence::Embedded),
        None => Found::Missing(LayerAbsence::StatementsNotTimed),
    }
}

/// Waits of sessions, by the counters of the engine and, where these do not time them, by samples, unless these are
/// few.
pub(super) fn waits(run: &Run, location: Option<Location>) -> Found {
    let timed = timed(run);
    let times_io = timed.iter().any(|(row, _)| row.class.is_some());
    let activity = run.activity.as_ref().filter(|activity| activity.sample_count >= RULES.attribution_samples_min);
    let sampled = activity.map(|activity| sampled(run, activity, times_io));
    let knows_io = times_io || sampled.is_some();
    let mut rows = each_once(timed, sampled.unwrap_or_default());
    rows.sort_by(|one, other| other.total_ns.total_cmp(&one.total_ns));
    match (knows_io, rows.is_empty()) {
        (true, _) => Found::Rows(rows),
        (false, true) => {
            Found::Missing(LayerAbsence::WaitsNotTimed { has_settings: location != Some(Location::InProcess) })
        }
        (false, false) => Found::Partly(rows, LayerAbsence::IoWaitsNotTimed),
    }
}

/// Timed and sampled waits together, each name once: as timed, unless the clock is too coarse.
fn each_once(mut timed: Vec<(LayerRow, bool)>, mut sampled: Vec<LayerRow>) -> Vec<LayerRow> {
    sampled.retain_mut(|found| match timed.iter().position(|(row, _)| row.name == found.name) {
        Some(index) if timed[index].1 => {
            // The count of the engine is right.
            found.count = timed.remove(index).0.count;
            true
        }
        Some(_) => false,
        None => true,
    });
    timed.into_iter().map(|(row, _)| row).chain(sampled).collect()
}

/// Waits by the engine's counters, each with whether the clock is too coarse.
fn timed(run: &Run) -> Vec<(LayerRow, bool)> {
    let counters = run.readings.first().into_iter().flat_map(|reading| reading.values.keys());
    let row = |counter: &String| {
        let wait = name::wait(counter).filter(|wait| !is_instrument(wait.event))?;
        let total = delta(run, counter)?;
        let (class, count) = (class(wait.event), wait_count(run, &wait));
        // A time without a count that is not I/O may not be a wait of sessions; a count without a time was not timed.
        let was_timed = total > 0 || count.is_none_or(|count| count == 0);
        let is_known = if class.is_some() { was_timed } else { count.is_some() };
        let row = || added_up(class, &event_words(wait.event), counter, count, total as f64);
        is_known.then(|| (row(), is_coarse(run, counter, total, count)))
    };
    counters.filter_map(row).collect()
}

/// Whether an event is an instrument: instruments nest and include background threads waiting for work, so that their
/// sum is not session time.
fn is_instrument(event: &str) -> bool {
    ["io_", "synch_", "lock_", "idle", "stage_"].iter().any(|beginning| event.starts_with(beginning))
}

/// The operation of a wait, by the words of its name.
pub(super) fn class(event: &str) -> Option<OperationClass> {
    let lower = event.to_lowercase();
    let words: Vec<&str> = lower.split('_').collect();
    let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
    let is_log = has(&["log", "wal", "redo"]);
    let (syncs, writes) = (has(&["sync", "fsync", "flush"]), has(&["write", "extend"]));
    match (is_log, syncs, writes) {
        (true, true, _) => Some(OperationClass::LogSync),
        (true, false, true) => Some(OperationClass::LogWrite),
        (false, true, _) => Some(OperationClass::Sync),
        (false, false, true) => Some(OperationClass::Write),
        (_, false, false) => has(&["read"]).then_some(OperationClass::Read),
    }
}

/// Sampled waits of sessions, without those for I/O and the log where the engine times its waits, since it times these.
fn sampled(run: &Run, activity: &Activity, is_timed: bool) -> Vec<LayerRow> {
    let is_wanted = |class: WaitClass| match class {
        WaitClass::UserIo | WaitClass::Commit => !is_timed,
        WaitClass::Concurrency | WaitClass::Application | WaitClass::Cluster | WaitClass::Other => true,
        WaitClass::Cpu | WaitClass::Network | WaitClass::SystemIo | WaitClass::Idle => false,
    };
    let wanted = activity.waits.iter().filter(|wait| is_wanted(wait.class));
    let row = |wait: &record::SampledWait| {
        // Mean number of sessions times the window.
        let sessions = share(wait.session_count as f64, activity.sample_count as f64)?;
        let total_ns = sessions * run.window_ns.0 as f64;
        let event = if wait.event.is_empty() { "unnamed".to_owned() } else { event_words(&wait.event) };
        let method = LayerMethod::Sampled { period_ns: sample_period(activity) };
        Some(LayerRow { method, ..added_up(None, &event, "session samples", None, total_ns) })
    };
    wanted.filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use record::Nanos;

    use super::*;
    use crate::fixture::{counted, run};

    #[test]
    fn io_that_is_counted_but_not_timed_is_no_wait() {
        let rows = |reads_ns: u64| {
            let deltas = [
                ("engine_wait_data_read_ns", reads_ns),
                ("engine_wait_data_read_count", 40),
                ("engine_wait_wal_sync_ns", 900),
                ("engine_wait_wal_sync_count", 3),
            ];
            let rows = timed(&counted(run("T311", 1), &deltas));
            rows.into_iter().map(|(row, _)| (row.name.clone(), row.count, row.mean_ns())).collect::<Vec<_>>()
        };
        let syncs = ("wal sync".to_owned(), Some(3), Some(300.0));
        assert_eq!(rows(80), [("data read".to_owned(), Some(40), Some(2.0)), syncs.clone()]);
        assert_eq!(rows(0), [syncs]);
    }

    #[test]
    fn a_wait_that_was_timed_and_sampled_is_counted_once() {
        let found = |total_ns: u64| {
            let deltas = [
                ("engine_wait_row_lock_wait_ns", total_ns),
                ("engine_wait_row_lock_wait_count", 100),
                ("engine_wait_wal_sync_ns", 5),
            ];
            let mut run = counted(run("T311", 1), &deltas);
            run.readings[0].values.insert(deltas[0].0.to_owned(), 0);
            run.readings[1].values.insert(deltas[0].0.to_owned(), total_ns);
            let wait = |event: &str| record::SampledWait {
                class: WaitClass::Application,
                event: event.to_owned(),
                session_count: 10,
            };
            run.activity = Some(Activity {
                period_ns: Nanos(1),
                sample_count: 20,
                observed_ns: run.window_ns,
                cost_ns: Nanos(0),
                waits: vec![wait("row_lock_wait"), wait("advisory")],
            });
            let Found::Rows(rows) = waits(&run, None) else { panic!("waits are known") };
            let (half, is_lock) = (run.window_ns.0 as f64 / 2.0, |row: &&LayerRow| row.name == "row lock wait");
            assert_eq!(rows.iter().filter(is_lock).count(), 1, "{rows:?}");
            assert!(rows.iter().any(|row| row.name == "advisory" && row.total_ns == half), "{rows:?}");
            let lock = rows.iter().find(is_lock).unwrap();
            (lock.total_ns, lock.count, lock.total_ns == half)
        };
        assert_eq!(found(1_234_567_891), (1_234_567_891.0, Some(100), false), "as timed");
        assert_eq!(
            (found(7_000_000).1, found(7_000_000).2),
            (Some(100), true),
            "whole milliseconds, less than one for each"
        );
    }

    #[test]
    fn the_class_of_a_wait_is_in_the_words_of_its_name() {
        for (event, expected) in [
            ("wal_sync", Some(OperationClass::LogSync)),
            ("log_file_sync", Some(OperationClass::LogSync)),
            ("WAL_write", Some(OperationClass::LogWrite)),
            ("data_sync", Some(OperationClass::Sync)),
            ("data_file_write", Some(OperationClass::Write)),
            ("extend", Some(OperationClass::Write)),
            ("single_block_read", Some(OperationClass::Read)),
            ("log_read", Some(OperationClass::Read)),
            ("row_lock_wait", None),
            ("spread", None),
            ("", None),
        ] {
            assert_eq!(class(event), expected, "{event}");
        }
    }

    #[test]
    fn nested_instruments_are_no_session_waits() {
        assert!(is_instrument("io_file_sql_binlog") && is_instrument("synch_mutex_sql_x") && is_instrument("idle"));
        assert!(!is_instrument("log_sync") && !is_instrument("lock") && !is_instrument("row_lock_wait"));
    }
}
