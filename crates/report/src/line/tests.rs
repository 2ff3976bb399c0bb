//! Asides of the sheet.

use model::Interval;
use record::{Dop, Nanos, Pace, PlannedRun, Rate, RunKind, Second, Timestamp};

use super::*;

fn limit(unit: Unit, reached: f64, most: f64) -> Limit {
    Limit {
        probe: "S31".to_owned(),
        unit,
        per_second: Rate(most),
        reached: Rate(reached),
        jobs: 4,
        in_flight: Some(4),
        cached: None,
        efficiency: Ratio(reached / most),
    }
}

fn point(jobs: u32) -> Point {
    Point {
        run: 1,
        dop: Dop::jobs(jobs),
        operations_per_second: Rate(1.0),
        repeats: 1,
        interval: None,
        bytes_per_second: None,
        service: None,
        headline: None,
        derived: None,
        in_flight: None,
        ceiling: None,
    }
}

#[test]
fn the_worst_second_is_said_of_a_run_over_checkpoints_alone() {
    let planned = PlannedRun::new("T722", RunKind::of_code("T722"), Dop::jobs(1));
    let second = |operations| Second { operations, ..Second::default() };
    let mut run = Run {
        window_ns: Nanos(3_000_000_001),
        seconds: [10, 5, 20].map(second).into(),
        ..Run::new(&planned, Pace::Unthrottled, Timestamp::default())
    };
    assert_eq!(over_checkpoints(&run, Unit::Transaction), None);
    run.checkpoints = Some(Box::default());
    let worst = "worst second: 5.000 tx/s in second 2, 50 % of the median second";
    assert_eq!(over_checkpoints(&run, Unit::Transaction).as_deref(), Some(worst));
}

#[test]
fn a_ceiling_of_storage_has_both_figures() {
    assert_eq!(ceiling(&limit(Unit::Block, 620.0, 1_000.0)), "ceiling S31 at 4 in flight: 620.0 of 1.000 k blk/s");
    let bytes = limit(Unit::Byte, 85e6, 3.26e9);
    assert_eq!(ceiling(&bytes), "ceiling S31 at 4 in flight: 85.0 of 3260 MB/s");
    let processor = Limit { in_flight: None, ..limit(Unit::Operation, 1.0, 2_000.0) };
    assert_eq!(ceiling(&processor), "ceiling S31 at 4 jobs: 2.000 k op/s");
}

#[test]
fn more_transactions_than_commits_are_explained_where_jobs_can_share() {
    let above = limit(Unit::Transaction, 3_000.0, 1_000.0);
    assert_eq!(
        exceeded(&above, &point(4)).unwrap(),
        "above 100 %: S31 is not an upper bound of the test in this record; commits of several jobs can share a flush \
         (group commit)"
    );
    let no_bound = "above 100 %: S31 is not an upper bound of the test in this record";
    assert_eq!(exceeded(&above, &point(1)).unwrap(), no_bound, "one job cannot share");
    assert_eq!(exceeded(&limit(Unit::Transaction, 500.0, 1_000.0), &point(4)), None);
    assert_eq!(exceeded(&limit(Unit::Block, 3_000.0, 1_000.0), &point(4)).unwrap(), no_bound);
}

#[test]
fn a_share_that_is_shown_as_100_percent_is_not_above_the_ceiling() {
    let of = |reached: f64| {
        let limit = limit(Unit::Operation, reached, 1_000.0);
        (percent(limit.efficiency), exceeded(&limit, &point(1)).is_some())
    };
    assert_eq!(of(1_004.0), ("100 %".to_owned(), false));
    assert_eq!(of(1_006.0), ("101 %".to_owned(), true));
}

#[test]
fn an_interval_between_runs_is_shown_where_there_is_one() {
    let of = |repeats, interval| super::repeats(&Point { repeats, interval, ..point(1) }, Unit::Row);
    let interval = Interval { estimate: 1_030.0, low: 1_010.0, high: 1_050.0 };
    assert_eq!(of(6, Some(interval)).unwrap(), "6 repeats, 95 % interval 1.010 k to 1.050 k");
    assert_eq!(of(3, None).unwrap(), "3 repeats; an interval needs 6");
    assert_eq!(of(1, None), None);
}

#[test]
fn a_small_share_has_a_note_on_the_page_cache() {
    let of = |share: f64| cached(&Limit { cached: Some(Ratio(share)), ..limit(Unit::Block, 1.0, 1_000.0) });
    assert_eq!(of(0.93).unwrap(), "the page cache, not the device, served 93 % of the engine's reads");
    assert!(of(0.9999).unwrap().contains("served nearly all of the engine's reads"));
    assert_eq!(of(0.02), None);
}
