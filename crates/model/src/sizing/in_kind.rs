//! A load in kind: the roles of jobs that ask of a platform what a load asks at a level.
//!
//! Each quantity is asked at its own level, as [`size`](super::size) holds it against a ceiling: their peaks may lie in different
//! intervals. What a load does not tell is chosen here, by the constants below.

use record::load_profile::LoadQuantity;
use record::{
    AskedQuantity, Bytes, ExpectedPoint, ExpectedTimes, LeftOut, LoadInKind, LoadLevel, Record, RoleInKind, StepInKind,
};

use super::{Demand, Level, LoadHistory, LoadPoint, recorded_curves};

/// Bytes of a request of one block, where a load tells requests and bytes.
const BLOCK_BYTES: f64 = 8_192.0;
/// Blocks of the buffer cache that are asked for a row by its key: two levels of an index, and the row.
const BLOCKS_PER_ROW: f64 = 3.0;
/// Single rows that are read from the cache in a second, at most: above it each step reads as many as share a secondary key.
const SINGLE_ROWS_MAX: f64 = 2_000.0;
/// Rows that share a secondary key.
const GROUP_ROWS: u32 = 320;
/// Processor seconds of comparing two rows, before that is measured.
const COMPARED_SECONDS: f64 = 1e-7;
/// Rows that a computation compares, each with each, at least and at most.
const COMPARED_ROWS_MIN: f64 = 100.0;
/// As above.
const COMPARED_ROWS_MAX: f64 = 1_000.0;
/// Computations per second, at most, where the rows of one are not too many.
const COMPUTATIONS_MAX: f64 = 2_000.0;
/// Sessions for each processor second that is computed in a second: one computes no more than one.
const SESSIONS_PER_PROCESSOR: f64 = 1.5;
/// Bytes that a scan reads in a step.
const SCAN_BYTES: f64 = 1_048_576.0;
/// A remainder below this share of a quantity is no role of its own.
const REMAINDER: f64 = 0.05;
/// Letters of a row that is inserted.
const ROW_BYTES_MIN: f64 = StepInKind::ROW_BYTES_MIN as f64;
/// As above, at most.
const ROW_BYTES_MAX: f64 = StepInKind::ROW_BYTES_MAX as f64;
/// Letters of a row where the load does not tell its log.
const ROW_BYTES_UNTOLD: f64 = 100.0;
/// Bytes of log of a row beside its letters.
const LOG_BYTES_OF_ROW: f64 = 120.0;
/// Rows that a commit inserts, at most.
const INSERTED_MAX: f64 = StepInKind::INSERTED_MAX as f64;
/// Rows that a commit changes, at most.
const CHANGED_MAX: f64 = 16.0;
/// Sessions for each that is active, where the load does not tell those connected.
const SESSIONS_PER_ACTIVE: f64 = 4.0;
/// Sessions of a load that tells neither.
const SESSIONS_UNTOLD: f64 = 16.0;
/// Sessions, at most.
pub const SESSIONS_IN_KIND_MAX: u32 = 512;

/// What engine and host count of a load in kind.
const COUNTED: [(Demand, LoadQuantity); 7] = [
    (Demand::RandomReads, LoadQuantity::PhysicalReadsPerSecond),
    (Demand::ReadBytes, LoadQuantity::PhysicalReadBytesPerSecond),
    (Demand::LogicalReads, LoadQuantity::LogicalReadsPerSecond),
    (Demand::Processors, LoadQuantity::DatabaseProcessorSecondsPerSecond),
    (Demand::RandomWrites, LoadQuantity::PhysicalWritesPerSecond),
    (Demand::Commits, LoadQuantity::CommitsPerSecond),
    (Demand::LogBytes, LoadQuantity::LogBytesPerSecond),
];

/// Why a load cannot be asked in kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotInKind {
    /// A level is a share of the time, and there are too few intervals for it.
    TooFewIntervals {
        /// Intervals of the load.
        intervals: usize,
        /// Intervals that it takes.
        least: usize,
    },
    /// The load tells neither reads nor writes, commits, log or processor time.
    NothingToAsk,
}

