//! The load of a server in production: its own counters at both ends of each interval, and those of its host where it runs
//! here. Nothing is written on the server.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use engine::{Engine, Kind, Node, Processes, Session, Target, Workspace};
use host::Counters;
use model::sizing::{CommitSource, Counted, commit_source, decreased, watched_database, watched_host};
use record::load_profile::{
    Absent, Amount, Doubt, DoubtKind, Elsewhere, Instance, Interval, LoadQuantity, Scope, Source, SourceMoment, Weight,
    Zone,
};
use record::{Bytes, LoadProfile};
use run::{Interrupt, Result};

use crate::clock::{Calendar, now_ns};
use crate::cost::process_cpu_ns;
use crate::occupancy::{Occupancy, SessionCount};

/// Name of the form of what is watched, and of its host.
const FORM: &str = "watch";
const HOST_FORM: &str = "watch-host";
/// The interrupt is looked at so often.
const LOOK: Duration = Duration::from_millis(100);
/// Between two tries to reach a server that was lost.
const RETRY: Duration = Duration::from_secs(1);
/// The longest that a reading may take: a server that does not answer is lost then.
const WAIT_MAX: Duration = Duration::from_secs(30);
/// The shortest time in which growth is told: a day is no multiple of less.
const GROWTH_SECONDS_MIN: f64 = 600.0;
/// Distance of two savings of what was read.
const SAVED_EVERY_NS: u64 = 60_000_000_000;

/// How a load is watched.
#[derive(Clone, Copy, Debug)]
pub struct LoadSettings {
    /// Length of an interval.
    pub every: Duration,
    /// How long it is watched.
    pub length: Duration,
    /// Whether names of host and database are kept.
    pub with_names: bool,
    /// Minutes that the clock of the hours of the day is east of UTC.
    pub offset_minutes: i16,
}

/// What watching took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoadCost {
    /// Readings.
    pub readings: u64,
    /// Transactions of the readings, which are none of the load.
    pub transactions: u64,
    /// Processor time of this process, nanoseconds.
    pub cpu_ns: u64,
}

/// The two sources of a profile.
const DATABASE: u32 = 0;
const HOST: u32 = 1;

/// A server with what was read of it so far.
struct Watch<'a> {
    node: Box<dyn Node>,
    session: Option<Box<dyn Session>>,
    host: Option<(Counters, Vec<u32>)>,
    occupancy: Occupancy,
    prefix: &'a str,
    calendar: Calendar,
    database: Vec<Interval>,
    of_host: Vec<Interval>,
    doubts: Vec<Doubt>,
    /// When the last interval ended, by the calendar.
    ended_ms: i64,
    /// Intervals whose commits are those of statements alone.
    commit_statements: u64,
    cost: LoadCost,
}

/// A reading of both sources.
struct Read {
    database: Counted,
    sessions: Option<SessionCount>,
    host: Option<Counted>,
}

