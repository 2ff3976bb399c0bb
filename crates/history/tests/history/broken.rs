//! Files that are cut, mixed or changed anywhere: a consistent profile, or a refusal.

use dbdyno_history::{History, Names};
use proptest::prelude::*;

use crate::{consistent, dumps, hosts};

/// A file of each form.
fn files() -> Vec<Vec<u8>> {
    let reports: [&[u8]; 5] = [
        include_bytes!("files/awr-19c.txt"),
        include_bytes!("files/awr-19c-comma.html"),
        include_bytes!("files/statspack-11g.txt"),
        include_bytes!("files/awr-rac-12c.txt"),
        include_bytes!("files/awr-miner.out"),
    ];
    let texts = dumps::samples().into_iter().chain(hosts::samples()).map(String::into_bytes);
    reports.into_iter().map(<[u8]>::to_vec).chain(texts).collect()
}

/// What happens to a file.
#[derive(Clone, Debug)]
enum Change {
    /// It ends there.
    Cut(usize),
    /// Some bytes are missing.
    Remove(usize, usize),
    /// A byte is another one.
    Replace(usize, u8),
    /// Some bytes come twice.
    Repeat(usize, usize),
    /// A number has other digits.
    Digits(usize, String),
}

fn change() -> impl Strategy<Value = Change> {
    let at = 0usize..20_000;
    prop_oneof![
        at.clone().prop_map(Change::Cut),
        (at.clone(), 1usize..400).prop_map(|(at, length)| Change::Remove(at, length)),
        (at.clone(), any::<u8>()).prop_map(|(at, byte)| Change::Replace(at, byte)),
        (at.clone(), 1usize..400).prop_map(|(at, length)| Change::Repeat(at, length)),
        (at, "(-?[0-9]{1,25}|[0-9.,]{1,9}|nan|[0-9]e[0-9]{1,3})").prop_map(|(at, digits)| Change::Digits(at, digits)),
    ]
}

fn changed(mut file: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let length = file.len().max(1);
        match change {
            Change::Cut(at) => file.truncate(at % length),
            Change::Remove(at, count) => {
                let at = at % length;
                file.drain(at.min(file.len())..(at + count).min(file.len()));
            }
            Change::Replace(at, byte) => {
                if let Some(there) = file.get_mut(at % length) {
                    *there = *byte;
                }
            }
            Change::Repeat(at, count) => {
                let at = (at % length).min(file.len());
                let again = file[at..(at + count).min(file.len())].to_vec();
                file.splice(at..at, again);
            }
            Change::Digits(at, digits) => {
                let at = (at % length).min(file.len());
                let begin = file[at..].iter().position(u8::is_ascii_digit).map_or(file.len(), |found| at + found);
                let end = file[begin..]
                    .iter()
                    .position(|byte| !byte.is_ascii_digit())
                    .map_or(file.len(), |found| begin + found);
                file.splice(begin..end, digits.bytes());
            }
        }
    }
    file
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_change_of_a_file_makes_an_inconsistent_profile(
        one in 0usize..100, other in 0usize..100,
        changes in prop::collection::vec(change(), 1..6), others in prop::collection::vec(change(), 0..3),
    ) {
        let files = files();
        let pair = [changed(files[one % files.len()].clone(), &changes), changed(files[other % files.len()].clone(), &others)];
        let mut history = History::new(Names::Hidden);
        for file in &pair {
            if let Err(error) = history.read("file", file.as_slice()) {
                prop_assert!(error.hint.is_some(), "{}", error);
            }
        }
        if let Ok(profile) = history.finish() {
            consistent::check(&profile);
        }
    }
}
