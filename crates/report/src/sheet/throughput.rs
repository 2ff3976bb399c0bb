//! Throughput over the degree of parallelism, with the service time at every point.

use std::collections::HashMap;

use model::scalability::{FittedPoint, Limit, LoadPoint, Scalability, UnknownLimit, scalability};
use model::{Degree, Line, MAIN_TESTS, Sheet};
use record::Unit;

use crate::chart::{Axis, Figures, LineChart, Point, Reach, Role, Scale, Series};
use crate::curve::{Curve, Load, Test};
use crate::document::{Block, Diagram, Tone};
use crate::fact::io_pattern;
use crate::figure::three_digits;
use crate::layout::clean;
use crate::scalability::{coefficient, misfit_reason, note_text, unknown_limit_text};
use crate::times;
use crate::words::{capital, list, rate_of, unit_per_second};

/// Charts of one kind on one page.
pub(super) const CHARTS_MAX: usize = 60;

/// Charts that are open on the page.
const MAIN_MAX: usize = 4;

/// The charts of throughput over the degree of parallelism.
pub(super) struct Curves {
    /// Those of the main tests.
    pub(super) main: Vec<Block>,
    /// The others, with remarks on all.
    pub(super) others: Vec<Block>,
    /// Charts with an ESTIMATE: a peak, a ceiling or a curve beyond the measurements.
    pub(super) estimates: usize,
}

/// A test and its curve.
type Drawn<'a> = (&'a Test<'a>, Curve<'a, 'a>);

