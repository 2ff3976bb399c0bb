//! One crash: a load, a fault under it or after it, what is left, and what is there when the engine has started on it.
//!
//! The load is carried out once. Beside what its fault has left, the engine may be started on what faults at earlier changes of
//! its log would have left: each is a state of the same crash.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crash::{Image, Pending, Policy};
use engine::{Durability, Failover, Node, Session};
use measure::{Purpose, RunSeed};
use model::durability::{CrashVerdict, Ledger, Outcome, Witness, WitnessKind, WitnessObject, WitnessRecord, damage};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::{
    Bytes, Crash, CrashCondition, CrashDamage, CrashEvent, CrashEventKind, CrashMoment, CrashRung, Nanos, Survival,
};

use super::disk_log;
use super::failover::{self, Senders};
use super::ledger::{self, CLIENTS, Client, Found};
use super::stand::{Fault, Running, Stand};
use super::witness_file::WitnessFile;
use crate::{Error, Result};

/// How long a load lasts, milliseconds.
const LOAD_MS: (u64, u64) = (40, 300);

/// The delays between the last commit and the fault: by lot between these, each factor alike, nanoseconds.
const DELAY_NS: (f64, f64) = (200_000.0, 1_000_000_000.0);

/// What the power goes off at for [`CrashMoment::Flush`]: a sync of so many bytes, more than commits write.
const FLUSH_BYTES: u64 = 384 << 10;

/// How long that may be waited for; then the fault comes as during any checkpoint.
const FLUSH_MAX: Duration = Duration::from_secs(3);

/// How long a primary may be cut off from its replicas before it is lost: by lot between these, milliseconds.
const ISOLATED_MS: (u64, u64) = (20, 80);

/// Events that are kept of a crash.
const EVENTS_MAX: usize = 24;

/// The number of the state that the fault itself has left.
const FIRST_STATE: u32 = 1;

/// What is drawn for a crash.
struct Draw {
    number: u32,
    seed: u64,
    moment: CrashMoment,
    survival: Survival,
    load: Duration,
    delay: Option<Duration>,
    /// How long the primary is cut off from its replicas before it is lost.
    isolated: Option<Duration>,
}

impl Draw {
    /// Of the crash with `number` in its run; moments and policies go by turns, the rest is by lot.
    fn of(seed: RunSeed, number: u32, tried: &Tried) -> Draw {
        let condition = &tried.condition;
        let seed = seed.stream(Purpose::Faults, number);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        // Each moment meets each way of surviving.
        let moments = tried.moments();
        let moment = moments[(number / 4 + number % 4) as usize % moments.len()];
        let share = random.next_u64() as f64 / u64::MAX as f64;
        let delay_ns = DELAY_NS.0 * (DELAY_NS.1 / DELAY_NS.0).powf(share);
        // A control is to lose: its fault comes under load. Of the others half have a delay, of each way of surviving.
        let is_delayed = *condition == CrashCondition::Asked
            && moment != CrashMoment::Flush
            && (number / 8 + number % 4).is_multiple_of(2);
        // A checkpoint has more to write after a longer load.
        let least_ms = if moment == CrashMoment::Flush { LOAD_MS.1 } else { LOAD_MS.0 };
        let load_ms = least_ms + random.next_u64() % (LOAD_MS.1 - LOAD_MS.0);
        // Of what is asked for, half of the primaries that are lost under load.
        let is_isolated = tried.is_failover
            && !is_delayed
            && moment != CrashMoment::Flush
            && (*condition != CrashCondition::Asked || random.next_u64().is_multiple_of(2));
        let isolated_ms = ISOLATED_MS.0 + random.next_u64() % (ISOLATED_MS.1 - ISOLATED_MS.0);
        Draw {
            number,
            seed,
            moment,
            survival: tried.survival(number),
            load: Duration::from_millis(load_ms),
            delay: is_delayed.then(|| Duration::from_nanos(delay_ns as u64)),
            isolated: is_isolated.then(|| Duration::from_millis(isolated_ms)),
        }
    }

