//! Searches for a rate on a server whose limit is known.

use std::ops::RangeInclusive;

use dbdyno_model::{Ending, RateAnswer, RateSearch, Visit};

use crate::simulated_server::{CAPACITY, QUIET, Server, Surroundings, truth};
use crate::simulation::Simulation;
use crate::{Tables, share};

/// How near to the limit the searches are to come.
const GOAL: f64 = 0.1;

/// An interval that holds the answer of a repeat 95 times of 100 holds the limit more often.
const HOLDS: RangeInclusive<f64> = 0.94..=1.0;

/// One search, each with noise of its own.
fn search(seed: u64, surroundings: Surroundings) -> (RateAnswer, usize) {
    let mut simulation = Simulation::new(seed);
    let mut server = Server::new(&mut simulation, surroundings);
    let mut search = RateSearch::new(CAPACITY, GOAL, seed);
    while let Some((rate, _)) = search.next() {
        let (kept, is_disturbed) = server.run(rate);
        search.record(Visit { rate, kept: Some(kept), is_disturbed });
    }
    (search.answer(), search.visits().len())
}

/// Two searches of the same server: whether the interval of each holds the limit, and the answer of the other.
pub(crate) fn twice(tables: &mut Tables) {
    tables.begin(
        "search for a rate, interval of a repeat: share of searches that hold the limit, and the other's answer",
    );
    let noisy = Surroundings { capacity: 0.05, times: 0.2, ..QUIET };
    let cases = [
        ("nothing varies", QUIET),
        ("capacity 5 %, times 20 %", noisy),
        ("capacity 10 %, times 40 %", Surroundings { capacity: 0.1, times: 0.4, ..QUIET }),
        ("the first, and 1 run in 10 in a burst", Surroundings { bursts: 0.1, ..noisy }),
        ("the first, and 3 runs in 10 stolen", Surroundings { stolen: 0.3, ..noisy }),
        ("the first, wandering by 5 %, keeping 0.7", Surroundings { wandering: 0.05, keeps: 0.7, ..noisy }),
        ("the first, wandering by 5 %, keeping 0.95", Surroundings { wandering: 0.05, keeps: 0.95, ..noisy }),
        ("the first, falling by 10 % over 100 runs", Surroundings { falls: 0.1, ..noisy }),
        ("capacity 20 %, times 60 %", Surroundings { capacity: 0.2, times: 0.6, ..QUIET }),
    ];
    for (at, (name, surroundings)) in cases.into_iter().enumerate() {
        let truth = truth(surroundings);
        let pairs = 200;
        let (mut held, mut agreed, mut overlapped, mut confirmed, mut narrow) = (0, 0, 0, 0, 0);
        let (mut runs, mut halves) = (0, Vec::new());
        for pair in 0..pairs {
            let of = |which: u64| search(1_000_000 * (at as u64 + 1) + 2 * pair + which, surroundings);
            let (one, other) = (of(0), of(1));
            runs += one.1 + other.1;
            confirmed += [&one, &other].iter().filter(|(answer, _)| answer.ending == Some(Ending::Confirmed)).count();
            let (Some(one), Some(other)) = (one.0.limit, other.0.limit) else { continue };
            overlapped += usize::from(one.low.rate <= other.high.rate && other.low.rate <= one.high.rate);
            for (own, others) in [(one, other), (other, one)] {
                let holds = |rate: f64| own.low.rate <= rate && rate <= own.high.rate;
                held += usize::from(holds(truth));
                agreed += usize::from(holds(others.estimate));
                narrow += usize::from(own.is_within(GOAL));
                halves.push(own.half());
            }
        }
        halves.sort_by(f64::total_cmp);
        let all = 2 * pairs as usize;
        let remark = format!(
            "holds the other's answer {:.3}, they overlap {:.3}, confirmed {:.3}, within the goal {:.3}, half width \
             {:.1} % (median), {} runs",
            share(agreed, all),
            share(overlapped, pairs as usize),
            share(confirmed, all),
            share(narrow, all),
            100.0 * halves.get(halves.len() / 2).copied().unwrap_or(f64::NAN),
            runs / all
        );
        // What wanders for as long as a search lasts, no search can know; of what falls, the limit at the beginning is held
        // against the mean.
        let limits = (surroundings.keeps < 0.9 && surroundings.falls == 0.0).then_some(HOLDS);
        tables.line(name, share(held, all), limits, &remark);
    }
}
