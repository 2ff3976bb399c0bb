//! What a monitor sees: one event of each operation for each intended start.

use record::Nanos;

/// Milliseconds of a minute.
pub const MINUTE_MS: i64 = 60_000;
/// Milliseconds of an hour.
pub const HOUR_MS: i64 = 60 * MINUTE_MS;
/// Milliseconds of a day.
pub const DAY_MS: i64 = 24 * HOUR_MS;

/// A moment, milliseconds since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnixMillis(pub i64);

impl UnixMillis {
    /// The hour that it is in, counted from 1970-01-01.
    pub fn hour(self) -> i64 {
        self.0.div_euclid(HOUR_MS)
    }
}

/// An operation that is watched: what the benchmark measures, in small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// A burst of rows by primary key, a statement each.
    Read,
    /// The update of one row, and its commit.
    Commit,
    /// A scan of the table of the monitor.
    Scan,
    /// How far a replica is behind the node that takes writes.
    Lag,
    /// Whether any node of a cluster takes writes.
    Writer,
    /// A burst of direct reads of blocks at random, beside the database.
    StorageRead,
    /// A burst of writes of a block, each with the flush after it, beside the database.
    StorageSync,
}

impl Operation {
    /// All of them.
    pub const ALL: [Operation; 7] = [
        Operation::Read,
        Operation::Commit,
        Operation::Scan,
        Operation::Lag,
        Operation::Writer,
        Operation::StorageRead,
        Operation::StorageSync,
    ];
    /// Those of a node that takes writes, in the order in which they are done.
    pub const OF_WRITER: [Operation; 3] = [Operation::Read, Operation::Commit, Operation::Scan];
    /// Those of a node that only reads, in the order in which they are done.
    pub const OF_REPLICA: [Operation; 2] = [Operation::Read, Operation::Lag];
    /// That of a cluster, beside those of its nodes.
    pub const OF_CLUSTER: [Operation; 1] = [Operation::Writer];
    /// Those of storage, in the order in which they are done.
    pub const OF_STORAGE: [Operation; 2] = [Operation::StorageRead, Operation::StorageSync];

    /// Its name in files, labels and views.
    pub fn word(self) -> &'static str {
        match self {
            Operation::Read => "read",
            Operation::Commit => "commit",
            Operation::Scan => "scan",
            Operation::Lag => "lag",
            Operation::Writer => "writer",
            Operation::StorageRead => "storage-read",
            Operation::StorageSync => "storage-sync",
        }
    }

    /// Whether it takes a time that is held against a threshold.
    pub fn is_timed(self) -> bool {
        self != Operation::Writer
    }

    /// The operation of this name.
    pub fn of_word(word: &str) -> Option<Operation> {
        Operation::ALL.into_iter().find(|operation| operation.word() == word)
    }
}

/// What is measured of the host of the monitor beside the operations: it tells a slow client from a slow database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Control {
    /// A fixed amount of arithmetic.
    Processor,
    /// How late a timer fires.
    Timer,
    /// A round trip over loopback.
    Loopback,
}

impl Control {
    /// All of them.
    pub const ALL: [Control; 3] = [Control::Processor, Control::Timer, Control::Loopback];

    /// Its name in files, labels and views.
    pub fn word(self) -> &'static str {
        match self {
            Control::Processor => "processor",
            Control::Timer => "timer",
            Control::Loopback => "loopback",
        }
    }

    /// The control of this name.
    pub fn of_word(word: &str) -> Option<Control> {
        Control::ALL.into_iter().find(|control| control.word() == word)
    }
}

/// What became of an operation at an intended start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// No error, and its slowest statement within the threshold.
    Good,
    /// No error, and its slowest statement above the threshold.
    Slow,
    /// An error, or no connection.
    Failed,
    /// No answer in time.
    TimedOut,
    /// Never begun: an earlier one was still waiting for the database.
    Missed,
    /// Not tried, because what was tried before timed out again and again.
    Skipped,
    /// The monitor was late itself, or stopped: nothing is known of the database.
    Late,
    /// There is nothing that it could be held against.
    NotKnown,
}

/// What an event counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It kept the promise.
    Good,
    /// It broke it.
    Bad,
    /// It counts for neither.
    Unknown,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Outcome; 8] = [
        Outcome::Good,
        Outcome::Slow,
        Outcome::Failed,
        Outcome::TimedOut,
        Outcome::Missed,
        Outcome::Skipped,
        Outcome::Late,
        Outcome::NotKnown,
    ];

    /// What it counts as.
    pub fn standing(self) -> Standing {
        match self {
            Outcome::Good => Standing::Good,
            Outcome::Slow | Outcome::Failed | Outcome::TimedOut | Outcome::Missed | Outcome::Skipped => Standing::Bad,
            Outcome::Late | Outcome::NotKnown => Standing::Unknown,
        }
    }

    /// Its name in files and views.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Good => "good",
            Outcome::Slow => "slow",
            Outcome::Failed => "failed",
            Outcome::TimedOut => "timed out",
            Outcome::Missed => "missed",
            Outcome::Skipped => "skipped",
            Outcome::Late => "late",
            Outcome::NotKnown => "not known",
        }
    }

    /// The outcome of this name.
    pub fn of_word(word: &str) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|outcome| outcome.word() == word)
    }
}

/// An operation at an intended start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The intended start.
    pub at: UnixMillis,
    /// Which operation.
    pub operation: Operation,
    /// What became of it.
    pub outcome: Outcome,
    /// Its slowest statement; absent where none was answered.
    pub slowest_ns: Option<Nanos>,
    /// The median of its statements; absent where none was answered.
    pub median_ns: Option<Nanos>,
}
