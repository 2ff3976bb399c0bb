//! What limits a run: how much of each capacity it uses, and where its response time goes.
//!
//! The layered roofline: for each resource k with the capacity C_k, as a probe of the same record found it, and the
//! demand d_k of an operation, X <= min C_k/d_k, and U_k = X d_k/C_k is used. A use of 0.9 or more is the limit. Where
//! nothing is used so much, too few clients may be at work (N < N* = X_max (D + Z), the asymptotic bounds of Denning
//! and Buzen 1978), or the response time goes into one class of waits; otherwise nothing explains it, and that is said.
//!
//! Two things come before that: one thread of work that is on a processor all the time while others are idle is a limit
//! of its own; and processors that are filled by others do not explain sessions that wait for one another.
//!
//! It tells what stands beside what, and not what causes it: only a change of that resource and its effect on the rate
//! would (see [`crate::proofs`]).

mod classes;
mod measured;

use record::Ratio;

use self::classes::is_of_sessions;
use crate::checks::{percent, plural};
use crate::rules::RULES;

pub use measured::{Capacities, attribute};
pub(crate) use measured::{RANDOM_READS, RANDOM_WRITES, SEQUENTIAL_READS, SEQUENTIAL_WRITES, SYNCED_WRITES};

/// Something of which there is so much per second.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// What it is.
    pub name: String,
    /// How much of it there is per second, above 0.
    pub capacity: f64,
    /// How much of it an operation takes, in the same unit.
    pub demand_per_operation: f64,
}

/// A part of the response time.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeClass {
    /// What is done or waited for.
    pub name: String,
    /// Its share of the response time.
    pub share: Ratio,
}

/// What is known of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClosedSystem {
    /// X: operations per second.
    pub rate: f64,
    /// N: clients, as many as can be at work at a time.
    pub clients: f64,
    /// D: response time of an operation with one client, seconds, where that was measured.
    pub demand_seconds: Option<f64>,
    /// Z: think time, seconds.
    pub think_seconds: f64,
    /// Whether operations come at a rate that was asked for, whatever the answer takes, and all of them were done.
    pub keeps_up: bool,
    /// The share of the processors' capacity that is used, SMT accounted for.
    pub cpu_used: Option<Ratio>,
    /// All else that was measured.
    pub resources: Vec<Resource>,
    /// Where the response time goes, as far as known; what is missing to 1 is not.
    pub classes: Vec<TimeClass>,
    /// How much of the time the work of a single client was on a processor, wherever that was; absent where several
    /// clients work.
    pub thread_used: Option<Ratio>,
    /// What share of the processors' work is the client's and the engine's; the rest is that of others.
    pub own_work: Option<Ratio>,
    /// The share of all processors that other programs used.
    pub foreign: Option<Ratio>,
}

/// What limits a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Limiter {
    /// The processors.
    Processors,
    /// The processors, of which other programs used so much that the run's own share is not the limit.
    OtherPrograms {
        /// The share of all processors that they used.
        used: Ratio,
    },
    /// A resource.
    Resource(String),
    /// One thread of work, while other processors are idle.
    OneThread {
        /// How much of the time it was on a processor.
        used: Ratio,
    },
    /// The rate that was asked for.
    Offered,
    /// Too few clients.
    TooFewClients {
        /// N*: with so many the fullest resource could be full.
        knee: f64,
    },
    /// Operations that wait for the same.
    Serialised(TimeClass),
    /// Nothing that was measured.
    Unexplained,
}

/// How much of something is used.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// What.
    pub name: String,
    /// Of its capacity; above 1 where the probe did not find all of it.
    pub used: Ratio,
}

/// What limits a run, and what speaks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribution {
    /// What does.
    pub limiter: Limiter,
    /// All capacities that are known, the fullest first.
    pub uses: Vec<Use>,
    /// Where the response time goes, the largest first.
    pub classes: Vec<TimeClass>,
    /// What limits it, in words.
    pub gist: String,
    /// The same with all that speaks for it.
    pub sentence: String,
}

/// How the processors are called among the uses.
const PROCESSORS: &str = "processors";

/// How the time of an operation on processors is called among the classes.
const ON_PROCESSOR: &str = "on a processor";

