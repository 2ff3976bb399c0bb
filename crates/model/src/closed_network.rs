//! Exact mean values of closed queueing networks, which bounds are held against.
//!
//! One class of jobs; stations with exponential service, each with one server, several, or one for each job (Baskett,
//! Chandy, Muntz and Palacios 1975). The values are those of mean value analysis with load-dependent stations (Reiser and
//! Lavenberg 1980). They are computed from normalisation constants (Buzen 1973), which only add positive terms: the
//! recursion itself loses all digits of the probability of an idle station where many jobs queue. The tests hold both
//! against each other where the recursion is exact.

/// A station.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Station {
    /// Seconds of service that an operation takes of it, over all visits.
    pub(crate) demand: f64,
    /// Servers; absent where each job has one of its own.
    pub(crate) servers: Option<u32>,
}

/// What an observer of a network sees in equilibrium.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MeanValues {
    /// Operations per second.
    pub(crate) rate: f64,
    /// Seconds that an operation spends at each station, waiting included.
    pub(crate) residence: Vec<f64>,
}

impl MeanValues {
    /// Seconds of an operation without its think time.
    pub(crate) fn response(&self) -> f64 {
        self.residence.iter().sum()
    }
}

impl Station {
    /// Jobs that are served at a time where `jobs` are there.
    fn served(&self, jobs: usize) -> f64 {
        let jobs = jobs as f64;
        self.servers.map_or(jobs, |servers| jobs.min(f64::from(servers)))
    }

    /// Operations per second that it allows at most.
    pub(crate) fn rate_max(&self) -> f64 {
        self.servers.map_or(f64::INFINITY, |servers| f64::from(servers) / self.demand)
    }

    /// The weights of 0 to `jobs` jobs at the station, times in units of `unit` seconds.
    fn weights(&self, jobs: usize, unit: f64) -> Vec<f64> {
        let mut weights = vec![1.0];
        for count in 1..=jobs {
            weights.push(weights[count - 1] * self.demand / unit / self.served(count));
        }
        weights
    }
}

/// The weights of 0 to n jobs at two groups of stations together.
fn together(one: &[f64], other: &[f64]) -> Vec<f64> {
    let weight = |jobs: usize| (0..=jobs).map(|there| one[there] * other[jobs - there]).sum();
    (0..one.len()).map(weight).collect()
}

/// The unit of times in which the weights of some hundred jobs are numbers: what the slowest station takes of an operation, or
/// else all delays together.
fn unit(stations: &[Station], think: f64) -> f64 {
    let slowest = stations.iter().map(|station| 1.0 / station.rate_max()).fold(0.0, f64::max);
    let delays = || think + stations.iter().map(|station| station.demand).sum::<f64>();
    if slowest > 0.0 { slowest } else { delays() }
}

/// The mean values of `jobs` jobs, at least 1, that think for `think` seconds between two operations. A network without
/// any time has an infinite rate.
pub(crate) fn mean_values(stations: &[Station], think: f64, jobs: usize) -> MeanValues {
    let unit = unit(stations, think);
    if unit == 0.0 {
        return MeanValues { rate: f64::INFINITY, residence: vec![0.0; stations.len()] };
    }
    let thinking = Station { demand: think, servers: None };
    let weights: Vec<Vec<f64>> = stations.iter().map(|station| station.weights(jobs, unit)).collect();
    // All stations before each one, thinking included, and all after it.
    let mut before = vec![thinking.weights(jobs, unit)];
    for of_station in &weights {
        before.push(together(&before[before.len() - 1], of_station));
    }
    let nothing: Vec<f64> = (0..=jobs).map(|count| if count == 0 { 1.0 } else { 0.0 }).collect();
    let mut after = vec![nothing; weights.len() + 1];
    for index in (0..weights.len()).rev() {
        after[index] = together(&after[index + 1], &weights[index]);
    }
    let all = &before[weights.len()];
    let rate = all[jobs - 1] / all[jobs] / unit;
    let residence = weights.iter().enumerate().map(|(index, of_station)| {
        let others = together(&before[index], &after[index + 1]);
        let mean: f64 = (1..=jobs).map(|count| count as f64 * of_station[count] * others[jobs - count]).sum();
        mean / all[jobs] / rate
    });
    MeanValues { rate, residence: residence.collect() }
}

