//! Small charts as they are drawn.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

mod any;

fn jobs() -> Axis {
    Axis::new("jobs", Scale::Log2, Figures::Plain)
}

fn rate() -> Axis {
    Axis::new("rows/s", Scale::FromZero, Figures::Rate)
}

fn latency() -> Axis {
    Axis::new("service time", Scale::Log10, Figures::Nanos)
}

fn points(of: &[(f64, f64)]) -> Vec<Point> {
    of.iter().map(|(x, y)| Point::new(*x, *y)).collect()
}

/// A sweep with all kinds of series.
fn sweep() -> LineChart {
    let measured = [(1.0, 9_800.0), (2.0, 19_300.0), (4.0, 36_400.0), (8.0, 60_200.0), (16.0, 71_500.0)];
    let measured = measured.map(|(x, y)| Point::new(x, y).within(y * 0.96, y * 1.03).noted("3 repeats"));
    let service = points(&[(1.0, 101e3), (2.0, 103e3), (4.0, 109e3), (8.0, 132e3), (16.0, 223e3)]);
    let usl = |n: f64| 9_900.0 * n / (1.0 + 0.02 * (n - 1.0) + 0.002 * n * (n - 1.0));
    let grid = || (0..=20).map(|step| (f64::from(step) / 4.0).exp2());
    let band = grid().map(|x| Reach { x, low: usl(x) * (1.0 - x / 200.0), high: usl(x) * (1.0 + x / 100.0) });
    let mut chart = LineChart::new(
        "T611: primary key access",
        "Throughput rises to 71.5 k rows/s at 16 jobs.",
        jobs(),
        rate(),
        vec![
            Series::new("rows/s", Role::Measured, measured.to_vec()),
            Series::new("fit", Role::Fit, grid().map(|x| Point::new(x, usl(x))).collect()).with_band(band.collect()),
            Series::new("invalid", Role::Invalid, points(&[(32.0, 44_000.0)])),
            Series::new("ideal", Role::Ideal, grid().map(|x| Point::new(x, 9_800.0 * x)).collect()),
            Series::new("ceiling C11", Role::Ceiling, points(&[(1.0, 1.2e6)])),
            Series::new("service time p50", Role::Other, service).below(),
        ],
    );
    chart.lower = Some(latency());
    chart.marks.push(Mark { x: 13.0, label: "knee".to_owned() });
    chart
}

/// Percentile curves over nines.
fn percentiles() -> LineChart {
    let curve = |scale: f64| {
        let quantiles = [0.0, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999];
        quantiles.iter().map(|q| Point::new(*q, scale * (1.0 + 8.0 * (-(1.0 - q).log10()).powi(2)))).collect()
    };
    LineChart::new(
        "Latency",
        "The service time has a short tail, the response time a long one.",
        Axis::new("quantile", Scale::Nines, Figures::Quantile),
        Axis::new("latency", Scale::Log10, Figures::Nanos),
        vec![
            Series::new("service", Role::Measured, curve(80e3)),
            Series::new("response", Role::Measured, curve(230e3)),
        ],
    )
}

/// Throughput per second with the counted window.
fn seconds(count: u32) -> LineChart {
    let value = |second: f64| 50e3 * (1.0 - (-second / 8.0).exp()) + 1500.0 * (second * 1.7).sin();
    let measured = (0..count).map(|second| Point::new(f64::from(second), value(f64::from(second)))).collect();
    let mut chart = LineChart::new(
        "Throughput per second",
        "Rises for 20 s, then is steady.",
        Axis::new("seconds", Scale::Linear, Figures::Plain),
        Axis::new("rows/s", Scale::FromZero, Figures::Rate),
        vec![Series::new("rows/s", Role::Measured, measured)],
    );
    let to = f64::from(count) - 1.0;
    chart.shaded.push(Shade { from: 20.0, to, label: "counted window".to_owned() });
    chart
}

fn history() -> LineChart {
    let values = [51.2, 50.8, 51.0, 51.4, 46.1, 46.4, 45.9, 46.6, 46.0];
    let names = (0..values.len()).map(|day| format!("2026-03-{:02}", day + 1)).collect();
    let measured = values.iter().enumerate().map(|(x, y)| Point::new(x as f64, y * 1e3).within(y * 990.0, y * 1012.0));
    let mut chart = LineChart::new(
        "T611 over records",
        "Falls by 10 % with the record of 5 March.",
        Axis::new("record", Scale::Linear, Figures::Names(names)),
        Axis::new("rows/s", Scale::Linear, Figures::Rate),
        vec![Series::new("rows/s", Role::Measured, measured.collect())],
    );
    chart.marks.push(Mark { x: 4.0, label: "change".to_owned() });
    chart
}

