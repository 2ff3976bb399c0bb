//! A column: name, unit and source of a figure.

use std::borrow::Cow;

use record::{Record, Resource, Run, Variation};

use crate::value::Value;

/// The kind of a column: how it is rendered, and its type in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// Yes or no.
    Flag,
    /// A non-negative integer.
    Count,
    /// A size of data or of a device, rendered in units of 1000.
    Bytes,
    /// A size of memory or of a block, rendered in units of 1024.
    Memory,
    /// A recorded time, whole nanoseconds.
    Nanoseconds,
    /// A derived time, fractional nanoseconds.
    DerivedNanoseconds,
    /// Events per second.
    PerSecond,
    /// I/Os per second; with fewer digits in narrow output.
    IoPerSecond,
    /// Bytes per second; the heading has MB/s, 10^6 bytes.
    BytesPerSecond,
    /// A ratio, mostly in [0, 1]; the heading has %.
    Ratio,
    /// I/Os per second of a storage run, as in published reports: integers up to six digits.
    Iops,
    /// A number of arbitrary magnitude, such as seconds of processor time.
    Amount,
    /// Any other number: processors in use, one count per another.
    Number,
}

/// The type of a column in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// UTF-8.
    Text,
    /// 64 bits, unsigned.
    Count,
    /// 64 bits, floating point.
    Number,
    /// Yes or no.
    Flag,
}

impl Kind {
    /// The type in a file.
    pub fn of_file(self) -> Type {
        match self {
            Kind::Text => Type::Text,
            Kind::Flag => Type::Flag,
            Kind::Count | Kind::Bytes | Kind::Memory | Kind::Nanoseconds => Type::Count,
            Kind::DerivedNanoseconds
            | Kind::PerSecond
            | Kind::IoPerSecond
            | Kind::Iops
            | Kind::BytesPerSecond
            | Kind::Ratio
            | Kind::Amount
            | Kind::Number => Type::Number,
        }
    }
}

/// Common to the rows of all tables.
pub trait Row {
    /// Whether the row is about an invalid run: its result columns are absent then.
    fn is_invalid(&self) -> bool {
        false
    }
}

/// A row about a run.
pub trait RowOfRun: Row {
    /// Its record.
    fn record(&self) -> &Record;

    /// The run.
    fn run(&self) -> &Run;
}

/// A row about a part of a run.
pub struct Part<'a, T> {
    /// Its record.
    pub record: &'a Record,
    /// The run.
    pub run: &'a Run,
    /// Index of the run in the record, from 0.
    pub place: usize,
    /// The part, with its derived figures.
    pub of: T,
    is_invalid: bool,
}

impl<'a, T> Part<'a, T> {
    /// The part `of` of `run` of `record`.
    pub(crate) fn new(record: &'a Record, run: &'a Run, of: T) -> Part<'a, T> {
        let place = record.runs.iter().position(|one| std::ptr::eq(one, run)).unwrap_or(0);
        Part { record, run, place, of, is_invalid: model::is_invalid(run) }
    }
}

impl<T> Row for Part<'_, T> {
    fn is_invalid(&self) -> bool {
        self.is_invalid
    }
}

impl<T> RowOfRun for Part<'_, T> {
    fn record(&self) -> &Record {
        self.record
    }

    fn run(&self) -> &Run {
        self.run
    }
}

/// The `parts` of each run of `record`, in the order of the runs.
pub(crate) fn parts<'a, T, I: IntoIterator<Item = T>>(
    record: &'a Record,
    parts: impl Fn(&'a Run) -> I,
) -> impl Iterator<Item = Part<'a, T>> {
    record.runs.iter().enumerate().flat_map(move |(place, run)| {
        let is_invalid = model::is_invalid(run);
        parts(run).into_iter().map(move |of| Part { record, run, place, of, is_invalid })
    })
}

/// The first columns of every table about runs: the keys that join tables.
pub(crate) fn identity<R: RowOfRun>() -> Vec<Column<R>> {
    vec![
        Column::fact("record", Kind::Text, |of: &R| (&of.record().id).into()),
        Column::fact("run", Kind::Count, |of: &R| of.run().number.into()),
        Column::fact("test", Kind::Text, |of: &R| (&of.run().test).into()),
    ]
}

/// The degree of parallelism of the run, and its difference from the unperturbed run of its test.
pub(crate) fn degree<R: RowOfRun>() -> Vec<Column<R>> {
    vec![
        Column::fact("nodes", Kind::Count, |of: &R| of.run().dop.nodes.into()).head("#N"),
        Column::fact("jobs", Kind::Count, |of: &R| of.run().dop.jobs.into()).head("#J"),
        Column::fact("threads", Kind::Count, |of: &R| of.run().dop.threads.into()).head("#T"),
        Column::fact("variation", Kind::Text, |of: &R| varied(of.run().variation)),
        Column::fact("variation_resource", Kind::Text, |of: &R| resource(of.run().variation).into()),
        Column::fact("variation_ratio", Kind::Ratio, |of: &R| share(of.run().variation).into()),
    ]
}