    /// The state of the same crash with number `state`, at one of `changes`: those of a log from the first on after which a commit was
    /// acknowledged. States are spread over it; of two one is moved by `before_sync` to where most is not synced.
    fn state(
        &self,
        tried: &Tried,
        state: u32,
        changes: RangeInclusive<u64>,
        before_sync: impl Fn(u64) -> u64,
    ) -> (u64, Survival) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed ^ u64::from(state));
        let (first, last) = changes.into_inner();
        let share = random.next_u64() as f64 / u64::MAX as f64;
        let place = (f64::from(state - FIRST_STATE - 1) + share) / f64::from(tried.states - FIRST_STATE);
        let at = first + (last.saturating_sub(first) as f64 * place) as u64;
        let is_moved = random.next_u64().is_multiple_of(2);
        (if is_moved { before_sync(at) } else { at }, tried.survival(self.number + state - FIRST_STATE))
    }
}

fn policy(survival: Survival, rung: CrashRung) -> Policy {
    match survival {
        Survival::Torn if rung == CrashRung::D2 => Policy::TornDisk,
        Survival::All | Survival::Unknown => Policy::All,
        Survival::AllLost => Policy::AllLost,
        Survival::Prefix => Policy::Prefix,
        Survival::Subset => Policy::Subset,
        Survival::Torn => Policy::Torn,
    }
}

/// What is tried.
pub(super) struct Tried {
    pub(super) rung: CrashRung,
    pub(super) condition: CrashCondition,
    /// States of each crash.
    pub(super) states: u32,
    /// Whether it is a control whose pages stay torn.
    pub(super) tears: bool,
    /// Whether the primary is lost and a replica promoted.
    pub(super) is_failover: bool,
    /// Whether the power can go off at a sync.
    pub(super) has_volume: bool,
    /// Whether the log can be switched.
    pub(super) has_log_switch: bool,
}

impl Tried {
    /// What survives, by turns; settings that weaken the engine are to lose, and nothing survives them that was not synced.
    fn survival(&self, turn: u32) -> Survival {
        let lies = matches!(self.condition, CrashCondition::LyingStorage { .. });
        match (self.rung, lies, turn % 4) {
            _ if self.tears => Survival::Torn,
            (CrashRung::D0, false, _) => Survival::All,
            _ if matches!(self.condition, CrashCondition::Settings { .. }) => Survival::AllLost,
            (CrashRung::D0, true, _) | (_, _, 1) => Survival::AllLost,
            (_, _, 2) => Survival::Prefix,
            (_, _, 3) => Survival::Subset,
            _ => Survival::Torn,
        }
    }

    /// The moments of its faults, by turns. A control is to lose, and has no moment that waits for a sync but to tear pages.
    fn moments(&self) -> Vec<CrashMoment> {
        if self.tears {
            return vec![CrashMoment::Flush];
        }
        if let CrashCondition::Settings { .. } = self.condition {
            // A checkpoint and a change of tables also sync what the setting leaves unsynced.
            return vec![CrashMoment::Commit];
        }
        let is_asked = self.condition == CrashCondition::Asked;
        let has = |moment: &CrashMoment| match moment {
            CrashMoment::Commit | CrashMoment::Checkpoint | CrashMoment::Tables => true,
            CrashMoment::Flush => is_asked && self.has_volume,
            CrashMoment::LogSwitch => is_asked && self.has_log_switch,
        };
        CrashMoment::ALL.into_iter().filter(has).collect()
    }
}

/// Crashes of one condition, one after the other: the engine that recovered from one is that of the next.
pub(super) struct Crashes<'a> {
    pub(super) stand: Stand<'a>,
    pub(super) durability: &'static Durability,
    pub(super) tried: Tried,
    /// The data before the first crash, where faults need them.
    pub(super) pristine: Option<Vec<Image>>,
    /// Where witnesses are kept.
    pub(super) witness: PathBuf,
    pub(super) seed: RunSeed,
    /// Where the log of the disk is written to, once.
    pub(super) log_writes: Option<PathBuf>,
    running: Option<Running>,
}

