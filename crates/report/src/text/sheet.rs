//! The sheet itself: one entry per test, grouped by layer.

use std::collections::HashMap;

use model::{Derived, Headline, Io, LatencyName, Limit, Line, Point, Sheet};
use record::{Layer, Ratio, Record, Run, Unit};

use crate::figure::{UNKNOWN, duration, megabytes, nanos, number, percent, three_digits, time};
use crate::layout::{clean, cut, section, spaced, wrap};
use crate::owed::owed_text;
use crate::style::{Ink, Style};
use crate::verdict::{LEGEND, mark};
use crate::words::{LAYERS, dop, list, unit_per_second};

/// Columns left of the title: the code and a space.
const CODE_WIDTH: usize = 5;

/// Columns right of the title: unit, 1 job, best, at, p50, p99, share of the ceiling, mark; each with its gap.
const FIGURES_WIDTH: usize = 55;

/// The part of it that goes to a second line where the page is narrow: p50, p99, share of the ceiling, mark.
const RIGHT_WIDTH: usize = 27;

/// The narrowest page on which a test has all its figures on one line.
const WIDTH_UNFOLDED: usize = 80;

/// Characters of most degrees of parallelism; combinations of jobs, threads and nodes need more.
const AT_WIDTH: usize = 4;
const AT_WIDTH_MAX: usize = 12;

/// The column of the gain, with its gap; shown where titles keep at least [`TITLE_ROOMY`] characters.
const GAIN_WIDTH: usize = 6;

/// Characters of a title before the gain is shown too.
const TITLE_ROOMY: usize = 26;

/// Characters of a title on the line of the figures, at most; the rest goes below.
const TITLE_MAX: usize = 48;

/// The widths of the columns.
#[derive(Clone, Copy)]
struct Grid {
    title_width: usize,
    at_width: usize,
    gain: bool,
    /// Whether service time, share and mark are on a line of their own.
    folded: bool,
}

/// The figures of a line, in the order of the columns.
struct Figures {
    unit: String,
    speed: String,
    best: String,
    at: String,
    gain: String,
    p50: String,
    p99: String,
    share: String,
    mark: String,
}

impl Grid {
    /// The grid of a page `width` columns wide for degrees of parallelism of `at_width` characters.
    fn new(width: usize, at_width: usize) -> Grid {
        let at_width = at_width.clamp(AT_WIDTH, AT_WIDTH_MAX);
        let folded = width < WIDTH_UNFOLDED;
        let figures = if folded { FIGURES_WIDTH - RIGHT_WIDTH } else { FIGURES_WIDTH };
        let left = width.saturating_sub(CODE_WIDTH + figures + (at_width - AT_WIDTH));
        let gain = !folded && left >= TITLE_ROOMY + GAIN_WIDTH;
        let title_width = (left - if gain { GAIN_WIDTH } else { 0 }).clamp(1, TITLE_MAX);
        Grid { title_width, at_width, gain, folded }
    }

    /// Width of the lines.
    fn width(self) -> usize {
        let gain = if self.gain { GAIN_WIDTH } else { 0 };
        let figures = if self.folded { FIGURES_WIDTH - RIGHT_WIDTH } else { FIGURES_WIDTH };
        CODE_WIDTH + self.title_width + figures + (self.at_width - AT_WIDTH) + gain
    }

    /// One line, or two. The title must fit.
    fn lines(self, code: &str, title: &str, figures: &Figures) -> Vec<String> {
        let Figures { unit, speed, best, at, gain, p50, p99, share, mark } = figures;
        let (width, at_width) = (self.title_width, self.at_width);
        let at = cut(at, at_width);
        let gain = if self.gain { format!(" {gain:>5}") } else { String::new() };
        let left = format!("{code:<4} {title:<width$} {unit:<6} {speed:>7} {best:>7} {at:<at_width$}{gain}");
        let right = format!("{p50:>7} {p99:>7} {share:>5} {mark:<4}");
        match self.folded {
            true => vec![left.trim_end().to_owned(), format!("{right:>0$}", self.width()).trim_end().to_owned()],
            false => vec![format!("{left} {right}").trim_end().to_owned()],
        }
    }

