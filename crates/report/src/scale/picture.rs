//! A curve in ASCII.

use model::Interval;

use super::ScaleView;
use crate::figure::short;

/// Characters of the picture between its axes, at most.
const WIDTH_MAX: usize = 60;

/// Characters around it: the labels of the rates at the left, the last degree at the right.
const BESIDE: usize = 19;

const HEIGHT: usize = 14;

/// The legend.
pub(super) const LEGEND: &str = "o measured   . fitted   : 95 % interval   X claimed";

struct Canvas {
    width: usize,
    cells: Vec<Vec<char>>,
    first: f64,
    last: f64,
    most: f64,
}

impl Canvas {
    fn column(&self, n: f64) -> usize {
        let share = (n / self.first).ln() / (self.last / self.first).ln();
        (share * (self.width - 1) as f64).round().clamp(0.0, (self.width - 1) as f64) as usize
    }

    /// The degree of parallelism of a column.
    fn n(&self, column: usize) -> f64 {
        self.first * (self.last / self.first).powf(column as f64 / (self.width - 1) as f64)
    }

    fn row(&self, rate: f64) -> usize {
        let share = (rate / self.most).clamp(0.0, 1.0);
        HEIGHT - 1 - (share * (HEIGHT - 1) as f64).round() as usize
    }

    fn put(&mut self, column: usize, rate: f64, letter: char) {
        let row = self.row(rate);
        self.cells[row][column] = letter;
    }
}

/// The picture, on a page of `page_width` characters: rates from zero over degrees of parallelism on a log scale.
/// Nothing where all degrees are equal.
pub(super) fn picture(view: &ScaleView, page_width: usize) -> Vec<String> {
    let width = page_width.saturating_sub(BESIDE).clamp(2, WIDTH_MAX);
    let Some(mut canvas) = canvas(view, width) else { return Vec::new() };
    for column in 0..width {
        let n = canvas.n(column);
        if let Some(interval) = allowed(view, n) {
            let rows = canvas.row(interval.high)..=canvas.row(interval.low);
            rows.for_each(|row| canvas.cells[row][column] = ':');
        }
        if let Some(fitted) = view.known().filter(|fitted| n <= fitted.horizon * 1.001) {
            canvas.put(column, fitted.fit.rate(n), '.');
        }
    }
    for point in &view.curve.points {
        let column = canvas.column(point.n);
        canvas.put(column, point.rate, 'o');
    }
    if let Some((n, rate)) = view.query.at.zip(view.query.claim) {
        let column = canvas.column(n);
        canvas.put(column, rate, 'X');
    }
    drawn(&canvas, view)
}

fn canvas(view: &ScaleView, width: usize) -> Option<Canvas> {
    let horizon = view.known().map(|fitted| fitted.horizon);
    let degrees = view.curve.degrees().into_iter().filter(|n| *n >= 1.0 && n.is_finite());
    let degrees: Vec<f64> = degrees.chain(horizon).chain(view.query.at).collect();
    let first = degrees.iter().copied().reduce(f64::min)?;
    let last = degrees.iter().copied().reduce(f64::max)?;
    let rates = view.curve.points.iter().map(|point| point.rate).chain(view.query.claim);
    let allowed = view.reach.iter().map(|(_, interval)| interval.high);
    let most = rates.chain(allowed).filter(|rate| rate.is_finite()).fold(0.0, f64::max);
    (last > first && most > 0.0).then(|| Canvas { width, cells: vec![vec![' '; width]; HEIGHT], first, last, most })
}

/// The interval at `n`: the band of the fit, or beyond the measurements that of the extrapolation.
fn allowed(view: &ScaleView, n: f64) -> Option<Interval> {
    let beyond = view.reach.windows(2).find(|pair| (pair[0].0..=pair[1].0).contains(&n));
    if let Some([(from, one), (to, other)]) = beyond {
        let share = (n - from) / (to - from);
        let between = |one: f64, other: f64| one + share * (other - one);
        return Some(Interval {
            estimate: between(one.estimate, other.estimate),
            low: between(one.low, other.low),
            high: between(one.high, other.high),
        });
    }
    // A degree slightly beyond the last one by rounding belongs to it.
    if let Some((_, interval)) = view.reach.last().filter(|(last, _)| n >= last * 0.999) {
        return Some(*interval);
    }
    let fitted = view.fitted.as_ref().filter(|fitted| n <= fitted.horizon * 1.001)?;
    fitted.band(n)
}

fn drawn(canvas: &Canvas, view: &ScaleView) -> Vec<String> {
    let label = |row: usize| match row {
        0 => short(Some(canvas.most)),
        row if row == HEIGHT / 2 => short(Some(canvas.most * (1.0 - row as f64 / (HEIGHT - 1) as f64))),
        row if row == HEIGHT - 1 => "0".to_owned(),
        _ => String::new(),
    };
    let row = |(index, cells): (usize, &Vec<char>)| {
        let line: String = cells.iter().collect();
        format!("{:>8} |{}", label(index), line).trim_end().to_owned()
    };
    let mut lines: Vec<String> = canvas.cells.iter().enumerate().map(row).collect();
    lines.push(format!("{:>8} +{}", "", "-".repeat(canvas.width)));
    lines.push(format!("{:>8}  {}", "", axis(canvas)));
    lines.push(format!("{:>8}  {}, log scale", "", view.curve.noun));
    lines
}

/// The labels below the axis: powers of two where they fit, and the last degree.
fn axis(canvas: &Canvas) -> String {
    let mut letters = vec![' '; canvas.width + 8];
    let last = format!("{:.0}", canvas.last);
    let mut free = 0;
    let mut put = |n: f64, room: usize| {
        let text = format!("{n:.0}");
        let column = canvas.column(n);
        if column >= free && column + text.len() < room {
            letters[column..column + text.len()].iter_mut().zip(text.chars()).for_each(|(cell, letter)| *cell = letter);
            free = column + text.len() + 1;
        }
    };
    let powers = (0..60).map(|power| 2f64.powi(power)).filter(|n| (canvas.first..canvas.last).contains(n));
    powers.for_each(|n| put(n, canvas.width.saturating_sub(last.len())));
    put(canvas.last, canvas.width + 8);
    letters.into_iter().collect::<String>().trim_end().to_owned()
}
