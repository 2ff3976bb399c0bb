//! The forms of files.

use record::load_profile::{LoadQuantity, Scope};

/// A form in which statistics are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// An AWR report as text, of one instance or of a cluster.
    AwrText,
    /// An AWR report as HTML, of one instance or of a cluster.
    AwrHtml,
    /// A Statspack report.
    Statspack,
    /// What the script AWR Miner writes.
    AwrMiner,
    /// Dumps of the views `pg_stat_*` as separated values.
    StatisticsViews,
    /// `show global status`, once or several times.
    GlobalStatus,
    /// `sadf -j`.
    Sadf,
    /// `sar` as text.
    Sar,
    /// `iostat -x -t` as text.
    Iostat,
    /// `iostat -o JSON`.
    IostatJson,
    /// `pgbadger -x json`.
    Badger,
}

impl Form {
    /// Its name in a load profile; text and HTML of one report are one form there.
    pub fn name(self) -> &'static str {
        match self {
            Form::AwrText | Form::AwrHtml => "awr",
            Form::Statspack => "statspack",
            Form::AwrMiner => "awr-miner",
            Form::StatisticsViews => "pg_stat",
            Form::GlobalStatus => "global-status",
            Form::Sadf => "sadf",
            Form::Sar => "sar",
            Form::Iostat | Form::IostatJson => "iostat",
            Form::Badger => "pgbadger",
        }
    }

    /// What its figures are of.
    pub fn scope(self) -> Scope {
        match self {
            Form::Sadf | Form::Sar | Form::Iostat | Form::IostatJson => Scope::Host,
            _ => Scope::Database,
        }
    }

    /// Whether `quantity` is a matter of its scope: statistics of a host know no commits.
    pub(crate) fn concerns(self, quantity: LoadQuantity) -> bool {
        use LoadQuantity::*;
        let is_of_host = matches!(
            quantity,
            PhysicalReadsPerSecond
                | PhysicalReadBytesPerSecond
                | PhysicalWritesPerSecond
                | PhysicalWriteBytesPerSecond
                | HostBusyShare
                | NetworkReceivedBytesPerSecond
                | NetworkSentBytesPerSecond
                | HostFreeMemoryBytes
        );
        is_of_host || self.scope() == Scope::Database
    }
}
