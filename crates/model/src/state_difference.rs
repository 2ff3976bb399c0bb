//! Runs of a test that begin in another state of the database than the others, or end in another one than they began in:
//! their rates are of different states.

use record::{Bytes, CacheFit, DatabaseState, Run};

use crate::rules::RULES;

/// What of the state of the database differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateQuantity {
    /// The size of the tables.
    Tables,
    /// The pages of them in the buffer cache of the engine.
    Cached,
    /// Changed pages that are not written yet.
    Dirty,
}

/// How the state of one run differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateDifference {
    /// It begins with so much of a quantity, the middle one of the runs of its test with so much.
    Begins {
        /// The quantity.
        quantity: StateQuantity,
        /// In this run.
        own: Bytes,
        /// In the middle one.
        others: Bytes,
    },
    /// It begins with so much of a quantity, and ends with so much.
    Ends {
        /// The quantity.
        quantity: StateQuantity,
        /// At the begin.
        begin: Bytes,
        /// At the end.
        end: Bytes,
    },
    /// Its commits go to a part of the log that was written before, those of other runs to one that was not; or the other way round.
    Log {
        /// In this run.
        is_written_before: bool,
    },
}

/// A run whose state differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DifferingState {
    /// Its number.
    pub run: u32,
    /// What differs, of several quantities the first.
    pub difference: StateDifference,
}

const QUANTITIES: [StateQuantity; 3] = [StateQuantity::Tables, StateQuantity::Cached, StateQuantity::Dirty];

/// Those of the `runs` of one test that begin or end in another state: bytes that differ from those of the middle run by more
/// than a share of the tables ([`crate::Rules::state_difference_max`]), at any degree of parallelism.
pub(crate) fn differing_states(runs: &[&Run]) -> Vec<DifferingState> {
    let of = |run: &&Run| difference(run, runs).map(|difference| DifferingState { run: run.number, difference });
    runs.iter().filter_map(of).collect()
}

fn difference(run: &Run, runs: &[&Run]) -> Option<StateDifference> {
    let begin = run.state_at_begin.as_deref()?;
    let begins = QUANTITIES.into_iter().find_map(|quantity| {
        let own = comparable(run, quantity, begin)?;
        let of_runs = |run: &&Run| comparable(run, quantity, run.state_at_begin.as_deref()?);
        let others = middle(runs.iter().filter_map(of_runs).collect())?;
        is_far(own, others, begin).then_some(StateDifference::Begins { quantity, own, others })
    });
    let ends = || {
        let end = run.state_at_end.as_deref()?;
        QUANTITIES.into_iter().filter(|_| !run.changes).find_map(|quantity| {
            let (begin_bytes, end_bytes) = (comparable(run, quantity, begin)?, comparable(run, quantity, end)?);
            let is_far = is_far(begin_bytes, end_bytes, begin);
            is_far.then_some(StateDifference::Ends { quantity, begin: begin_bytes, end: end_bytes })
        })
    };
    begins.or_else(ends).or_else(|| log(run, begin, runs))
}

/// The bytes of `quantity` in `state`, where the rate of `run` depends on them: tables of its own begin empty, changes of its
/// own are dirty, and of tables inside the cache the rest of it says nothing.
fn comparable(run: &Run, quantity: StateQuantity, state: &DatabaseState) -> Option<Bytes> {
    let fit = run.cache_fit?;
    match quantity {
        StateQuantity::Tables => state.table_bytes,
        StateQuantity::Cached => state.cached_bytes.filter(|_| fit == CacheFit::Outside && run.rows_at_random),
        StateQuantity::Dirty => state.dirty_bytes.filter(|_| !run.changes),
    }
}

fn is_far(own: Bytes, other: Bytes, state: &DatabaseState) -> bool {
    let tables = state.table_bytes.map_or(f64::INFINITY, |bytes| bytes.0 as f64);
    own.0.abs_diff(other.0) as f64 > RULES.state_difference_max * tables
}

/// The middle one, of an even number the lower.
fn middle(mut all: Vec<Bytes>) -> Option<Bytes> {
    all.sort_unstable();
    all.get(all.len().saturating_sub(1) / 2).copied()
}

