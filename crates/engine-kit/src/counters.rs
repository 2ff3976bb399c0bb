//! The engine's counters compared with the work of the kit.

use std::collections::BTreeMap;

use record::name;

use super::fixture::{Fixture, insert, row};
use engine::{Session, Value};

/// Counters with common names.
const COMMON: [&str; 11] = [
    name::DATABASE_TIME_NS,
    name::LOGICAL_READ_COUNT,
    name::PHYSICAL_READ_COUNT,
    name::PHYSICAL_READ_BYTES,
    name::PHYSICAL_WRITE_COUNT,
    name::PHYSICAL_WRITE_BYTES,
    name::REDO_WRITE_BYTES,
    name::REDO_SYNC_COUNT,
    name::COMMIT_COUNT,
    name::ROLLBACK_COUNT,
    name::BUSY_WAIT_COUNT,
];

/// The increase of each counter while `work` ran in `job`; commits without those of reading the counters.
fn increases(
    fixture: &Fixture,
    job: &mut dyn Session,
    work: &mut dyn FnMut(&mut dyn Session),
) -> (BTreeMap<String, i128>, BTreeMap<String, u64>) {
    let mut reader = fixture.session();
    job.publish_counters().expect("publish");
    let (before, reading) = fixture.node().counters(&mut *reader).expect("counters");
    work(job);
    let publishing = job.publish_counters().expect("publish");
    let (after, _) = fixture.node().counters(&mut *reader).expect("counters");
    let mut increase: BTreeMap<String, i128> = BTreeMap::new();
    for (name, value) in &before {
        let later = after.get(name).unwrap_or_else(|| panic!("counter {name} is gone"));
        increase.insert(name.clone(), i128::from(*later) - i128::from(*value));
    }
    if let Some(commits) = increase.get_mut(name::COMMIT_COUNT) {
        *commits -= i128::from(reading) + i128::from(publishing);
    }
    (increase, after)
}

/// The increase of the counter `name`.
fn increase_of(name: &str, increase: &BTreeMap<String, i128>) -> i128 {
    *increase.get(name).unwrap_or_else(|| panic!("the engine gives no {name}, only {:?}", increase.keys()))
}

/// 23 writing transactions and 23 autocommit statements are 23 commits each, as counted by the engine.
pub fn twenty_three_commits_are_counted_as_twenty_three(fixture: &Fixture) {
    let mut job = fixture.session();
    fixture.filled(&mut *job, "kit_commits", 0);
    let insert = fixture.prepare(&mut *job, &insert("kit_commits"));
    let (increase, _) = increases(fixture, &mut *job, &mut |job| {
        for id in 0..23 {
            job.begin().expect("begin");
            job.execute(insert, &row(2 * id)).expect("insert");
            job.execute(insert, &row(2 * id + 1)).expect("insert");
            job.commit().expect("commit");
        }
    });
    assert_eq!(increase_of(name::COMMIT_COUNT, &increase), 23, "transactions of two inserts");
    let (increase, _) = increases(fixture, &mut *job, &mut |job| {
        for id in 100..123 {
            job.execute(insert, &row(id)).expect("insert");
        }
    });
    assert_eq!(increase_of(name::COMMIT_COUNT, &increase), 23, "inserts that commit by themselves");
    if fixture.node().caps().answers {
        assert_eq!(fixture.count(&mut *job, "kit_commits"), 46 + 23);
    }
}

/// 23 read-only transactions are 23 commits or none, according to the capability.
pub fn twenty_three_reads_are_counted_as_the_capability_says(fixture: &Fixture) {
    let mut job = fixture.session();
    fixture.filled(&mut *job, "kit_reads", 3);
    let select = fixture.prepare(&mut *job, "select note from kit_reads where id = {1}");
    let expected = if fixture.node().caps().counts_read_commits { 23 } else { 0 };
    let (increase, _) = increases(fixture, &mut *job, &mut |job| {
        for _ in 0..23 {
            job.begin().expect("begin");
            assert_eq!(job.execute(select, &[Value::Int(1)]).expect("select"), 1);
            assert_eq!(job.execute(select, &[Value::Int(2)]).expect("select"), 1);
            job.commit().expect("commit");
        }
    });
    assert_eq!(increase_of(name::COMMIT_COUNT, &increase), expected, "transactions of two selects");
    let (increase, _) = increases(fixture, &mut *job, &mut |job| {
        for _ in 0..23 {
            assert_eq!(job.execute(select, &[Value::Int(1)]).expect("select"), 1);
        }
    });
    assert_eq!(increase_of(name::COMMIT_COUNT, &increase), expected, "selects outside a transaction");
}

/// A rollback is not a commit, and is counted if the engine counts rollbacks.
pub fn twenty_three_rollbacks_are_no_commits(fixture: &Fixture) {
    let mut job = fixture.session();
    fixture.filled(&mut *job, "kit_rollbacks", 0);
    let insert = fixture.prepare(&mut *job, &insert("kit_rollbacks"));
    let (increase, _) = increases(fixture, &mut *job, &mut |job| {
        for id in 0..23 {
            job.begin().expect("begin");
            job.execute(insert, &row(id)).expect("insert");
            job.rollback().expect("rollback");
        }
    });
    assert_eq!(increase_of(name::COMMIT_COUNT, &increase), 0);
    assert!(
        [None, Some(&23)].contains(&increase.get(name::ROLLBACK_COUNT)),
        "rollbacks {:?}",
        increase[name::ROLLBACK_COUNT]
    );
}

/// Every counter has a common name or the engine's prefix, persists, and never decreases; work increases them.
pub fn counters_are_named_and_never_go_back(fixture: &Fixture) {
    let mut job = fixture.session();
    fixture.filled(&mut *job, "kit_counters", 100);
    let select = fixture.prepare(&mut *job, "select count(*) from kit_counters where ratio >= 0");
    let update = fixture.prepare(&mut *job, "update kit_counters set whole = whole + 1");
    let prefix = format!("{}_", fixture.engine.name());
    for _ in 0..3 {
        let (increase, after) = increases(fixture, &mut *job, &mut |job| {
            assert_eq!(job.execute(update, &[]).expect("update"), 100);
            assert_eq!(job.execute(select, &[]).expect("select"), 1);
        });
        for (name, by) in &increase {
            assert!(
                COMMON.contains(&name.as_str()) || name.starts_with(&prefix),
                "counter {name} has neither a common name nor the prefix"
            );
            assert!(*by >= 0, "counter {name} decreased by {}", -by);
        }
        assert_eq!(increase.len(), after.len(), "a counter appeared during a run");
        if let Some(reads) = increase.get(name::LOGICAL_READ_COUNT) {
            assert!(*reads > 0, "a scan and an update read pages");
        }
        if let Some(bytes) = increase.get(name::REDO_WRITE_BYTES) {
            assert!(*bytes > 0, "an update writes redo");
        }
    }
}
