//! One crash: a load, a fault under it or after it, what is left, and what is there when the engine has started on it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crash::{Image, Policy};
use engine::{Durability, Failover, Node, Session};
use measure::{Purpose, RunSeed};
use model::durability::{CrashVerdict, Ledger, Outcome, Witness, WitnessKind, WitnessObject, damage};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::{
    Bytes, Crash, CrashCondition, CrashDamage, CrashEvent, CrashEventKind, CrashMoment, CrashRung, Nanos, Survival,
};

use super::failover::{self, Senders};
use super::ledger::{self, CLIENTS, Client, Found};
use super::stand::{Running, Stand};
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

/// How long an answer may take that a fault leaves open.
const ANSWER_MAX: Duration = Duration::from_secs(30);

/// Events that are kept of a crash.
const EVENTS_MAX: usize = 24;

/// What is drawn for a crash.
struct Draw {
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
        let (rung, condition) = (tried.rung, &tried.condition);
        let seed = seed.stream(Purpose::Faults, number);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let lies = matches!(condition, CrashCondition::LyingStorage { .. });
        let survival = match (rung, lies, number % 4) {
            _ if tried.tears => Survival::Torn,
            (CrashRung::D0, false, _) => Survival::All,
            (CrashRung::D0, true, _) | (_, _, 1) => Survival::AllLost,
            (_, _, 2) => Survival::Prefix,
            (_, _, 3) => Survival::Subset,
            _ => Survival::Torn,
        };
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
            seed,
            moment,
            survival,
            load: Duration::from_millis(load_ms),
            delay: is_delayed.then(|| Duration::from_nanos(delay_ns as u64)),
            isolated: is_isolated.then(|| Duration::from_millis(isolated_ms)),
        }
    }

    fn policy(&self, rung: CrashRung) -> Policy {
        match self.survival {
            Survival::Torn if rung == CrashRung::D2 => Policy::TornDisk,
            Survival::All => Policy::All,
            Survival::AllLost => Policy::AllLost,
            Survival::Prefix => Policy::Prefix,
            Survival::Subset => Policy::Subset,
            Survival::Torn => Policy::Torn,
        }
    }
}