/// What `history` asks at `level`, `times` as much of it, of a platform whose rows of a table have `data_row_bytes`.
///
/// # Errors
/// Where the level needs more intervals, and where there is nothing to ask.
pub fn in_kind(
    history: &LoadHistory,
    level: LoadLevel,
    times: f64,
    data_row_bytes: Bytes,
) -> Result<LoadInKind, NotInKind> {
    let asked = Asked { history, level, times };
    let least = match level {
        LoadLevel::P95 => 20,
        LoadLevel::P99 => 100,
        LoadLevel::Max | LoadLevel::Peak => 1,
    };
    let is_told = |(_, of): &(Demand, Level)| of.seconds > 0.0 && asked.of(of).is_none();
    if history.demands.iter().any(is_told) {
        return Err(NotInKind::TooFewIntervals { intervals: history.intervals, least });
    }
    let mut left_out = asked.not_asked();
    let mut roles: Vec<RoleInKind> = Vec::new();
    let reads = asked.demand(Demand::RandomReads).unwrap_or(0.0);
    let mut add = |step, steps_per_second: f64, quantity, asked_per_second: f64| {
        if steps_per_second > 0.0 {
            roles.push(RoleInKind { step, jobs: 1, steps_per_second, quantity, asked_per_second });
        }
    };
    add(StepInKind::RandomRead, reads, LoadQuantity::PhysicalReadsPerSecond, reads);
    let scanned = asked.scanned_bytes(reads);
    let scan_rows = (SCAN_BYTES / data_row_bytes.0.max(1) as f64).ceil().max(1.0);
    let scan = StepInKind::Scan { rows: scan_rows as u32 };
    let scans = scanned / (scan_rows * data_row_bytes.0.max(1) as f64);
    add(scan, scans, LoadQuantity::PhysicalReadBytesPerSecond, scanned);
    let commits = asked.commits(&mut left_out);
    let touched = commits.as_ref().map_or(0.0, RoleInKind::rows_per_second);
    let logical = asked.demand(Demand::LogicalReads).unwrap_or(0.0);
    let cached = logical - BLOCKS_PER_ROW * (reads + touched) - scanned / BLOCK_BYTES;
    if cached > REMAINDER * logical {
        let rows = if cached / BLOCKS_PER_ROW > SINGLE_ROWS_MAX { GROUP_ROWS } else { 1 };
        let steps = cached / (BLOCKS_PER_ROW * f64::from(rows));
        add(StepInKind::CachedRead { rows }, steps, LoadQuantity::LogicalReadsPerSecond, cached);
    }
    if let Some(seconds) = asked.demand(Demand::Processors) {
        roles.push(computing(seconds));
    }
    roles.extend(commits);
    if roles.is_empty() {
        return Err(NotInKind::NothingToAsk);
    }
    let sessions_told = asked.demand(Demand::Sessions);
    let active = asked.quantity(LoadQuantity::ActiveSessions).map(|active| active * SESSIONS_PER_ACTIVE);
    let sessions = sessions_told.or(active).unwrap_or(SESSIONS_UNTOLD).round();
    let least: u32 = roles.iter().map(sessions_min).sum();
    let sessions = (sessions as u32).clamp(least.min(SESSIONS_IN_KIND_MAX), SESSIONS_IN_KIND_MAX);
    share_sessions(&mut roles, sessions);
    Ok(LoadInKind {
        level,
        times,
        sessions_told,
        sessions,
        asked: asked.quantities(),
        roles,
        left_out,
        expected: Vec::new(),
    })
}

/// What a load asks at a level.
struct Asked<'a> {
    history: &'a LoadHistory,
    level: LoadLevel,
    times: f64,
}