impl<'a> Crashes<'a> {
    pub(super) fn new(
        stand: Stand<'a>,
        durability: &'static Durability,
        tried: Tried,
        pristine: Option<Vec<Image>>,
        witness: PathBuf,
        seed: RunSeed,
    ) -> Crashes<'a> {
        Crashes { stand, durability, tried, pristine, witness, seed, log_writes: None, running: None }
    }

    /// Carries out the crash with `number`; its states, that of the fault itself first. That one comes last: the engine that recovers
    /// from it is that of the next crash. Between states `is_interrupted` is asked.
    pub(super) fn crash(&mut self, number: u32, is_interrupted: &dyn Fn() -> bool) -> Result<Vec<Crash>> {
        let draw = Draw::of(self.seed, number, &self.tried);
        let mut running = self.running()?;
        let mut session = running.node().connect()?;
        ledger::reset(session.as_mut(), self.stand.engine.dialect())?;
        for node in running.nodes.iter().skip(1).map(|node| node.node.as_ref()) {
            node.catch_up(node.connect()?.as_mut(), session.as_mut())?;
        }
        drop(session);
        running.arm(&self.stand)?;
        let text = format!("{} seed {} crash {number} {:?}", self.stand.target, draw.seed, self.tried.condition);
        let witness = WitnessFile::create(&self.witness, &text, running.volume())?;
        let at = self.load(&running, &draw, &witness)?;
        if let Some((path, volume)) = self.log_writes.take().zip(running.volume()) {
            disk_log::write(&path, &volume)?;
        }
        let moment = match draw.moment {
            CrashMoment::Flush if !running.has_tripped() => CrashMoment::Checkpoint,
            other => other,
        };
        witness.say(WitnessKind::Fault, WitnessObject::Row, 0, 0)?;
        let fault = running.end(at)?;
        let mut crashed = Crashed { draw, moment, fault, witness: witness.read()? };
        let mut states = Vec::new();
        for (state, change, survival) in crashed.earlier(&self.tried) {
            if is_interrupted() {
                return Err(Error::interrupted());
            }
            let left = crashed.fault.left(Some(change), policy(survival, self.tried.rung), crashed.seed(state));
            let started = self.stand.start(left.files)?;
            let (crash, started) = self.verify(&crashed, (state, Some(change), survival), left.pending, started)?;
            if let Some(running) = started {
                let at = running.fault();
                running.end(at)?;
            }
            states.push(crash);
        }
        let survival = crashed.draw.survival;
        let left = crashed.fault.left(None, policy(survival, self.tried.rung), crashed.seed(FIRST_STATE));
        let started = match self.failover() {
            Some(failover) => failover::promote(std::mem::take(&mut crashed.fault.survivors), failover)?,
            None => self.stand.start(left.files)?,
        };
        let (crash, started) = self.verify(&crashed, (FIRST_STATE, None, survival), left.pending, started)?;
        self.running = started;
        if CrashVerdict::of(&crash) != CrashVerdict::Survived || self.tried.is_failover {
            // The next one begins anew: with the first primary, where a replica has taken its place.
            self.stop()?;
        }
        states.push(crash);
        states.reverse();
        Ok(states)
    }

    /// Holds what the engine that has `started` finds against what was acknowledged, for a state: its number, the last change before
    /// its fault, which is that of `crashed` where it is none, and what survived of what was `pending`.
    fn verify(
        &self,
        crashed: &Crashed,
        (state, change, survival): (u32, Option<u64>, Survival),
        pending: Option<Pending>,
        started: std::result::Result<Running, engine::Error>,
    ) -> Result<(Crash, Option<Running>)> {
        let Crashed { draw, moment, fault, witness } = crashed;
        let ledger = change.map_or_else(|| Ledger::of(witness), |change| Ledger::at(witness, change));
        let nanos =
            |time: Option<Duration>| time.filter(|_| change.is_none()).map(|time| Nanos(time.as_nanos() as u64));
        let mut crash = Crash {
            number: draw.number,
            state,
            changes: change.or_else(|| fault.changes()),
            seed: draw.seed,
            moment: *moment,
            survival,
            delay_ns: nanos(draw.delay),
            isolated_ns: nanos(draw.isolated),
            attempted: ledger.attempted(),
            acknowledged: ledger.count(Outcome::Acknowledged),
            unknown: ledger.count(Outcome::Unknown),
            found: None,
            unsynced_writes: pending.map(|pending| pending.writes),
            unsynced_bytes: pending.map(|pending| Bytes(pending.bytes)),
            ready_ns: None,
            would_not_start: None,
            damage: CrashDamage::default(),
            complaints: Vec::new(),
            seen: None,
            ended_with: None,
            timeline: Vec::new(),
        };
        let started = match started {
            Ok(started) => started,
            Err(error) => {
                crash.would_not_start = Some(ledger::kept(&error.message));
                crash.damage.lost = crash.acknowledged;
                return Ok((crash, None));
            }
        };
        crash.ready_ns = Some(started.ready_ns);
        let dialect = self.stand.engine.dialect();
        let found = ledger::find(started.node(), dialect, self.durability, &ledger, draw.seed)?;
        let rows = found.rows.clone().unwrap_or_default();
        crash.found = found.rows.as_ref().map(|rows| rows.len() as u64);
        crash.damage = damage(&ledger, &rows, &found.tables, &found.counters);
        crash.complaints = found.complaints.clone();
        crash.timeline = timeline(witness, &ledger, &found, change, fault.at);
        Ok((crash, Some(started)))
    }

    /// How a replica takes over, where the primary is lost.
    fn failover(&self) -> Option<&'static Failover> {
        self.durability.cluster.and_then(|cluster| cluster.failover.as_ref()).filter(|_| self.tried.is_failover)
    }

    /// The engine that runs, or one that is started on the data before the first crash.
    fn running(&mut self) -> Result<Running> {
        match self.running.take() {
            Some(running) => Ok(running),
            None => Ok(self.stand.start(self.pristine.clone())??),
        }
    }

    /// Ends the engine, whatever its data are like.
    pub(super) fn stop(&mut self) -> Result<()> {
        let Some(mut running) = self.running.take() else { return Ok(()) };
        // On the file system of this host it is shut down; its data on a volume are needed no more.
        if self.pristine.is_none() {
            return running.close();
        }
        running.lose_all();
        let at = running.fault();
        running.end(at).map(drop)
    }

    /// Has the clients commit, and turns the power off under or after that; returns when.
    fn load(&self, running: &Running, draw: &Draw, witness: &WitnessFile) -> Result<Nanos> {
        let (stop, dialect) = (AtomicBool::new(false), self.stand.engine.dialect());
        let connect = |node: &dyn Node| -> Result<_> {
            let mut session = node.connect()?;
            session.limit_waits(Some(ledger::ANSWER_MAX));
            Ok(session)
        };
        let writers = running.nodes.iter().map(|node| node.node.as_ref()).filter(|node| node.takes_writes());
        let writers: Vec<&dyn Node> = writers.collect();
        if writers.is_empty() {
            return Err(Error::environment("no node takes writes after its start").hint("see the logs of the servers"));
        }
        let mut clients = Vec::new();
        for client in 0..CLIENTS {
            let mut session = connect(writers[client as usize % writers.len()])?;
            let statements = ledger::prepare(session.as_mut(), dialect)?;
            let pause = no_pause;
            clients.push(Client { session, statements, dialect, client, seed: draw.seed, witness, pause, stop: &stop });
        }
        let is_alone = matches!(draw.moment, CrashMoment::Commit | CrashMoment::Tables);
        let administrator = if is_alone { None } else { Some(connect(running.node())?) };
        let senders = match (self.failover(), draw.isolated) {
            (Some(failover), Some(isolated)) => Some((Senders::of(running.node(), failover)?, isolated)),
            _ => None,
        };
        thread::scope(|scope| {
            let works: Vec<_> = clients
                .into_iter()
                .map(|client| {
                    let changes = draw.moment == CrashMoment::Tables && client.client == 0;
                    scope.spawn(move || match changes {
                        true => client.change_tables(),
                        false => client.commit_rows().map(drop),
                    })
                })
                .collect();
            let administration =
                administrator.map(|mut session| scope.spawn(move || self.administer(running, draw, session.as_mut())));
            thread::sleep(draw.load);
            if let Some((senders, isolated)) = &senders {
                senders.stop();
                thread::sleep(*isolated);
            }
            if draw.moment == CrashMoment::Flush {
                running.await_fault(FLUSH_MAX);
            }
            let mut ended = Vec::new();
            let at = match draw.delay {
                None => {
                    let at = running.fault();
                    stop.store(true, Ordering::Relaxed);
                    // What waits for an answer of a volume without power is let go with it.
                    ended.extend(works.into_iter().map(thread::ScopedJoinHandle::join));
                    at
                }
                Some(delay) => {
                    stop.store(true, Ordering::Relaxed);
                    ended.extend(works.into_iter().map(thread::ScopedJoinHandle::join));
                    thread::sleep(delay);
                    running.fault()
                }
            };
            if let Some(administration) = administration {
                let _ = administration.join();
            }
            for work in ended {
                work.unwrap_or_else(|_| Err(Error::environment("a client has ended too early")))?;
            }
            Ok(at)
        })
    }
}

