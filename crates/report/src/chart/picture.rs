//! Curves in characters, on a grid.

use super::series::{Panel, Role, Series};
use super::{Axis, LineChart};
use crate::layout::{clean, cut, wrap};

/// Characters of a curve between its axes, at most, and lines.
const WIDTH_MAX: usize = 60;
const HEIGHT: usize = 14;

/// Characters left of the area, with its axis, and right of it.
const LEFT: usize = 10;
const RIGHT: usize = 9;

/// The letters of measured series, in their order.
const LETTERS: [char; 6] = ['o', '*', '+', '#', '@', '%'];

/// A grid of cells over both axes.
struct Canvas<'a> {
    chart: &'a LineChart,
    width: usize,
    cells: Vec<Vec<char>>,
    across: (f64, f64),
    up: (f64, f64),
}

impl Canvas<'_> {
    fn column(&self, x: f64) -> Option<usize> {
        let share = share(self.chart.x.scale.position(x)?, self.across)?;
        Some((share * (self.width - 1) as f64).round() as usize)
    }

    fn row(&self, y: f64) -> Option<usize> {
        let share = share(self.chart.y.scale.position(y)?, self.up)?;
        Some(HEIGHT - 1 - (share * (HEIGHT - 1) as f64).round() as usize)
    }

    fn put(&mut self, x: f64, y: f64, letter: char) {
        if let (Some(column), Some(row)) = (self.column(x), self.row(y)) {
            self.cells[row][column] = letter;
        }
    }

    /// What lies between two points, each column once; only where nothing is drawn yet.
    fn join(&mut self, one: (f64, f64), other: (f64, f64), letter: char) {
        let at = |(x, y): (f64, f64)| Some((self.chart.x.scale.position(x)?, self.chart.y.scale.position(y)?));
        let (Some(from), Some(to)) = (at(one), at(other)) else { return };
        let (Some(first), Some(last)) = (self.column(one.0), self.column(other.0)) else { return };
        for column in first..=last {
            let part = if last > first { (column - first) as f64 / (last - first) as f64 } else { 0.0 };
            let Some(up) = share(from.1 + part * (to.1 - from.1), self.up) else { continue };
            let row = HEIGHT - 1 - (up * (HEIGHT - 1) as f64).round() as usize;
            let cell = &mut self.cells[row][column];
            if *cell == ' ' {
                *cell = letter;
            }
        }
    }

    fn fill(&mut self, x: f64, low: f64, high: f64) {
        if let (Some(column), Some(bottom), Some(top)) = (self.column(x), self.row(low), self.row(high)) {
            (top..=bottom).for_each(|row| self.cells[row][column] = ':');
        }
    }
}

/// The place of `value` between two others, in [0, 1]; nothing outside.
fn share(value: f64, (low, high): (f64, f64)) -> Option<f64> {
    let share = (value - low) / (high - low);
    (-1e-9..=1.0 + 1e-9).contains(&share).then(|| share.clamp(0.0, 1.0))
}

/// The curves of the upper panel with a key below them; nothing where there is no second value on an axis.
pub(super) fn lines(chart: &LineChart, width: usize) -> Vec<String> {
    let shown: Vec<&Series> = chart.series.iter().filter(|series| series.panel == Panel::Upper).collect();
    let Some(mut canvas) = canvas(chart, &shown, width) else { return Vec::new() };
    for reach in shown.iter().flat_map(|series| &series.band) {
        canvas.fill(reach.x, reach.low, reach.high);
    }
    let letters = letters(&shown);
    // What was measured is above the lines that were drawn through it.
    let mut order: Vec<(&&Series, &char)> = shown.iter().zip(&letters).collect();
    order.sort_by_key(|(series, _)| matches!(series.role, Role::Measured | Role::Claim));
    for (series, letter) in order {
        if matches!(series.role, Role::Fit | Role::Ideal) {
            for pair in series.points.windows(2) {
                if let [one, other] = pair {
                    canvas.join((one.x, one.y), (other.x, other.y), *letter);
                }
            }
        }
        if let (Role::Ceiling, [point]) = (series.role, series.points.as_slice()) {
            let row = canvas.row(point.y);
            row.into_iter().for_each(|row| canvas.cells[row].fill('-'));
            continue;
        }
        for point in &series.points {
            canvas.put(point.x, point.y, *letter);
        }
    }
    drawn(&canvas, &shown, &letters, width)
}

