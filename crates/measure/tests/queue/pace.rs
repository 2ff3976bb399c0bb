//! Starts of operations of a queue: intended starts, think time, bursts.

use std::sync::atomic::{AtomicBool, Ordering};

use dbdyno_measure::{Burst, Pacer, Stop, clock};
use record::{Nanos, Pace};

use crate::device::{Device, MILLISECOND, NEVER, driven, driven_by, stop};

fn rate(steps_per_second: f64) -> Pace {
    Pace::Rate { steps_per_second }
}

#[test]
fn an_open_loop_starts_each_operation_at_its_intended_start() {
    let mut device = Device { depth: 8, ..Device::default() };
    let (tallies, result) = driven(&mut device, rate(500.0), Nanos(200_000_000));
    result.unwrap();
    assert_eq!(tallies[0].totals().steps, 100);
    let mut log = device.seen.log.clone();
    log.sort_unstable_by_key(|(turn, _)| turn.number);
    let first = log[0].0.due;
    for (turn, ended) in &log {
        assert_eq!((turn.due - first).0, turn.number * 2 * MILLISECOND.0);
        assert!(turn.begun >= turn.due && *ended > turn.begun);
    }
}

#[test]
fn a_late_open_loop_counts_from_the_intended_start() {
    // 5 ms each, one at a time, 1000 per second: five times too much.
    let mut device = Device { latency: Nanos(5_000_000), ..Device::default() };
    let (tallies, result) = driven(&mut device, rate(1_000.0), Nanos(100_000_000));
    result.unwrap();
    assert_eq!(device.seen.in_flight_max, 1);
    assert_eq!(tallies[0].totals().steps, 100, "what was late is drained");
    let (service, response) = (tallies[0].service().latency(), tallies[0].response().latency());
    assert!(service.max_ns < Nanos(100_000_000), "{service:?}");
    // The last one was due after 99 ms and is done after 500 ms.
    assert!(response.max_ns >= Nanos(395_000_000), "{response:?}");
    for (turn, ended) in &device.seen.log {
        assert!(*ended - turn.due >= *ended - turn.begun);
    }
}

#[test]
fn an_operation_in_flight_does_not_delay_the_next_one() {
    // 20 ms each, every 2 ms, ten and more at once: none may wait for a completion before it.
    let mut device = Device { depth: 64, latency: Nanos(20_000_000), ..Device::default() };
    let (tallies, result) = driven(&mut device, rate(500.0), Nanos(200_000_000));
    result.unwrap();
    assert_eq!(tallies[0].totals().steps, 100);
    assert!(device.seen.in_flight_max >= 9, "{}", device.seen.in_flight_max);
    let mut late: Vec<u64> = device.seen.log.iter().map(|(turn, _)| (turn.begun - turn.due).0).collect();
    late.sort_unstable();
    assert!(late[50] < 2 * MILLISECOND.0, "half of them begin within one interval: {late:?}");
}

#[test]
fn poisson_arrivals_are_in_order() {
    let mut device = Device { depth: 32, ..Device::default() };
    let pace = Pace::Poisson { steps_per_second: 1_000.0 };
    let (tallies, result) = driven(&mut device, pace, Nanos(300_000_000));
    result.unwrap();
    let steps = tallies[0].totals().steps;
    // 300 on average, the root of it is 17: six deviations.
    assert!((200..400).contains(&steps), "{steps}");
    let mut log = device.seen.log.clone();
    log.sort_unstable_by_key(|(turn, _)| turn.number);
    assert!(log.windows(2).all(|pair| pair[0].0.due <= pair[1].0.due));
}

#[test]
fn think_time_is_between_the_end_of_one_and_the_start_of_the_next() {
    let mut device = Device { steps_max: 20, ..Device::default() };
    let think = Pace::ThinkTime { think_ns: Nanos(3_000_000) };
    driven(&mut device, think, Nanos(60_000_000_000)).1.unwrap();
    for pair in device.seen.log.windows(2) {
        assert!(pair[1].0.begun - pair[0].1 >= Nanos(3_000_000), "{pair:?}");
    }
}

#[test]
fn operations_only_start_within_bursts() {
    let burst = Burst { cycle: Nanos(50_000_000), length: Nanos(10_000_000) };
    for pace in [Pace::Unthrottled, rate(1_000.0)] {
        let start = clock::now();
        let pacer = Pacer::new(pace, 0, 1, start, 1).in_bursts(start, Some(burst));
        let mut device = Device { depth: 2, ..Device::default() };
        driven_by(&mut device, pacer, start, &stop(start + Nanos(200_000_000))).1.unwrap();
        let mut cycles = [0; 4];
        for (turn, _) in &device.seen.log {
            let at = (turn.due - start).0;
            assert!(at % 50_000_000 < 10_000_000, "{pace:?}: intended start {at} ns after the start");
            cycles[(at / 50_000_000) as usize] += 1;
        }
        assert!(cycles.iter().all(|count| *count > 0), "{pace:?}: {cycles:?}");
        if pace != Pace::Unthrottled {
            assert_eq!(cycles, [10; 4], "the rate is that within a burst");
        }
    }
}

#[test]
fn a_signal_ends_the_wait_for_the_next_operation() {
    let interrupt = AtomicBool::new(false);
    let start = clock::now();
    let stop = Stop { signals: [&interrupt, &NEVER], ..stop(start + Nanos(3_600_000_000_000)) };
    // One at the beginning, and the next in an hour and a half.
    let pacer = Pacer::new(rate(0.0002), 0, 1, start, 1);
    let mut device = Device::default();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            interrupt.store(true, Ordering::Relaxed);
        });
        driven_by(&mut device, pacer, start, &stop).1.unwrap();
    });
    assert!(clock::now() - start < Nanos(5_000_000_000));
    assert_eq!(device.seen.reaped, 1);
}

#[test]
fn late_operations_are_started_until_the_end_of_the_drain() {
    let start = clock::now();
    let stop = Stop { drained: start + Nanos(100_000_000), ..stop(start + Nanos(50_000_000)) };
    let pacer = Pacer::new(rate(10_000.0), 0, 1, start, 1);
    let mut device = Device { latency: Nanos(10_000_000), ..Device::default() };
    driven_by(&mut device, pacer, start, &stop).1.unwrap();
    // 10 ms each, one at a time, for 100 ms.
    assert!((1..=11).contains(&device.seen.steps), "{}", device.seen.steps);
    assert!(device.seen.log.iter().all(|(turn, _)| turn.begun < stop.drained));
}
