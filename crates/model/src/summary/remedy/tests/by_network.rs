//! What is said to be a bound is held against the exact rate of closed networks before and after the change. The figures of
//! a run are those of an ideal observer: utilisations, and shares of the response time with all waiting, but without the
//! parts that are not timed or not counted.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use record::{Dop, Rate, Ratio, Resource as Reduced, Sweep};

use crate::attribution::{
    Attribution, ClosedSystem, Limiter, Resource, ResourceName, TimeClass, TimeClassName, attribution,
};
use crate::claim::ClaimBasis;
use crate::closed_network::{Station, mean_values, rate};
use crate::proof::{Cause, Proof, elasticity};
use crate::summary::remedy::{Gain, Remedy, remedies};

/// What a station is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Processors,
    Log,
    Data,
    Network,
    /// Work of the threads of dbdyno, of which each job has one.
    Client,
    Locks,
    /// Nothing is known of it.
    Other,
}

/// A station of the platform.
#[derive(Clone, Copy, Debug)]
struct Part {
    role: Role,
    station: Station,
    /// Whether its share of the response time is known.
    is_timed: bool,
    /// Whether its utilisation is known.
    is_counted: bool,
}

/// A platform with a closed loop of jobs.
#[derive(Clone, Debug)]
struct Platform {
    parts: Vec<Part>,
    think: f64,
    jobs: usize,
    /// Share of the processors that other programs take.
    foreign: f64,
    /// Whether the processors are proved to be the limit by runs with less of them.
    is_proved: bool,
}

/// The share of the processors that a proof leaves.
const LEFT: f64 = 0.8;

fn queue(role: Role, demand: f64, servers: u32) -> Part {
    Part { role, station: Station { demand, servers: Some(servers) }, is_timed: true, is_counted: true }
}

fn delay(role: Role, demand: f64) -> Part {
    Part { role, station: Station { demand, servers: None }, is_timed: true, is_counted: true }
}

impl Platform {
    fn of(parts: Vec<Part>, jobs: usize) -> Platform {
        Platform { parts, think: 0.0, jobs, foreign: 0.0, is_proved: false }
    }

    /// Other programs leave a share of each processor.
    fn stations(&self) -> Vec<Station> {
        let slowed = |part: &Part| match part.role {
            Role::Processors => Station { demand: part.station.demand / (1.0 - self.foreign), ..part.station },
            _ => part.station,
        };
        self.parts.iter().map(slowed).collect()
    }

    fn rate(&self) -> f64 {
        rate(&self.stations(), self.think, self.jobs)
    }

    fn part(&self, role: Role) -> Option<&Part> {
        self.parts.iter().find(|part| part.role == role)
    }

    /// Processors of the host.
    fn processors(&self) -> Option<u32> {
        self.part(Role::Processors)?.station.servers
    }

    /// The platform with another station in place of each, or none.
    fn with(&self, change: impl Fn(&Part) -> Option<Station>) -> Platform {
        let parts = self.parts.iter().filter_map(|part| Some(Part { station: change(part)?, ..*part })).collect();
        Platform { parts, ..self.clone() }
    }

    /// What a run on it shows.
    fn observed(&self) -> Attribution {
        let found = mean_values(&self.stations(), self.think, self.jobs);
        let response = found.response();
        let processors = self.part(Role::Processors).filter(|part| part.is_counted);
        let own = processors.map(|part| found.rate / part.station.rate_max());
        let resource = |part: &Part| {
            let name = match part.role {
                Role::Log => ResourceName::SyncedWrites,
                Role::Data => ResourceName::RandomReads,
                Role::Network => ResourceName::NetworkSends,
                Role::Client => ResourceName::ClientThreads { engine: "engine".to_owned() },
                Role::Processors | Role::Locks | Role::Other => return None,
            };
            // A thread of dbdyno for each job.
            let capacity = part.station.servers.map_or(self.jobs as f64, f64::from);
            let is_counted = part.is_counted && (part.station.servers.is_some() || part.role == Role::Client);
            is_counted.then_some(Resource { name, capacity, demand_per_operation: part.station.demand })
        };
        let mut classes: Vec<TimeClass> = Vec::new();
        for (part, residence) in self.parts.iter().zip(&found.residence).filter(|(part, _)| part.is_timed) {
            let (name, seconds) = match part.role {
                // Counters of processors have no waiting.
                Role::Processors | Role::Client => (TimeClassName::OnProcessor, part.station.demand),
                Role::Log => (TimeClassName::LogSyncs, *residence),
                Role::Data => (TimeClassName::DataIo, *residence),
                Role::Network => (TimeClassName::RoundTrips, *residence),
                Role::Locks => (TimeClassName::Locks, *residence),
                Role::Other => continue,
            };
            match classes.iter_mut().find(|class| class.name == name) {
                Some(class) => class.share.0 += seconds / response,
                None => classes.push(TimeClass { name, share: Ratio(seconds / response) }),
            }
        }
        attribution(&ClosedSystem {
            rate: found.rate,
            clients: self.jobs as f64,
            demand_seconds: Some(mean_values(&self.stations(), self.think, 1).response()),
            think_seconds: self.think,
            keeps_up: false,
            cpu_used: own.map(|own| Ratio(own + self.foreign)),
            resources: self.parts.iter().filter_map(resource).collect(),
            classes,
            thread_used: None,
            own_work: own.map(|own| Ratio(own / (own + self.foreign))),
            foreign: own.map(|_| Ratio(self.foreign)),
            wake_up: None,
        })
    }

