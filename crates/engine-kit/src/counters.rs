//! The engine's own counters against what the kit did.

use std::collections::BTreeMap;

use record::name;

use super::fixture::{Fixture, insert, row};
use engine::{Session, Value};

/// Counters that an engine may fill under a common name.
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

/// By how much each counter rose while `work` ran in `job`, what counting itself caused taken off the commits.
fn risen(
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
    let mut rise: BTreeMap<String, i128> = BTreeMap::new();
    for (name, value) in &before {
        let later = after.get(name).unwrap_or_else(|| panic!("counter {name} is gone"));
        rise.insert(name.clone(), i128::from(*later) - i128::from(*value));
    }
    if let Some(commits) = rise.get_mut(name::COMMIT_COUNT) {
        *commits -= i128::from(reading) + i128::from(publishing);
    }
    (rise, after)
}

/// The rise of the counter `name`.
fn rise_of(name: &str, rise: &BTreeMap<String, i128>) -> i128 {
    *rise.get(name).unwrap_or_else(|| panic!("the engine gives no {name}, only {:?}", rise.keys()))
}

/// 23 transactions that write, 23 statements that commit by themselves: 23 and 23, by our count and the engine's.
pub fn twenty_three_commits_are_counted_as_twenty_three(fixture: &Fixture) {
    let mut job = fixture.session();
    fixture.filled(&mut *job, "kit_commits", 0);
    let insert = fixture.prepare(&mut *job, &insert("kit_commits"));
    let (rise, _) = risen(fixture, &mut *job, &mut |job| {
        for id in 0..23 {
            job.begin().expect("begin");
            job.execute(insert, &row(2 * id)).expect("insert");
            job.execute(insert, &row(2 * id + 1)).expect("insert");
            job.commit().expect("commit");
        }
    });
    assert_eq!(rise_of(name::COMMIT_COUNT, &rise), 23, "transactions of two inserts");
    let (rise, _) = risen(fixture, &mut *job, &mut |job| {
        for id in 100..123 {
            job.execute(insert, &row(id)).expect("insert");
        }
    });
    assert_eq!(rise_of(name::COMMIT_COUNT, &rise), 23, "inserts that commit by themselves");
    if fixture.node().caps().answers {
        assert_eq!(fixture.count(&mut *job, "kit_commits"), 46 + 23);
    }
}

/// 23 transactions that only read are 23 commits or none, as the capability says.
pub fn twenty_three_reads_are_counted_as_the_capability_says(fixture: &Fixture) {
    let mut job = fixture.session();
    fixture.filled(&mut *job, "kit_reads", 3);
    let select = fixture.prepare(&mut *job, "select note from kit_reads where id = {1}");
    let expected = if fixture.node().caps().counts_read_commits { 23 } else { 0 };
    let (rise, _) = risen(fixture, &mut *job, &mut |job| {
        for _ in 0..23 {
            job.begin().expect("begin");
            assert_eq!(job.execute(select, &[Value::Int(1)]).expect("select"), 1);
            assert_eq!(job.execute(select, &[Value::Int(2)]).expect("select"), 1);
            job.commit().expect("commit");
        }
    });
    assert_eq!(rise_of(name::COMMIT_COUNT, &rise), expected, "transactions of two selects");
    let (rise, _) = risen(fixture, &mut *job, &mut |job| {
        for _ in 0..23 {
            assert_eq!(job.execute(select, &[Value::Int(1)]).expect("select"), 1);
        }
    });
    assert_eq!(rise_of(name::COMMIT_COUNT, &rise), expected, "selects outside a transaction");
}

/// A rollback is no commit, and is counted where the engine counts rollbacks.
pub fn twenty_three_rollbacks_are_no_commits(fixture: &Fixture) {
    let mut job = fixture.session();
    fixture.filled(&mut *job, "kit_rollbacks", 0);
    let insert = fixture.prepare(&mut *job, &insert("kit_rollbacks"));
    let (rise, _) = risen(fixture, &mut *job, &mut |job| {
        for id in 0..23 {
            job.begin().expect("begin");
            job.execute(insert, &row(id)).expect("insert");
            job.rollback().expect("rollback");
        }
    });
    assert_eq!(rise_of(name::COMMIT_COUNT, &rise), 0);
    assert!([None, Some(&23)].contains(&rise.get(name::ROLLBACK_COUNT)), "rollbacks {:?}", rise[name::ROLLBACK_COUNT]);
}

/// Every counter has a common name or the engine's prefix, stays, and never falls; work shows in them.
pub fn counters_are_named_and_never_go_back(fixture: &Fixture) {
    let mut job = fixture.session();
    fixture.filled(&mut *job, "kit_counters", 100);
    let select = fixture.prepare(&mut *job, "select count(*) from kit_counters where ratio >= 0");
    let update = fixture.prepare(&mut *job, "update kit_counters set whole = whole + 1");
    let prefix = format!("{}_", fixture.engine.name());
    for _ in 0..3 {
        let (rise, after) = risen(fixture, &mut *job, &mut |job| {
            assert_eq!(job.execute(update, &[]).expect("update"), 100);
            assert_eq!(job.execute(select, &[]).expect("select"), 1);
        });
        for (name, by) in &rise {
            assert!(COMMON.contains(&name.as_str()) || name.starts_with(&prefix), "counter {name} is not named so");
            assert!(*by >= 0, "counter {name} fell by {}", -by);
        }
        assert_eq!(rise.len(), after.len(), "a counter came up in mid-run");
        if let Some(reads) = rise.get(name::LOGICAL_READ_COUNT) {
            assert!(*reads > 0, "a scan and an update read pages");
        }
        if let Some(bytes) = rise.get(name::REDO_WRITE_BYTES) {
            assert!(*bytes > 0, "an update writes redo");
        }
    }
}