fn bar(label: &str, value: f64, interval: Option<(f64, f64)>, note: &str, tone: Tone) -> Bar {
    Bar { label: label.to_owned(), value, interval, note: note.to_owned(), tone }
}

fn efficiency() -> BarChart {
    BarChart {
        title: "Efficiency".to_owned(),
        description: "The database gets 62 % of the processors and 91 % of the device.".to_owned(),
        axis: Axis::new("of the ceiling", Scale::FromZero, Figures::Percent),
        base: 0.0,
        bars: vec![
            bar("T131 integer", 0.62, Some((0.6, 0.65)), "of C11", Tone::Plain),
            bar("T626 random read", 0.91, None, "of S21", Tone::Plain),
            bar("T211 write", f64::NAN, None, "no ceiling", Tone::Plain),
        ],
        marks: vec![Mark { x: 1.0, label: "100 %".to_owned() }],
    }
}

fn ratios() -> BarChart {
    BarChart {
        title: "B over A".to_owned(),
        description: "B is faster in T611 and slower in T721.".to_owned(),
        axis: Axis::new("throughput of B / throughput of A", Scale::Log2, Figures::Factor),
        base: 1.0,
        bars: vec![
            bar("T611 primary key access", 1.22, Some((1.18, 1.27)), "FASTER", Tone::Better),
            bar("T721 random write", 0.81, Some((0.74, 0.87)), "SLOWER", Tone::Worse),
            bar("T421 scan", 1.003, Some((0.99, 1.01)), "EQUIVALENT", Tone::Open),
            bar("T311 insert, 2 rows per transaction", 1.05, Some((0.6, 3.8)), "INCONCLUSIVE", Tone::Open),
        ],
        marks: Vec::new(),
    }
}

fn heat(column_count: u32, bucket_count: u32) -> HeatMap {
    let column = |index: u32| {
        let middle = 16.0 + 6.0 * (f64::from(index) / 9.0).sin() + if index % 13 == 12 { 14.0 } else { 0.0 };
        let cells = (0..bucket_count).map(|bucket| {
            let low = 50e3 * (f64::from(bucket) / 16.0).exp2();
            let distance = (f64::from(bucket) - middle) / if f64::from(bucket) > middle { 12.0 } else { 3.0 };
            (low, low * (1.0f64 / 16.0).exp2(), (20_000.0 * (-distance * distance).exp()) as u64)
        });
        let cells = cells.filter(|cell| cell.2 > 0).collect();
        Column { from: f64::from(index), to: f64::from(index) + 1.0, cells, note: "p50 101 µs".to_owned() }
    };
    let line = |name: &str, bucket: f64| {
        let points = (0..column_count).map(|index| {
            let middle = bucket + 6.0 * (f64::from(index) / 9.0).sin();
            Point::new(f64::from(index) + 0.5, 50e3 * (middle / 16.0).exp2())
        });
        Series::new(name, Role::Measured, points.collect())
    };
    HeatMap {
        title: "Response time over time".to_owned(),
        description: "Most operations take 100 µs; every 13 s some take 200 µs.".to_owned(),
        x: Axis::new("seconds", Scale::Linear, Figures::Plain),
        y: Axis::new("response time", Scale::Log10, Figures::Nanos),
        columns: (0..column_count).map(column).collect(),
        lines: vec![line("p50", 18.0), line("p99", 34.0)],
        shaded: Vec::new(),
    }
}

/// The drawing with one element per line, as it is compared.
fn lines(figure: &str) -> String {
    figure.replace("><", ">\n<")
}

#[test]
fn a_sweep() {
    insta::assert_snapshot!(lines(&sweep().figure("sweep")));
}

#[test]
fn percentile_curves() {
    insta::assert_snapshot!(lines(&percentiles().figure("percentiles")));
}

#[test]
fn efficiency_bars() {
    insta::assert_snapshot!(lines(&efficiency().figure("efficiency")));
}

#[test]
fn ratio_bars() {
    insta::assert_snapshot!(lines(&ratios().figure("ratios")));
}

#[test]
fn a_heat_map() {
    insta::assert_snapshot!(lines(&heat(4, 24).figure("heat")));
}

#[test]
fn the_data_of_charts() {
    insta::assert_snapshot!(format!("{}\n{}\n{}", history().csv(), ratios().csv(), heat(1, 20).csv()));
}

