//! Names of resources and quantities, and their amounts with units.

use model::sizing::{CeilingSource, Demand};
use record::load_profile::LoadQuantity;
use record::{Bytes, Nanos, Ratio, Sweep};

use crate::figure::{duration, memory, number, percent, three_digits, volume};
use crate::platform_plan::{basis, part};
use crate::words::{dop, list};

/// The name of a resource.
pub(super) fn name(demand: Demand) -> &'static str {
    match demand {
        Demand::Processors => "processors",
        Demand::RandomReads => "random reads",
        Demand::RandomWrites => "random writes",
        Demand::RandomRequests => "random reads and writes together",
        Demand::ReadBytes => "bandwidth of reads",
        Demand::WrittenBytes => "bandwidth of writes",
        Demand::Commits => "commits",
        Demand::LogBytes => "log",
        Demand::LogicalReads => "reads of the buffer cache",
        Demand::NetworkSent => "network to clients",
        Demand::NetworkReceived => "network from clients",
        Demand::Sessions => "sessions",
        Demand::Memory => "memory",
        Demand::Capacity => "capacity",
    }
}

/// The key of a resource in JSON.
pub(super) fn key(demand: Demand) -> &'static str {
    match demand {
        Demand::Processors => "processors_threads",
        Demand::RandomReads => "random_reads_per_second",
        Demand::RandomWrites => "random_writes_per_second",
        Demand::RandomRequests => "random_requests_per_second",
        Demand::ReadBytes => "read_bytes_per_second",
        Demand::WrittenBytes => "written_bytes_per_second",
        Demand::Commits => "commits_per_second",
        Demand::LogBytes => "log_bytes_per_second",
        Demand::LogicalReads => "logical_reads_per_second",
        Demand::NetworkSent => "network_sent_bytes_per_second",
        Demand::NetworkReceived => "network_received_bytes_per_second",
        Demand::Sessions => "sessions",
        Demand::Memory => "memory_bytes",
        Demand::Capacity => "capacity_bytes",
    }
}

fn bytes(value: f64) -> Bytes {
    Bytes(value.round().max(0.0) as u64)
}

/// An amount of a resource with its unit.
pub(super) fn amount(demand: Demand, value: f64) -> String {
    match demand {
        Demand::Processors => format!("{} threads", three_digits(value)),
        Demand::RandomReads
        | Demand::RandomWrites
        | Demand::RandomRequests
        | Demand::Commits
        | Demand::LogicalReads => format!("{}/s", number(value)),
        Demand::ReadBytes | Demand::WrittenBytes | Demand::LogBytes | Demand::NetworkSent | Demand::NetworkReceived => {
            format!("{}/s", volume(bytes(value)))
        }
        Demand::Sessions => number(value),
        Demand::Memory => memory_digits(value),
        Demand::Capacity => volume(bytes(value)),
    }
}

/// A size of memory in whole MiB, so that sums have no long tail of digits.
fn memory_digits(value: f64) -> String {
    const MIB: f64 = 1_048_576.0;
    match value < MIB {
        true => memory(bytes(value)),
        false => memory(bytes((value / MIB).round() * MIB)),
    }
}

/// The name of a quantity.
pub(crate) fn quantity(quantity: LoadQuantity) -> &'static str {
    match quantity {
        LoadQuantity::PhysicalReadsPerSecond => "physical reads",
        LoadQuantity::SequentialReadsPerSecond => "of these in order",
        LoadQuantity::PhysicalReadBytesPerSecond => "bytes read",
        LoadQuantity::PhysicalWritesPerSecond => "physical writes",
        LoadQuantity::SequentialWritesPerSecond => "of these in order",
        LoadQuantity::PhysicalWriteBytesPerSecond => "bytes written",
        LoadQuantity::CommitsPerSecond => "commits",
        LoadQuantity::RollbacksPerSecond => "rollbacks",
        LoadQuantity::LogBytesPerSecond => "bytes of log",
        LoadQuantity::LogWritesPerSecond => "writes of the log",
        LoadQuantity::LogSyncsPerSecond => "syncs of the log",
        LoadQuantity::LogicalReadsPerSecond => "logical reads",
        LoadQuantity::StatementsPerSecond => "statements",
        LoadQuantity::DatabaseProcessorSecondsPerSecond => "processor seconds of the database",
        LoadQuantity::HostBusyShare => "busy share of the host",
        LoadQuantity::ActiveSessions => "active sessions",
        LoadQuantity::Sessions => "sessions",
        LoadQuantity::NetworkReceivedBytesPerSecond => "bytes from clients",
        LoadQuantity::NetworkSentBytesPerSecond => "bytes to clients",
        LoadQuantity::RandomReadSeconds => "time of a read of one block",
        LoadQuantity::CommitSeconds => "time of a commit",
        LoadQuantity::HostFreeMemoryBytes => "free memory of the host",
    }
}

/// An amount of a quantity with its unit.
pub(crate) fn quantity_amount(quantity: LoadQuantity, value: f64) -> String {
    use LoadQuantity::{
        ActiveSessions, CommitSeconds, DatabaseProcessorSecondsPerSecond, HostBusyShare, HostFreeMemoryBytes,
        LogBytesPerSecond, NetworkReceivedBytesPerSecond, NetworkSentBytesPerSecond, PhysicalReadBytesPerSecond,
        PhysicalWriteBytesPerSecond, RandomReadSeconds, Sessions,
    };
    match quantity {
        PhysicalReadBytesPerSecond
        | PhysicalWriteBytesPerSecond
        | LogBytesPerSecond
        | NetworkReceivedBytesPerSecond
        | NetworkSentBytesPerSecond => format!("{}/s", volume(bytes(value))),
        HostBusyShare => percent(Ratio(value)),
        DatabaseProcessorSecondsPerSecond | ActiveSessions | Sessions => three_digits(value),
        RandomReadSeconds | CommitSeconds => duration(Nanos::from_seconds(value)),
        HostFreeMemoryBytes => memory_digits(value),
        _ => format!("{}/s", number(value)),
    }
}

/// Where a ceiling is from.
pub(super) fn source(source: &CeilingSource) -> String {
    match source {
        CeilingSource::Test { code, dop: Some(at) } => format!("{code} {}", dop(*at, Sweep::Jobs)),
        CeilingSource::Test { code, dop: None } => code.clone(),
        CeilingSource::Mix { reads, writes } => {
            format!("{} and {} at the mix", self::source(reads), self::source(writes))
        }
        CeilingSource::Part { part: of, measure: _, basis: on } => format!("{}, {}", part(of), basis(*on)),
        CeilingSource::Setting { name } => format!("setting {name}"),
        CeilingSource::Inventory => "inventory".to_owned(),
        CeilingSource::Sheets { codes } => format!("{} of both sheets", list(codes.iter().cloned())),
    }
}