/// The log of `run`, which commits, where that of another one differs.
fn log(run: &Run, begin: &DatabaseState, runs: &[&Run]) -> Option<StateDifference> {
    let is_written_before = begin.is_log_written_before.filter(|_| run.changes)?;
    let of = |run: &&Run| run.state_at_begin.as_ref()?.is_log_written_before;
    let differs = runs.iter().filter_map(of).any(|other| other != is_written_before);
    differs.then_some(StateDifference::Log { is_written_before })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::run;

    const MIB: u64 = 1 << 20;

    fn state(tables: u64, cached: u64, dirty: u64) -> Option<Box<DatabaseState>> {
        let mib = |count: u64| Some(Bytes(count * MIB));
        Some(Box::new(DatabaseState {
            table_bytes: mib(tables),
            cached_bytes: mib(cached),
            dirty_bytes: mib(dirty),
            ..DatabaseState::default()
        }))
    }

    fn random(number: u32, begin: (u64, u64, u64), end: (u64, u64, u64)) -> Run {
        Run {
            number,
            cache_fit: Some(CacheFit::Outside),
            rows_at_random: true,
            changes: false,
            state_at_begin: state(begin.0, begin.1, begin.2),
            state_at_end: state(end.0, end.1, end.2),
            ..run("T616", 2)
        }
    }

    fn found(runs: &[Run]) -> Vec<DifferingState> {
        differing_states(&runs.iter().collect::<Vec<_>>())
    }

    fn begins(quantity: StateQuantity, own: u64, others: u64) -> StateDifference {
        StateDifference::Begins { quantity, own: Bytes(own * MIB), others: Bytes(others * MIB) }
    }

    #[test]
    fn a_larger_table_and_an_emptier_cache_are_another_begin() {
        let same = (1000, 500, 0);
        let runs = [
            random(1, (1000, 400, 0), (1000, 400, 0)),
            random(2, same, same),
            random(3, same, (1000, 540, 0)),
            random(4, (1060, 500, 0), (1060, 500, 0)),
            random(5, (1000, 500, 90), (1000, 500, 90)),
        ];
        let expected = [
            (1, begins(StateQuantity::Cached, 400, 500)),
            (4, begins(StateQuantity::Tables, 1060, 1000)),
            (5, begins(StateQuantity::Dirty, 90, 0)),
        ];
        assert_eq!(found(&runs), expected.map(|(run, difference)| DifferingState { run, difference }));
    }

    #[test]
    fn a_cache_that_fills_within_the_window_is_another_end() {
        let runs = [random(1, (1000, 100, 0), (1000, 300, 0)), random(2, (1000, 100, 0), (1000, 120, 0))];
        let difference =
            StateDifference::Ends { quantity: StateQuantity::Cached, begin: Bytes(100 * MIB), end: Bytes(300 * MIB) };
        assert_eq!(found(&runs), [DifferingState { run: 1, difference }]);
    }

    #[test]
    fn what_a_test_changes_itself_is_not_compared() {
        let insert = |number, tables| Run {
            cache_fit: None,
            changes: true,
            ..random(number, (tables, 10, 5), (2 * tables, 30, 20))
        };
        assert_eq!(found(&[insert(1, 100), insert(2, 200)]), []);
        let update = |number, dirty| Run { changes: true, ..random(number, (1000, 500, dirty), (1010, 500, 300)) };
        assert_eq!(found(&[update(1, 10), update(2, 200)]), []);
    }

    #[test]
    fn logs_that_were_written_and_that_were_not_are_told_apart() {
        let commit = |number, written| {
            let mut run = Run { changes: true, ..random(number, (1000, 500, 0), (1000, 500, 0)) };
            run.state_at_begin.as_mut().unwrap().is_log_written_before = written;
            run
        };
        assert_eq!(found(&[commit(1, Some(true)), commit(2, Some(true)), commit(3, None)]), []);
        let difference = |is_written_before| StateDifference::Log { is_written_before };
        assert_eq!(
            found(&[commit(1, Some(false)), commit(2, Some(true))]),
            [(1, false), (2, true)].map(|(run, written)| DifferingState { run, difference: difference(written) })
        );
    }

    #[test]
    fn one_run_and_records_without_states_differ_from_nothing() {
        assert_eq!(found(&[random(1, (1000, 500, 0), (1000, 500, 0))]), []);
        assert_eq!(found(&[run("T616", 1), run("T616", 2)]), []);
    }
}