/// What limits `drive`.
pub fn attribution(drive: &ClosedSystem) -> Attribution {
    let cpu = drive.cpu_used.map(|used| Use { name: PROCESSORS.to_owned(), used });
    let others = drive.resources.iter().filter(|resource| resource.capacity > 0.0).map(|resource| Use {
        name: resource.name.clone(),
        used: Ratio(drive.rate * resource.demand_per_operation / resource.capacity),
    });
    let mut uses: Vec<Use> = cpu.into_iter().chain(others).collect();
    uses.sort_by(|one, other| other.used.0.total_cmp(&one.used.0));
    let mut classes = drive.classes.clone();
    classes.sort_by(|one, other| other.share.0.total_cmp(&one.share.0));
    let limiter = limiter(drive, &uses, &classes);
    let gist = gist(drive, &limiter);
    let sentence = sentence(&gist, &uses, &classes);
    Attribution { limiter, uses, classes, gist, sentence }
}

fn limiter(drive: &ClosedSystem, uses: &[Use], classes: &[TimeClass]) -> Limiter {
    let full = |used: Ratio| used.0 >= RULES.attribution_use_min;
    let fullest = uses.first();
    if drive.keeps_up {
        // Whatever else is full: it was enough.
        return Limiter::Offered;
    }
    let waiting = classes.iter().find(|class| class.name != ON_PROCESSOR && is_of_sessions(class));
    if drive.cpu_used.is_some_and(full) && !are_full_of_others(drive, waiting) {
        let own = |foreign: &Ratio| drive.cpu_used.map_or(0.0, |used| used.0) - foreign.0;
        let taken = drive.foreign.filter(|foreign| foreign.0 > 0.0 && own(foreign) < RULES.attribution_use_min);
        return taken.map_or(Limiter::Processors, |used| Limiter::OtherPrograms { used });
    }
    if let Some(found) = uses.iter().find(|found| found.name != PROCESSORS && full(found.used)) {
        return Limiter::Resource(found.name.clone());
    }
    if let Some(used) = drive.thread_used.filter(|used| full(*used)) {
        return Limiter::OneThread { used };
    }
    let knee = fullest.filter(|found| found.used.0 > 0.0).and_then(|found| {
        let rate_max = drive.rate / found.used.0;
        Some(rate_max * (drive.demand_seconds? + drive.think_seconds))
    });
    if let Some(knee) = knee.filter(|knee| drive.clients < *knee) {
        return Limiter::TooFewClients { knee };
    }
    let known: f64 = classes.iter().map(|class| class.share.0).sum();
    // What is not known may be one class, too: it must not be larger than the one that is named. Who works waits for
    // nobody.
    let least = RULES.attribution_class_min.max(1.0 - known);
    let largest = classes.first().filter(|class| class.name != ON_PROCESSOR && class.share.0 >= least);
    largest.map_or(Limiter::Unexplained, |class| Limiter::Serialised(class.clone()))
}

/// Whether processors are full with the work of others, while the run itself mostly waits for something else.
fn are_full_of_others(drive: &ClosedSystem, waiting: Option<&TimeClass>) -> bool {
    drive.own_work.is_some_and(|own| own.0 < RULES.attribution_own_work_min)
        && waiting.is_some_and(|class| class.share.0 >= RULES.attribution_waiting_min)
}

fn gist(drive: &ClosedSystem, limiter: &Limiter) -> String {
    match limiter {
        Limiter::Processors => "limit: the processors".to_owned(),
        Limiter::OtherPrograms { used } => {
            format!("limit: the processors, {} of which other programs used", percent(used.0))
        }
        Limiter::Resource(name) => format!("limit: {name}"),
        Limiter::OneThread { used } => {
            format!("limit: one thread, on a processor for {} of the time", percent(used.0.min(1.0)))
        }
        Limiter::Offered => "limit: the rate that was asked for".to_owned(),
        Limiter::TooFewClients { knee } => {
            let clients = plural(drive.clients.round() as u64, "client");
            format!("limit: its {clients}; what is used most would bear {:.0}", knee.ceil())
        }
        Limiter::Serialised(class) => {
            format!("limit: {}, {} of the response time", class.name, percent(class.share.0))
        }
        Limiter::Unexplained => "limit: unexplained; nothing that was measured is full".to_owned(),
    }
}