/// A chart for each test that was run at more than one degree of parallelism.
pub(super) fn throughput(tests: &[Test<'_>], sheet: &Sheet) -> Curves {
    let all = tests.iter().filter(|test| test.best().is_some()).map(|test| (test, test.curve()));
    let (mut curves, single): (Vec<Drawn<'_>>, Vec<Drawn<'_>>) = all.partition(|(_, curve)| curve.points.len() > 1);
    curves.sort_by_key(|(test, _)| place(test.code));
    let lines: HashMap<&str, &Line> = sheet.lines.iter().map(|line| (line.test.as_str(), line)).collect();
    let shown = curves.iter().take(CHARTS_MAX).enumerate();
    let drawn = shown.map(|(index, (test, curve))| diagram(index, test, curve, lines.get(test.code).copied()));
    let (mut charts, estimated): (Vec<Diagram>, Vec<bool>) = drawn.unzip();
    let estimates = estimated.into_iter().filter(|estimated| *estimated).count();
    let rest = charts.split_off(charts.len().min(MAIN_MAX));
    let about = (!charts.is_empty()).then(|| Block::text(ABOUT));
    let more = (curves.len() > CHARTS_MAX).then(|| left_out(curves.len()));
    let alone = (!single.is_empty()).then(|| {
        let tests = list(single.iter().map(|(test, curve)| alone(test, curve)));
        Block::aside(format!("Run at one degree of parallelism only, without a curve: {tests}."))
    });
    let others = [about, Some(Block::Charts(rest)), more, alone].into_iter().flatten().collect();
    Curves { main: vec![Block::Charts(charts)], others, estimates }
}

/// How to read the charts.
const ABOUT: &str = "Every point is a run; for repeated runs the one with the median rate, with the lowest and the highest as whiskers. \
                     The ideal line is linear scaling from the first point. Crosses are invalid runs. The fitted curve has a 95 % \
                     confidence band; it needs four degrees or more.";

/// The place of a test in the order of the charts: main tests first.
fn place(code: &str) -> usize {
    MAIN_TESTS.iter().position(|main| *main == code).unwrap_or(MAIN_TESTS.len())
}

/// A test without a curve, with the number of nodes where it was also run on other numbers.
fn alone(test: &Test<'_>, curve: &Curve<'_, '_>) -> String {
    match curve.on_nodes().filter(|_| test.loads.len() > 1) {
        Some(nodes) => format!("{} (on {nodes} nodes)", test.code),
        None => test.code.to_owned(),
    }
}

/// A note on charts that are not drawn.
pub(super) fn left_out(tests: usize) -> Block {
    let words = format!("Charts of the first {CHARTS_MAX} of {tests} tests are shown; the record has all.");
    Block::note(Tone::Plain, [words])
}

/// The chart, and whether it shows an estimate.
fn diagram(index: usize, test: &Test<'_>, curve: &Curve<'_, '_>, line: Option<&Line>) -> (Diagram, bool) {
    let rates = curve.points.iter().flat_map(|(n, load)| load.rates.iter().map(|rate| LoadPoint::new(*n, *rate)));
    let scalability = scalability(&rates.collect::<Vec<LoadPoint>>()).filter(|_| !test.has_target_rate());
    let note = match &scalability {
        _ if test.has_target_rate() => "The rate is a target, not a result: no law is fitted.".to_owned(),
        Some(found) => fit_note(found, test.unit, &curve.noun()),
        None => String::new(),
    };
    let chart = chart(test, curve, line, scalability.as_ref());
    let last = curve.points.last().map_or(0.0, |(n, _)| *n);
    let is_beyond = |found: &Scalability| {
        let is_measured = match found.limit {
            Limit::Peak(peak) => peak.is_measured,
            Limit::Ceiling(ceiling) => ceiling.is_reached,
            Limit::Unknown(_) => true,
        };
        !is_measured || found.horizon > last
    };
    let is_estimate = scalability.as_ref().is_some_and(|found| has_band(found) && is_beyond(found));
    (Diagram { note, ..Diagram::new(format!("throughput-{}", index + 1), chart) }, is_estimate)
}

/// The fitted curve with its band; none where the band is not known, or the law does not fit.
pub(crate) fn fitted(found: &Scalability) -> Option<Series> {
    let points = found.curve.iter().map(|point| Point::new(point.n, point.rate));
    let reach = |point: &FittedPoint| Some(Reach { x: point.n, low: point.band?.low, high: point.band?.high });
    let band = found.curve.iter().filter_map(reach);
    has_band(found).then(|| Series::new("fitted, 95 % band", Role::Fit, points.collect()).with_band(band.collect()))
}

/// Coefficients, limit and notes of a fit, in words.
pub(crate) fn fit_note(found: &Scalability, unit: Unit, workers: &str) -> String {
    if found.limit == Limit::Unknown(UnknownLimit::FewDegrees) {
        return String::new();
    }
    let misfits = list(found.misfits().map(misfit_reason));
    if !misfits.is_empty() {
        return format!("The {LAW} does not fit these points: {misfits}.");
    }
    let (contention, coherency) = (coefficient(found.fit.contention), coefficient(found.fit.coherency));
    let law = format!("{LAW}: contention {contention}, coherency {coherency}");
    let law = list([law].into_iter().chain(limit(found.limit, unit, workers)));
    let sentences = [law].into_iter().chain(found.notes.iter().map(note_text));
    sentences.map(|sentence| capital(&sentence) + ".").collect::<Vec<String>>().join(" ")
}

/// Knee and peak, or the ceiling, or why neither is known.
fn limit(limit: Limit, unit: Unit, workers: &str) -> Vec<String> {
    const BEYOND: (&str, &str) = ("ESTIMATE: ", ", beyond the measurements");
    match limit {
        Limit::Peak(peak) => {
            let (estimate, how) = if peak.is_measured { ("", "") } else { BEYOND };
            let (rate, n) = (rate_of(peak.rate, unit), three_digits(peak.n));
            let knee = format!("knee at {} {workers}", three_digits(peak.knee_n));
            vec![knee, format!("{estimate}peak {rate} at {n} {workers}{how}")]
        }
        Limit::Ceiling(ceiling) => {
            let (estimate, how) = if ceiling.is_reached { ("", ", reached") } else { BEYOND };
            let [low, rate, high] =
                [ceiling.rate.low, ceiling.rate.estimate, ceiling.rate.high].map(|rate| rate_of(rate, unit));
            vec![format!("{estimate}ceiling {rate} (95 %: {low} to {high}){how}")]
        }
        Limit::Unknown(why) => vec![format!("limit not known: {}", unknown_limit_text(why))],
    }
}

/// The law of the fits.
const LAW: &str = "Universal Scalability Law (Gunther 1993)";

/// Whether the fit is worth a curve: enough degrees test the law, and it fits.
fn has_band(found: &Scalability) -> bool {
    found.noise.is_some()
}

fn chart(test: &Test<'_>, curve: &Curve<'_, '_>, line: Option<&Line>, scalability: Option<&Scalability>) -> LineChart {
    let mut series =
        vec![Series::new(format!("throughput, {}", unit_per_second(test.unit)), Role::Measured, measured(curve))];
    series.extend(scalability.and_then(fitted));
    series.extend(ideal(curve));
    series.extend(ceiling(curve, line));
    series.extend(invalid(curve));
    series.extend(service(curve));
    let rate = format!("{} per second", unit_name(test.unit));
    LineChart {
        lower: Some(Axis::new("service time, median", Scale::FromZero, Figures::Nanos)),
        ..LineChart::new(
            title(test, curve),
            description(test.unit, curve),
            Axis::new(curve.noun(), Scale::Log2, Figures::Plain),
            Axis::new(rate, Scale::FromZero, Figures::Rate),
            series,
        )
    }
}

/// A test by its code and title, an I/O job by its name and what it does.
fn title(test: &Test<'_>, curve: &Curve<'_, '_>) -> String {
    match test.code == test.title {
        true => {
            let pattern = curve.best().and_then(|best| io_pattern(best.run));
            pattern.map_or_else(|| clean(test.code), |pattern| format!("{} ({pattern})", clean(test.code)))
        }
        false => format!("{} {}", clean(test.code), clean(test.title)),
    }
}

fn unit_name(unit: Unit) -> String {
    format!("{}s", crate::words::unit(unit))
}

fn description(unit: Unit, curve: &Curve<'_, '_>) -> String {
    let (Some((_, first)), Some(best)) = (curve.points.first(), curve.best()) else { return String::new() };
    format!(
        "From {} at {} to {} at {}, the best of {} degrees of parallelism.",
        rate_of(first.per_second, unit),
        first.at(),
        rate_of(best.per_second, unit),
        best.at(),
        curve.points.len()
    )
}

fn measured(curve: &Curve<'_, '_>) -> Vec<Point> {
    let point = |(n, load): &(f64, &Load<'_>)| {
        let service = load.service.map(|service| format!("service time {}", times::text(&service)));
        let repeats = load.range().map(|_| format!("the median of {} runs", load.rates.len()));
        let note = list([Some(format!("run {}", load.run.number)), repeats, service].into_iter().flatten());
        let point = Point::new(*n, load.per_second).noted(note);
        load.range().map_or(point.clone(), |(least, greatest)| point.within(least, greatest))
    };
    curve.points.iter().map(point).collect()
}

/// Linear scaling from the first point.
fn ideal(curve: &Curve<'_, '_>) -> Option<Series> {
    let (first, load) = curve.points.first().filter(|(n, _)| *n > 0.0)?;
    let points = curve.points.iter().map(|(n, _)| Point::new(*n, load.per_second * n / first));
    Some(Series::new("ideal", Role::Ideal, points.collect()))
}

/// The ceiling of the best point of the test, where that is in the chart and has the unit of the test.
fn ceiling(curve: &Curve<'_, '_>, line: Option<&Line>) -> Option<Series> {
    let best = line?.best.as_ref().filter(|best| curve.has(Degree { dop: best.dop, in_flight: best.in_flight }))?;
    let limit = best.ceiling.as_ref()?;
    // A storage probe is compared with physical I/O, of which an operation may need none or many.
    let same = (limit.reached.0 / best.operations_per_second.0 - 1.0).abs() < 1e-9;
    let (first, last) = (curve.points.first()?, curve.points.last()?);
    let name = format!("ceiling {}", limit.probe);
    let points = [first, last].map(|(n, _)| Point::new(*n, limit.per_second.0));
    same.then(|| Series::new(name, Role::Ceiling, points.to_vec()))
}

fn invalid(curve: &Curve<'_, '_>) -> Option<Series> {
    let points =
        curve.invalid.iter().map(|(n, rate, run)| Point::new(*n, *rate).noted(format!("run {}, invalid", run.number)));
    (!curve.invalid.is_empty()).then(|| Series::new("invalid", Role::Invalid, points.collect()))
}

fn service(curve: &Curve<'_, '_>) -> Option<Series> {
    let points: Vec<Point> = curve
        .points
        .iter()
        .filter_map(|(n, load)| {
            let service = load.service?;
            Some(Point::new(*n, service.p50_ns.0 as f64).noted(times::tail_text(&service)))
        })
        .collect();
    (!points.is_empty()).then(|| Series::new("service time", Role::Other, points).below())
}