impl Asked<'_> {
    /// As much of `level` as is asked; absent where there are too few intervals.
    fn of(&self, level: &Level) -> Option<f64> {
        let value = match self.level {
            LoadLevel::P95 => level.p95,
            LoadLevel::P99 => level.p99,
            LoadLevel::Max => Some(level.max),
            LoadLevel::Peak => Some(level.peak()),
        };
        value.map(|value| value * self.times)
    }

    fn demand(&self, demand: Demand) -> Option<f64> {
        self.of(&self.history.level(demand)?).filter(|value| *value > 0.0 && value.is_finite())
    }

    fn quantity(&self, quantity: LoadQuantity) -> Option<f64> {
        let figures = self.history.figures.iter().find(|figures| figures.quantity == quantity)?;
        self.of(&figures.level).filter(|value| *value > 0.0 && value.is_finite())
    }

    /// Bytes per second that are read beside `reads` single blocks.
    fn scanned_bytes(&self, reads: f64) -> f64 {
        let all = self.demand(Demand::ReadBytes).unwrap_or(0.0);
        let rest = all - reads * BLOCK_BYTES;
        if rest > REMAINDER * all { rest } else { 0.0 }
    }

    /// The role that commits: as often as the load does, or, where it does not tell commits, with each of its writes.
    fn commits(&self, left_out: &mut Vec<LeftOut>) -> Option<RoleInKind> {
        let log = self.demand(Demand::LogBytes);
        let writes = self.demand(Demand::RandomWrites).unwrap_or(0.0);
        let Some(rate) = self.demand(Demand::Commits) else {
            let (step, quantity) = match log {
                None if writes == 0.0 => return None,
                // As many rows as make the log, each a commit.
                Some(log) if writes == 0.0 => {
                    let step = inserting(Some(ROW_BYTES_UNTOLD + LOG_BYTES_OF_ROW), 0.0);
                    let rate = log / (ROW_BYTES_UNTOLD + LOG_BYTES_OF_ROW);
                    return Some(role(step, rate, LoadQuantity::LogBytesPerSecond, log));
                }
                log => (inserting(log.map(|log| log / writes), 1.0), LoadQuantity::PhysicalWritesPerSecond),
            };
            return Some(role(step, writes, quantity, writes));
        };
        let of_log = self.quantity(LoadQuantity::LogWritesPerSecond).unwrap_or(rate);
        let of_data = (writes - of_log).max(0.0);
        let changed = of_data / rate;
        let rest = |quantity, per_second: f64| LeftOut { quantity, per_second: Some(per_second) };
        if changed > CHANGED_MAX {
            left_out.push(rest(LoadQuantity::PhysicalWritesPerSecond, of_data - CHANGED_MAX * rate));
        }
        let step = inserting(log.map(|log| log / rate), changed.min(CHANGED_MAX));
        let log_max = INSERTED_MAX * (ROW_BYTES_MAX + LOG_BYTES_OF_ROW) * rate;
        if let Some(log) = log.filter(|log| *log > log_max) {
            left_out.push(rest(LoadQuantity::LogBytesPerSecond, log - log_max));
        }
        Some(role(step, rate, LoadQuantity::CommitsPerSecond, rate))
    }

    /// How much of each quantity that engine and host count.
    fn quantities(&self) -> Vec<AskedQuantity> {
        let of = |(demand, quantity): &(Demand, LoadQuantity)| {
            Some(AskedQuantity { quantity: *quantity, per_second: self.demand(*demand)? })
        };
        COUNTED.iter().filter_map(of).collect()
    }

    /// Quantities that no role asks: what a load sends depends on its statements.
    fn not_asked(&self) -> Vec<LeftOut> {
        let all = [
            LoadQuantity::RollbacksPerSecond,
            LoadQuantity::NetworkReceivedBytesPerSecond,
            LoadQuantity::NetworkSentBytesPerSecond,
        ];
        let told = all
            .into_iter()
            .filter_map(|quantity| Some(LeftOut { quantity, per_second: Some(self.quantity(quantity)?) }));
        let untold = COUNTED.iter().filter(|(demand, _)| self.demand(*demand).is_none());
        let untold = untold.filter(|(demand, _)| *demand != Demand::ReadBytes);
        told.chain(untold.map(|(_, quantity)| LeftOut { quantity: *quantity, per_second: None })).collect()
    }
}

fn role(step: StepInKind, steps_per_second: f64, quantity: LoadQuantity, asked_per_second: f64) -> RoleInKind {
    RoleInKind { step, jobs: 1, steps_per_second, quantity, asked_per_second }
}

/// The role that takes `seconds` of processors per second. What the other roles take of them is subtracted when it is counted.
fn computing(seconds: f64) -> RoleInKind {
    let rows = (seconds / COMPUTATIONS_MAX / COMPARED_SECONDS).sqrt().ceil();
    let rows = rows.clamp(COMPARED_ROWS_MIN, COMPARED_ROWS_MAX);
    let steps_per_second = seconds / (rows * rows * COMPARED_SECONDS);
    role(
        StepInKind::Compute { rows: rows as u32 },
        steps_per_second,
        LoadQuantity::DatabaseProcessorSecondsPerSecond,
        seconds,
    )
}