#[test]
fn a_heat_map_of_any_size_is_a_few_elements() {
    let figure = heat(64, 160).figure("heat");
    let elements = figure.matches('<').count();
    assert!(elements < 1000 && figure.len() < 120_000, "{elements} tags, {} bytes", figure.len());
}

#[test]
fn a_long_run_stays_small() {
    let figure = seconds(100_000).figure("seconds");
    assert!(figure.len() < 40_000, "{} bytes", figure.len());
    assert_eq!(seconds(100_000).csv().lines().count(), 100_001, "the data are whole");
}

#[test]
fn a_chart_without_data_states_it() {
    let mut empty = sweep();
    empty.series.clear();
    let invalid = [Point::new(1.0, f64::NAN)].to_vec();
    for series in [Vec::new(), vec![Series::new("rows/s", Role::Measured, invalid)]] {
        empty.series = series;
        let figure = empty.figure("none");
        assert!(figure.contains("No data.") && !figure.contains("<svg"), "{figure}");
    }
    assert!(heat(0, 0).figure("none").contains("No data."));
    assert!(heat(3, 0).figure("none").contains("No data."));
    assert!(BarChart { bars: Vec::new(), ..ratios() }.figure("none").contains("No data."));
}

#[test]
fn invalid_values_alone_are_drawn_as_crosses() {
    let mut chart = sweep();
    chart.series.retain(|series| series.role == Role::Invalid);
    let figure = chart.figure("invalid");
    assert!(figure.contains("class=\"invalid s0\"") && figure.contains("invalid: 44.00 k rows/s, jobs 32"), "{figure}");
    assert!(!figure.contains("class=\"line\""), "{figure}");
}

#[test]
fn a_far_ceiling_does_not_flatten_the_results_but_is_named() {
    let figure = sweep().figure("sweep");
    assert!(figure.contains("ceiling C11 (above: 1.200 M)"), "{figure}");
    assert!(figure.contains(">80 k<") && !figure.contains(">1 M<"), "{figure}");
}

#[test]
fn an_axis_holds_all_that_was_measured_with_its_whiskers() {
    let measured = Series::new("rows/s", Role::Measured, vec![Point::new(1.0, 10.0).within(9.0, 95.0)]);
    let invalid = Series::new("invalid", Role::Invalid, points(&[(1.0, 260.0)]));
    for (series, top) in [(vec![measured.clone()], ">100<"), (vec![measured, invalid], ">300<")] {
        let axes = [
            Axis::new("jobs", Scale::Log2, Figures::Plain),
            Axis::new("rows per second", Scale::FromZero, Figures::Plain),
        ];
        let [x, y] = axes;
        let figure = LineChart::new("whiskers", "", x, y, series).figure("whiskers");
        assert!(figure.contains(top), "{figure}");
    }
}

#[test]
fn every_class_has_a_rule() {
    let known: BTreeSet<&str> = STYLE.split(['.', ' ', '{', ',', ':']).collect();
    // Classes for scripts, without a rule.
    let bare = ["point", "measured", "seconds"];
    for figure in charts().iter().map(|chart| chart.figure("chart")) {
        for class in figure.split("class=\"").skip(1).flat_map(|rest| rest.split('"').next().unwrap().split(' ')) {
            assert!(known.contains(class) || bare.contains(&class), "class {class}");
        }
    }
}

fn charts() -> Vec<Box<dyn Chart>> {
    vec![
        Box::new(sweep()),
        Box::new(percentiles()),
        Box::new(seconds(120)),
        Box::new(seconds(4000)),
        Box::new(history()),
        Box::new(efficiency()),
        Box::new(ratios()),
        Box::new(heat(60, 96)),
    ]
}

/// Writes all samples into `$DBDYNO_CHARTS` as one page, for review.
#[test]
#[ignore = "writes a page of samples into the directory DBDYNO_CHARTS"]
fn samples_for_review() {
    let directory =
        std::path::PathBuf::from(std::env::var_os("DBDYNO_CHARTS").expect("DBDYNO_CHARTS names a directory"));
    let figures: String =
        charts().iter().enumerate().map(|(index, chart)| chart.figure(&format!("chart-{index}"))).collect();
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>charts</title><style>{STYLE}\
         body {{ background: var(--paper); font: 16px system-ui; }}</style><body>{figures}</body></html>"
    );
    std::fs::write(directory.join("charts.html"), page).unwrap();
}
