//! Thins out runs to what their row, line of the sheet and verdict need, for records with many runs.

use record::{Latency, Nanos, Reading, Run};

/// Removes from `run` what [`crate::row`], [`crate::sheet`] and findings do not use: seconds, slices, histograms, also
/// of nodes and agents, and the readings between the first and the last. Their results do not change.
pub fn thin(run: &mut Run) {
    (run.seconds, run.slices) = (Vec::new(), None);
    let bare = |latency: &mut Latency| latency.histogram = String::new();
    [&mut run.service, &mut run.response].into_iter().chain(run.start_lag.as_deref_mut()).for_each(bare);
    for stream in run.storage.iter_mut().flat_map(|storage| &mut storage.streams) {
        stream.seconds = Vec::new();
        [&mut stream.service, &mut stream.response].into_iter().for_each(bare);
    }
    for streams in run.streams.iter_mut() {
        [&mut streams.requests, &mut streams.openings, &mut streams.commits].into_iter().for_each(bare);
    }
    for of in &mut run.transaction_types {
        [&mut of.service, &mut of.response].into_iter().for_each(bare);
        of.statements.iter_mut().for_each(|statement| bare(&mut statement.service));
    }
    for of in &mut run.loads_beside {
        [&mut of.service, &mut of.response].into_iter().for_each(bare);
    }
    for node in &mut run.nodes {
        node.seconds = Vec::new();
        [&mut node.service, &mut node.response].into_iter().for_each(bare);
    }
    for agent in &mut run.agents {
        agent.seconds = Vec::new();
        [&mut agent.service, &mut agent.response].into_iter().for_each(bare);
        agent.readings = edges(std::mem::take(&mut agent.readings));
    }
    for host in run.server_hosts.values_mut().chain(run.storage_hosts.values_mut()) {
        host.readings = edges(std::mem::take(&mut host.readings));
    }
    run.readings = edges(std::mem::take(&mut run.readings));
}

/// The first and the last of `readings`, without counters that were reset in between, which have no delta.
fn edges(mut readings: Vec<Reading>) -> Vec<Reading> {
    readings.sort_by_key(|reading| reading.at_ns);
    let was_reset = |name: &str| {
        let value = |reading: &Reading| Some((reading.at_ns, reading.get(name)?));
        let mut values: Vec<(Nanos, u64)> = readings.iter().filter_map(value).collect();
        values.sort_unstable();
        !values.is_sorted_by_key(|(_, value)| *value)
    };
    let (Some(first), Some(last)) = (readings.first(), readings.last()) else { return Vec::new() };
    if readings.len() == 1 {
        return readings;
    }
    // A map built from a sorted series takes half the memory of one that grew.
    let whole = |reading: &Reading| Reading {
        at_ns: reading.at_ns,
        values: reading
            .values
            .iter()
            .filter(|(name, _)| !was_reset(name))
            .map(|(name, value)| (name.clone(), *value))
            .collect(),
    };
    vec![whole(first), whole(last)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use record::{IoKind, NodeRun, name};

    use super::*;
    use crate::fixture::{counted, faster, io_run, reading, record, run};
    use crate::{row, sheet, times};

    #[test]
    fn sheet_and_rows_of_a_thin_record_are_those_of_the_whole_one() {
        let runs = vec![
            counted(run("T611", 1), &[(name::CLIENT_CPU_NS, 5_000_000_000)]),
            faster(run("T611", 2), 3),
            io_run("S22", IoKind::Read, 1),
        ];
        let whole = record(runs);
        let mut thinned = whole.clone();
        thinned.runs.iter_mut().for_each(thin);
        assert_eq!(sheet(&thinned), sheet(&whole));
        assert!(thinned.runs.iter().zip(&whole.runs).all(|(thin, whole)| row(thin) == row(whole)));
        assert!(thinned.runs.iter().all(|run| run.seconds.is_empty() && run.service.histogram.is_empty()));
    }

    #[test]
    fn nodes_keep_what_they_counted_and_lose_their_series() {
        let mut run = run("T611", 2);
        let mut latency = run.service.clone();
        latency.histogram = "values".to_owned();
        run.nodes = vec![NodeRun {
            node: 1,
            jobs: 2,
            totals: run.totals.clone(),
            service: latency.clone(),
            response: latency,
            seconds: run.seconds.clone(),
            readings: run.readings.clone(),
        }];
        let whole = run.nodes[0].clone();
        thin(&mut run);
        let node = &run.nodes[0];
        assert!(node.seconds.is_empty() && node.service.histogram.is_empty() && node.response.histogram.is_empty());
        assert_eq!((&node.totals, &node.readings), (&whole.totals, &whole.readings));
        assert_eq!(times(&node.service), times(&whole.service));
    }

    proptest! {
        #[test]
        fn a_counter_has_the_same_rate_or_none_as_before(
            values in prop::collection::vec(prop::option::of(0u64..6), 0..6),
            shift in 0usize..6,
        ) {
            let mut whole = run("T611", 1);
            let named = |value: &Option<u64>| value.map(|value| (name::CLIENT_CPU_NS, value));
            whole.readings = values.iter().zip(0..)
                .map(|(value, at)| reading(at, &named(value).into_iter().collect::<Vec<_>>())).collect();
            if let length @ 1.. = whole.readings.len() {
                whole.readings.rotate_left(shift % length);
            }
            let mut thinned = whole.clone();
            thin(&mut thinned);
            prop_assert!(thinned.readings.len() <= 2);
            prop_assert_eq!(crate::rate(&thinned, name::CLIENT_CPU_NS), crate::rate(&whole, name::CLIENT_CPU_NS));
            prop_assert_eq!(row(&thinned), row(&whole));
        }
    }
}