    fn head(self) -> Vec<String> {
        let words = ["unit", "1 job", "best", "at", "gain", "p50", "p99", "ceil.", ""].map(str::to_owned);
        let [unit, speed, best, at, gain, p50, p99, share, mark] = words;
        let columns = self.lines("test", "", &Figures { unit, speed, best, at, gain, p50, p99, share, mark });
        if self.folded {
            return columns;
        }
        let left = CODE_WIDTH + self.title_width;
        let throughput = 16 + self.at_width + if self.gain { GAIN_WIDTH } else { 0 };
        let above = format!("{:left$} {:6} {:<throughput$} {:<15} {:>5}", "", "", "throughput", "service time", "% of");
        [vec![above], columns].concat()
    }
}

/// All groups, with the column headings above and the legend of the marks below.
pub(super) fn groups(record: &Record, style: Style, width: usize) -> Vec<String> {
    let sheet = model::sheet(record);
    let degrees = sheet.lines.iter().filter_map(|line| Some(dop(line.best.as_ref()?.dop, line.sweep).len()));
    let grid = Grid::new(width, degrees.max().unwrap_or(0));
    let mut lines: Vec<String> = grid.head().iter().map(|line| style.paint(line, Ink::Head)).collect();
    let runs = by_number(record);
    for (layer, title) in LAYERS {
        let mut tests = sheet.lines.iter().filter(|line| line.layer == layer).peekable();
        if tests.peek().is_some() {
            lines.push(section(title, style, grid.width()));
            lines.extend(tests.flat_map(|line| entry(&runs, line, grid, style)));
        }
    }
    lines.extend(spaced(LEGEND, 0, width).iter().map(|line| style.paint(line, Ink::Aside)));
    lines.extend(
        unrepeated(&sheet).into_iter().flat_map(|note| wrap(note, width)).map(|note| style.paint(&note, Ink::Aside)),
    );
    lines
}

/// The runs of a record by their number.
pub(crate) type ByNumber<'a> = HashMap<u32, &'a Run>;

/// The runs of `record` by their number; the first of duplicates.
pub(crate) fn by_number(record: &Record) -> ByNumber<'_> {
    record.runs.iter().rev().map(|run| (run.number, run)).collect()
}

/// The note below a sheet with tests that were run once; none where there is no such test.
pub(crate) fn unrepeated(sheet: &Sheet) -> Option<&'static str> {
    let mut repeats = sheet.lines.iter().filter_map(|line| Some(line.best.as_ref()?.repeats));
    let once = repeats.clone().any(|repeats| repeats == 1);
    let all = repeats.all(|repeats| repeats == 1);
    match (once, all) {
        (true, true) => Some("one run per test: repeatability unknown"),
        (true, false) => Some("tests without a note on repeats: one run, repeatability unknown"),
        (false, _) => None,
    }
}

/// The number of runs of `point`, and the interval of its rate between them; none for a single run.
pub(crate) fn repeats(point: &Point, unit: Unit) -> Option<String> {
    let (scale, unit) = if unit == Unit::Byte { (1e6, " MB/s") } else { (1.0, "") };
    let interval = match point.interval {
        _ if point.repeats < 2 => return None,
        Some(found) => {
            let [low, high] = [found.low, found.high].map(|rate| number(rate / scale));
            format!(", 95 % interval {low} to {high}{unit}")
        }
        None => format!("; an interval needs {}", model::samples_needed(0.5)),
    };
    Some(format!("{} repeats{interval}", point.repeats))
}

/// A test: its figures, and below them the rest of the title and the asides.
fn entry(runs: &ByNumber<'_>, line: &Line, grid: Grid, style: Style) -> Vec<String> {
    let title = clean(title(line));
    let first = wrap(&title, grid.title_width).remove(0);
    let figures = grid.lines(&cut(&clean(&line.test), 4), &first, &figures(line));
    let ink = if line.is_invalid() { Some(Ink::Invalid) } else { None };
    let paint = |line: String| ink.map_or(line.clone(), |ink| style.paint(&line, ink));
    let mut lines: Vec<String> = figures.into_iter().map(paint).collect();
    let rest = title[first.len()..].trim_start();
    lines.extend(below(rest, &asides(runs, line), grid.width(), style));
    lines
}

