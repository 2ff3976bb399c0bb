//! Histories of a coordinator and its agents, one for each seed, and what holds in all of them.
//!
//! `DBDYNO_SEEDS=FIRST..END cargo test -p dbdyno-fleet --release histories` runs others.

use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use record::{Nanos, Part};
use run::{AgentProgress, FleetWatch};

use crate::Coordinator;
use crate::simulation::{Chance, FORGED, Fault, Faults, History, SECOND};
use crate::tests::{hello, part};

/// How many histories of each kind are tried where no others are asked for.
const SEEDS: u64 = 60;

fn seeds() -> Range<u64> {
    let asked = std::env::var("DBDYNO_SEEDS").ok();
    let range = asked.as_deref().and_then(|text| text.split_once(".."));
    range.map_or(0..SEEDS, |(first, end)| first.parse().unwrap()..end.parse().unwrap())
}

/// What the coordinator does beside its messages.
struct Beside {
    history: Arc<History>,
    /// How long its engine takes to tell its counters, and its observers theirs.
    prepares: u64,
    begins: u64,
    late: Mutex<Vec<Nanos>>,
    paused: Mutex<Vec<Nanos>>,
    lost: Mutex<Vec<String>>,
    /// For how long nothing was heard of an agent, at most, as it was told.
    silent: Mutex<Nanos>,
}

impl Beside {
    fn of(history: &Arc<History>, prepares: u64, begins: u64) -> Beside {
        let (history, late, paused) = (Arc::clone(history), Mutex::default(), Mutex::default());
        Beside { history, prepares, begins, late, paused, lost: Mutex::default(), silent: Mutex::default() }
    }
}

impl FleetWatch for Beside {
    fn prepare(&self) {
        self.history.pass(self.prepares);
    }

    fn begin(&self) {
        self.history.pass(self.begins);
    }

