use proptest::prelude::*;

use super::*;

static VIEW: View = View {
    name: "view",
    columns: &[("commits", Count::Rising), ("sessions", Count::Level)],
    rates: |rows| {
        let sum = |column: usize| rows.iter().filter_map(|row| row.values[column]).sum();
        BTreeMap::from([("commits", sum(0)), ("sessions", sum(1))])
    },
};

fn snapshot(second: i64, since: Option<i64>, rows: &[(&str, u64, u64)]) -> Snapshot {
    let counts = |(key, commits, sessions): &(&str, u64, u64)| {
        let values = vec![Some(*commits), Some(*sessions)];
        ((*key).to_owned(), Counts { since_ms: since.map(|second| second * 1000), values })
    };
    Snapshot { at_ms: second * 1000, server_seconds: None, rows: rows.iter().map(counts).collect() }
}

fn finished(dumps: Vec<Snapshot>) -> (Vec<RateSpan>, Vec<DoubtKind>) {
    let (mut tracks, mut doubts) = (Tracks::default(), Vec::new());
    dumps.into_iter().for_each(|dump| tracks.dump(&VIEW, dump));
    let spans = tracks.finish(&mut doubts);
    (spans, doubts.into_iter().map(|found| found.kind).collect())
}

#[test]
fn two_dumps_make_rates_and_a_new_row_counts_from_zero() {
    let (spans, doubts) =
        finished(vec![snapshot(0, Some(-9), &[("a", 100, 4)]), snapshot(10, Some(-9), &[("a", 150, 6), ("b", 20, 1)])]);
    assert_eq!(spans.len(), 1);
    assert_eq!(spans[0].rates, BTreeMap::from([("commits", 7.0), ("sessions", 6.0)]));
    assert_eq!((spans[0].seconds, doubts), (10.0, vec![]));
}

#[test]
fn dumps_of_files_in_any_order_are_joined() {
    let (mut one, mut other, mut doubts) = (Tracks::default(), Tracks::default(), Vec::new());
    one.dump(&VIEW, snapshot(20, None, &[("a", 40, 0)]));
    one.dump(&VIEW, snapshot(30, None, &[("a", 70, 0)]));
    other.dump(&VIEW, snapshot(0, None, &[("a", 0, 0)]));
    other.dump(&VIEW, snapshot(10, None, &[("a", 10, 0)]));
    one.join(other);
    let rates: Vec<f64> = one.finish(&mut doubts).iter().map(|span| span.rates["commits"]).collect();
    assert_eq!((rates, doubts), (vec![1.0, 3.0, 3.0], vec![]));
}

#[test]
fn a_reset_leaves_its_interval_out_and_is_said() {
    let (spans, doubts) = finished(vec![
        snapshot(0, Some(-9), &[("a", 100, 0)]),
        snapshot(10, Some(5), &[("a", 500, 0)]),
        snapshot(20, Some(5), &[("a", 510, 0)]),
    ]);
    assert_eq!(spans.len(), 1);
    assert_eq!((spans[0].rates["commits"], doubts), (1.0, vec![DoubtKind::Reset]));
}

#[test]
fn a_counter_that_fell_is_refused_and_one_that_wrapped_is_used() {
    let (spans, doubts) = finished(vec![snapshot(0, None, &[("a", 100, 0)]), snapshot(10, None, &[("a", 99, 0)])]);
    assert_eq!((spans, doubts), (vec![], vec![DoubtKind::Decreased { counter: "commits".into() }]));
    let (spans, doubts) =
        finished(vec![snapshot(0, None, &[("a", u64::from(u32::MAX) - 9, 0)]), snapshot(10, None, &[("a", 90, 0)])]);
    assert_eq!(spans[0].rates["commits"], 10.0);
    assert_eq!(doubts, vec![DoubtKind::Wrapped { counter: "commits".into(), bits: 32 }]);
    assert_eq!(wrapped(u64::MAX - 9, 90), Some((100, 64)));
}

#[test]
fn one_dump_needs_the_time_since_which_it_counts() {
    let (spans, doubts) = finished(vec![snapshot(100, None, &[("a", 100, 0)])]);
    assert_eq!((spans, doubts), (vec![], vec![DoubtKind::NoResetTime]));
    let (spans, doubts) = finished(vec![snapshot(100, Some(0), &[("a", 100, 0)])]);
    assert_eq!((spans[0].rates["commits"], spans[0].seconds), (1.0, 100.0));
    assert_eq!(doubts, vec![DoubtKind::SingleDump]);
}

#[test]
fn the_clock_of_the_server_tells_restarts_and_steps() {
    let with = |second: i64, server: f64, commits: u64| Snapshot {
        server_seconds: Some(server),
        ..snapshot(second, None, &[("a", commits, 0)])
    };
    let (spans, doubts) = finished(vec![with(0, 1000.0, 5), with(60, 20.0, 7)]);
    assert_eq!((spans, doubts), (vec![], vec![DoubtKind::Restart]));
    let (spans, doubts) = finished(vec![with(0, 1000.0, 5), with(4200, 1600.0, 605)]);
    assert_eq!((spans[0].rates["commits"], spans[0].seconds), (1.0, 600.0));
    assert_eq!(doubts, vec![DoubtKind::ClockStep { seconds: 3600.0 }]);
}

proptest! {
    #[test]
    fn rates_times_seconds_are_the_growth(growths in prop::collection::vec(0u64..1_000_000_000, 1..20), cut in 0usize..20) {
        // The dumps are cut into two files somewhere.
        let mut total = 0;
        let dumps: Vec<Snapshot> = std::iter::once(&0).chain(&growths).enumerate().map(|(index, growth)| {
            total += growth;
            snapshot(index as i64 * 7, Some(-1), &[("a", total, 3)])
        }).collect();
        let (mut one, mut other, mut doubts) = (Tracks::default(), Tracks::default(), Vec::new());
        for (index, dump) in dumps.into_iter().enumerate() {
            if index < cut { one.dump(&VIEW, dump) } else { other.dump(&VIEW, dump) }
        }
        one.join(other);
        let spans = one.finish(&mut doubts);
        let sum: f64 = spans.iter().map(|span| span.rates["commits"] * span.seconds).sum();
        prop_assert_eq!(sum.round() as u64, total);
        prop_assert_eq!((spans.len(), doubts.len()), (growths.len(), 0));
    }
}
