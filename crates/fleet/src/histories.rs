//! Histories of a coordinator and its agents, one for each seed, and what holds in all of them.
//!
//! `DBDYNO_SEEDS=FIRST..END cargo test -p dbdyno-fleet histories` tries these seeds of every kind.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use record::{AgentStart, Nanos, Part, PartResult};
use run::{AgentProgress, FleetWatch, NotKept};

use crate::Coordinator;
use crate::attempt::GIVE_UP_MAX;
use crate::inbox::MESSAGES_MAX;
use crate::parts::KEEP_MAX;
use crate::seeds::each_seed;
use crate::simulation::{Chance, FORGED, Fault, Faults, History, SECOND, Worked};
use crate::tests::{hello, part};

/// No run takes longer, from its beginning to its results or its error, but for what the coordinator does beside its messages:
/// a minute for all to be ready, the lead, the window, and the times after which someone counts as lost.
const RUN_MAX: u64 = 120 * SECOND;

/// How long the jobs of a run work.
const WINDOW: u64 = 2 * SECOND;

/// How long after the end of a process, at the latest, its agent is known as lost: that of a run that is under way is silent
/// for ten seconds, any other is asked before the next run, for five.
const KNOWN_AFTER: u64 = 12 * SECOND;

/// What a coordinator lives through.
#[derive(Default)]
struct Life {
    agents: usize,
    runs: u32,
    faults: Faults,
    /// How long its engine takes to tell its counters, its observers theirs, and what it does between two runs.
    prepares: u64,
    begins: u64,
    rests: u64,
}

/// What the coordinator does beside its messages.
struct Beside {
    history: Arc<History>,
    prepares: u64,
    begins: u64,
    /// When it is prepared, once that has begun.
    prepared: Mutex<Option<u64>>,
    /// When the user interrupts it.
    interrupts: Option<u64>,
    late: Mutex<Vec<Nanos>>,
    paused: Mutex<Vec<Nanos>>,
    lost: Mutex<Vec<String>>,
    /// Those whose results are not kept, as they were told together.
    not_kept: Mutex<Vec<Vec<String>>>,
    /// For how long nothing was heard of an agent, at most, as it was told.
    silent: Mutex<Nanos>,
}

impl Beside {
    fn of(history: &Arc<History>, prepares: u64, begins: u64) -> Beside {
        let (history, late, paused) = (Arc::clone(history), Mutex::default(), Mutex::default());
        let (lost, not_kept, silent) = (Mutex::default(), Mutex::default(), Mutex::default());
        let (prepared, interrupts) = (Mutex::default(), None);
        Beside { history, prepares, begins, prepared, interrupts, late, paused, lost, not_kept, silent }
    }
}

impl FleetWatch for Beside {
    fn prepare(&self) -> bool {
        let now = self.history.elapsed();
        let mut prepared = self.prepared.lock().unwrap();
        let at = *prepared.get_or_insert(now + self.prepares);
        // Another run is prepared anew.
        prepared.take_if(|_| at <= now).is_some()
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

    fn not_kept(&self, agents: &[NotKept]) {
        let names = agents.iter().map(|one| one.agent.clone());
        self.not_kept.lock().unwrap().push(names.collect());
    }

    fn is_interrupted(&self) -> bool {
        self.interrupts.is_some_and(|at| self.history.elapsed() >= at)
    }
}

/// What became of a history.
struct Outcome {
    /// The error of each run, if it has one.
    errors: Vec<Option<String>>,
    lost: Vec<String>,
    late: Vec<Nanos>,
    /// When the last run had begun, and when the fleet was dismissed; nanoseconds from the beginning.
    last_run: u64,
    paused: Vec<Nanos>,
    not_kept: Vec<Vec<String>>,
    dismissed: u64,
    history: Arc<History>,
}

impl Outcome {
    /// How many runs have failed.
    fn failed(&self) -> usize {
        self.errors.iter().flatten().count()
    }