/// The title without the name of its layer, which is the heading of the group.
pub(crate) fn title(line: &Line) -> &str {
    short_title(line.layer, &line.title)
}

/// A title without the name of its layer.
pub(crate) fn short_title(layer: Layer, title: &str) -> &str {
    let prefix = title.get(..layer.word().len()).filter(|start| start.eq_ignore_ascii_case(layer.word()));
    let rest = prefix.and_then(|prefix| title[prefix.len()..].strip_prefix([',', ':']));
    rest.map(str::trim_start).filter(|rest| !rest.is_empty()).unwrap_or(title)
}

/// The rest of a title on the left and the asides on the right, on one line where they fit.
fn below(rest: &str, asides: &[String], width: usize, style: Style) -> Vec<String> {
    let mut lines = Vec::new();
    let room = width - CODE_WIDTH;
    let mut left = wrap(rest, room);
    let mut left = left.drain(..).filter(|part| !part.is_empty());
    for aside in asides {
        let part = left.next().unwrap_or_default();
        let used = part.chars().count() + aside.chars().count();
        if used + 2 > room {
            lines.extend((!part.is_empty()).then(|| format!("{:CODE_WIDTH$}{part}", "")));
            lines.extend(wrap(aside, room).iter().map(|line| aside_line("", line, room, style)));
        } else {
            lines.push(aside_line(&part, aside, room, style));
        }
    }
    lines.extend(left.map(|part| format!("{:CODE_WIDTH$}{part}", "")));
    lines
}

fn aside_line(left: &str, aside: &str, room: usize, style: Style) -> String {
    let gap = room.saturating_sub(left.chars().count() + aside.chars().count());
    format!("{:CODE_WIDTH$}{left}{:gap$}{}", "", "", style.paint(aside, Ink::Aside))
}

fn figures(line: &Line) -> Figures {
    let unknown = || UNKNOWN.to_owned();
    let best = line.best.as_ref();
    let service = best.and_then(|best| best.service);
    let rate = |point: &Point| number(point.operations_per_second.0);
    let limit = best.and_then(|best| best.ceiling.as_ref());
    Figures {
        unit: unit_per_second(line.unit).to_owned(),
        speed: line.speed.as_ref().map_or_else(unknown, rate),
        best: best.map_or_else(|| "invalid".to_owned(), rate),
        at: best.map_or_else(String::new, |best| dop(best.dop, line.sweep)),
        gain: line.scalability.map_or_else(unknown, three_digits),
        p50: service.map_or_else(unknown, |service| duration(service.p50_ns)),
        p99: time(service.and_then(|service| service.p99_ns)),
        share: limit.map_or_else(String::new, |limit| share(limit.efficiency)),
        mark: best.map_or("", |_| mark(line.verdict)).to_owned(),
    }
}

/// A share of the ceiling in five characters.
fn share(efficiency: Ratio) -> String {
    match efficiency.0 {
        ratio if ratio > 0.0 && ratio < 0.000_95 => "<.1 %".to_owned(),
        ratio if ratio >= 9.995 => ">999%".to_owned(),
        _ => percent(efficiency),
    }
}

/// What explains the figures: repeats, the ceiling, the figure in the terms of the test, physical I/O, invalid runs.
pub(crate) fn asides(runs: &ByNumber<'_>, line: &Line) -> Vec<String> {
    let mut asides = Vec::new();
    if line.invalid_runs > 0 {
        asides.push(format!("{} of {} runs invalid", line.invalid_runs, line.runs));
    }
    asides.extend(line.best.as_ref().and_then(|best| repeats(best, line.unit)));
    let of_one = line.speed.as_ref().or(line.best.as_ref()).and_then(|point| point.derived);
    let of_best = line.best.as_ref().and_then(|point| point.derived);
    asides.extend(match of_one {
        Some(Derived::QueriesPerMinute(_)) => of_best.map(in_its_terms),
        other => other.map(in_its_terms),
    });
    let Some(best) = &line.best else { return asides };
    asides.extend(best.headline.filter(|found| found.name == LatencyName::Response).map(response));
    if let Some(limit) = &best.ceiling {
        asides.push(ceiling(limit));
        asides.extend(cached(limit));
        asides.extend(exceeded(limit, best));
    }
    asides.extend(io(runs, line, best));
    asides.extend(runs.get(&best.run).and_then(|run| owed_text(run, line.unit)));
    asides
}

