//! Several queues at once: separate settings, streams merged by their number.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use dbdyno_measure::{JobSettings, Observer, Worker, run_workers};
use record::{Nanos, Pace};

use crate::device::{Device, NEVER};

struct NoHooks;

impl Observer for NoHooks {}

fn settings() -> JobSettings {
    JobSettings { window: Nanos(100_000_000), drain: Nanos(1_000_000_000), ..JobSettings::default() }
}

fn worker<'a>(device: &'a mut Device, settings: JobSettings, meter: &'a AtomicU64) -> Worker<'a> {
    Worker { work: device, settings, place: (0, 1), meter: Some(meter) }
}

#[test]
fn streams_of_different_members_add_up_by_their_number() {
    let mut reader = Device { depth: 4, steps_max: 50, streams: vec![0], ..Device::default() };
    let mut writer = Device { depth: 2, steps_max: 30, sync_every: Some(3), streams: vec![1, 2], ..Device::default() };
    let mut other = Device { depth: 1, steps_max: 7, streams: vec![0], ..Device::default() };
    let meters = [(); 3].map(|()| AtomicU64::new(0));
    let settings = JobSettings { window: Nanos(60_000_000_000), ..settings() };
    // The warm-up is one step of each, as its window is empty; the device counts it, the tally does not.
    let devices = [&mut reader, &mut writer, &mut other];
    let workers = devices.into_iter().zip(&meters).map(|(device, meter)| worker(device, settings, meter)).collect();
    let outcome = run_workers(workers, &NoHooks, &NEVER);
    assert!(outcome.broken.is_none());
    let counts: Vec<u64> = outcome.streams.iter().map(|tally| tally.totals().steps).collect();
    assert_eq!(counts, [50 - 1 + 7 - 1, 30 - 1, 10], "one step of each was the warm-up");
    assert_eq!(outcome.tally.totals().steps, counts.iter().sum::<u64>());
    let shown: Vec<u64> = meters.iter().map(|meter| meter.load(Ordering::Relaxed)).collect();
    assert_eq!(shown, [49, 39, 6]);
}

#[test]
fn each_member_has_its_own_pace_and_delay() {
    let mut fast = Device { depth: 4, ..Device::default() };
    let mut paced = Device { depth: 4, streams: vec![1], ..Device::default() };
    let mut late = Device { depth: 4, streams: vec![2], ..Device::default() };
    let meters = [(); 3].map(|()| AtomicU64::new(0));
    let workers = vec![
        worker(&mut fast, settings(), &meters[0]),
        worker(&mut paced, JobSettings { pace: Pace::Rate { steps_per_second: 200.0 }, ..settings() }, &meters[1]),
        worker(&mut late, JobSettings { delay: Nanos(60_000_000), ..settings() }, &meters[2]),
    ];
    let outcome = run_workers(workers, &NoHooks, &NEVER);
    assert!(outcome.broken.is_none());
    assert_eq!(outcome.streams[1].totals().steps, 20);
    let log = late.seen.log[1..].iter();
    assert!(log.clone().all(|(turn, _)| turn.begun - outcome.begun >= Nanos(60_000_000)));
    assert!(log.count() > 0, "it began all the same");
    assert!(outcome.streams[2].ended() - outcome.begun > settings().window, "and has its whole window");
}

#[test]
fn a_failing_member_ends_the_others() {
    let mut good = Device { depth: 4, ..Device::default() };
    let mut bad = Device { break_at: 5, ..Device::default() };
    let meters = [(); 2].map(|()| AtomicU64::new(0));
    let settings = JobSettings { window: Nanos(60_000_000_000), ..settings() };
    let workers = vec![worker(&mut good, settings, &meters[0]), worker(&mut bad, settings, &meters[1])];
    let outcome = run_workers(workers, &NoHooks, &NEVER);
    assert_eq!(outcome.broken.map(|broken| broken.message).as_deref(), Some("gone"));
    assert!(outcome.tally.window() < Nanos(30_000_000_000));
    assert_eq!(good.held(), 0);
}

#[test]
fn the_window_of_a_paced_member_is_not_extended_after_an_abort() {
    let mut paced = Device { depth: 4, ..Device::default() };
    let mut bad = Device { break_at: 5, streams: vec![1], ..Device::default() };
    let meters = [(); 2].map(|()| AtomicU64::new(0));
    let long = JobSettings { window: Nanos(60_000_000_000), ..settings() };
    let rate = JobSettings { pace: Pace::Rate { steps_per_second: 200.0 }, ..long };
    let workers = vec![worker(&mut paced, rate, &meters[0]), worker(&mut bad, long, &meters[1])];
    let outcome = run_workers(workers, &NoHooks, &NEVER);
    assert!(outcome.broken.is_some());
    assert!(outcome.streams[0].window() < Nanos(30_000_000_000), "{:?}", outcome.streams[0].window());
}

#[test]
fn an_interrupt_before_the_window_leaves_nothing_in_flight() {
    let mut device = Device { depth: 4, ..Device::default() };
    let meter = AtomicU64::new(0);
    let outcome = run_workers(vec![worker(&mut device, settings(), &meter)], &NoHooks, &AtomicBool::new(true));
    assert_eq!((outcome.tally.totals().steps, device.held()), (0, 0));
}