/// What is tried.
pub(super) struct Tried {
    pub(super) rung: CrashRung,
    pub(super) condition: CrashCondition,
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
    /// The moments of its faults, by turns. A control is to lose, and has no moment that waits for a sync but to tear pages.
    fn moments(&self) -> Vec<CrashMoment> {
        if self.tears {
            return vec![CrashMoment::Flush];
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
        Crashes { stand, durability, tried, pristine, witness, seed, running: None }
    }

    /// Carries out the crash with `number`.
    pub(super) fn crash(&mut self, number: u32) -> Result<Crash> {
        let draw = Draw::of(self.seed, number, &self.tried);
        let mut running = self.running()?;
        let dialect = self.stand.engine.dialect();
        let mut session = running.node().connect()?;
        ledger::reset(session.as_mut(), dialect)?;
        drop(session);
        running.arm(&self.stand)?;
        let text = format!("{} seed {} crash {number} {:?}", self.stand.target, draw.seed, self.tried.condition);
        let witness = WitnessFile::create(&self.witness, &text, running.volume())?;
        let at = self.load(&running, &draw, &witness)?;
        let is_at_flush = running.has_tripped();
        witness.say(WitnessKind::Fault, WitnessObject::Row, 0, 0)?;
        let fault = running.end(at, draw.policy(self.tried.rung), draw.seed)?;
        let witness = witness.read()?;
        let ledger = Ledger::of(&witness);
        let mut crash = Crash {
            number,
            seed: draw.seed,
            moment: if draw.moment == CrashMoment::Flush && !is_at_flush {
                CrashMoment::Checkpoint
            } else {
                draw.moment
            },
            survival: draw.survival,
            delay_ns: draw.delay.map(|delay| Nanos(delay.as_nanos() as u64)),
            isolated_ns: draw.isolated.map(|isolated| Nanos(isolated.as_nanos() as u64)),
            attempted: ledger.attempted(),
            acknowledged: ledger.count(Outcome::Acknowledged),
            unknown: ledger.count(Outcome::Unknown),
            found: None,
            unsynced_writes: fault.pending.map(|pending| pending.writes),
            unsynced_bytes: fault.pending.map(|pending| Bytes(pending.bytes)),
            ready_ns: None,
            would_not_start: None,
            damage: CrashDamage::default(),
            complaints: Vec::new(),
            timeline: Vec::new(),
        };
        let started = match self.failover() {
            Some(failover) => failover::promote(fault.survivors, failover)?,
            None => self.stand.start(fault.left)?,
        };
        match started {
            Err(error) => {
                crash.would_not_start = Some(ledger::kept(&error.message));
                crash.damage.lost = crash.acknowledged;
            }
            Ok(started) => {
                crash.ready_ns = Some(started.ready_ns);
                let found = ledger::find(started.node(), dialect, self.durability, &ledger, draw.seed)?;
                let rows = found.rows.clone().unwrap_or_default();
                crash.found = found.rows.as_ref().map(|rows| rows.len() as u64);
                crash.damage = damage(&ledger, &rows, &found.tables, &found.counters);
                crash.complaints = found.complaints.clone();
                crash.timeline = timeline(&witness, &ledger, &found, fault.at);
                self.running = Some(started);
            }
        }
        if CrashVerdict::of(&crash) != CrashVerdict::Survived || self.tried.is_failover {
            // The next one begins anew: with the first primary, where a replica has taken its place.
            self.stop()?;
        }
        Ok(crash)
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
        running.end(at, Policy::AllLost, 0).map(drop)
    }

    /// Has the clients commit, and turns the power off under or after that; returns when.
    fn load(&self, running: &Running, draw: &Draw, witness: &WitnessFile) -> Result<Nanos> {
        let (stop, dialect) = (AtomicBool::new(false), self.stand.engine.dialect());
        let connect = |node: &dyn Node| -> Result<_> {
            let mut session = node.connect()?;
            session.limit_waits(Some(ANSWER_MAX));
            Ok(session)
        };
        let writers = running.nodes.iter().map(|node| node.node.as_ref()).filter(|node| node.takes_writes());
        let writers: Vec<&dyn Node> = writers.collect();
        let mut clients = Vec::new();
        for client in 0..CLIENTS {
            let mut session = connect(writers[client as usize % writers.len()])?;
            let statements = ledger::prepare(session.as_mut(), dialect)?;
            clients.push(Client { session, statements, dialect, client, seed: draw.seed, witness, stop: &stop });
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
                    scope.spawn(move || if changes { client.change_tables() } else { client.commit_rows() })
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

/// The last events of a crash, and its fault.
fn timeline(witness: &Witness, ledger: &Ledger, found: &Found, fault: Nanos) -> Vec<CrashEvent> {
    let Some(start) = witness.records.first().map(|record| record.mono_ns) else { return Vec::new() };
    let rows = found.rows.as_ref();
    let mut events: Vec<CrashEvent> = witness
        .records
        .iter()
        .filter(|record| record.object == WitnessObject::Row)
        .filter_map(|record| {
            let commit = (record.client, record.number);
            let is_there = rows.is_some_and(|rows| rows.contains_key(&commit));
            let kind = match (record.kind, ledger.rows.get(&commit)) {
                (WitnessKind::Acknowledged, _) if is_there => CrashEventKind::Acknowledged,
                (WitnessKind::Acknowledged, _) => CrashEventKind::Lost,
                (WitnessKind::Unknown, Some(Outcome::Unknown)) if is_there => CrashEventKind::UnknownThere,
                (WitnessKind::Unknown, Some(Outcome::Unknown)) => CrashEventKind::UnknownGone,
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
    }
}
