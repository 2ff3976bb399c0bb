//! Overhead of the loop and the clock.

use std::sync::atomic::AtomicBool;

use record::{Nanos, Pace};

use crate::{Broken, Done, Pacer, Stop, Tally, Work, clock, drive};

/// Empty work.
#[derive(Debug, Default)]
pub struct Idle;

impl Work for Idle {
    fn step(&mut self, _number: u64) -> Result<Done, Broken> {
        Ok(Done { operations: 1, rows: 1, ..Done::default() })
    }
}

/// Nanoseconds per clock reading, the best of five series.
pub fn clock_read_ns() -> f64 {
    const READS: u32 = 20_000;
    best_of_five(|| {
        let start = clock::now();
        for _ in 0..READS {
            std::hint::black_box(clock::now());
        }
        (clock::now() - start).0 as f64 / f64::from(READS)
    })
}

/// Nanoseconds per step of the loop around `work`, with pacing, clock and tally: the best of five series of `steps`
/// steps.
///
/// # Errors
/// When `work` breaks.
pub fn step_ns(work: &mut dyn Work, steps: u64) -> Result<f64, Broken> {
    let mut broken = None;
    let best = best_of_five(|| {
        let never = AtomicBool::new(false);
        let start = clock::now();
        let end = Nanos(u64::MAX);
        let stop = Stop { deadline: end, drained: end, steps, signals: [&never, &never] };
        let mut pacer = Pacer::new(Pace::Unthrottled, 0, 1, start, 0);
        let mut tally = Tally::new(start, 60);
        broken = drive(work, &mut pacer, &stop, std::slice::from_mut(&mut tally)).err().or(broken.take());
        tally.window().0 as f64 / steps.max(1) as f64
    });
    broken.map_or(Ok(best), Err)
}

fn best_of_five(mut series: impl FnMut() -> f64) -> f64 {
    (0..5).map(|_| series()).fold(f64::INFINITY, f64::min)
}