impl Crashes<'_> {
    /// What is done beside the load, shortly before its end. The fault may come meanwhile: then it fails.
    fn administer(&self, running: &Running, draw: &Draw, session: &mut dyn Session) {
        let early = draw.load.mul_f64(0.4);
        if draw.moment == CrashMoment::Flush {
            // Pages that were written once, and are written again, can be torn.
            thread::sleep(early);
            let _ = running.node().checkpoint(session);
            thread::sleep(early);
            if let Some(volume) = running.volume() {
                volume.lock().trip_at(FLUSH_BYTES);
            }
        } else {
            thread::sleep(early * 2);
        }
        let _ = match (draw.moment, self.durability.log_switch) {
            (CrashMoment::LogSwitch, Some(statement)) => session.batch(statement),
            _ => running.node().checkpoint(session).map(drop),
        };
    }
}

/// A load that ended in a fault.
struct Crashed {
    draw: Draw,
    moment: CrashMoment,
    fault: Fault,
    witness: Witness,
}

impl Crashed {
    /// The seed of what survives in a state.
    fn seed(&self, state: u32) -> u64 {
        self.draw.seed ^ u64::from(state - FIRST_STATE)
    }

    /// The states of earlier faults: number, the last change before the fault, what survives; the last ones first.
    fn earlier(&self, tried: &Tried) -> Vec<(u32, u64, Survival)> {
        let is_acknowledged = |record: &&WitnessRecord| record.kind == WitnessKind::Acknowledged;
        let first = self.witness.records.iter().find(is_acknowledged).map(|record| record.device_seq);
        let Some((first, last)) = first.zip(self.fault.changes()) else { return Vec::new() };
        let of = |state| {
            let before_sync = |at| self.fault.before_sync(at);
            let (change, survival) = self.draw.state(tried, state, first..=last, before_sync);
            (state, change, survival)
        };
        (FIRST_STATE + 1..=tried.states).rev().map(of).collect()
    }
}

