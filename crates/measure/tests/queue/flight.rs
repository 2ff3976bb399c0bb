//! Operations in flight: one per slot, and none when the loop ends.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use dbdyno_measure::{Broken, Pacer, Stop, Tally, clock, drive_queue};
use record::{Nanos, Pace};

use crate::device::{Device, MILLISECOND, NEVER, driven, driven_by, stop};

const WINDOW: Nanos = Nanos(50_000_000);

#[test]
fn all_slots_are_used_and_none_is_used_twice() {
    for depth in [1, 2, 7, 32] {
        let mut device = Device { depth, ..Device::default() };
        let (tallies, result) = driven(&mut device, Pace::Unthrottled, WINDOW);
        result.unwrap();
        assert_eq!(device.seen.in_flight_max, depth);
        assert_eq!(tallies[0].totals().steps, device.seen.steps);
        assert!(device.seen.steps <= u64::from(depth) * 51, "1 ms each in 50 ms: {}", device.seen.steps);
    }
}

#[test]
fn everything_in_flight_is_done_and_counted_when_it_returns() {
    let mut device = Device { depth: 16, latency: Nanos(7_000_000), ..Device::default() };
    let (tallies, result) = driven(&mut device, Pace::Unthrottled, WINDOW);
    result.unwrap();
    assert_eq!(device.held(), 0);
    assert_eq!(device.seen.reaped, device.seen.steps);
    let totals = tallies[0].totals();
    assert_eq!((totals.steps, totals.operations), (device.seen.steps, device.seen.steps));
    assert_eq!(totals.bytes.unwrap().0, 512 * device.seen.steps);
    assert_eq!(tallies[0].service().count(), device.seen.steps);
}

#[test]
fn twenty_three_are_twenty_three() {
    let mut device = Device { depth: 8, steps_max: 23, ..Device::default() };
    let (tallies, result) = driven(&mut device, Pace::Unthrottled, Nanos(60_000_000_000));
    result.unwrap();
    assert_eq!((device.seen.steps, device.seen.reaped, tallies[0].totals().steps), (23, 23, 23));
    let mut numbers: Vec<u64> = device.seen.log.iter().map(|(turn, _)| turn.number).collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(0..23));
}

#[test]
fn an_empty_window_has_one_step() {
    let mut device = Device { depth: 4, ..Device::default() };
    driven(&mut device, Pace::Unthrottled, Nanos(0)).1.unwrap();
    assert_eq!((device.seen.steps, device.seen.reaped), (1, 1));
}

#[test]
fn no_more_than_a_batch_is_submitted_at_once() {
    let mut device = Device { depth: 16, batch: 4, ..Device::default() };
    driven(&mut device, Pace::Unthrottled, WINDOW).1.unwrap();
    assert_eq!((device.seen.submitted_max, device.seen.in_flight_max), (4, 16));
    assert_eq!(device.seen.waits[..3], [0, 0, 0], "the device gets the next batch before anything is waited for");
}

#[test]
fn slots_that_complete_in_a_crowd_are_submitted_again_in_parts() {
    let mut device = Device { depth: 32, reaped_at_once: 2, ..Device::default() };
    let (tallies, result) = driven(&mut device, Pace::Unthrottled, WINDOW);
    result.unwrap();
    // All of them were submitted at once, and so they complete.
    assert_eq!((device.seen.reaped_max, device.held()), (2, 0));
    assert_eq!((device.seen.in_flight_max, tallies[0].totals().steps), (32, device.seen.steps));
    let busy: u64 = tallies[0].seconds().iter().map(|second| second.service_ns_sum.0).sum();
    let in_flight = busy as f64 / tallies[0].window().0 as f64;
    assert!(in_flight > 0.95 * 32.0, "{in_flight}: a slot is in flight until its completion is reaped");
    let mut broken = Device { break_at: 40, ..Device { depth: 32, reaped_at_once: 2, ..Device::default() } };
    assert!(driven(&mut broken, Pace::Unthrottled, WINDOW).1.is_err());
    assert_eq!((broken.held(), broken.seen.reaped), (0, 40), "completions that were known are not waited for again");
}

#[test]
fn it_waits_for_the_minimum_but_never_for_more_than_are_in_flight() {
    let mut device = Device { depth: 8, least: 6, steps_max: 21, ..Device::default() };
    driven(&mut device, Pace::Unthrottled, Nanos(60_000_000_000)).1.unwrap();
    // The device itself asserts that no wait is for more than is in flight.
    assert!(device.seen.waits.contains(&6), "{:?}", device.seen.waits);
    assert_eq!(device.seen.reaped, 21);
}