/// How a run differs from the unperturbed run of its test; absent where it does not.
pub(crate) fn varied(variation: Option<Variation>) -> Value<'static> {
    variation
        .map(|variation| match variation {
            Variation::Paced { .. } => "paced",
            Variation::ShareOfCapacity { .. } => "share_of_capacity",
            Variation::Pipelined { .. } => "pipelined",
            Variation::Traced => "traced",
            Variation::Perturbed { .. } => "perturbed",
        })
        .into()
}

/// The perturbed resource.
pub(crate) fn resource(variation: Option<Variation>) -> Option<&'static str> {
    match variation? {
        Variation::Perturbed { resource, .. } => Some(match resource {
            Resource::Processors => "processors",
            Resource::DeviceIo => "device_io",
            Resource::ArrivalRate => "arrival_rate",
        }),
        _ => None,
    }
}

/// Its ratio, or that of the capacity of the unperturbed run.
pub(crate) fn share(variation: Option<Variation>) -> Option<f64> {
    match variation? {
        Variation::ShareOfCapacity { share } | Variation::Perturbed { share, .. } => Some(share),
        Variation::Paced { .. } | Variation::Pipelined { .. } | Variation::Traced => None,
    }
}

/// Whether the run is invalid.
pub(crate) fn invalid<R: Row>() -> Column<R> {
    Column::fact("invalid", Kind::Flag, |of: &R| of.is_invalid().into())
}

/// One figure of rows of type `R`.
pub struct Column<R> {
    /// Its name in files, with its unit: nanoseconds, bytes, per second; ratios are in [0, 1].
    pub key: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// A heading shared with adjacent columns, such as `engine` or `service`; empty where there is none.
    pub group: &'static str,
    heading: &'static str,
    is_result: bool,
    value: for<'r> fn(&'r R) -> Value<'r>,
}

impl<R: Row> Column<R> {
    /// A column that every row has.
    pub(crate) fn fact(key: &'static str, kind: Kind, value: for<'r> fn(&'r R) -> Value<'r>) -> Column<R> {
        Column { key, kind, group: "", heading: "", is_result: false, value }
    }

    /// A result: absent of an invalid row.
    pub(crate) fn result(key: &'static str, kind: Kind, value: for<'r> fn(&'r R) -> Value<'r>) -> Column<R> {
        Column { is_result: true, ..Column::fact(key, kind, value) }
    }

    /// Sets its heading, in place of the words of its key; several lines keep it narrow.
    pub(crate) fn head(self, heading: &'static str) -> Column<R> {
        Column { heading, ..self }
    }

    /// Sets its heading below that of `group`.
    pub(crate) fn under(self, group: &'static str, heading: &'static str) -> Column<R> {
        Column { group, heading, ..self }
    }

    /// Its heading; several lines keep it narrow.
    pub fn heading(&self) -> Cow<'static, str> {
        if self.heading.is_empty() { Cow::Owned(self.key.replace('_', " ")) } else { Cow::Borrowed(self.heading) }
    }

    /// Whether it is absent of invalid rows.
    pub fn is_result(&self) -> bool {
        self.is_result
    }

    /// Its value in `row`.
    pub fn value<'r>(&self, row: &'r R) -> Value<'r> {
        if self.is_result && row.is_invalid() { Value::Absent } else { (self.value)(row) }
    }
}

/// A latency as seven result columns, `NAME_ns_min` to `NAME_ns_max`, below the heading `NAME`.
macro_rules! latency {
    ($column:ident, $name:literal, |$of:ident| $latency:expr) => {
        [
            $column::result(concat!($name, "_ns_min"), $crate::Kind::Nanoseconds, |$of| {
                $crate::Value::time($latency, $latency.min_ns)
            })
            .under($name, "min"),
            $column::result(concat!($name, "_ns_mean"), $crate::Kind::Nanoseconds, |$of| {
                $crate::Value::time($latency, $latency.mean_ns)
            })
            .under($name, "mean"),
            $column::result(concat!($name, "_ns_p50"), $crate::Kind::Nanoseconds, |$of| {
                $crate::Value::time($latency, $latency.p50_ns)
            })
            .under($name, "p50"),
            $column::result(concat!($name, "_ns_p90"), $crate::Kind::Nanoseconds, |$of| $latency.p90_ns.into())
                .under($name, "p90"),
            $column::result(concat!($name, "_ns_p99"), $crate::Kind::Nanoseconds, |$of| $latency.p99_ns.into())
                .under($name, "p99"),
            $column::result(concat!($name, "_ns_p999"), $crate::Kind::Nanoseconds, |$of| $latency.p999_ns.into())
                .under($name, "p99.9"),
            $column::result(concat!($name, "_ns_max"), $crate::Kind::Nanoseconds, |$of| {
                $crate::Value::time($latency, $latency.max_ns)
            })
            .under($name, "max"),
        ]
    };
}

pub(crate) use latency;