    fn progress(&self, agents: &[AgentProgress<'_>]) {
        let mut silent = self.silent.lock().unwrap();
        *silent = agents.iter().map(|agent| agent.silent).fold(*silent, Nanos::max);
    }

    fn late(&self, by: Nanos) {
        self.late.lock().unwrap().push(by);
    }

    fn paused(&self, by: Nanos) {
        self.paused.lock().unwrap().push(by);
    }

    fn lost(&self, agent: &str, _: u64) {
        self.lost.lock().unwrap().push(agent.to_owned());
    }

    fn is_interrupted(&self) -> bool {
        false
    }
}

/// What became of a history.
struct Outcome {
    /// The error of each run, if it has one.
    errors: Vec<Option<String>>,
    lost: Vec<String>,
    late: Vec<Nanos>,
    paused: Vec<Nanos>,
    /// When the fleet was dismissed, nanoseconds from the beginning.
    dismissed: u64,
    history: Arc<History>,
}

/// So many runs by `count` agents, and their end. Beside its messages the coordinator takes so long to prepare and to begin.
fn lived(seed: u64, (count, runs): (usize, u32), faults: Faults, (prepares, begins): (u64, u64)) -> Outcome {
    let (history, tickets) = History::new(seed, count, faults);
    let (wire, subjects) = history.coordinator();
    let mut coordinator = Coordinator::with(wire, subjects, &tickets);
    let beside = Beside::of(&history, prepares, begins);
    let mut errors = Vec::new();
    if let Err(error) = coordinator.gather(&hello(), Duration::from_secs(30), &|| false, &mut || None) {
        errors.push(Some(error.message));
    }
    for number in 1..=runs {
        let mut one = part(3);
        one.planned.number = number;
        one.plan.window_ns = Nanos(2 * SECOND);
        let parts: Vec<Part> = vec![one; coordinator.agents().len()];
        let within = Nanos(60 * SECOND);
        let results = coordinator
            .carry_out(number, &parts, within, &beside)
            .and_then(|ended| coordinator.results(&ended, &|| false));
        if let Ok(results) = &results {
            assert!(results.iter().all(|(_, _, result)| result.run.number == number), "seed {seed}: another run");
            for (agent, start, _) in results {
                // Work starts at the agreed moment, by a clock that was known this well then, and is now.
                let known = 2 * start.clock_error_ns.0;
                assert!(start.offset_ns.0.unsigned_abs() <= known, "seed {seed}, {agent}: {start:?}");
            }
            assert_eq!(results.len(), parts.len(), "seed {seed}");
        }
        errors.push(results.err().map(|error| error.message));
        coordinator.release();
        let gone = coordinator.forget_lost();
        beside.lost.lock().unwrap().extend(gone);
    }
    let dismissed = history.elapsed();
    coordinator.dismiss();
    history.pass(200 * SECOND);
    assert!(!history.begun().iter().any(|record| record == FORGED), "seed {seed}: what nobody asked for is begun");
    let mut lost = beside.lost.into_inner().unwrap();
    lost.sort();
    lost.dedup();
    let (late, paused) = (beside.late.into_inner().unwrap(), beside.paused.into_inner().unwrap());
    Outcome { errors, lost, late, paused, dismissed, history }
}

/// A network that delivers, in its own way.
fn delivering(chance: &mut Chance) -> Faults {
    let least = chance.between(0, 50_000_000);
    let spread = chance.between(0, 60_000_000);
    let (doubled, forged) = (chance.between(0, 100), chance.between(0, 100));
    Faults { delay: (least, least + spread), doubled, forged, ..Faults::default() }
}

#[test]
fn histories_of_a_network_that_delays_reorders_doubles_and_forges_have_all_runs() {
    for seed in seeds() {
        let mut chance = Chance(seed);
        let count = chance.between(1, 4) as usize;
        let faults = delivering(&mut chance);
        // However slow the engine is, it has told its counters when the start is agreed on.
        let outcome = lived(seed, (count, 2), faults, (chance.between(0, 20 * SECOND), chance.between(0, 50_000_000)));
        assert_eq!(outcome.errors, [None, None], "seed {seed}");
        assert_eq!((outcome.lost, outcome.late, outcome.paused), (vec![], vec![], vec![]), "seed {seed}");
        assert!(outcome.history.ends().iter().all(|end| matches!(end, Some(Ok(())))), "seed {seed}");
    }
}

#[test]
fn histories_in_which_the_coordinator_is_stopped_lose_no_agent() {
    for seed in seeds() {
        let mut chance = Chance(seed);
        let count = chance.between(2, 4) as usize;
        // Agents wait for a minute.
        let stops = Some((chance.between(0, 20 * SECOND), chance.between(SECOND, 40 * SECOND)));
        let faults = Faults { coordinator_stops: stops, ..delivering(&mut chance) };
        let outcome = lived(seed, (count, 2), faults, (0, chance.between(0, 15 * SECOND)));
        // A start that it missed is missed.
        let is_missed = |error: &String| error.contains("agreed start") || error.contains("confirmation");
        assert!(outcome.errors.iter().flatten().all(is_missed), "seed {seed}: {:?}", outcome.errors);
        assert!(outcome.lost.is_empty(), "seed {seed}: {:?}", outcome.lost);
        assert!(outcome.history.ends().iter().all(|end| matches!(end, Some(Ok(())))), "seed {seed}");
    }
}

#[test]
fn a_coordinator_that_was_stopped_while_its_agents_worked_says_for_how_long() {
    let stops = Some((4 * SECOND, 15 * SECOND));
    let outcome = lived(1, (2, 1), Faults { coordinator_stops: stops, ..Faults::default() }, (0, 0));
    assert_eq!((outcome.errors, outcome.lost), (vec![None], vec![]));
    let [paused] = outcome.paused[..] else { panic!("{:?}", outcome.paused) };
    assert!((13 * SECOND..=15 * SECOND).contains(&paused.0), "{paused:?}");
}

#[test]
fn histories_with_one_faulty_agent_lose_at_most_that_one() {
    for seed in seeds() {
        let mut chance = Chance(seed);
        let count = chance.between(2, 4) as usize;
        let (faulty, at) = (chance.between(0, count as u64 - 1) as usize, chance.between(2 * SECOND, 15 * SECOND));
        let fault = match chance.between(0, 2) {
            0 => Fault::Stops { at, for_time: chance.between(SECOND, 40 * SECOND) },
            1 => Fault::Floods { at },
            _ => Fault::SaysNonsense { at },
        };
        let faults = Faults { faulty: Some((faulty, fault)), ..delivering(&mut chance) };
        let outcome = lived(seed, (count, 3), faults, (0, 0));
        let name = format!("a{faulty}");
        assert!(outcome.lost.iter().all(|agent| *agent == name), "seed {seed}: {:?}", outcome.lost);
        // One that says it last of all is not asked any more.
        if fault == (Fault::SaysNonsense { at }) && outcome.dismissed > at + 4 * SECOND {
            assert_eq!(outcome.lost, [name.as_str()], "seed {seed}: {:?}", outcome.errors);
        }
        // It costs the run in flight, and the one after it where it is lost only then; another is carried out by the others.
        assert!(outcome.errors.iter().flatten().count() <= 2, "seed {seed}: {:?}", outcome.errors);
        let others = outcome.history.ends().into_iter().enumerate().filter(|(index, _)| *index != faulty);
        for (index, end) in others {
            assert!(matches!(end, Some(Ok(()))), "seed {seed}, a{index}: {end:?}");
        }
    }
}

#[test]
fn histories_of_a_network_that_loses_messages_end_and_lose_nobody_without_a_word() {
    for seed in seeds() {
        let mut chance = Chance(seed);
        let count = chance.between(1, 3) as usize;
        let faults = Faults { lost: chance.between(1, 50), ..delivering(&mut chance) };
        let outcome = lived(seed, (count, 2), faults, (0, 0));
        // Everything is asked for again. What is lost again and again costs an agent, which is named.
        let is_told = |agent: &String| outcome.errors.iter().flatten().any(|error| error.contains(agent.as_str()));
        assert!(outcome.lost.iter().all(is_told), "seed {seed}: {:?}, {:?}", outcome.lost, outcome.errors);
        assert!(outcome.errors.iter().flatten().count() <= 1 + outcome.lost.len(), "seed {seed}: {:?}", outcome.errors);
    }
}

#[test]
fn an_agent_that_ends_long_before_the_others_is_not_lost() {
    let (history, tickets) = History::new(1, 2, Faults::default());
    let (wire, subjects) = history.coordinator();
    let mut coordinator = Coordinator::with(wire, subjects, &tickets);
    coordinator.gather(&hello(), Duration::from_secs(30), &|| false, &mut || None).unwrap();
    let lasting = |seconds: u64| {
        let mut one = part(1);
        one.plan.window_ns = Nanos(seconds * SECOND);
        one
    };
    let beside = Beside::of(&history, 0, 0);
    let ended = coordinator.carry_out(1, &[lasting(1), lasting(60)], Nanos(60 * SECOND), &beside).unwrap();
    assert_eq!(coordinator.results(&ended, &|| false).unwrap().len(), 2);
    assert!(coordinator.lost().is_empty() && beside.lost.lock().unwrap().is_empty());
    let silent = *beside.silent.lock().unwrap();
    assert!(silent < Nanos(3 * SECOND), "it is told of one that has nothing to say: {silent:?}");
    coordinator.dismiss();
    history.pass(SECOND);
    assert!(history.ends().iter().all(|end| matches!(end, Some(Ok(())))));
}

/// Three hundred agents, a tenth of a second away.
#[test]
fn three_hundred_agents_far_away_all_stay() {
    let faults = Faults { delay: (50_000_000, 50_000_000), ..Faults::default() };
    let (history, tickets) = History::new(1, 300, faults);
    let (wire, subjects) = history.coordinator();
    let mut coordinator = Coordinator::with(wire, subjects, &tickets);
    coordinator.gather(&hello(), Duration::from_secs(30), &|| false, &mut || None).unwrap();
    let before = history.elapsed();
    let started = coordinator.start_together(1, Nanos(60 * SECOND), &|| false).unwrap();
    assert_eq!(started.len(), 300);
    assert!(history.elapsed() - before < 30 * SECOND, "{} s", (history.elapsed() - before) / SECOND);
    assert!(started.iter().all(|started| started.clock.error < Nanos(51_000_000)));
    coordinator.dismiss();
    history.pass(SECOND);
    assert!(history.ends().iter().all(|end| matches!(end, Some(Ok(())))));
}
