//! What a platform showed of each resource: the highest rate of any test that stands for it.

use record::{Dop, HostInventory, IoKind, Location, Pace, Record, Run, RunKind, Unit, Variation};

use super::Demand;
use crate::calibration::{MAX_IOPS, MAX_MBPS};
use crate::platform::Basis;
use crate::platform_plan::{Measure, Part};
use crate::row::{Row, row};
use crate::system::{Columns, System};
use crate::verdict::is_invalid;

/// Tests of the engine whose reads and writes are of single blocks at random places.
const RANDOM_TESTS: [&str; 6] = ["T616", "T626", "T716", "T721", "T722", MAX_IOPS];
/// Tests without which nothing is said of a demand: another test may do some of it, and what it does of that is no measure of
/// how much there is.
const MEASURES: [(Demand, &[&str]); 6] = [
    (Demand::RandomReads, &["S21", "S22", "T626", MAX_IOPS]),
    (Demand::RandomWrites, &["S23", "T721", "T722"]),
    (Demand::ReadBytes, &["S11", "T426", MAX_MBPS]),
    (Demand::WrittenBytes, &["S12", "T331"]),
    (Demand::LogBytes, &["T322", "T331"]),
    (Demand::LogicalReads, &["T421", "T611"]),
];
/// Probes of random reads, and of random writes.
const RANDOM_READ_PROBES: [&str; 2] = ["S21", "S22"];
const RANDOM_WRITE_PROBE: &str = "S23";
/// Probes of reads and writes in order.
const READ_PROBE: &str = "S11";
const WRITE_PROBE: &str = "S12";
/// Tests of small transactions, each of which is committed durably.
pub(super) const COMMIT_TESTS: [&str; 2] = ["T311", "T321"];
/// The probe that stands for them where none was run.
const COMMIT_PROBE: &str = "S31";
/// Probes of the bandwidth to the peer, which is the server, and from it.
const TO_SERVER_PROBE: &str = "N21";
const FROM_SERVER_PROBE: &str = "N22";
/// Settings of engines that limit their sessions.
const SESSION_SETTINGS: [&str; 2] = ["max_connections", "sessions"];
/// Bytes per second of a link of so many megabits.
const BYTES_PER_MEGABIT: f64 = 125_000.0;

/// How much of a resource there is.
#[derive(Clone, Debug, PartialEq)]
pub struct Ceiling {
    /// The resource.
    pub demand: Demand,
    /// How much, in the unit of the demand; above 0.
    pub available: f64,
    /// Where that is from.
    pub source: CeilingSource,
}

/// Where a ceiling is from.
#[derive(Clone, Debug, PartialEq)]
pub enum CeilingSource {
    /// A test or a probe at its best degree of parallelism.
    Test {
        /// Its code.
        code: String,
        /// Its degree of parallelism, where that is known.
        dop: Option<Dop>,
    },
    /// Reads and writes of these tests that take turns on the device, at the mix of the load.
    Mix {
        /// The test of the reads.
        reads: Box<CeilingSource>,
        /// The test of the writes.
        writes: Box<CeilingSource>,
    },
    /// A part of a planned platform.
    Part {
        /// The part.
        part: Part,
        /// What of it.
        measure: Measure,
        /// Measured, rated or assumed.
        basis: Basis,
    },
    /// A setting of the engine.
    Setting {
        /// Its name.
        name: String,
    },
    /// The inventory of the machine.
    Inventory,
    /// The ratio of two sheets.
    Sheets {
        /// The tests that both have.
        codes: Vec<String>,
    },
}

/// The highest ceiling of each demand, as it is found.
#[derive(Default)]
struct Highest(Vec<Ceiling>);

impl Highest {
    fn take(&mut self, demand: Demand, available: Option<f64>, source: impl FnOnce() -> CeilingSource) {
        let Some(available) = available.filter(|value| *value > 0.0 && value.is_finite()) else { return };
        let position = self.0.iter().position(|known| known.demand == demand);
        match position {
            Some(index) if self.0[index].available >= available => {}
            Some(index) => self.0[index] = Ceiling { demand, available, source: source() },
            None => self.0.push(Ceiling { demand, available, source: source() }),
        }
    }

