//! The degree of parallelism with the most throughput for its latency.

use record::{Ratio, Run, Sweep, Unit};

use crate::delta::rate_in;

/// The run of a sweep over jobs with the highest ratio of throughput to mean service time, the power of a queueing system (Kleinrock 1979),
/// with its share of the highest throughput. `valid` are runs of one test, one for each degree; the first one of equal ones is taken.
/// None unless jobs were varied.
pub(crate) fn optimum<'a>(valid: &[&'a Run], unit: Unit) -> Option<(&'a Run, Ratio)> {
    let is_swept = valid.iter().any(|run| run.dop.jobs != valid[0].dop.jobs);
    if !is_swept || valid.iter().any(|run| run.sweep != Sweep::Jobs) {
        return None;
    }
    let rate = |run: &Run| rate_in(run, unit).map_or(0.0, |rate| rate.0);
    let power = |run: &Run| match run.service.mean_ns.0 {
        0 => 0.0,
        mean_ns => rate(run) / mean_ns as f64,
    };
    let best = valid.iter().copied().reduce(|best, run| if power(run) > power(best) { run } else { best })?;
    let most = valid.iter().map(|run| rate(run)).fold(0.0, f64::max);
    (power(best) > 0.0).then(|| (best, Ratio(rate(best) / most)))
}

#[cfg(test)]
mod tests {
    use record::{Latency, Nanos};

    use super::*;
    use crate::fixture::{faster, run};

    /// `1_000 * times` operations a second at `jobs` jobs, with a mean service time of `micros`.
    fn at(jobs: u32, times: u64, micros: u64) -> Run {
        let run = faster(run("T611", jobs), times);
        Run { service: Latency { count: 9, mean_ns: Nanos(micros * 1_000), ..Latency::default() }, ..run }
    }

    fn of(runs: &[Run]) -> Option<(u32, f64)> {
        let runs: Vec<&Run> = runs.iter().collect();
        optimum(&runs, Unit::Statement).map(|(run, share)| (run.dop.jobs, share.0))
    }

    #[test]
    fn the_most_throughput_for_its_latency_is_before_the_most_throughput() {
        // Rates over times, by hand: 1/100, 2/110, 4/150, 5/400, of a thousand and a microsecond.
        let rates = |jobs: u64| if jobs == 8 { 5 } else { jobs };
        let runs = [(1, 100), (2, 110), (4, 150), (8, 400)];
        let runs = runs.map(|(jobs, micros)| {
            let mut run = at(jobs as u32, 1, micros);
            run.totals.operations = run.totals.operations / jobs * rates(jobs);
            run
        });
        assert_eq!(of(&runs), Some((4, 0.8)));
    }

    #[test]
    fn without_a_sweep_or_a_time_there_is_none() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[at(4, 1, 100)]), None);
        assert_eq!(of(&[at(1, 1, 0), at(2, 1, 0)]), None);
        let threads = [at(1, 1, 100), at(2, 1, 100)].map(|run| Run { sweep: Sweep::Threads, ..run });
        assert_eq!(of(&threads), None);
    }

    #[test]
    fn of_equal_ones_the_first_is_taken_and_the_best_may_be_the_optimum() {
        assert_eq!(
            of(&[at(1, 1, 100), at(2, 1, 200)]),
            Some((1, 0.5)),
            "a rate of 2 in 200 µs is no more than 1 in 100"
        );
        assert_eq!(of(&[at(1, 1, 100), at(2, 1, 190)]), Some((2, 1.0)));
    }
}