fn canvas<'a>(chart: &'a LineChart, shown: &[&Series], width: usize) -> Option<Canvas<'a>> {
    // What is no result does not decide what is seen.
    let results = || shown.iter().filter(|series| series.role.is_result() || series.role == Role::Claim);
    let xs = results()
        .flat_map(|series| series.points.iter().map(|point| point.x).chain(series.band.iter().map(|reach| reach.x)));
    let ys = results()
        .flat_map(|series| series.points.iter().map(|point| point.y).chain(series.band.iter().map(|reach| reach.high)));
    let across = range(&chart.x, xs)?;
    let up = range(&chart.y, ys)?;
    let width = width.saturating_sub(LEFT + RIGHT).clamp(2, WIDTH_MAX);
    (across.1 > across.0 && up.1 > up.0).then(|| Canvas {
        chart,
        width,
        cells: vec![vec![' '; width]; HEIGHT],
        across,
        up,
    })
}

/// The range of the positions of `values` on an axis; from zero where the axis begins there.
fn range(axis: &Axis, values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let positions: Vec<f64> = values.filter_map(|value| axis.scale.position(value)).collect();
    let low = positions.iter().copied().reduce(f64::min)?;
    let high = positions.iter().copied().reduce(f64::max)?;
    Some((if axis.scale == super::Scale::FromZero { low.min(0.0) } else { low }, high))
}

fn letters(shown: &[&Series]) -> Vec<char> {
    let mut next = LETTERS.iter().cycle();
    let letter = |series: &&Series| match series.role {
        Role::Measured | Role::Other | Role::Event => next.next().copied().unwrap_or('o'),
        Role::Invalid => 'x',
        Role::Fit => '.',
        Role::Ideal => '/',
        Role::Ceiling => '-',
        Role::Claim => 'X',
    };
    shown.iter().map(letter).collect()
}

fn drawn(canvas: &Canvas<'_>, shown: &[&Series], letters: &[char], width: usize) -> Vec<String> {
    let values = || shown.iter().filter(|series| series.role.is_result() || series.role == Role::Claim);
    let ys = || {
        values().flat_map(|series| {
            series.points.iter().map(|point| point.y).chain(series.band.iter().map(|reach| reach.high))
        })
    };
    let top = ys().filter(|y| canvas.row(*y) == Some(0)).reduce(f64::max);
    let bottom = match canvas.up.0 == 0.0 && canvas.chart.y.scale == super::Scale::FromZero {
        true => Some(0.0),
        false => ys().filter(|y| canvas.row(*y) == Some(HEIGHT - 1)).reduce(f64::min),
    };
    let label = |row: usize| match row {
        0 => top,
        row if row == HEIGHT - 1 => bottom,
        _ => None,
    };
    let label = |row: usize| label(row).map_or_else(String::new, |value| canvas.chart.y.figures.tick(value));
    let row = |(index, cells): (usize, &Vec<char>)| {
        let line: String = cells.iter().collect();
        format!("{:>8} |{line}", label(index)).trim_end().to_owned()
    };
    let mut lines = vec![format!("{:>8}  {}", "", cut(&clean(&canvas.chart.y.label), canvas.width))];
    lines.extend(canvas.cells.iter().enumerate().map(row));
    lines.push(format!("{:>8} +{}", "", "-".repeat(canvas.width)));
    lines.push(format!("{:>8}  {}", "", axis(canvas, shown)));
    let scale = match canvas.chart.x.scale {
        super::Scale::Log2 | super::Scale::Log10 => ", log scale",
        _ => "",
    };
    lines.push(format!("{:>8}  {}{scale}", "", cut(&clean(&canvas.chart.x.label), canvas.width)));
    let name = |(series, letter): (&&Series, &char)| format!("{letter} {}", clean(&series.name));
    let names: Vec<String> =
        shown.iter().zip(letters).filter(|(series, _)| !series.points.is_empty()).map(name).collect();
    let key = wrap(&names.join("   "), width.saturating_sub(LEFT));
    lines.extend(key.into_iter().map(|line| format!("{:LEFT$}{line}", "")));
    lines
}

/// The measured values of the horizontal axis where their labels fit, and the last one.
fn axis(canvas: &Canvas<'_>, shown: &[&Series]) -> String {
    let measured = shown.iter().filter(|series| !matches!(series.role, Role::Fit | Role::Ideal | Role::Ceiling));
    let mut values: Vec<f64> = measured.flat_map(|series| series.points.iter().map(|point| point.x)).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let mut letters = vec![' '; canvas.width + RIGHT];
    let mut put = |value: f64, free: usize, end: usize| {
        let text: Vec<char> = canvas.chart.x.figures.tick(value).chars().collect();
        let column = canvas.column(value)?;
        (column >= free && column + text.len() <= end).then(|| {
            letters[column..column + text.len()].copy_from_slice(&text);
            column + text.len() + 1
        })
    };
    let Some((last, others)) = values.split_last() else { return String::new() };
    put(*last, 0, canvas.width + RIGHT);
    let end = canvas.column(*last).unwrap_or(canvas.width).saturating_sub(1);
    let mut free = 0;
    for value in others {
        free = put(*value, free, end).unwrap_or(free);
    }
    letters.into_iter().collect::<String>().trim_end().to_owned()
}
