//! The times of a latency that are printed.

use record::{Latency, Nanos};

/// The printable times of a latency. A quantile is absent where too few values lie beyond it, see [`crate::is_printable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// The mean.
    pub mean_ns: Nanos,
    /// The median.
    pub p50_ns: Nanos,
    /// The 0.9 quantile.
    pub p90_ns: Option<Nanos>,
    /// The 0.99 quantile.
    pub p99_ns: Option<Nanos>,
    /// The 0.999 quantile.
    pub p999_ns: Option<Nanos>,
    /// The longest one.
    pub max_ns: Nanos,
}

/// A quantile that a record keeps of each latency.
#[derive(Debug)]
pub struct Quantile {
    /// Its name, as in `p99.9`.
    pub name: &'static str,
    /// How the keys of columns name it: `service_ns_p999` is that of the service time.
    pub key: &'static str,
    /// It, of a latency.
    pub of: fn(&Times) -> Option<Nanos>,
    /// Whether every table and text of a view has it beside the rate. Files have all of them.
    pub is_shown: bool,
}

/// The quantiles that are kept, from the lowest to the highest.
pub static QUANTILES: [Quantile; 4] = [
    Quantile { name: "p50", key: "p50", of: |times| Some(times.p50_ns), is_shown: true },
    Quantile { name: "p90", key: "p90", of: |times| times.p90_ns, is_shown: false },
    Quantile { name: "p99", key: "p99", of: |times| times.p99_ns, is_shown: true },
    Quantile { name: "p99.9", key: "p999", of: |times| times.p999_ns, is_shown: false },
];

/// The times of `latency`; None without values.
pub fn times(latency: &Latency) -> Option<Times> {
    let Latency { mean_ns, p50_ns, p90_ns, p99_ns, p999_ns, max_ns, .. } = *latency;
    (latency.count > 0).then_some(Times { mean_ns, p50_ns, p90_ns, p99_ns, p999_ns, max_ns })
}

/// Those of [`QUANTILES`] that views show.
pub fn shown_quantiles() -> impl DoubleEndedIterator<Item = &'static Quantile> + Clone {
    QUANTILES.iter().filter(|quantile| quantile.is_shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_that_few_values_lie_beyond_is_absent() {
        let of = |count| {
            times(&Latency { count, p50_ns: Nanos(1), p99_ns: Some(Nanos(2)), ..Latency::default() }.printable())
        };
        assert_eq!(of(0), None);
        assert_eq!(of(999).map(|times| (times.p50_ns, times.p99_ns)), Some((Nanos(1), None)));
        assert_eq!(of(1_000).map(|times| (times.p50_ns, times.p99_ns)), Some((Nanos(1), Some(Nanos(2)))));
    }

    #[test]
    fn each_quantile_is_that_of_its_name() {
        let times = Times {
            mean_ns: Nanos(1),
            p50_ns: Nanos(50),
            p90_ns: Some(Nanos(90)),
            p99_ns: Some(Nanos(99)),
            p999_ns: Some(Nanos(999)),
            max_ns: Nanos(2),
        };
        for Quantile { name, key, of, .. } in &QUANTILES {
            assert_eq!(of(&times).map(|time| format!("p{}", time.0)), Some((*key).to_owned()));
            assert_eq!(name.replace('.', ""), *key);
        }
    }
}
