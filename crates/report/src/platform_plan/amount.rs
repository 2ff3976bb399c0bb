//! Names of parts and measures, and their amounts with units.

use model::platform::{Basis, Redundancy};
use model::platform_plan::{Measure, Part};
use record::{Bytes, Rate};

use crate::figure::{nanos, number, three_digits, volume};

/// The name of a part.
pub(crate) fn part(part: &Part) -> String {
    match part {
        Part::Processors => "processors".to_owned(),
        Part::Memory => "memory".to_owned(),
        Part::Link(name) => format!("link {name}"),
        Part::Drives(name) => drives(name),
        Part::Fabric => "fabric".to_owned(),
        Part::Network => "network".to_owned(),
        Part::Commit => "commit".to_owned(),
    }
}

/// A set of drives; one without a name is called `drives`.
pub(super) fn drives(name: &str) -> String {
    match name {
        "drives" => name.to_owned(),
        name => format!("drives {name}"),
    }
}

/// What is counted, for a column.
pub(super) fn measure(measure: Measure) -> &'static str {
    match measure {
        Measure::Cores => "cores",
        Measure::Transactions => "transactions",
        Measure::Iops => "I/Os",
        Measure::Read => "read",
        Measure::Written => "write",
        Measure::Carried => "data",
        Measure::Commits => "commits",
        Measure::Capacity => "capacity",
    }
}

/// An amount with its unit.
pub(super) fn amount(of: Measure, value: f64) -> String {
    match of {
        Measure::Cores => three_digits(value),
        Measure::Transactions | Measure::Iops | Measure::Commits => format!("{}/s", number(value)),
        Measure::Read | Measure::Written | Measure::Carried => rate(Rate(value)),
        Measure::Capacity => volume(Bytes(value as u64)),
    }
}

/// An amount in a sentence.
pub(super) fn phrase(of: Measure, value: f64) -> String {
    match of {
        Measure::Cores => format!("{} cores", three_digits(value)),
        Measure::Transactions => format!("{} transactions per second", number(value)),
        Measure::Iops => format!("{} I/Os per second", number(value)),
        Measure::Commits => format!("{} commits per second", number(value)),
        Measure::Read => format!("{} of reads", rate(Rate(value))),
        Measure::Written => format!("{} of writes", rate(Rate(value))),
        Measure::Carried => format!("{} of data", rate(Rate(value))),
        Measure::Capacity => format!("{} of data", volume(Bytes(value as u64))),
    }
}

/// Bytes per second: `14.4 GB/s`.
pub(super) fn rate(rate: Rate) -> String {
    format!("{}/s", volume(Bytes(rate.0.round() as u64)))
}

/// Seconds as a time.
pub(super) fn seconds(seconds: f64) -> String {
    nanos(seconds * 1e9)
}

/// Where a figure is from.
pub(crate) fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Measured => "measured",
        Basis::Rated => "rated",
        Basis::Assumed => "assumed",
    }
}

/// The name of a redundancy.
pub(super) fn redundancy(redundancy: Redundancy) -> String {
    match redundancy {
        Redundancy::Stripe => "no redundancy".to_owned(),
        Redundancy::Mirror => "mirrors".to_owned(),
        Redundancy::SingleParity => "RAID 5".to_owned(),
        Redundancy::DoubleParity => "RAID 6".to_owned(),
        Redundancy::TripleParity => "triple parity".to_owned(),
        Redundancy::Replicas { count } => format!("{count} replicas"),
        Redundancy::ErasureCode { parities } => format!("an erasure code with {parities} parities"),
    }
}
