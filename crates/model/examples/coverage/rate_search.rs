//! Rate searches on a server with a known limit.

use std::ops::RangeInclusive;

use dbdyno_model::{Ending, LevelLimit, RateAnswer, RateSearch, Visit, mean};

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
    let mut met = Vec::new();
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
            if surroundings.keeps == 0.0 && surroundings.falls == 0.0 && surroundings.capacity > 0.0 {
                met.push((name, [one, other].map(|found| met_at(found, surroundings, pair))));
            }
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
    what_the_answer_is(tables, &met);
}

/// Share of further runs of the server without steal that meet the level at the rate that a search found, and at the lower
/// end of its interval.
fn met_at(found: LevelLimit, surroundings: Surroundings, seed: u64) -> [f64; 2] {
    let runs = 50;
    [found.estimate, found.low.rate].map(|rate| {
        let mut simulation = Simulation::new(77_000_000 + seed);
        let mut server = Server::new(&mut simulation, Surroundings { stolen: 0.0, ..surroundings });
        share((0..runs).filter(|_| server.run(rate).0).count(), runs)
    })
}

/// The rate that a search finds is that which half of the runs meet, not one that all of them do.
fn what_the_answer_is(tables: &mut Tables, met: &[(&str, [[f64; 2]; 2])]) {
    tables.begin("rate search: ratio of further runs that meet the level at the rate that was found");
    for same in met.chunk_by(|one, other| one.0 == other.0) {
        let searches: Vec<[f64; 2]> = same.iter().flat_map(|(_, both)| *both).collect();
        let mean_of = |end: usize| mean(&searches.iter().map(|met| met[end]).collect::<Vec<f64>>()).unwrap_or_default();
        let most = searches.iter().filter(|met| met[1] >= 0.9).count();
        let remark = format!(
            "at the lower end of the interval {:.3}, 0.9 and more there after {:.3} of the searches",
            mean_of(1),
            share(most, searches.len())
        );
        tables.line(same[0].0, mean_of(0), Some(0.4..=0.6), &remark);
    }
}