    fn has(&self, demand: Demand) -> bool {
        self.0.iter().any(|known| known.demand == demand)
    }
}

/// Whether `run` shows what the platform does: not one that was traced or restricted.
pub(super) fn shows(run: &Run) -> bool {
    let is_free = matches!(run.variation, None | Some(Variation::Paced { .. } | Variation::ShareOfCapacity { .. }));
    is_free && !is_invalid(run)
}

/// The host of the server of `record`; absent where it is another one and was not observed.
pub(super) fn server_host(record: &Record) -> Option<&HostInventory> {
    let is_here = record.engine.as_ref().is_none_or(|engine| engine.location != Location::Remote);
    record.server_hosts.first().map(|observed| &observed.host).or(is_here.then_some(&record.host))
}

/// What `record` showed of each demand.
pub fn recorded_ceilings(record: &Record) -> Vec<Ceiling> {
    let mut highest = Highest::default();
    // A run at a rate does what is asked for: it shows what there is only where nothing else was run.
    let is_free = |run: &&Run| shows(run) && run.pace == Pace::Unthrottled;
    let has_free = record.runs.iter().any(|run| is_free(&run));
    for run in record.runs.iter().filter(|run| if has_free { is_free(run) } else { shows(run) }) {
        of_run(run, &mut highest);
    }
    highest.0.retain(|ceiling| is_measured(record, ceiling.demand));
    if !highest.has(Demand::Commits) {
        let probes = record.runs.iter().filter(|run| run.test == COMMIT_PROBE && shows(run));
        for run in probes {
            highest.take(Demand::Commits, rate(row(run).operations_per_second), || test(run));
        }
    }
    if let Some(host) = server_host(record) {
        of_host(host, &mut highest);
    }
    let settings = record.engine.iter().flat_map(|engine| &engine.settings);
    for setting in settings.filter(|setting| SESSION_SETTINGS.contains(&setting.name.as_str())) {
        let name = || CeilingSource::Setting { name: setting.name.clone() };
        highest.take(Demand::Sessions, setting.value.trim().parse().ok(), name);
    }
    highest.0.sort_by_key(|ceiling| ceiling.demand);
    highest.0
}

/// Whether `record` has a run that is about `demand`.
fn is_measured(record: &Record, demand: Demand) -> bool {
    let Some((_, codes)) = MEASURES.iter().find(|(known, _)| *known == demand) else { return true };
    let is_of_kind = |run: &Run| match (&run.kind, demand) {
        (RunKind::Blocks { .. }, Demand::RandomReads | Demand::RandomWrites | Demand::LogicalReads) => true,
        (RunKind::Load { .. }, Demand::WrittenBytes | Demand::LogBytes) => true,
        (RunKind::Io, Demand::LogBytes | Demand::LogicalReads) => false,
        (RunKind::Io, _) => true,
        _ => false,
    };
    record.runs.iter().any(|run| shows(run) && (codes.contains(&run.test.as_str()) || is_of_kind(run)))
}

fn rate(rate: Option<record::Rate>) -> Option<f64> {
    rate.map(|rate| rate.0)
}

fn test(run: &Run) -> CeilingSource {
    CeilingSource::Test { code: run.test.clone(), dop: Some(run.dop) }
}

