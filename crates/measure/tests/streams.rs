//! Random streams: what they draw is apart for every two of a plan, of all purposes, runs and jobs.

use std::collections::BTreeMap;

use dbdyno_measure::{JobSettings, Purpose, RunSeed};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use record::{Nanos, Pace};

const JOBS: u32 = 8;

/// The streams of a plan: of each purpose, in some runs, of each job.
fn all() -> impl Iterator<Item = (Purpose, u32, u32)> {
    let of = |purpose: Purpose| (0..4).flat_map(move |run| (0..JOBS).map(move |job| (purpose, run, job)));
    Purpose::ALL.into_iter().flat_map(of)
}

fn draws((purpose, run, job): (Purpose, u32, u32), count: usize) -> Vec<u64> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(RunSeed { plan: 42, run }.stream(purpose, job));
    (0..count).map(|_| random.next_u64()).collect()
}

#[test]
fn no_two_streams_draw_one_number() {
    let mut drawn = BTreeMap::new();
    for stream in all() {
        for number in draws(stream, 64) {
            // 20 480 of 2^64 numbers: one that is drawn twice is no chance.
            let before = drawn.insert(number, stream);
            assert_eq!(before, None, "and {stream:?}");
        }
    }
}

#[test]
fn no_two_streams_are_correlated() {
    const COUNT: usize = 1_000;
    let uniform = |number: &u64| (number >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
    let streams: Vec<Vec<f64>> = all().map(|stream| draws(stream, COUNT).iter().map(uniform).collect()).collect();
    // 5.6 standard errors: a chance of 2e-8 for each of the 51 040 pairs, of 1e-3 for all.
    let limit = 5.6 / (COUNT as f64).sqrt();
    for (at, one) in streams.iter().enumerate() {
        for other in &streams[..at] {
            let products: f64 = one.iter().zip(other).map(|(one, other)| one * other).sum();
            let correlation = 12.0 * products / COUNT as f64;
            assert!(correlation.abs() < limit, "{correlation}, limit {limit}");
        }
    }
}

#[test]
fn no_two_jobs_have_an_intended_start_in_common_in_one_run_or_in_the_next_one() {
    // Two sections of a job file, with jobs of their own each, in a run and in the next ones.
    let pace = Pace::Poisson { steps_per_second: 800.0 };
    let mut starts: BTreeMap<Nanos, (u32, u32)> = BTreeMap::new();
    for run in 1..=4 {
        for (section, jobs) in [(0, JOBS), (JOBS, JOBS)] {
            let seed = RunSeed { plan: 42, run };
            let settings = JobSettings { pace, seed, first_job: section, ..JobSettings::default() };
            for job in 0..jobs {
                let pacer = settings.pacer((job, jobs), Nanos(0));
                for start in pacer.unfinished(Nanos(1_000_000_000)).take(40) {
                    let before = starts.insert(start, (run, section + job));
                    assert_eq!(before, None, "and job {} of run {run}", section + job);
                }
            }
        }
    }
    assert!(starts.len() > 2_000, "{}", starts.len());
}