    /// Each loss is in the error of a run, with its name.
    fn assert_all_losses_are_told(&self) {
        let is_told = |agent: &String| self.errors.iter().flatten().any(|error| error.contains(agent.as_str()));
        assert!(self.lost.iter().all(is_told), "{:?}, {:?}", self.lost, self.errors);
    }

    /// None but the agent at `faulty` is lost, and that one where it must be; it costs the run in flight, and the one after it where
    /// it is lost only then; another is carried out by the others, who leave in order.
    fn assert_costs_one(&self, faulty: usize, must_be_lost: bool) {
        let name = format!("a{faulty}");
        let is_right = self.lost == [name.as_str()] || self.lost.is_empty() && !must_be_lost;
        assert!(is_right && self.failed() <= 2, "{name}: {:?}, {:?}", self.lost, self.errors);
        self.assert_all_losses_are_told();
        self.assert_all_leave(Some(faulty));
    }

    /// All agents have left in order, but for the one at `faulty`.
    fn assert_all_leave(&self, faulty: Option<usize>) {
        let others = self.history.ends().into_iter().enumerate().filter(|(index, _)| Some(*index) != faulty);
        others.for_each(|(index, end)| assert!(matches!(end, Some(Ok(()))), "a{index}: {end:?}"));
    }
}

/// The results of a run are those of its work, of each of the agents that take part, and are kept unless that was told.
fn check(number: u32, results: &[(String, AgentStart, PartResult)], beside: &Beside) {
    let (begun, not_kept) = (beside.history.begun(), beside.not_kept.lock().unwrap().concat());
    for (agent, start, result) in results {
        assert_eq!(result.run.number, number, "{agent} gives another run");
        let worked: &Worked = &begun[result.host_threads as usize - 1];
        assert_eq!((format!("a{}", worked.index), worked.run), (agent.clone(), number), "another work");
        let is_kept = beside.history.is_kept(worked.index, number);
        assert!(is_kept || not_kept.contains(agent), "{agent} says of what is not kept yet that it is");
        // Work starts at the agreed moment, by a clock that was known this well then, and is now.
        let known = 2 * start.clock_error_ns.0;
        assert!(start.offset_ns.0.unsigned_abs() <= known, "{agent}: {start:?}");
    }
}

/// Lives it, up to the end of all agents. What is asserted here holds in every history.
fn lived(seed: u64, life: Life) -> Outcome {
    let stopped = life.faults.coordinator_stops.map_or(0, |(_, for_time)| for_time);
    let ends = life.faults.keeps.min(KEEP_MAX.0) + life.faults.gives_up.min(GIVE_UP_MAX.0);
    let run_max = RUN_MAX + life.prepares + life.begins + stopped + ends;
    let (history, tickets) = History::new(seed, life.agents, life.faults.clone());
    let (wire, subjects) = history.coordinator();
    let mut coordinator = Coordinator::with(wire, subjects, &tickets);
    let beside = Beside::of(&history, life.prepares, life.begins);
    let (mut errors, mut last_run) = (Vec::new(), 0);
    if let Err(error) = coordinator.gather(&hello(), Duration::from_secs(30), &|| false, &mut || None) {
        errors.push(Some(error.message));
    }
    for number in 1..=life.runs {
        let mut one = part(3);
        (one.planned.number, one.plan.window_ns) = (number, Nanos(WINDOW));
        let parts: Vec<Part> = vec![one; coordinator.agents().len()];
        last_run = history.elapsed();
        let ended = coordinator.carry_out(number, &parts, Nanos(60 * SECOND), &beside);
        let results = ended.and_then(|ended| coordinator.results(&ended, &|| false));
        let took = history.elapsed() - last_run;
        assert!(took <= run_max, "run {number} took {} s: {results:?}", took / SECOND);
        if let Ok(results) = &results {
            check(number, results, &beside);
            assert_eq!(results.len(), parts.len());
        }
        errors.push(results.err().map(|error| error.message));
        coordinator.release();
        beside.lost.lock().unwrap().extend(coordinator.forget_lost());
        history.pass(life.rests);
    }
    let dismissed = history.elapsed();
    coordinator.dismiss();
    let took = history.elapsed() - dismissed;
    assert!(took < 3 * SECOND + stopped, "it waits {} s for agents that do not leave", took / SECOND);
    // A process that begins again waits for a welcome as long as another host may take for the program.
    let begins_again = matches!(life.faults.faulty, Some((_, Fault::Ends { another_after: Some(_), .. })));
    history.pass(if begins_again { 400 * SECOND } else { 200 * SECOND });
    assert!(!history.begun().iter().any(|worked| worked.record == FORGED), "what nobody asked for is begun");
    assert!(history.most_that_waited() <= MESSAGES_MAX, "{} messages waited", history.most_that_waited());
    let mut lost = beside.lost.into_inner().unwrap();
    lost.sort();
    lost.dedup();
    let (late, paused) = (beside.late.into_inner().unwrap(), beside.paused.into_inner().unwrap());
    let not_kept = beside.not_kept.into_inner().unwrap();
    Outcome { errors, lost, late, paused, not_kept, last_run, dismissed, history }
}

/// A network that delivers, in its own way: from the next rack to the other side of the earth.
fn delivering(chance: &mut Chance) -> Faults {
    let least = chance.between(0, 50_000_000) >> chance.between(0, 10);
    let spread = chance.between(0, 60_000_000) >> chance.between(0, 10);
    let (doubled, forged) = (chance.between(0, 100), chance.between(0, 100));
    Faults { delay: (least, least + spread), doubled, forged, ..Faults::default() }
}

#[test]
fn histories_of_a_network_that_delays_reorders_doubles_and_forges_have_all_runs() {
    each_seed(1, |seed| {
        let mut chance = Chance(seed);
        let agents = chance.between(1, 4) as usize;
        let faults = delivering(&mut chance);
        // However slow the engine is, it has told its counters when the start is agreed on.
        let prepares = chance.between(0, 200 * SECOND) >> chance.between(0, 6);
        let begins = chance.between(0, 50_000_000);
        let rests = chance.between(0, 40 * SECOND);
        let outcome = lived(seed, Life { agents, runs: 2, faults, prepares, begins, rests });
        assert_eq!(outcome.errors, [None, None]);
        assert_eq!((&outcome.lost, &outcome.late, &outcome.paused), (&vec![], &vec![], &vec![]));
        outcome.assert_all_leave(None);
    });
}

#[test]
fn histories_in_which_the_coordinator_is_stopped_lose_no_agent() {
    each_seed(1, stopped_coordinator);
}

#[test]
fn the_time_in_which_a_coordinator_is_stopped_is_not_that_in_which_its_agents_may_join() {
    // The greeting of one agent arrives just after it goes on.
    stopped_coordinator(668);
}

fn stopped_coordinator(seed: u64) {
    let mut chance = Chance(seed);
    let agents = chance.between(2, 4) as usize;
    // Agents wait for a minute.
    let stops = Some((chance.between(0, 20 * SECOND), chance.between(SECOND, 40 * SECOND)));
    let faults = Faults { coordinator_stops: stops, ..delivering(&mut chance) };
    let begins = chance.between(0, 15 * SECOND);
    let outcome = lived(seed, Life { agents, runs: 2, faults, begins, ..Life::default() });
    // A start that it missed is missed.
    let is_missed = |error: &String| error.contains("agreed start") || error.contains("confirmation");
    assert!(outcome.errors.iter().flatten().all(is_missed), "{:?}", outcome.errors);
    assert!(outcome.lost.is_empty(), "{:?}", outcome.lost);
    outcome.assert_all_leave(None);
}

#[test]
fn a_coordinator_that_was_stopped_while_its_agents_worked_says_for_how_long() {
    let stops = Some((5 * SECOND, 15 * SECOND));
    let outcome = lived(
        1,
        Life {
            agents: 2,
            runs: 1,
            faults: Faults { coordinator_stops: stops, ..Faults::default() },
            ..Life::default()
        },
    );
    assert_eq!((outcome.errors, outcome.lost), (vec![None], vec![]));
    let [paused] = outcome.paused[..] else { panic!("{:?}", outcome.paused) };
    assert!((13 * SECOND..=15 * SECOND).contains(&paused.0), "{paused:?}");
}

/// A number of agents, one of them, and when something happens to it: `at_max` at the latest.
fn one_of_few(chance: &mut Chance, at_max: u64) -> (usize, usize, u64) {
    let agents = chance.between(2, 4);
    (agents as usize, chance.between(0, agents - 1) as usize, chance.between(2 * SECOND, at_max))
}

#[test]
fn histories_with_one_faulty_agent_lose_at_most_that_one() {
    each_seed(1, |seed| {
        let mut chance = Chance(seed);
        let (agents, faulty, at) = one_of_few(&mut chance, 15 * SECOND);
        let fault = match chance.between(0, 3) {
            0 => Fault::Stops { at, for_time: chance.between(SECOND, 40 * SECOND) },
            1 => Fault::Floods { at },
            2 => Fault::SaysNonsense { at },
            _ => Fault::EndlessResults { at },
        };
        let faults = Faults { faulty: Some((faulty, fault)), ..delivering(&mut chance) };
        let (prepares, begins) = (chance.between(0, 3 * SECOND), chance.between(0, 3 * SECOND));
        let rests = chance.between(0, 3 * SECOND);
        let outcome = lived(seed, Life { agents, runs: 3, faults, prepares, begins, rests });
        // One whose fault comes last of all is not asked any more.
        let must_be_lost = match fault {
            Fault::SaysNonsense { .. } | Fault::EndlessResults { .. } => outcome.last_run > at + SECOND,
            _ => false,
        };
        outcome.assert_costs_one(faulty, must_be_lost);
    });
}

#[test]
fn histories_in_which_the_process_of_an_agent_ends_or_begins_again_name_it() {
    each_seed(1, |seed| {
        let mut chance = Chance(seed);
        let (agents, faulty, at) = one_of_few(&mut chance, 20 * SECOND);
        // Not seldom at once, as by a supervisor.
        let after = chance.between(0, 20 * SECOND) >> chance.between(0, 12);
        let another_after = chance.of_thousand(700).then_some(after);
        let fault = Fault::Ends { at, another_after };
        let faults = Faults { faulty: Some((faulty, fault)), ..delivering(&mut chance) };
        let rests = chance.between(0, 10 * SECOND);
        let outcome = lived(seed, Life { agents, runs: 3, faults, rests, ..Life::default() });
        let must_be_lost = outcome.last_run > at || outcome.dismissed - rests > at + KNOWN_AFTER;
        // A ticket is for one process: another one is given no work, and ends by itself.
        let begun = outcome.history.begun();
        assert!(begun.iter().all(|worked| worked.process == 0), "{fault:?}: {begun:?}");
        let end = &outcome.history.ends()[faulty];
        assert!(another_after.is_none() || matches!(end, Some(Err(_))), "{fault:?}: {end:?}");
        outcome.assert_costs_one(faulty, must_be_lost);
    });
}

#[test]
fn histories_of_slow_disks_and_parts_that_end_slowly_lose_none_but_the_one_that_is_gone() {
    each_seed(1, |seed| {
        let mut chance = Chance(seed);
        let (agents, faulty, at) = one_of_few(&mut chance, 40 * SECOND);
        // Less than what is waited for them.
        let (gives_up, keeps) = (chance.between(0, 50 * SECOND), chance.between(0, 50 * SECOND));
        let fault = Fault::Ends { at, another_after: None };
        let faults = Faults { faulty: Some((faulty, fault)), gives_up, keeps, ..delivering(&mut chance) };
        let outcome = lived(seed, Life { agents, runs: 3, faults, ..Life::default() });
        outcome.assert_costs_one(faulty, outcome.last_run > at);
        assert!(outcome.not_kept.is_empty(), "{:?}", outcome.not_kept);
    });
}

#[test]
fn a_result_that_is_not_kept_for_long_is_delivered_and_told() {
    // Of one of six at least it takes longer than is waited.
    let faults = Faults { keeps: 600 * SECOND, ..Faults::default() };
    let outcome = lived(1, Life { agents: 6, runs: 1, faults, ..Life::default() });
    assert_eq!((outcome.errors, outcome.lost), (vec![None], vec![]));
    // All of them have waited equally long.
    let [not_kept] = outcome.not_kept.as_slice() else { panic!("{:?}", outcome.not_kept) };
    assert!(!not_kept.is_empty() && not_kept.len() < 6, "{not_kept:?}");
}

#[test]
fn agents_that_are_there_and_do_not_give_their_parts_up_are_lost() {
    // Before a start is agreed on: parts that run end by themselves.
    let fault = Fault::Ends { at: SECOND, another_after: None };
    let faults = Faults { gives_up: 3_000 * SECOND, faulty: Some((0, fault)), ..Faults::default() };
    let outcome = lived(1, Life { agents: 3, runs: 1, faults, ..Life::default() });
    assert_eq!(outcome.lost, ["a0", "a1", "a2"]);
    let error = outcome.errors[0].as_deref().unwrap();
    assert!(
        error.starts_with("agent a0 is lost: nothing was heard of it for 10 s; lost, because they have"),
        "{error}"
    );
    assert!(error.ends_with("within 60 s: agents a1, a2"), "{error}");
}

#[test]
fn histories_of_a_network_that_loses_messages_end_and_lose_nobody_without_a_word() {
    each_seed(1, |seed| {
        let mut chance = Chance(seed);
        let agents = chance.between(1, 3) as usize;
        let faults = Faults { lost: chance.between(1, 50), ..delivering(&mut chance) };
        let rests = chance.between(0, 10 * SECOND);
        let outcome = lived(seed, Life { agents, runs: 2, faults, rests, ..Life::default() });
        // Everything is asked for again. What is lost again and again costs an agent, which is named.
        outcome.assert_all_losses_are_told();
        assert!(outcome.failed() <= 1 + outcome.lost.len(), "{:?}", outcome.errors);
    });
}

#[test]
fn histories_of_many_agents_far_away_lose_nobody() {
    // They take as long as dozens of others.
    each_seed(20, |seed| {
        let mut chance = Chance(seed);
        let agents = chance.between(20, 60) as usize;
        let least = chance.between(50_000_000, 150_000_000);
        let faults = Faults { delay: (least, least + chance.between(0, 20_000_000)), ..Faults::default() };
        let outcome = lived(seed, Life { agents, runs: 1, faults, ..Life::default() });
        assert_eq!(outcome.errors, [None]);
        assert!(outcome.lost.is_empty(), "{:?}", outcome.lost);
        outcome.assert_all_leave(None);
    });
}

#[test]
fn a_user_who_does_not_wait_for_the_counters_of_the_engine_ends_the_run_and_loses_no_agent() {
    let (history, tickets) = History::new(1, 3, Faults::default());
    let (wire, subjects) = history.coordinator();
    let mut coordinator = Coordinator::with(wire, subjects, &tickets);
    coordinator.gather(&hello(), Duration::from_secs(30), &|| false, &mut || None).unwrap();
    // Long after agents without a word of their coordinator have left.
    let interrupts = 200 * SECOND;
    let beside = Beside { interrupts: Some(interrupts), ..Beside::of(&history, 3_000 * SECOND, 0) };
    let parts = vec![part(3); 3];
    let error = coordinator.carry_out(7, &parts, Nanos(60 * SECOND), &beside).err().unwrap();
    assert_eq!(error.message, "interrupted");
    assert!(history.elapsed() < interrupts + SECOND, "{} s", history.elapsed() / SECOND);
    assert_eq!(coordinator.start_together(8, Nanos(60 * SECOND), &|| false).unwrap().len(), 3);
    assert!(coordinator.lost().is_empty() && beside.lost.lock().unwrap().is_empty());
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
