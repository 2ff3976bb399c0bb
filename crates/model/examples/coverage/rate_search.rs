//! Rate searches on a server with a known limit.

use std::ops::RangeInclusive;

use dbdyno_model::{Ending, RateAnswer, RateSearch, Visit};

use crate::simulated_server::{CAPACITY, QUIET, Server, Surroundings, truth};
use crate::simulation::Simulation;
use crate::{Tables, share};

/// The precision goal of the searches.
const GOAL: f64 = 0.1;

/// An interval that covers the result of a repeat with 95 % covers the limit more often.
const HOLDS: RangeInclusive<f64> = 0.94..=1.0;

/// One search, with independent noise.
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

/// Two searches of the same server: coverage of the limit, and of the result of the other search.
pub(crate) fn twice(tables: &mut Tables) {
    tables.begin("rate search, interval of a repeat: coverage of the limit, and of the other's result");
    let noisy = Surroundings { capacity: 0.05, times: 0.2, ..QUIET };
    let cases = [
        ("no noise", QUIET),
        ("capacity 5 %, times 20 %", noisy),
        ("capacity 10 %, times 40 %", Surroundings { capacity: 0.1, times: 0.4, ..QUIET }),
        ("5 %/20 %, 1 run in 10 in a burst", Surroundings { bursts: 0.1, ..noisy }),
        ("5 %/20 %, 3 runs in 10 with stolen time", Surroundings { stolen: 0.3, ..noisy }),
        ("5 %/20 %, autocorrelated 5 %, rho 0.7", Surroundings { wandering: 0.05, keeps: 0.7, ..noisy }),
        ("5 %/20 %, autocorrelated 5 %, rho 0.95", Surroundings { wandering: 0.05, keeps: 0.95, ..noisy }),
        ("5 %/20 %, decline of 10 % over 100 runs", Surroundings { falls: 0.1, ..noisy }),
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
            "covers the other's result {:.3}, overlap {:.3}, confirmed {:.3}, within the goal {:.3}, half width \
             {:.1} % (median), {} runs",
            share(agreed, all),
            share(overlapped, pairs as usize),
            share(confirmed, all),
            share(narrow, all),
            100.0 * halves.get(halves.len() / 2).copied().unwrap_or(f64::NAN),
            runs / all
        );
        // Correlation longer than a search is invisible to it; for a decline, the limit at the start is compared to the
        // mean.
        let limits = (surroundings.keeps < 0.9 && surroundings.falls == 0.0).then_some(HOLDS);
        tables.line(name, share(held, all), limits, &remark);
    }
}