    /// The proof that less of the processors gives.
    fn proof(&self) -> Option<Proof> {
        let slower = self.with(|part| match part.role {
            Role::Processors => Some(Station { demand: part.station.demand / LEFT, ..part.station }),
            _ => Some(part.station),
        });
        let (control, perturbed) = (self.rate(), slower.rate());
        self.is_proved.then(|| Proof {
            test: "T131".to_owned(),
            sweep: Sweep::Jobs,
            dop: Dop::jobs(self.jobs as u32),
            resource: Reduced::Processors,
            share: Ratio(LEFT),
            control: Rate(control),
            perturbed: Rate(perturbed),
            elasticity: elasticity(perturbed / control, LEFT).unwrap(),
            interval: None,
            pairs: 3,
            cause: Cause::InPart,
            limiter: None,
        })
    }

    fn gains(&self) -> Vec<Gain> {
        remedies(&self.observed(), self.proof().as_ref(), self.processors(), true)
    }

    /// The factor of the rate that `remedy` has in truth; `with_unknown`: all that is not timed is of what is mended, too.
    fn truth(&self, remedy: Remedy, limiter: &Limiter, with_unknown: bool) -> f64 {
        let before = self.rate();
        let is_mended =
            |part: &Part, role: Role| (part.role == role && part.is_timed) || (with_unknown && !part.is_timed);
        let halved = |role: Role| {
            let half = |part: &Part| match is_mended(part, role) {
                true => Some(Station { demand: part.station.demand / 2.0, ..part.station }),
                false => Some(part.station),
            };
            self.with(half).rate()
        };
        let after = match remedy {
            Remedy::LogLatency => halved(Role::Log),
            Remedy::DataLatency => halved(Role::Data),
            Remedy::NetworkLatency => halved(Role::Network),
            Remedy::Memory => self.with(|part| (!is_mended(part, Role::Data)).then_some(part.station)).rate(),
            Remedy::Processors(more) => {
                let added = |part: &Part| match part.role {
                    Role::Processors => {
                        Some(Station { servers: part.station.servers.map(|count| count + more), ..part.station })
                    }
                    _ => Some(part.station),
                };
                // Other programs take what they took.
                let count = f64::from(self.processors().unwrap());
                Platform { foreign: self.foreign * count / (count + f64::from(more)), ..self.with(added) }.rate()
            }
            Remedy::NoOtherPrograms => Platform { foreign: 0.0, ..self.clone() }.rate(),
            Remedy::DeviceRate => {
                let role = match limiter {
                    Limiter::Resource(ResourceName::SyncedWrites) => Role::Log,
                    Limiter::Resource(ResourceName::RandomReads) => Role::Data,
                    Limiter::Resource(ResourceName::NetworkSends) => Role::Network,
                    other => panic!("no device in {other:?}"),
                };
                // Log and data are on one device, which becomes as fast again, or serves twice as many at a time.
                let is_of_it = |part: &Part| match role {
                    Role::Network => part.role == Role::Network,
                    _ => matches!(part.role, Role::Log | Role::Data),
                };
                let faster = |part: &Part| match is_of_it(part) {
                    true => Some(Station { demand: part.station.demand / 2.0, ..part.station }),
                    false => Some(part.station),
                };
                let wider = |part: &Part| match is_of_it(part) {
                    true => Some(Station { servers: part.station.servers.map(|count| 2 * count), ..part.station }),
                    false => Some(part.station),
                };
                f64::max(self.with(faster).rate(), self.with(wider).rate())
            }
            // The rate rises with the jobs up to that of the slowest station.
            Remedy::Sessions => self.stations().iter().map(Station::rate_max).fold(f64::INFINITY, f64::min),
        };
        after / before
    }

