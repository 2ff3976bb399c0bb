//! The I/O jobs of the storage probes.

use measure::RunSeed;
use proptest::prelude::*;
use record::{IoMode, Layout, Nanos, Pace, SyncEvery};

use super::*;
use crate::{Form, Probe, probes};

fn context(jobs: u32) -> Context {
    Context {
        jobs,
        seed: RunSeed { plan: 1, run: 1 },
        preset: Preset::Quick,
        last_level_cache_bytes: None,
        memory_available_bytes: None,
        region_bytes: Bytes::GIB,
        warm_up: Nanos(400_000_000),
        window: Nanos(2_000_000_000),
        peer: None,
    }
}

fn of_storage() -> impl Iterator<Item = (&'static Probe, fn(&Context) -> IoJob)> {
    probes().iter().filter_map(|probe| match probe.form {
        Form::Io(job) => Some((probe, job)),
        Form::Steps(_) => None,
    })
}

fn job_of(code: &str, jobs: u32) -> IoJob {
    let (_, job) = of_storage().find(|(probe, _)| probe.code == code).expect("a probe of storage");
    job(&context(jobs))
}

#[test]
fn every_job_is_direct_overwrites_what_was_written_and_ends_with_the_window() {
    for (probe, job) in of_storage() {
        let job = job(&context(3));
        assert_eq!((job.name.as_str(), job.clones), (probe.code, 3));
        assert_eq!((job.direct, job.layout, job.time_based), (true, Layout::Written, true), "{}", probe.code);
        assert_eq!((job.run_time, job.ramp_time), (Some(Nanos(2_000_000_000)), Nanos(400_000_000)));
        assert_eq!((job.pace, job.seed, job.file_size), (Pace::Unthrottled, None, Some(Bytes::GIB)));
        let parameters = (probe.parameters)(&context(3));
        assert_eq!(parameters["depth"], i64::from(job.depth), "{}", probe.code);
    }
}

#[test]
fn each_probe_does_what_its_title_says() {
    let shape = |code: &str| {
        let job = job_of(code, 2);
        let Blocks::Split(blocks) = &job.read_blocks else { panic!("{code}") };
        (job.mix.write.0, job.order.read_random.0, blocks[0].size_bytes.0, job.depth)
    };
    assert_eq!(shape("S11"), (0.0, 0.0, 256 << 10, 32));
    assert_eq!(shape("S12"), (1.0, 0.0, 256 << 10, 32));
    assert_eq!(shape("S21"), (0.0, 1.0, 8 << 10, 1));
    assert_eq!(shape("S22"), (0.0, 1.0, 8 << 10, 32));
    assert_eq!(shape("S23"), (1.0, 1.0, 8 << 10, 32));
    assert_eq!(shape("S31"), (1.0, 0.0, 8 << 10, 1));
    let commit = job_of("S31", 1);
    assert_eq!((commit.commit, commit.mode), (true, IoMode::Synchronous));
    assert_eq!(commit.sync_every, Some(SyncEvery { writes: 1, data_only: true }));
}

#[test]
fn sequential_jobs_have_a_part_of_the_file_each() {
    for code in ["S11", "S12", "S31"] {
        let job = job_of(code, 3);
        let Some(Amount::Bytes(part)) = job.size else { panic!("{code}") };
        assert_eq!(job.offset_increment, Amount::Bytes(part));
        assert!(part.0 * 3 <= Bytes::GIB.0 && part.0 * 3 + 3 * (256 << 10) > Bytes::GIB.0, "{code} {part:?}");
    }
    assert_eq!((job_of("S21", 3).size, job_of("S21", 3).offset_increment), (None, Amount::Bytes(Bytes(0))));
    assert_eq!(job_of("S11", 4096).size, None, "parts of so many jobs are too small");
}

#[test]
fn the_file_is_as_large_as_the_preset_says_and_space_allows() {
    let plenty = Bytes::GIB.times(1_000);
    assert_eq!(region_bytes(Preset::Smoke, plenty), Some(Bytes::MIB.times(16)));
    assert_eq!(region_bytes(Preset::Quick, plenty), Some(Bytes::GIB));
    assert_eq!(region_bytes(Preset::Publish, plenty), Some(Bytes::GIB.times(32)));
    assert_eq!(region_bytes(Preset::Publish, Bytes::GIB.times(5)), Some(Bytes::MIB.times(512)));
    assert_eq!(region_bytes(Preset::Quick, Bytes::MIB.times(159)), None);
}

proptest! {
    #[test]
    fn jobs_stay_within_the_file_and_within_memory(jobs in 1u32..100_000, mebibytes in 16u64..40_000) {
        let context = Context { region_bytes: Bytes::MIB.times(mebibytes), ..context(jobs) };
        for (probe, job) in of_storage() {
            let job = job(&context);
            let Blocks::Split(blocks) = &job.read_blocks else { panic!("{}", probe.code) };
            let block = blocks[0].size_bytes.0;
            if let Some(Amount::Bytes(part)) = job.size {
                prop_assert!(part.0 >= block && part.0 % block == 0);
                prop_assert!(part.0 * u64::from(jobs) <= context.region_bytes.0);
            }
            let buffers = u64::from(job.depth) * u64::from(jobs) * block;
            prop_assert!(job.depth == 1 || (1..=32).contains(&job.depth) && buffers <= IN_FLIGHT_BYTES_MAX.0);
        }
    }
}