fn sentence(gist: &str, uses: &[Use], classes: &[TimeClass]) -> String {
    let used: Vec<String> = uses.iter().map(|one| format!("{} {}", one.name, percent(one.used.0))).collect();
    let spent: Vec<String> = classes.iter().map(|class| format!("{} {}", class.name, percent(class.share.0))).collect();
    let used = if used.is_empty() { String::new() } else { format!("; used: {}", used.join(", ")) };
    let spent = if spent.is_empty() { String::new() } else { format!("; response time: {}", spent.join(", ")) };
    format!("{gist}{used}{spent}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn resource(name: &str, capacity: f64, demand_per_operation: f64) -> Resource {
        Resource { name: name.to_owned(), capacity, demand_per_operation }
    }

    fn drive() -> ClosedSystem {
        ClosedSystem {
            rate: 1_000.0,
            clients: 32.0,
            demand_seconds: Some(0.004),
            cpu_used: Some(Ratio(0.5)),
            resources: vec![resource("device reads", 10_000.0, 6.2), resource("network", 1e9, 8e4)],
            ..ClosedSystem::default()
        }
    }

    #[test]
    fn the_fullest_resource_is_the_limit() {
        let cpu = ClosedSystem { cpu_used: Some(Ratio(0.97)), ..drive() };
        let found = attribution(&cpu);
        assert_eq!(found.limiter, Limiter::Processors);
        assert_eq!(found.sentence, "limit: the processors; used: processors 97 %, device reads 62 %, network 8.0 %");
        let device = ClosedSystem { resources: vec![resource("device reads", 10_000.0, 9.5)], ..drive() };
        let taken = ClosedSystem { foreign: Some(Ratio(0.4)), ..cpu };
        assert_eq!(attribution(&taken).gist, "limit: the processors, 40 % of which other programs used");
        assert_eq!(attribution(&device).limiter, Limiter::Resource("device reads".to_owned()));
    }

    #[test]
    fn too_few_clients_are_told_from_waits_and_from_what_nothing_explains() {
        // X_max = 1000 / 0.62, N* = 6.45.
        let few = attribution(&ClosedSystem { clients: 4.0, ..drive() });
        assert!(matches!(few.limiter, Limiter::TooFewClients { knee } if (knee - 6.4516).abs() < 1e-3));
        assert!(few.sentence.starts_with("limit: its 4 clients; what is used most would bear 7; used: "));
        assert_eq!(attribution(&drive()).limiter, Limiter::Unexplained);
        let class = |name: &str, share| TimeClass { name: name.to_owned(), share: Ratio(share) };
        let waits = |locks| ClosedSystem { classes: vec![class(ON_PROCESSOR, 0.25), class("locks", locks)], ..drive() };
        assert_eq!(attribution(&waits(0.5)).limiter, Limiter::Serialised(class("locks", 0.5)));
        assert_eq!(attribution(&waits(0.35)).limiter, Limiter::Unexplained, "more is unknown than known");
        let works = ClosedSystem { classes: vec![class(ON_PROCESSOR, 0.8), class("locks", 0.15)], ..drive() };
        assert_eq!(attribution(&works).limiter, Limiter::Unexplained, "work is no wait");
        let offered = ClosedSystem { keeps_up: true, cpu_used: Some(Ratio(0.99)), ..waits(0.5) };
        assert_eq!(attribution(&offered).limiter, Limiter::Offered);
    }

    #[test]
    fn nothing_known_is_unexplained() {
        let found = attribution(&ClosedSystem { rate: 1.0, ..ClosedSystem::default() });
        assert_eq!((found.limiter, found.uses.len()), (Limiter::Unexplained, 0));
        assert_eq!(found.sentence, "limit: unexplained; nothing that was measured is full");
    }

    proptest! {
        #[test]
        fn a_limit_is_never_named_below_its_threshold(
            cpu in 0.0f64..1.2,
            capacities in prop::collection::vec((0.1f64..1e6, 0.0f64..1e3), 0..4),
            clients in 0.0f64..1e3,
        ) {
            let resources = capacities.iter().enumerate();
            let resources = resources.map(|(at, (capacity, demand))| resource(&format!("r{at}"), *capacity, *demand));
            let found = attribution(&ClosedSystem {
                cpu_used: Some(Ratio(cpu)), clients, resources: resources.collect(), ..drive()
            });
            prop_assert!(found.uses.is_sorted_by(|one, other| one.used.0 >= other.used.0));
            match found.limiter {
                Limiter::Processors | Limiter::OtherPrograms { .. } => prop_assert!(cpu >= 0.9),
                Limiter::Resource(_) => prop_assert!(found.uses[0].used.0 >= 0.9 && cpu < 0.9),
                _ => prop_assert!(found.uses.iter().all(|one| one.used.0 < 0.9)),
            }
        }
    }
}
