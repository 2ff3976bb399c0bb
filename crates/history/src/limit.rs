//! Limits on what is read from outside, and of what is doubted.

/// Bytes of a file.
pub(crate) const FILE_BYTES_MAX: u64 = 8 << 30;
/// Bytes of a line, and of a record of separated values.
pub(crate) const LINE_BYTES_MAX: usize = 1 << 20;
/// Bytes of a string of JSON.
pub(crate) const STRING_BYTES_MAX: usize = 1 << 20;
/// Columns of a table, and fields of a record.
pub(crate) const COLUMNS_MAX: usize = 1024;
/// Characters of a cell that are kept: names and numbers. The cells with texts of statements are longer.
pub(crate) const CELL_CHARACTERS_MAX: usize = 200;
/// Files of a history.
pub(crate) const FILES_MAX: usize = 100_000;
/// Intervals of a history (a reader keeps one more, so that a file with more is refused and not cut), of which each has up to a kilobyte: half a year of minutes, three days of seconds.
pub(crate) const INTERVALS_MAX: usize = 300_000;
/// Instances and hosts of a history.
pub(crate) const INSTANCES_MAX: usize = 1_000;
/// Rows of one dump of a view.
pub(crate) const ROWS_MAX: usize = 100_000;
/// Sources of a history.
pub(crate) const SOURCES_MAX: usize = 1_000;
/// Processors, devices and interfaces of one sample of a host.
pub(crate) const DEVICES_MAX: usize = 65_536;
/// Doubts of a source that differ.
pub(crate) const DOUBTS_MAX: usize = 1_000;

/// The longest interval whose average may stand for its peak.
pub(crate) const INTERVAL_SECONDS_MAX: f64 = 7_200.0;
/// The longest interval in which nobody asks for the peak within.
pub(crate) const SHORT_INTERVAL_SECONDS: f64 = 60.0;
/// A source is idle where no interval has this many sessions active ...
pub(crate) const IDLE_ACTIVE_SESSIONS: f64 = 0.05;
/// ... or this many statements and commits per second, as far as it tells either.
pub(crate) const IDLE_PER_SECOND: f64 = 1.0;
/// How far two clocks of one file, or a clock and a count of seconds, may differ.
pub(crate) const CLOCK_SECONDS: f64 = 120.0;
