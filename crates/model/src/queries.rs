//! Figures of a run whose operations are queries.

use record::{Nanos, Run, Unit};

use crate::delta::share;

/// The geometric mean of the mean times of the queries of `run`, in nanoseconds: each counts alike, however long it takes. `None` of a
/// run of something else, and where a query was never answered.
///
/// The power of TPC-H (clause 5.4.1) is 3,600 s over such a mean, of times of one execution each, and times the scale; with refresh
/// functions, of which there are none here.
pub fn query_geometric_mean(run: &Run) -> Option<f64> {
    let types = Some(&run.transaction_types).filter(|types| run.unit == Unit::Query && !types.is_empty())?;
    let logarithm = |Nanos(mean_ns): Nanos| (mean_ns > 0).then(|| (mean_ns as f64).ln());
    let sum: Option<f64> = types.iter().map(|of| logarithm(of.service.mean_ns)).sum();
    sum.map(|sum| (sum / types.len() as f64).exp())
}

/// Queries that all jobs of `run` answered together, per hour of its window.
pub fn queries_per_hour(run: &Run) -> Option<f64> {
    let is_of_queries = run.unit == Unit::Query && run.window_ns > Nanos(0);
    is_of_queries.then(|| share(run.totals.operations as f64, run.window_ns.seconds() / 3_600.0))?
}

#[cfg(test)]
mod tests {
    use record::{Latency, Totals, TransactionType};

    use super::*;
    use crate::fixture::run;

    fn queries(means_ms: &[f64]) -> Run {
        let of = |mean: &f64| TransactionType {
            name: "q".to_owned(),
            role: None,
            per_minute: None,
            weight: 1,
            totals: Totals::default(),
            service: Latency { mean_ns: Nanos((mean * 1e6) as u64), ..Latency::default() },
            response: Latency::default(),
            statements: Vec::new(),
        };
        let transaction_types = means_ms.iter().map(of).collect();
        Run { unit: Unit::Query, transaction_types, ..run("H100", 1) }
    }

    #[test]
    fn each_query_counts_alike() {
        let mean = query_geometric_mean(&queries(&[1.0, 100.0])).unwrap();
        assert!((mean / 1e7 - 1.0).abs() < 1e-12, "10 ms, not 50.5: {mean}");
        assert_eq!(query_geometric_mean(&queries(&[1.0, 0.0])), None, "one was never answered");
        assert_eq!(query_geometric_mean(&queries(&[])), None);
        let others = Run { unit: Unit::Transaction, ..queries(&[1.0, 100.0]) };
        assert_eq!((query_geometric_mean(&others), queries_per_hour(&others)), (None, None));
    }

    #[test]
    fn queries_of_all_jobs_are_counted() {
        let mut measured = queries(&[1.0]);
        (measured.window_ns, measured.totals.operations) = (Nanos::from_seconds(90.0), 44);
        assert_eq!(queries_per_hour(&measured), Some(1_760.0));
        measured.window_ns = Nanos(0);
        assert_eq!(queries_per_hour(&measured), None);
    }
}