/// A transaction with `log` bytes of log and `changed_rows`.
fn inserting(log: Option<f64>, changed_rows: f64) -> StepInKind {
    let log = log.unwrap_or(ROW_BYTES_UNTOLD + LOG_BYTES_OF_ROW);
    let rows = (log / (ROW_BYTES_MAX + LOG_BYTES_OF_ROW)).ceil().clamp(1.0, INSERTED_MAX);
    let row_bytes = (log / rows - LOG_BYTES_OF_ROW).clamp(ROW_BYTES_MIN, ROW_BYTES_MAX);
    StepInKind::Commit { rows: rows as u32, row_bytes: Bytes(row_bytes.round() as u64), changed_rows }
}

/// Sessions that `role` takes at least.
fn sessions_min(role: &RoleInKind) -> u32 {
    match role.step {
        StepInKind::Compute { .. } => {
            let busy = (role.asked_per_second * SESSIONS_PER_PROCESSOR).ceil();
            busy.clamp(1.0, f64::from(SESSIONS_IN_KIND_MAX)) as u32
        }
        _ => 1,
    }
}

/// Shares `sessions` among `roles`, as many as each takes at least, and the others by the work of their steps in rows.
fn share_sessions(roles: &mut [RoleInKind], sessions: u32) {
    let others = roles.len().saturating_sub(1) as u32;
    let least = |role: &RoleInKind| sessions_min(role).min(sessions.saturating_sub(others)).max(1);
    let left = f64::from(sessions.saturating_sub(roles.iter().map(least).sum()));
    let work = |role: &RoleInKind| match role.step {
        // A row in order costs a small part of one that is looked up.
        StepInKind::Scan { .. } => role.rows_per_second() / 100.0,
        // A commit waits for the log, which takes as long as a random read or more.
        StepInKind::Commit { .. } => role.rows_per_second() + 2.0 * role.steps_per_second,
        StepInKind::RandomRead => role.rows_per_second(),
        StepInKind::CachedRead { .. } => role.rows_per_second() / 20.0,
        // The others wait for nothing.
        StepInKind::Compute { .. } => 0.0,
    };
    let all: f64 = roles.iter().map(work).sum();
    let count = roles.len();
    let mut given = 0;
    for (index, role) in roles.iter_mut().enumerate() {
        let own = if all > 0.0 { (left * work(role) / all).floor() as u32 } else { 0 };
        role.jobs = match index + 1 == count {
            true => sessions - given,
            false => least(role) + own,
        };
        given += role.jobs;
    }
}

/// What `record` measured of each role of `load`, at rates on both sides of the one that is asked.
pub fn expected_times(load: &LoadInKind, record: &Record) -> Vec<ExpectedTimes> {
    let curves = recorded_curves(record);
    let of = |role: &RoleInKind| {
        let demand = match role.quantity {
            LoadQuantity::PhysicalReadsPerSecond => Demand::RandomReads,
            LoadQuantity::CommitsPerSecond => Demand::Commits,
            _ => return None,
        };
        let rate = role.asked_per_second;
        let own = || curves.iter().filter(|curve| curve.demand == demand);
        let highest = || own().max_by(|one, other| one.rate_max().total_cmp(&other.rate_max()));
        let curve = own().find(|curve| curve.at(rate).is_some()).or_else(highest)?;
        let above = curve.at(rate);
        let is_below = |point: &&LoadPoint| point.rate < rate && above.is_some_and(|one| one.is_open == point.is_open);
        let below = curve.points.iter().rev().find(is_below).copied();
        Some(ExpectedTimes {
            quantity: role.quantity,
            per_second: rate,
            test: curve.test.clone(),
            measured_max: curve.rate_max(),
            points: below.into_iter().chain(above).map(expected_point).collect(),
        })
    };
    load.roles.iter().filter_map(of).collect()
}

fn expected_point(point: LoadPoint) -> ExpectedPoint {
    let LoadPoint { rate, jobs, is_open, p50, p99 } = point;
    ExpectedPoint { per_second: rate, jobs, is_open, p50_ns: p50, p99_ns: p99 }
}