#[test]
fn a_sync_beside_the_steps_takes_no_turn_and_has_its_own_stream() {
    let mut device = Device { depth: 4, steps_max: 60, sync_every: Some(3), streams: vec![0, 1], ..Device::default() };
    let (tallies, result) = driven(&mut device, Pace::Unthrottled, Nanos(60_000_000_000));
    result.unwrap();
    assert_eq!((device.seen.steps, device.seen.syncs), (60, 20));
    assert_eq!((tallies[0].totals().steps, tallies[1].totals().steps), (60, 20));
    assert_eq!(tallies[1].totals().bytes, None);
    let mut numbers: Vec<u64> =
        device.seen.log.iter().map(|(turn, _)| turn.number).filter(|number| *number > 0).collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(1..60), "steps are numbered without gaps");
}

#[test]
fn a_blocked_operation_starts_when_those_in_flight_are_done() {
    let mut device = Device {
        depth: 4,
        steps_max: 9,
        sync_every: Some(3),
        sync_alone: true,
        streams: vec![0, 1],
        ..Device::default()
    };
    let start = clock::now();
    let (tallies, result) = driven(&mut device, Pace::Unthrottled, Nanos(60_000_000_000));
    result.unwrap();
    assert_eq!((tallies[0].totals().steps, tallies[1].totals().steps), (9, 3));
    // Three steps; a sync and three steps, twice; a sync.
    assert!(clock::now() - start >= Nanos(4 * MILLISECOND.0));
    let syncs: Vec<_> = device.seen.log.iter().filter(|(turn, _)| turn.number == 0).collect();
    let earlier = |at: Nanos| device.seen.log.iter().filter(move |(_, ended)| *ended <= at).count();
    let before: Vec<usize> = syncs[1..].iter().map(|(turn, _)| earlier(turn.begun)).collect();
    assert_eq!(before, [3, 7, 11], "everything before a sync is done when it begins");
}

#[test]
fn a_signal_ends_it_and_what_is_in_flight_is_still_done() {
    let interrupt = AtomicBool::new(false);
    let start = clock::now();
    let stop = Stop { signals: [&interrupt, &NEVER], ..stop(start + Nanos(60_000_000_000)) };
    let mut device = Device { depth: 8, ..Device::default() };
    let pacer = Pacer::new(Pace::Unthrottled, 0, 1, start, 1);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(30));
            interrupt.store(true, Ordering::Relaxed);
        });
        driven_by(&mut device, pacer, start, &stop).1.unwrap();
    });
    assert!(clock::now() - start < Nanos(30_000_000_000));
    assert_eq!((device.held(), device.seen.reaped), (0, device.seen.steps));
}

#[test]
fn counts_before_an_error_stay() {
    let mut device = Device { depth: 1, break_at: 5, ..Device::default() };
    let (tallies, result) = driven(&mut device, Pace::Unthrottled, WINDOW);
    assert_eq!(result, Err(Broken { message: "gone".to_owned() }));
    assert_eq!(tallies[0].totals().steps, 5);
}

#[test]
fn operations_in_flight_at_an_error_are_waited_for() {
    let mut device = Device { depth: 4, break_at: 11, ..Device::default() };
    let (tallies, result) = driven(&mut device, Pace::Unthrottled, WINDOW);
    assert!(result.is_err());
    assert_eq!((device.held(), device.seen.reaped), (0, 11), "its memory is no longer in use");
    assert!(tallies[0].totals().steps <= 11);
}

#[test]
fn a_queue_whose_operations_do_not_end_is_told_so() {
    let mut device = Device { depth: 4, fail_at: 3, ..Device::default() };
    assert!(driven(&mut device, Pace::Unthrottled, WINDOW).1.is_err());
    assert_eq!((device.seen.given_up as usize, device.held()), (4, 4));
    let mut ended = Device { depth: 4, break_at: 11, ..Device::default() };
    assert!(driven(&mut ended, Pace::Unthrottled, WINDOW).1.is_err());
    assert_eq!(ended.seen.given_up, 0);
}

#[test]
fn the_meter_shows_completed_operations() {
    let meter = AtomicU64::new(0);
    let start = clock::now();
    let mut device = Device { depth: 3, steps_max: 40, ..Device::default() };
    let mut pacer = Pacer::new(Pace::Unthrottled, 0, 1, start, 1);
    let mut tallies = [Tally::new(start, 60)];
    drive_queue(&mut device, &mut pacer, &stop(start + Nanos(60_000_000_000)), &mut tallies, Some(&meter)).unwrap();
    assert_eq!(meter.load(Ordering::Relaxed), 40);
}