/// The rate of `jobs` jobs alone.
pub(crate) fn rate(stations: &[Station], think: f64, jobs: usize) -> f64 {
    let unit = unit(stations, think);
    if unit == 0.0 {
        return f64::INFINITY;
    }
    let thinking = Station { demand: think, servers: None };
    let all = stations
        .iter()
        .map(|station| station.weights(jobs, unit))
        .fold(thinking.weights(jobs, unit), |all, of_station| together(&all, &of_station));
    all[jobs - 1] / all[jobs] / unit
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn close(one: f64, other: f64, error: f64) -> bool {
        (one - other).abs() <= error * other.abs()
    }

    fn queue(demand: f64, servers: u32) -> Station {
        Station { demand, servers: Some(servers) }
    }

    /// The recursion of mean value analysis with the probabilities of 0 to n jobs at each station.
    fn recursion(stations: &[Station], think: f64, jobs: usize) -> MeanValues {
        let mut probabilities: Vec<Vec<f64>> = stations.iter().map(|_| vec![1.0]).collect();
        let mut found = MeanValues { rate: 0.0, residence: Vec::new() };
        for count in 1..=jobs {
            let residence = stations.iter().zip(&probabilities).map(|(station, before)| {
                let there = |at: usize| at as f64 / station.served(at) * before[at - 1];
                station.demand * (1..=count).map(there).sum::<f64>()
            });
            let residence: Vec<f64> = residence.collect();
            let rate = count as f64 / (think + residence.iter().sum::<f64>());
            for (station, of_station) in stations.iter().zip(&mut probabilities) {
                let busy = |at: usize| station.demand * rate / station.served(at) * of_station[at - 1];
                let busy: Vec<f64> = (1..=count).map(busy).collect();
                *of_station = std::iter::once(1.0 - busy.iter().sum::<f64>()).chain(busy).collect();
            }
            found = MeanValues { rate, residence };
        }
        found
    }

    #[test]
    fn a_balanced_network_has_its_published_rate() {
        // X(N) = N / ((N + K - 1) D), Zahorjan, Sevcik, Eager and Galler 1982.
        for stations in 1..=8 {
            for jobs in [1, 2, 3, 5, 17, 64, 200] {
                let network = vec![queue(2e-3, 1); stations];
                let expected = jobs as f64 / ((jobs + stations - 1) as f64 * 2e-3);
                let found = mean_values(&network, 0.0, jobs);
                assert!(close(found.rate, expected, 1e-12), "{stations} stations, {jobs} jobs: {found:?}");
                assert!(close(found.residence[0], jobs as f64 / expected / stations as f64, 1e-12));
                assert_eq!(rate(&network, 0.0, jobs), found.rate);
            }
        }
    }

    #[test]
    fn machines_and_repairmen_have_their_published_rate() {
        // M/M/c//N: p(n) is in proportion to N!/(N-n)! r^n over n! up to c and over c! c^(n-c) beyond.
        for (jobs, servers, demand, think) in [(5u32, 1u32, 1.0, 4.0), (10, 2, 1.0, 3.0), (20, 4, 2.0, 1.0)] {
            let mut weights = vec![1.0];
            for count in 1..=jobs {
                let before = weights[count as usize - 1];
                let arrivals = f64::from(jobs - count + 1) / think;
                weights.push(before * arrivals * demand / f64::from(count.min(servers)));
            }
            let sum: f64 = weights.iter().sum();
            let there: f64 = weights.iter().enumerate().map(|(count, weight)| count as f64 * weight).sum();
            let expected = (f64::from(jobs) - there / sum) / think;
            let found = mean_values(&[queue(demand, servers)], think, jobs as usize);
            assert!(close(found.rate, expected, 1e-12), "{jobs} {servers}: {} for {expected}", found.rate);
        }
    }

    #[test]
    fn many_thinking_jobs_are_an_open_queue() {
        // M/M/1 at 0.5: R = D/(1 - U) = 2; M/M/2 at 0.5: R = D/(1 - U^2) = 4/3.
        let jobs = 300;
        for (servers, arrivals, expected) in [(1, 0.5, 2.0), (2, 1.0, 4.0 / 3.0)] {
            let found = mean_values(&[queue(1.0, servers)], jobs as f64 / arrivals, jobs);
            assert!(close(found.response(), expected, 0.02), "{servers}: {found:?}");
            assert!(close(found.rate, arrivals, 0.02));
        }
    }

    #[test]
    fn the_rate_of_many_jobs_is_that_of_the_slowest_station() {
        let network = [queue(4e-3, 1), queue(10e-3, 3), Station { demand: 1.0, servers: None }];
        let found = rate(&network, 0.1, 400);
        assert!(close(found, 250.0, 1e-6), "{found}");
        let slowest = network.iter().map(Station::rate_max).fold(f64::INFINITY, f64::min);
        assert_eq!(slowest, 250.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_recursion_of_mean_value_analysis_gives_the_same(
            stations in prop::collection::vec((1e-4f64..1.0, prop::option::of(1u32..5)), 1..6),
            think in 0.0f64..2.0,
            jobs in 1usize..9,
        ) {
            let stations: Vec<Station> =
                stations.into_iter().map(|(demand, servers)| Station { demand, servers }).collect();
            let (found, expected) = (mean_values(&stations, think, jobs), recursion(&stations, think, jobs));
            prop_assert!(close(found.rate, expected.rate, 1e-6), "{found:?} {expected:?}");
            prop_assert!(close(found.response(), expected.response(), 1e-6), "{found:?} {expected:?}");
            // Little's law over the whole network.
            prop_assert!(close(found.rate * (found.response() + think), jobs as f64, 1e-9));
        }
    }
}
