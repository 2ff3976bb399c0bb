//! The times of a latency as columns of a table, in a line, and as keys of columns.

use model::{Quantile, Times, shown_quantiles};
use record::Nanos;

use crate::document::{Cell, Column};
use crate::figure::duration;

/// A column for each quantile that is shown.
pub(crate) fn columns(column: impl Fn(&'static str) -> Column) -> impl Iterator<Item = Column> {
    shown_quantiles().map(move |quantile| column(quantile.name))
}

/// The cells of [`columns`].
pub(crate) fn cells(times: Option<Times>) -> impl Iterator<Item = Cell> {
    shown_quantiles().map(move |quantile| cell(times.as_ref().and_then(quantile.of)))
}

/// A column for each quantile that is shown beside the median.
pub(crate) fn tail_columns(column: impl Fn(&'static str) -> Column) -> impl Iterator<Item = Column> {
    tail().map(move |quantile| column(quantile.name))
}

/// The cells of [`tail_columns`].
pub(crate) fn tail_cells(times: Option<Times>) -> impl Iterator<Item = Cell> {
    tail().map(move |quantile| cell(times.as_ref().and_then(quantile.of)))
}

/// The quantiles that are shown beside the median.
pub(crate) fn tail() -> impl DoubleEndedIterator<Item = &'static Quantile> {
    shown_quantiles().filter(|quantile| quantile.key != "p50")
}

/// A time that may be unknown.
pub(crate) fn cell(time: Option<Nanos>) -> Cell {
    Cell::figure(time.map(|time| time.0 as f64), |nanos| duration(Nanos(nanos as u64)))
}

/// As in `p50 1.2 ms, p99 3.4 ms`.
pub(crate) fn text(times: &Times) -> String {
    words(times, shown_quantiles())
}

/// The same without the median; empty where none is known.
pub(crate) fn tail_text(times: &Times) -> String {
    words(times, tail())
}

fn words(times: &Times, quantiles: impl Iterator<Item = &'static Quantile>) -> String {
    let known = quantiles.filter_map(|quantile| Some(format!("{} {}", quantile.name, duration((quantile.of)(times)?))));
    known.collect::<Vec<_>>().join(", ")
}

/// Whether `pattern` names `key`: as it stands, or with `*` for a quantile that is shown, so that `service_ns_*` stands for the
/// service times of a table and `response_ns_p9*` for the response times beside the median.
pub(crate) fn names(pattern: &str, key: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return pattern == key };
    let begun = before.rsplit('_').next().unwrap_or_default();
    let rest = key.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    rest.is_some_and(|rest| shown_quantiles().any(|quantile| quantile.key.strip_prefix(begun) == Some(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_the_quantiles_that_are_shown() {
        let of = |pattern: &str| -> Vec<&str> {
            let keys = ["service_ns_mean", "service_ns_p50", "service_ns_p90", "service_ns_p99", "service_p99_ratio"];
            keys.into_iter().filter(|key| names(pattern, key)).collect()
        };
        assert_eq!(of("service_ns_*"), ["service_ns_p50", "service_ns_p99"]);
        assert_eq!(of("service_ns_p9*"), ["service_ns_p99"]);
        assert_eq!(of("service_p9*_ratio"), ["service_p99_ratio"]);
        assert_eq!(of("service_ns_p90"), ["service_ns_p90"], "what is named is named");
        assert_eq!(of("response_ns_*"), Vec::<&str>::new());
    }
}