fn of_run(run: &Run, highest: &mut Highest) {
    let row = row(run);
    let code = run.test.as_str();
    let mut take = |demand, available: Option<f64>| highest.take(demand, available, || test(run));
    let operations = rate(row.operations_per_second);
    // Reads of the engine that the page cache served reached no device: the block layer counts those that did.
    if RANDOM_TESTS.contains(&code) || matches!(run.kind, RunKind::Blocks { .. }) {
        take(Demand::RandomReads, rate(row.device_io.reads_per_second));
        take(Demand::RandomWrites, rate(row.device_io.writes_per_second));
    }
    if RANDOM_READ_PROBES.contains(&code) {
        take(Demand::RandomReads, operations);
    }
    match code {
        RANDOM_WRITE_PROBE => take(Demand::RandomWrites, operations),
        READ_PROBE => take(Demand::ReadBytes, bytes(run, &row)),
        WRITE_PROBE => take(Demand::WrittenBytes, bytes(run, &row)),
        TO_SERVER_PROBE => take(Demand::NetworkReceived, bytes(run, &row)),
        FROM_SERVER_PROBE => take(Demand::NetworkSent, bytes(run, &row)),
        _ => {}
    }
    if COMMIT_TESTS.contains(&code) {
        take(Demand::Commits, rate(row.transactions_per_second).or(operations));
    }
    take(Demand::ReadBytes, rate(row.device_io.read_bytes_per_second));
    take(Demand::WrittenBytes, rate(row.device_io.write_bytes_per_second));
    take(Demand::LogBytes, rate(row.redo_bytes_per_second));
    take(Demand::LogicalReads, rate(row.logical_reads_per_second));
    let seconds = run.window_ns.seconds();
    let streams = run.storage.iter().flat_map(|storage| &storage.streams).filter(|stream| stream.random);
    let of_kind = |kind: IoKind| {
        let count: u64 = streams.clone().filter(|stream| stream.kind == kind).map(|stream| stream.operations).sum();
        (seconds > 0.0).then(|| count as f64 / seconds)
    };
    if run.kind == RunKind::Io {
        take(Demand::RandomReads, of_kind(IoKind::Read));
        take(Demand::RandomWrites, of_kind(IoKind::Write));
    }
}

fn bytes(run: &Run, row: &Row) -> Option<f64> {
    match run.unit {
        Unit::Byte => rate(row.operations_per_second),
        _ => rate(row.bytes_per_second),
    }
}

fn of_host(host: &HostInventory, highest: &mut Highest) {
    let mut take = |demand, available: Option<f64>| highest.take(demand, available, || CeilingSource::Inventory);
    let memory = host.cgroup.memory_max_bytes.map_or(u64::MAX, |limit| limit.0).min(host.memory.total_bytes.0);
    take(Demand::Memory, Some(memory as f64));
    let size = host.file_system.as_ref().and_then(|system| system.size_bytes);
    take(Demand::Capacity, size.map(|size| size.0 as f64));
    // A link carries as much in each direction. What was measured with a peer goes before what is rated.
    let link = host.network.iter().filter_map(|one| one.megabits_per_second).max();
    for demand in [Demand::NetworkSent, Demand::NetworkReceived] {
        if !highest.has(demand) {
            let rated = link.map(|megabits| megabits as f64 * BYTES_PER_MEGABIT);
            highest.take(demand, rated, || CeilingSource::Inventory);
        }
    }
}

/// What is published of `system`.
pub fn published_ceilings(system: &System) -> Vec<Ceiling> {
    let mut highest = Highest::default();
    for test in &system.tests {
        for point in &test.points {
            let source = || CeilingSource::Test { code: test.code.clone(), dop: Some(point.degree.dop) };
            let columns: &Columns = &point.columns;
            let mut take = |demand, rate: Option<record::Rate>| {
                highest.take(demand, rate.map(|rate| rate.0), source);
            };
            let code = test.code.as_str();
            if RANDOM_TESTS.contains(&code) || RANDOM_READ_PROBES.contains(&code) || code == RANDOM_WRITE_PROBE {
                take(Demand::RandomReads, columns.reads_per_second);
                take(Demand::RandomWrites, columns.writes_per_second);
            }
            if RANDOM_READ_PROBES.contains(&code) {
                take(Demand::RandomReads, point.median());
            }
            if code == RANDOM_WRITE_PROBE {
                take(Demand::RandomWrites, point.median());
            }
            if COMMIT_TESTS.contains(&code) {
                take(Demand::Commits, columns.transactions_per_second.or_else(|| point.median()));
            }
            take(Demand::ReadBytes, columns.read_bytes_per_second);
            take(Demand::WrittenBytes, columns.write_bytes_per_second);
            take(Demand::LogBytes, columns.redo_bytes_per_second);
        }
    }
    highest.0.sort_by_key(|ceiling| ceiling.demand);
    highest.0
}