/// Watches the server at `target` until its time is over or `interrupt` is raised. `save` is told of what was read now and then, and
/// at the end.
///
/// # Errors
/// Where the server cannot be reached at first or refuses its counters, and those of `save`.
pub fn watch_load(
    engine: &dyn Engine,
    target: &Target,
    workspace: &Workspace,
    settings: &LoadSettings,
    interrupt: &Interrupt,
    save: &mut dyn FnMut(&LoadProfile) -> Result<()>,
) -> Result<(LoadProfile, LoadCost)> {
    let node = engine.open(target, workspace)?;
    let began_cpu_ns = process_cpu_ns();
    let inventory = node.inventory()?;
    let host = match node.processes() {
        Processes::Local(roots) => {
            let directory = node.data_directory().map_or_else(|| workspace.directory.clone(), Into::into);
            Some((Counters::new(&directory), roots))
        }
        Processes::InProcess | Processes::Remote => None,
    };
    let mut empty = profile(engine, target, &inventory, host.is_some(), settings);
    let session = Some(node.connect()?);
    let mut watch = Watch {
        node,
        session,
        host,
        occupancy: Occupancy::of(engine),
        prefix: engine.name(),
        calendar: Calendar::new(),
        database: Vec::new(),
        of_host: Vec::new(),
        doubts: Vec::new(),
        ended_ms: i64::MIN,
        commit_statements: 0,
        cost: LoadCost::default(),
    };
    empty.sources[0].size_bytes = watch.size_bytes();
    let began_ns = now_ns();
    let ends_ns = began_ns + settings.length.as_nanos() as u64;
    let every_ns = settings.every.as_nanos() as u64;
    let mut before = Some(watch.read()?);
    let mut saved_ns = began_ns;
    let mut due_ns = began_ns;
    while due_ns < ends_ns && !interrupt.is_raised() {
        due_ns = following(due_ns, every_ns, now_ns()).min(ends_ns);
        sleep_until(due_ns, interrupt);
        before = watch.next(before, interrupt)?;
        watch.follow_clock();
        if now_ns().saturating_sub(saved_ns) >= SAVED_EVERY_NS {
            saved_ns = now_ns();
            save(&watch.profile(&empty))?;
        }
    }
    watch.cost.cpu_ns = process_cpu_ns() - began_cpu_ns;
    let seconds = now_ns().saturating_sub(began_ns) as f64 / 1e9;
    empty.sources[0].watching_seconds_per_second = (seconds > 0.0).then(|| watch.cost.cpu_ns as f64 / 1e9 / seconds);
    watch.grow(&mut empty.sources[0], seconds);
    let found = watch.profile(&empty);
    save(&found)?;
    drop(watch.session.take());
    watch.node.close()?;
    Ok((found, watch.cost))
}

/// When it is read after `due_ns`: at the distance of `every_ns`, and not at moments that a server that hung, or a machine that slept,
/// has let pass, since what was done in them would seem to be done in no time.
fn following(due_ns: u64, every_ns: u64, now_ns: u64) -> u64 {
    due_ns + every_ns * (now_ns.saturating_sub(due_ns) / every_ns + 1)
}

fn sleep_until(due_ns: u64, interrupt: &Interrupt) {
    while !interrupt.is_raised() {
        let left = Duration::from_nanos(due_ns.saturating_sub(now_ns()));
        if left.is_zero() {
            return;
        }
        thread::sleep(left.min(LOOK));
    }
}

