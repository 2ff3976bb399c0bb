//! The plans of the profiles.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use record::{Amount, Blocks, Bytes, IoJob, IoMode, IoPlan, Layout, Nanos, OpenSync, Pace, Ratio, SyncEvery};

use super::*;
use crate::fixture;
use crate::{JobFile, overrides, plan};

fn planned(name: &str, changes: &str) -> IoPlan {
    let surroundings = fixture::surroundings();
    let changes = if changes.is_empty() { Vec::new() } else { overrides(changes, &surroundings).unwrap() };
    let file = JobFile::parse(name, profile(name).unwrap(), &surroundings).unwrap();
    plan(&[file], &changes, &surroundings).unwrap_or_else(|error| panic!("{error}"))
}

/// The jobs of the only phase of a profile.
fn jobs(name: &str) -> Vec<IoJob> {
    let plan = planned(name, "");
    assert_eq!(plan.phases.len(), 1, "{name}: all at the same time");
    plan.phases[0].jobs.clone()
}

fn job(name: &str, wanted: &str) -> IoJob {
    jobs(name).into_iter().find(|job| job.name == wanted).unwrap_or_else(|| panic!("{name} has no {wanted}"))
}

fn sizes(blocks: &Blocks) -> Vec<(u64, f64)> {
    let Blocks::Split(split) = blocks else { panic!("{blocks:?}") };
    split.iter().map(|one| (one.size_bytes.0, one.share.0)).collect()
}

#[test]
fn every_file_of_the_folder_is_listed_under_its_name() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("profiles");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let there: BTreeSet<String> = files.filter_map(|file| Some(file.strip_suffix(".fio")?.to_owned())).collect();
    assert_eq!(there, profiles().map(str::to_owned).collect());
    assert_eq!(profile("access"), None);
}

#[test]
fn every_profile_has_its_statements_and_no_lints() {
    for name in profiles() {
        let text = profile(name).unwrap();
        for statement in ["Models:", "Leaves out:", "Rates:", "To change:"] {
            assert!(text.contains(&format!("# {statement}")), "{name} lacks {statement}");
        }
        let plan = planned(name, "");
        assert_eq!((plan.lints, plan.ignored), (Vec::new(), Vec::new()), "{name}");
    }
}

#[test]
fn every_profile_has_direct_reads_a_log_and_checkpoints() {
    for name in profiles() {
        let jobs = jobs(name);
        for job in &jobs {
            assert!(job.direct && job.time_based && !job.grouped, "{name} {}", job.name);
            assert_eq!((job.layout, job.pace), (Layout::Written, Pace::Unthrottled), "{name} {}", job.name);
            assert_eq!((job.run_time, job.ramp_time), (Some(Nanos(60_000_000_000)), Nanos(5_000_000_000)));
        }
        let reads: Vec<&IoJob> = jobs.iter().filter(|job| job.mix.read == Ratio(1.0)).collect();
        let bursts: Vec<&IoJob> = jobs.iter().filter(|job| job.burst.is_some()).collect();
        let commits: Vec<&IoJob> = jobs.iter().filter(|job| job.commit).collect();
        let [reads, burst, commit] = [&reads, &bursts, &commits].map(|of_kind| {
            assert_eq!(of_kind.len(), 1, "{name}");
            of_kind[0].clone()
        });
        assert_eq!((reads.order.read_random, burst.order.write_random), (Ratio(1.0), Ratio(1.0)), "{name}");
        assert_eq!(reads.files, burst.files, "{name}: checkpoints write the data file");
        assert_ne!(reads.files, commit.files, "{name}: the log is a separate file");
        let alone = (commit.order.write_random, commit.clones, commit.depth, commit.mode);
        assert_eq!(alone, (Ratio(0.0), 1, 1, IoMode::Synchronous), "{name}: one log writer");
    }
}

#[test]
fn blocks_and_syncs_are_those_of_the_engine() {
    let data = SyncEvery { writes: 1, data_only: true };
    for (name, log, page) in [
        ("postgresql", "wal", 8 << 10),
        ("oracle", "redo", 8 << 10),
        ("innodb", "redo", 16 << 10),
        ("sqlite", "wal", 4 << 10),
    ] {
        for data_job in jobs(name).iter().filter(|job| job.files == ["data"]) {
            let blocks = if data_job.mix.read.0 > 0.0 { &data_job.read_blocks } else { &data_job.write_blocks };
            assert_eq!(sizes(blocks), [(page, 1.0)], "{name} {}", data_job.name);
        }
        assert!(job(name, log).commit, "{name}");
    }
    let wal = job("postgresql", "wal");
    assert_eq!((sizes(&wal.write_blocks), wal.sync_every), (vec![(8 << 10, 1.0)], Some(data)));
    let redo = job("oracle", "redo");
    assert_eq!(
        (redo.sync_every, redo.open_sync, job("oracle", "dbwr").open_sync),
        (None, OpenSync::Dsync, OpenSync::Dsync)
    );
    assert_eq!(sizes(&redo.write_blocks), [(4 << 10, 0.6), (8 << 10, 0.25), (16 << 10, 0.15)]);
    let doublewrite = job("innodb", "doublewrite");
    assert_eq!(
        (sizes(&doublewrite.write_blocks), doublewrite.order.write_random),
        (vec![(256 << 10, 1.0)], Ratio(0.0))
    );
    assert_eq!(job("innodb", "redo").sync_every, Some(data));
    assert_eq!(job("sqlite", "wal").sync_every, Some(SyncEvery { writes: 1, data_only: false }));
}

#[test]
fn the_size_of_the_data_can_be_overridden_and_the_log_keeps_its_own() {
    for name in profiles() {
        let plan = planned(name, "size=8g,runtime=5");
        for job in &plan.phases[0].jobs {
            let is_data = job.files == ["data"];
            assert_eq!(job.size == Some(Amount::Bytes(Bytes::GIB.times(8))), is_data, "{name} {}", job.name);
            assert_eq!(job.file_size.is_some(), !is_data, "{name} {}", job.name);
            assert_eq!(job.run_time, Some(Nanos(5_000_000_000)));
        }
    }
}