    /// The first gain that is higher in truth than it is said to be at most.
    fn contradiction(&self) -> Option<String> {
        let found = self.observed();
        for gain in self.gains() {
            // As it is shown.
            let Some(shown) = gain.factor_max.map(|factor| format!("{factor:.1}")) else { continue };
            if gain.factor_estimated.is_some_and(|estimated| Some(estimated) > gain.factor_max) {
                return Some(format!("{gain:?}: the estimate is beyond its bound, {found:?}"));
            }
            let truth = self.truth(gain.remedy, &found.limiter, true);
            if truth > shown.parse::<f64>().unwrap() * (1.0 + 1e-9) {
                return Some(format!("{gain:?}: shown {shown}, {truth:.3} with all that is not known, {found:?}"));
            }
        }
        None
    }

    fn gain(&self, remedy: Remedy) -> Gain {
        let gains = self.gains();
        *gains.iter().find(|gain| gain.remedy == remedy).unwrap_or_else(|| panic!("{gains:?}"))
    }

    /// What is shown of `remedy` at most, and what it gains in truth.
    fn shown_and_true(&self, remedy: Remedy) -> (String, String) {
        let limiter = self.observed().limiter;
        let most = self.gain(remedy).factor_max.unwrap();
        (format!("{most:.1}"), format!("{:.2}", self.truth(remedy, &limiter, true)))
    }
}

/// A job that is alone waits for nobody: half the latency is half of the wait.
#[test]
fn without_a_queue_the_estimate_is_what_is_gained() {
    for (elsewhere, factor) in [(0.25e-3, 1.7), (1e-3, 1.3), (3e-3, 1.1)] {
        let platform = Platform::of(vec![queue(Role::Log, 1e-3, 1), delay(Role::Locks, elsewhere)], 1);
        assert_eq!(platform.gain(Remedy::LogLatency).factor_estimated, Some(factor));
        let truth = platform.truth(Remedy::LogLatency, &platform.observed().limiter, false);
        assert!((truth - factor).abs() <= 0.05, "{truth} of {factor}");
    }
}

/// A log device with a queue gains up to twice the rate: its wait is service and waiting.
#[test]
fn a_log_device_with_a_queue_gains_more_than_half_of_its_wait() {
    let of = |jobs: usize, elsewhere: f64| {
        Platform::of(vec![queue(Role::Log, 1e-3, 1), delay(Role::Locks, elsewhere)], jobs)
    };
    let shown = |(shown, truth): (String, String)| format!("{shown} for {truth}");
    assert_eq!(shown(of(100, 50e-3).shown_and_true(Remedy::LogLatency)), "2.0 for 1.85");
    assert_eq!(shown(of(64, 15.4e-3).shown_and_true(Remedy::LogLatency)), "2.0 for 2.00");
    assert_eq!(shown(of(1, 1e-3).shown_and_true(Remedy::LogLatency)), "2.0 for 1.33");
    assert_eq!(shown(of(1, 4e-3).shown_and_true(Remedy::LogLatency)), "1.3 for 1.11");
}

/// More sessions gain until the fullest station is full, and not only until the corner of the asymptotes.
#[test]
fn more_sessions_gain_until_the_fullest_station_is_full() {
    let of = |stations: usize, jobs: usize| {
        let others = (1..stations).map(|_| queue(Role::Other, 1e-3, 1));
        Platform::of([queue(Role::Processors, 1e-3, 1)].into_iter().chain(others).collect(), jobs)
    };
    for (stations, jobs, expected) in [(4, 2, "2.5 for 2.50"), (4, 3, "2.0 for 2.00"), (8, 5, "2.4 for 2.40")] {
        let (shown, truth) = of(stations, jobs).shown_and_true(Remedy::Sessions);
        assert_eq!(format!("{shown} for {truth}"), expected);
    }
}