impl Watch<'_> {
    /// Reads both sources. A session that was lost is opened again.
    fn read(&mut self) -> engine::Result<Read> {
        let session = match &mut self.session {
            Some(session) => session,
            none => none.insert(self.node.connect()?),
        };
        session.limit_waits(Some(WAIT_MAX));
        let read = self.node.counters(session.as_mut());
        let (mut values, own_transactions) = match read {
            Ok(read) => read,
            Err(error) => {
                self.session = None;
                return Err(error);
            }
        };
        let at_ns = now_ns();
        let sessions = self.occupancy.sessions(session.as_mut());
        let own_transactions = own_transactions + u64::from(sessions.is_some() && self.occupancy.is_transaction());
        let host = self.host.as_mut().map(|(counters, roots)| counters.read(roots));
        if let Some(time) = host.as_ref().and_then(|host| host.get(record::name::SERVER_CPU_NS)) {
            values.insert(record::name::SERVER_CPU_NS.to_owned(), *time);
        }
        self.cost.readings += 1;
        self.cost.transactions += own_transactions;
        let host = host.map(|values| Counted { at_ns, values, own_transactions: 0 });
        Ok(Read { database: Counted { at_ns, values, own_transactions }, sessions, host })
    }

    /// Bytes on disk, where the server tells them.
    fn size_bytes(&mut self) -> Option<Bytes> {
        let session = self.session.as_mut()?;
        self.occupancy.size_bytes(session.as_mut()).map(Bytes)
    }

    /// The size of `source` now, and its growth in `seconds`.
    fn grow(&mut self, source: &mut Source, seconds: f64) {
        let Some(after) = self.size_bytes() else { return };
        let before = source.size_bytes.replace(after).filter(|_| seconds >= GROWTH_SECONDS_MIN);
        source.growth_bytes_per_day = before.map(|before| (after.0 as f64 - before.0 as f64) / seconds * 86_400.0);
    }

    /// Reads again and keeps the interval since `before`; returns the reading. A server that is lost is waited for.
    fn next(&mut self, before: Option<Read>, interrupt: &Interrupt) -> Result<Option<Read>> {
        let after = match self.read() {
            Ok(after) => after,
            Err(error) if matches!(error.kind, Kind::Lost | Kind::Unreachable) => {
                if before.is_some() {
                    let at = self.calendar.at(now_ns()).0;
                    self.doubt(DATABASE, at, DoubtKind::Restart);
                }
                sleep_until(now_ns() + RETRY.as_nanos() as u64, interrupt);
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        if let Some(before) = before {
            self.keep(&before, &after);
        }
        Ok(Some(after))
    }

    fn keep(&mut self, before: &Read, after: &Read) {
        // A clock that was set back makes no interval begin within the one before.
        let start_ms = self.calendar.at(before.database.at_ns).0.max(self.ended_ms);
        let interval = |index: u32, seconds: f64, amounts: BTreeMap<LoadQuantity, Amount>| Interval {
            source: index,
            instance: index,
            started_at_ms: SourceMoment(start_ms),
            seconds,
            amounts,
        };
        let seconds = after.database.at_ns.saturating_sub(before.database.at_ns) as f64 / 1e9;
        if seconds <= 0.0 {
            return;
        }
        self.ended_ms = start_ms + (seconds * 1e3) as i64;
        match decreased(&before.database, &after.database) {
            Some(counter) => {
                let counter = counter.to_owned();
                self.doubt(DATABASE, start_ms, DoubtKind::Decreased { counter });
            }
            None => {
                let counts_others = self.node.counts_commits_of_others();
                let sessions = before.sessions.zip(after.sessions);
                let (before, after) = (&before.database, &after.database);
                let source = commit_source(before, after, self.prefix, counts_others);
                self.commit_statements += u64::from(source == CommitSource::Statements);
                let mut amounts = watched_database(before, after, self.prefix, source);
                add_sessions(&mut amounts, sessions);
                self.database.push(interval(DATABASE, seconds, amounts));
            }
        }
        if let Some((before, after)) = before.host.as_ref().zip(after.host.as_ref()) {
            self.of_host.push(interval(HOST, seconds, watched_host(before, after)));
        }
    }

    fn doubt(&mut self, source: u32, at_ms: i64, kind: DoubtKind) {
        self.doubts.push(Doubt {
            source: Some(source),
            instance: None,
            started_at_ms: Some(SourceMoment(at_ms)),
            count: 1,
            weight: Weight::Refusal,
            kind,
        });
    }

    fn follow_clock(&mut self) {
        if let Some(step_ms) = self.calendar.follow() {
            let at = self.calendar.at(now_ns()).0;
            let kind = DoubtKind::ClockStep { seconds: step_ms as f64 / 1e3 };
            self.doubts.push(Doubt {
                source: None,
                instance: None,
                started_at_ms: Some(SourceMoment(at)),
                count: 1,
                weight: Weight::Warning,
                kind,
            });
        }
    }

    /// What was read so far.
    fn profile(&self, empty: &LoadProfile) -> LoadProfile {
        let intervals: Vec<Interval> = self.database.iter().chain(&self.of_host).cloned().collect();
        let told = |quantity: LoadQuantity| intervals.iter().any(|interval| interval.amounts.contains_key(&quantity));
        let absent = LoadQuantity::ALL.into_iter().filter(|quantity| !told(*quantity)).map(|quantity| Absent {
            source: DATABASE,
            quantity,
            elsewhere: elsewhere(quantity, self.host.is_some()),
        });
        let absent = if intervals.is_empty() { Vec::new() } else { absent.collect() };
        let mut doubts = self.doubts.clone();
        let mut warn = |source: u32, count: usize, kind: DoubtKind| {
            let (source, count) = (Some(source), count as u64);
            doubts.push(Doubt { source, instance: None, started_at_ms: None, count, weight: Weight::Warning, kind });
        };
        if self.host.is_some() {
            warn(HOST, self.of_host.len(), DoubtKind::WholeHost);
        }
        if self.commit_statements > 0 {
            warn(DATABASE, self.commit_statements as usize, DoubtKind::CommitStatements);
        }
        LoadProfile { intervals, absent, doubts, ..empty.clone() }
    }
}

/// The sessions at both ends of an interval. Those that are active come from the time of the database where that is counted.
fn add_sessions(amounts: &mut BTreeMap<LoadQuantity, Amount>, ends: Option<(SessionCount, SessionCount)>) {
    let Some((before, after)) = ends else { return };
    let between = |of: fn(SessionCount) -> f64| {
        let (one, other) = (of(before), of(after));
        Amount { average: (one + other) / 2.0, max: Some(one.max(other)) }
    };
    amounts.insert(LoadQuantity::Sessions, between(|count| count.connected));
    amounts.entry(LoadQuantity::ActiveSessions).or_insert_with(|| between(|count| count.active));
}

/// Where a quantity is found that watching does not tell.
fn elsewhere(quantity: LoadQuantity, is_local: bool) -> Elsewhere {
    use LoadQuantity::{
        CommitSeconds, DatabaseProcessorSecondsPerSecond, HostBusyShare, HostFreeMemoryBytes,
        NetworkReceivedBytesPerSecond, NetworkSentBytesPerSecond, RandomReadSeconds,
    };
    match quantity {
        DatabaseProcessorSecondsPerSecond | HostBusyShare if !is_local => Elsewhere::WatchingOnHost,
        HostBusyShare | HostFreeMemoryBytes | NetworkReceivedBytesPerSecond | NetworkSentBytesPerSecond => {
            Elsewhere::HostStatistics
        }
        // Servers count them where they are set to time them.
        RandomReadSeconds | CommitSeconds => Elsewhere::Setting { name: "timing of I/O".to_owned() },
        _ => Elsewhere::Nowhere,
    }
}

/// A profile without intervals.
fn profile(
    engine: &dyn Engine,
    target: &Target,
    inventory: &record::EngineInventory,
    is_local: bool,
    settings: &LoadSettings,
) -> LoadProfile {
    let source = |form: &str, scope: Scope| Source {
        form: form.to_owned(),
        scope,
        engine: (scope == Scope::Database).then(|| engine.name().to_owned()),
        version: (scope == Scope::Database).then(|| inventory.version.clone()),
        database_id: None,
        database_name: settings.with_names.then(|| target.to_string()).filter(|_| scope == Scope::Database),
        zone: Zone::OffsetMinutes(settings.offset_minutes),
        files: 0,
        instances_expected: None,
        size_bytes: None,
        growth_bytes_per_day: None,
        watching_seconds_per_second: None,
    };
    let machine = is_local.then(|| host::inventory(std::path::Path::new("/")));
    let cpu = machine.as_ref().map(|host| &host.cpu);
    let of_host = Instance {
        number: 1,
        host_name: machine.as_ref().and_then(|host| host.host_name.clone()).filter(|_| settings.with_names),
        processor: cpu.and_then(|cpu| cpu.model.clone()),
        hardware_threads: cpu.map(|cpu| cpu.threads).filter(|threads| *threads > 0),
        cores: cpu.and_then(|cpu| cpu.cores),
        sockets: cpu.and_then(|cpu| cpu.sockets),
        memory_bytes: machine.as_ref().map(|host| host.memory.total_bytes).filter(|size| *size > Bytes(0)),
        ..Instance::default()
    };
    let of_database = Instance { buffer_cache_bytes: inventory.cache_bytes, ..of_host.clone() };
    let mut profile = LoadProfile {
        sources: vec![source(FORM, Scope::Database)],
        instances: vec![of_database],
        ..LoadProfile::default()
    };
    if is_local {
        profile.sources.push(source(HOST_FORM, Scope::Host));
        profile.instances.push(of_host);
    }
    profile
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_that_have_passed_are_not_made_up_for() {
        let of = |now| following(100, 10, now);
        assert_eq!([of(100), of(109), of(110), of(111), of(1_000)], [110, 110, 120, 120, 1_010]);
        assert_eq!(of(90), 110, "it was read early");
    }
}
