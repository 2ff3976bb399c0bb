use proptest::prelude::*;

use super::*;
use crate::data::Data;
use crate::image::ROOT;

const POLICIES: [Policy; 6] =
    [Policy::All, Policy::AllLost, Policy::Prefix, Policy::Subset, Policy::Torn, Policy::TornDisk];

/// Two files, so that objects are 2 and 3.
fn base() -> Image {
    let mut image = Image::empty();
    for (name, object) in [("one", 2), ("two", 3)] {
        image.apply(&Change::CreateFile { parent: ROOT, name: name.into(), object });
    }
    image
}

fn write(object: u64, offset: u64, size: usize, byte: u8) -> Change {
    Change::Write { object, offset, data: vec![byte; size].into() }
}

fn log(changes: impl IntoIterator<Item = Change>) -> Log {
    let mut log = Log::default();
    changes.into_iter().for_each(|change| {
        log.append(change);
    });
    log
}

fn log_of(entries: &[Entry]) -> Log {
    log(entries.iter().map(|entry| entry.change.clone()))
}

fn live(base: &Image, log: &Log) -> Image {
    let mut image = base.clone();
    log.until(u64::MAX).iter().for_each(|entry| image.apply(&entry.change));
    image.forget_unnamed();
    image
}

/// Bytes of a file.
fn data(image: &Image, object: u64) -> Option<Vec<u8>> {
    image.data(object).map(Data::to_vec)
}

/// Bytes of all files, without times.
fn bytes(image: &Image) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    image.entries(ROOT).map(|(name, object)| (name.to_vec(), data(image, object))).collect()
}

#[test]
fn a_write_survives_once_its_file_is_synced_and_not_before() {
    let log = log([write(2, 0, 8, 1), write(3, 0, 8, 2), Change::Sync { object: 2 }]);
    let (before, after) =
        (survivors(&base(), &log, 2, Policy::AllLost, 1), survivors(&base(), &log, 3, Policy::AllLost, 1));
    assert_eq!((data(&before, 2), data(&after, 2)), (Some(vec![]), Some(vec![1; 8])));
    assert_eq!(data(&after, 3), Some(vec![]), "another file was not synced");
    assert_eq!(pending(&log, 3), Pending { writes: 1, bytes: 8, names: 0 });
}

#[test]
fn the_last_change_before_a_sync_is_found_from_any_change() {
    let log = log([write(2, 0, 8, 1), write(3, 0, 8, 2), Change::Sync { object: 2 }, write(2, 8, 8, 3)]);
    assert_eq!([0, 1, 2, 3, 4, 9].map(|at| log.before_sync(at)), [2, 2, 2, 4, 4, 4]);
}

#[test]
fn a_sync_of_any_object_makes_earlier_names_durable_and_no_later_ones() {
    let rename = |from: &str, to: &str| Change::Rename {
        parent: ROOT,
        name: from.into(),
        new_parent: ROOT,
        new_name: to.into(),
    };
    let log = log([rename("one", "first"), Change::Sync { object: 3 }, rename("two", "second")]);
    let image = survivors(&base(), &log, 3, Policy::AllLost, 1);
    assert!(image.lookup(ROOT, b"first").is_some() && image.lookup(ROOT, b"two").is_some());
    assert!(image.lookup(ROOT, b"one").is_none() && image.lookup(ROOT, b"second").is_none());
}

#[test]
fn a_removed_file_comes_back_until_a_sync() {
    let remove = Change::Remove { parent: ROOT, name: b"one".to_vec() };
    let log = log([write(2, 0, 4, 7), Change::Sync { object: 2 }, remove, Change::Sync { object: ROOT }]);
    assert_eq!(data(&survivors(&base(), &log, 3, Policy::AllLost, 1), 2), Some(vec![7; 4]));
    assert_eq!(survivors(&base(), &log, 4, Policy::AllLost, 1).lookup(ROOT, b"one"), None);
}

#[test]
fn torn_sectors_are_smaller_than_pages() {
    let old = log([write(2, 0, 8192, 1), Change::Sync { object: 2 }, write(2, 0, 8192, 2)]);
    let runs = |policy, seed| {
        let image = survivors(&base(), &old, 3, policy, seed);
        let data = data(&image, 2).expect("file");
        let lengths: Vec<usize> = data.chunk_by(|one, other| one == other).map(<[u8]>::len).collect();
        lengths
    };
    assert!((0..20).flat_map(|seed| runs(Policy::Subset, seed)).all(|length| length % 4096 == 0));
    assert!((0..20).flat_map(|seed| runs(Policy::Torn, seed)).any(|length| length % 4096 != 0));
    assert!((0..20).flat_map(|seed| runs(Policy::Torn, seed)).all(|length| length % 512 == 0));
    // The first page of a disk has a superblock.
    let mut lengths = (0..20).map(|seed| runs(Policy::TornDisk, seed));
    assert!(lengths.all(|lengths| lengths[0] >= 4096 && lengths.iter().all(|length| length % 512 == 0)));
}