/// A load that a fault ends soon.
fn no_pause(_: u64) -> Duration {
    Duration::ZERO
}

/// The last events of a crash before `fault`, and it; before the change after which an earlier one came.
pub(super) fn timeline(
    witness: &Witness,
    ledger: &Ledger,
    found: &Found,
    change: Option<u64>,
    fault: Nanos,
) -> Vec<CrashEvent> {
    let Some(start) = witness.records.first().map(|record| record.mono_ns) else { return Vec::new() };
    let is_before = |record: &&WitnessRecord| change.is_none_or(|change| record.device_seq <= change);
    // What an earlier fault left without an answer has one in the witness, or a later record: its begin is its event.
    let without_answer = if change.is_some() { WitnessKind::Attempt } else { WitnessKind::Unknown };
    let fault = match change {
        Some(_) => witness.records.iter().filter(is_before).map(|record| Nanos(record.mono_ns)).max().unwrap_or(fault),
        None => fault,
    };
    let rows = found.rows.as_ref();
    let mut events: Vec<CrashEvent> = witness
        .records
        .iter()
        .filter(|record| record.object == WitnessObject::Row)
        .filter(is_before)
        .filter_map(|record| {
            let commit = (record.client, record.number);
            let is_there = rows.is_some_and(|rows| rows.contains_key(&commit));
            let kind = match (record.kind, ledger.rows.get(&commit)) {
                (WitnessKind::Acknowledged, _) if is_there => CrashEventKind::Acknowledged,
                (WitnessKind::Acknowledged, _) => CrashEventKind::Lost,
                (kind, Some(Outcome::Unknown)) if kind == without_answer && is_there => CrashEventKind::UnknownThere,
                (kind, Some(Outcome::Unknown)) if kind == without_answer => CrashEventKind::UnknownGone,
                _ => return None,
            };
            let at_ns = Nanos(record.mono_ns.saturating_sub(start));
            Some(CrashEvent { at_ns, client: record.client, number: record.number, kind })
        })
        .collect();
    let at_ns = Nanos(fault.0.saturating_sub(start));
    events.push(CrashEvent { at_ns, client: 0, number: 0, kind: CrashEventKind::Fault });
    events.sort_by_key(|event| event.at_ns);
    events.split_off(events.len().saturating_sub(EVENTS_MAX))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const SEED: RunSeed = RunSeed { plan: 5, run: 1 };

    fn tried(condition: CrashCondition) -> Tried {
        Tried {
            rung: CrashRung::D1,
            condition,
            states: 1,
            tears: false,
            is_failover: false,
            has_volume: true,
            has_log_switch: true,
        }
    }

    #[test]
    fn crashes_have_each_moment_and_a_delay_or_none_with_each_survival() {
        for (has_log_switch, has_volume) in [(true, true), (true, false), (false, true), (false, false)] {
            let tried = Tried { has_log_switch, has_volume, ..tried(CrashCondition::Asked) };
            let count = tried.moments().len();
            let draws: Vec<Draw> = (1..=40).map(|number| Draw::of(SEED, number, &tried)).collect();
            let moments: BTreeSet<(CrashMoment, Survival)> =
                draws[..4 * count + 3].iter().map(|draw| (draw.moment, draw.survival)).collect();
            assert_eq!(moments.len(), 4 * count);
            let delayed: BTreeSet<(bool, Survival)> =
                draws.iter().map(|draw| (draw.delay.is_some(), draw.survival)).collect();
            assert_eq!(delayed.len(), 8);
            let delays = draws.iter().filter_map(|draw| draw.delay);
            assert!(delays.into_iter().all(|delay| (200..=1_000_000).contains(&delay.as_micros())));
        }
    }

    #[test]
    fn a_primary_is_cut_off_before_it_is_lost_under_load_and_in_each_control() {
        let of = |condition, number| Draw::of(SEED, number, &Tried { is_failover: true, ..tried(condition) });
        let settings = CrashCondition::Settings { settings: "synchronous=off".to_owned() };
        assert!((1..=20).all(|number| of(settings.clone(), number).isolated.is_some()));
        let asked: Vec<Draw> = (1..=40).map(|number| of(CrashCondition::Asked, number)).collect();
        let isolated = asked.iter().filter(|draw| draw.isolated.is_some()).count();
        assert!(
            (4..=20).contains(&isolated) && asked.iter().all(|draw| draw.isolated.is_none() || draw.delay.is_none())
        );
    }

    #[test]
    fn a_control_has_its_fault_under_load_and_tears_pages_where_that_is_its_weakness() {
        let lying = tried(CrashCondition::LyingStorage { every: 1 });
        let is_simple = |draw: Draw| draw.delay.is_none() && draw.moment != CrashMoment::Flush;
        assert!((1..=20).all(|number| is_simple(Draw::of(SEED, number, &lying))));
        let torn = Tried { tears: true, ..lying };
        let tears = |draw: Draw| (draw.moment, draw.survival) == (CrashMoment::Flush, Survival::Torn);
        assert!((1..=5).all(|number| tears(Draw::of(SEED, number, &torn))));
        let weakened = tried(CrashCondition::Settings { settings: "fsync=off".to_owned() });
        assert!((1..=5).all(|number| Draw::of(SEED, number, &weakened).survival == Survival::AllLost));
    }

    #[test]
    fn states_are_spread_over_the_log_and_have_each_survival() {
        let tried = Tried { states: 21, ..tried(CrashCondition::Asked) };
        let draw = Draw::of(SEED, 1, &tried);
        let states: Vec<(u64, Survival)> =
            (2..=21).map(|state| draw.state(&tried, state, 1_000..=3_000, |at| at)).collect();
        assert!(
            states.iter().zip(0..).all(|((at, _), slice)| (1_000 + slice * 100..=1_100 + slice * 100).contains(at))
        );
        assert_eq!(states.iter().map(|(_, survival)| *survival).collect::<BTreeSet<_>>().len(), 4);
        let moved = (2..=21).filter(|state| draw.state(&tried, *state, 1_000..=3_000, |_| 0).0 == 0).count();
        assert!((5..=15).contains(&moved), "{moved} of 20");
    }
}