/// Each job brings a thread of dbdyno: how busy they are bounds no rate with more jobs.
#[test]
fn threads_of_dbdyno_bound_no_gain_of_more_sessions() {
    let parts = vec![delay(Role::Client, 5e-3), queue(Role::Processors, 1e-3, 1)];
    let (shown, truth) = Platform::of(parts, 2).shown_and_true(Remedy::Sessions);
    assert_eq!((shown.as_str(), truth.as_str()), ("3.1", "3.08"));
}

/// What other programs take does not rise with the rate.
#[test]
fn other_programs_do_not_bound_a_gain_as_if_they_were_of_the_run() {
    let parts = vec![queue(Role::Processors, 1e-3, 1), delay(Role::Locks, 4e-3)];
    let beside = Platform { foreign: 0.4, ..Platform::of(parts, 1) };
    let (shown, truth) = beside.shown_and_true(Remedy::Sessions);
    assert_eq!((shown.as_str(), truth.as_str()), ("3.4", "3.40"));
}

fn part() -> impl Strategy<Value = Part> {
    let role = prop_oneof![
        4 => Just(Role::Processors),
        4 => Just(Role::Log),
        4 => Just(Role::Data),
        2 => Just(Role::Network),
        1 => Just(Role::Client),
        1 => Just(Role::Locks),
        2 => Just(Role::Other),
    ];
    let servers = prop_oneof![4 => (1u32..=8).prop_map(Some), 1 => Just(None)];
    let known = || prop::bool::weighted(0.8);
    (role, -5.0f64..-2.0, servers, known(), known()).prop_map(|(role, exponent, servers, is_timed, is_counted)| {
        let servers = match role {
            Role::Processors => servers.or(Some(16)),
            Role::Client => None,
            _ => servers,
        };
        let is_timed = is_timed && role != Role::Other;
        Part { role, station: Station { demand: 10f64.powf(exponent), servers }, is_timed, is_counted }
    })
}

/// Platforms of one to eight stations. Of each kind there is one; further ones are not known.
fn platform() -> impl Strategy<Value = Platform> {
    let think = prop_oneof![2 => Just(0.0), 1 => (-5.0f64..-1.0).prop_map(|exponent| 10f64.powf(exponent))];
    let foreign = prop_oneof![3 => Just(0.0), 1 => 0.0f64..0.9];
    let jobs = prop_oneof![2 => 1usize..=8, 1 => 9usize..=64];
    (prop::collection::vec(part(), 1..=8), think, jobs, foreign, any::<bool>()).prop_map(
        |(mut parts, think, jobs, foreign, is_proved)| {
            for index in 1..parts.len() {
                let role = parts[index].role;
                if parts[..index].iter().any(|before| before.role == role) {
                    parts[index] = Part { role: Role::Other, is_timed: false, ..parts[index] };
                }
            }
            let has_processors = parts.iter().any(|part| part.role == Role::Processors && part.is_counted);
            let foreign = if has_processors { foreign } else { 0.0 };
            Platform { parts, think, jobs, foreign, is_proved: is_proved && has_processors }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_096))]
    #[test]
    fn no_gain_is_higher_than_it_is_said_to_be_at_most(platform in platform()) {
        prop_assert_eq!(platform.contradiction(), None);
    }
}

/// The platforms of the property have every remedy, so that it is of all of them.
#[test]
fn the_platforms_have_every_remedy() {
    let (mut runner, mut counts) = (TestRunner::deterministic(), BTreeMap::new());
    for _ in 0..400 {
        let platform = platform().new_tree(&mut runner).unwrap().current();
        for gain in platform.gains() {
            *counts.entry(format!("{:?} {:?}", gain.remedy, gain.basis)).or_insert(0) += 1;
        }
    }
    let (bound, measured) = (ClaimBasis::Bound, ClaimBasis::Measured);
    let all = [
        (Remedy::Processors(2), bound),
        (Remedy::Processors(2), measured),
        (Remedy::NoOtherPrograms, bound),
        (Remedy::LogLatency, bound),
        (Remedy::DataLatency, bound),
        (Remedy::NetworkLatency, bound),
        (Remedy::Memory, bound),
        (Remedy::DeviceRate, bound),
        (Remedy::Sessions, bound),
    ];
    for (remedy, basis) in all {
        let count = counts.get(&format!("{remedy:?} {basis:?}")).copied().unwrap_or(0);
        assert!(count >= 5, "{remedy:?} {basis:?}: {count} of {counts:?}");
    }
}