#[test]
fn bytes_of_a_lost_extension_are_zero() {
    let log = log([write(2, 4096, 4096, 9)]);
    let sizes: Vec<usize> = (0..20)
        .filter_map(|seed| data(&survivors(&base(), &log, 1, Policy::Subset, seed), 2))
        .map(|data| data.len())
        .collect();
    assert!(sizes.contains(&0) && sizes.contains(&8192), "{sizes:?}");
    let image = survivors(&base(), &log, 1, Policy::All, 1);
    assert_eq!(image.data(2).map(|data| data.read(0, 4096)), Some(vec![0; 4096]));
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let object = 2u64..4;
    let one = prop_oneof![
        6 => (object.clone(), 0u64..6000, 1usize..5000, any::<u8>()).prop_map(|(object, offset, size, byte)| write(object, offset, size, byte)),
        1 => (object.clone(), 0u64..6000).prop_map(|(object, size)| Change::Truncate { object, size }),
        2 => object.prop_map(|object| Change::Sync { object }),
    ];
    proptest::collection::vec(one, 0..30)
}

proptest! {
    #[test]
    fn synced_bytes_always_survive(changes in changes(), at in 0u64..30, seed: u64) {
        let log = log(changes);
        for object in [2, 3] {
            // The bytes at the last sync, where nothing was done to the file since.
            let entries = log.until(at);
            let touches = |entry: &&Entry| match &entry.change {
                Change::Write { object: other, .. }
                | Change::Truncate { object: other, .. }
                | Change::Sync { object: other } => *other == object,
                _ => false,
            };
            let last = entries.iter().rev().find(touches).map(|entry| &entry.change);
            let is_synced = matches!(last, Some(Change::Sync { .. }));
            if is_synced {
                let expected = live(&base(), &log_of(entries));
                for policy in POLICIES {
                    let image = survivors(&base(), &log, at, policy, seed);
                    prop_assert_eq!(image.data(object), expected.data(object), "{:?}", policy);
                }
            }
        }
    }

    #[test]
    fn bytes_outside_of_later_writes_keep_what_was_synced(first in 1usize..9000, later in proptest::collection::vec((0u64..9000, 1usize..3000), 0..6), seed: u64) {
        let mut all = vec![write(2, 0, first, 1), Change::Sync { object: 2 }];
        all.extend(later.iter().map(|(offset, size)| write(2, *offset, *size, 2)));
        let log = log(all);
        for policy in POLICIES {
            let image = survivors(&base(), &log, log.last(), policy, seed);
            let data = data(&image, 2).unwrap_or_default();
            prop_assert!(data.len() >= first);
            for (at, byte) in data.iter().enumerate().take(first) {
                let is_covered = later.iter().any(|(offset, size)| (*offset as usize..*offset as usize + size).contains(&at));
                prop_assert!(*byte == 1 || is_covered && *byte == 2, "{:?} at {}", policy, at);
            }
        }
    }

    #[test]
    fn survivors_are_the_same_for_the_same_seed_and_all_survive_where_no_power_is_lost(changes in changes(), seed: u64) {
        let log = log(changes);
        for policy in POLICIES {
            let once = survivors(&base(), &log, log.last(), policy, seed);
            prop_assert_eq!(bytes(&once), bytes(&survivors(&base(), &log, log.last(), policy, seed)));
        }
        prop_assert_eq!(bytes(&survivors(&base(), &log, log.last(), Policy::All, seed)), bytes(&live(&base(), &log)));
    }

    #[test]
    fn a_prefix_is_a_state_that_was_there(sizes in proptest::collection::vec(1usize..100, 1..12), seed: u64) {
        // Appended, so that each state has a size of its own.
        let mut end = 0;
        let log = log(sizes.iter().map(|size| { end += size; write(2, (end - size) as u64, *size, *size as u8) }));
        let image = survivors(&base(), &log, log.last(), Policy::Prefix, seed);
        let found = data(&image, 2).unwrap_or_default();
        let whole = live(&base(), &log);
        prop_assert!(data(&whole, 2).unwrap_or_default().starts_with(&found));
    }
}