/// The response time, beside the columns of service times.
fn response(found: Headline) -> String {
    let p99 = found.times.p99_ns.map(|p99| format!(", p99 {}", duration(p99))).unwrap_or_default();
    format!("response time (from the intended start): p50 {}{p99}", duration(found.times.p50_ns))
}

/// A figure in the usual unit of the test.
fn in_its_terms(derived: Derived) -> String {
    match derived {
        Derived::FibonacciSeconds { seconds, estimated: true } => {
            format!("ESTIMATE for n = 39: {}", nanos(seconds * 1e9))
        }
        Derived::FibonacciSeconds { seconds, estimated: false } => format!("n = 39 in {}", nanos(seconds * 1e9)),
        Derived::QueriesPerMinute(queries) => format!("{} queries/min", number(queries)),
        Derived::LoadNanos(span) => format!("{} per load", nanos(span)),
    }
}

fn ceiling(limit: &Limit) -> String {
    if let Some(in_flight) = limit.in_flight {
        return format!("ceiling {} at {in_flight} in flight: {}", limit.probe, reached(limit));
    }
    let jobs = if limit.jobs == 1 { "1 job".to_owned() } else { format!("{} jobs", limit.jobs) };
    format!("ceiling {} at {jobs}: {} {}", limit.probe, number(limit.per_second.0), unit_per_second(limit.unit))
}

/// What was reached of a ceiling of storage: physical I/O or commits, while the line counts something else.
fn reached(limit: &Limit) -> String {
    let (reached, most) = (limit.reached.0, limit.per_second.0);
    match limit.unit {
        Unit::Byte => format!("{} of {} MB/s", megabytes(Some(reached)), megabytes(Some(most))),
        unit => format!("{} of {} {}", number(reached), number(most), unit_per_second(unit)),
    }
}

/// A share of the ceiling that is small because the page cache served the reads.
fn cached(limit: &Limit) -> Option<String> {
    let served = match limit.cached?.0 {
        share if share < 0.1 => return None,
        share if share < 0.995 => percent(Ratio(share)),
        _ => "nearly all".to_owned(),
    };
    Some(format!("the page cache, not the device, served {served} of the engine's reads"))
}

/// A note on a share above 100 %: the probe is no bound; several jobs can share a commit of the device.
fn exceeded(limit: &Limit, point: &Point) -> Option<String> {
    let shared = match limit.unit == Unit::Transaction && point.dop.jobs > 1 {
        true => "; commits of several jobs can share a flush (group commit)",
        false => "",
    };
    limit
        .is_exceeded()
        .then(|| format!("above 100 %: {} is not an upper bound of the test in this record{shared}", limit.probe))
}

/// Bytes of the test itself, and of a storage test the physical I/O of its best run, on both sides of the page cache.
fn io(runs: &ByNumber<'_>, line: &Line, best: &Point) -> Option<String> {
    let bytes = best.bytes_per_second.map(|rate| format!("{} MB/s", megabytes(Some(rate.0))));
    let run = runs.get(&best.run).filter(|_| line.layer == Layer::Storage);
    let sides = run.map(|run| model::row(run)).map(|row| {
        [("engine", &row.engine_io), ("device", &row.device_io)]
            .map(|(side, io)| side_of(side, io))
            .into_iter()
            .flatten()
    });
    let shown = list(bytes.into_iter().chain(sides.into_iter().flatten()));
    (!shown.is_empty() && line.unit != Unit::Byte).then_some(shown)
}

fn side_of(side: &str, io: &Io) -> Option<String> {
    let per_second = io.total_per_second()?;
    let bytes = io.total_bytes_per_second().map(|rate| format!(" {} MB/s", megabytes(Some(rate.0))));
    Some(format!("{side} {} IOPS{}", number(per_second.0), bytes.unwrap_or_default()))
}

#[cfg(test)]
mod tests;
