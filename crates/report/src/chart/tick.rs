//! The ticks of an axis: round values whose labels do not overlap.

use super::axis::{Axis, Direction, Figures, Scale};
use super::svg::width_of;

/// A value with its label.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    /// The value, in steps of the scale.
    pub(super) position: f64,
    /// As it is written.
    pub(super) label: String,
}

/// The minimum space between two labels side by side.
const GAP_ACROSS: f64 = 9.0;

/// The minimum distance between the centres of two stacked labels.
const PITCH_UP: f64 = 24.0;

/// The preferred numbers of ticks; the first one whose labels fit is used.
const COUNTS_WANTED: [f64; 6] = [8.0, 6.0, 5.0, 4.0, 3.0, 2.0];

/// The ticks of `axis` between the positions `low` and `high`, which are `room` units of the drawing apart.
pub(super) fn ticks(axis: &Axis, (low, high): (f64, f64), room: f64, direction: Direction) -> Vec<Tick> {
    let mut last = Vec::new();
    for level in 0..COUNTS_WANTED.len() {
        let ticks = labelled(axis, (low, high), &values(axis, (low, high), level));
        if fit(&ticks, (low, high), room, direction) {
            return ticks;
        }
        last = ticks;
    }
    thinned(last, (low, high), room, direction)
}

/// The step that divides `span` into about `count` parts: 1, 2 or 5 times a power of ten.
pub(super) fn nice_step(span: f64, count: f64) -> f64 {
    let raw = span / count;
    let decade = 10f64.powf(raw.log10().floor());
    let factor = match raw / decade {
        part if part <= 1.0 + 1e-9 => 1.0,
        part if part <= 2.0 + 1e-9 => 2.0,
        part if part <= 5.0 + 1e-9 => 5.0,
        _ => 10.0,
    };
    factor * decade
}

/// The values to be labelled, fewer with every level.
fn values(axis: &Axis, (low, high): (f64, f64), level: usize) -> Vec<f64> {
    let count = COUNTS_WANTED[level];
    let values: Vec<f64> = match axis.scale {
        Scale::Linear | Scale::FromZero => {
            let step = nice_step(high - low, count);
            return multiples(low, high, if whole(&axis.figures) { step.max(1.0) } else { step });
        }
        Scale::Log2 => multiples(low, high, (level + 1) as f64).into_iter().map(f64::exp2).collect(),
        Scale::Log10 if level < 2 => decades(low, high, if level == 0 { &[1.0, 2.0, 5.0] } else { &[1.0, 3.0] }),
        Scale::Log10 => {
            multiples(low, high, (level - 1) as f64).into_iter().map(|position| 10f64.powf(position)).collect()
        }
        Scale::Nines => nines(level),
    };
    let on_axis =
        |value: &&f64| axis.scale.position(**value).is_some_and(|position| position >= low && position <= high);
    let few = values.iter().filter(on_axis).count() < 3;
    let chosen = match axis.scale {
        Scale::Log2 if few && high - low > 0.7 && level < 2 => octaves(low, high, level),
        // Within one octave or decade round values are better than powers.
        Scale::Log2 if few && high - low <= 0.7 => multiples_between(low.exp2(), high.exp2(), count),
        Scale::Log10 if few && (level <= 2 || high - low <= 3.0) => {
            multiples_between(10f64.powf(low), 10f64.powf(high), count)
        }
        _ => values,
    };
    // Jobs, threads, I/Os in flight are whole numbers.
    let counts = axis.scale == Scale::Log2 && axis.figures == Figures::Plain;
    chosen.into_iter().filter(|value| !counts || value.fract() == 0.0).collect()
}

/// About `count` round values from `low` to `high`.
fn multiples_between(low: f64, high: f64, count: f64) -> Vec<f64> {
    multiples(low, high, nice_step(high - low, count))
}

/// Powers of two from `low` to `high` with their quarters, or with their halves, between them.
fn octaves(low: f64, high: f64, level: usize) -> Vec<f64> {
    let parts: &[f64] = if level == 0 { &[1.0, 1.25, 1.5, 1.75] } else { &[1.0, 1.5] };
    let powers = multiples(low.floor(), high, 1.0);
    powers.into_iter().flat_map(|power| parts.iter().map(move |part| part * power.exp2())).collect()
}

/// Whether only whole numbers are valid.
fn whole(figures: &Figures) -> bool {
    matches!(figures, Figures::Names(_))
}

/// The multiples of `step` from `low` to `high`, with room for rounding errors; at most a hundred.
fn multiples(low: f64, high: f64, step: f64) -> Vec<f64> {
    if !(step.is_finite() && step > 0.0) {
        return Vec::new();
    }
    let first = (low / step - 1e-6).ceil();
    let last = (high / step + 1e-6).floor();
    let count = (last - first + 1.0).clamp(0.0, 100.0) as usize;
    (0..count).map(|index| (first + index as f64) * step).collect()
}

/// `factors` times every power of ten from `low` to `high`.
fn decades(low: f64, high: f64, factors: &[f64]) -> Vec<f64> {
    let powers = multiples(low.floor(), high, 1.0);
    powers.into_iter().flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powf(power))).collect()
}

/// Quantiles from every half nine to every fourth nine. 0 is too close to the median to be labelled.
fn nines(level: usize) -> Vec<f64> {
    let mut values = if level < 2 { vec![0.0, 0.5] } else { vec![0.5] };
    for nine in (1..16).step_by(level.saturating_sub(1).max(1)) {
        let rest = 10f64.powi(-nine);
        if level == 0 {
            values.extend([1.0 - rest, 1.0 - rest / 2.0]);
        } else {
            values.push(1.0 - rest);
        }
    }
    values
}

/// The ticks of those `values` that are on the axis, without duplicate labels.
fn labelled(axis: &Axis, (low, high): (f64, f64), values: &[f64]) -> Vec<Tick> {
    let slack = (high - low) * 1e-6;
    let on_axis = |value: &f64| {
        let position =
            axis.scale.position(*value).filter(|position| *position >= low - slack && *position <= high + slack)?;
        Some(Tick { position, label: axis.figures.tick(*value) })
    };
    let mut ticks: Vec<Tick> = values.iter().filter_map(on_axis).collect();
    ticks.retain(|tick| tick.label != crate::figure::UNKNOWN);
    ticks.dedup_by(|next, kept| next.label == kept.label);
    ticks
}

/// Whether no two labels touch.
fn fit(ticks: &[Tick], span: (f64, f64), room: f64, direction: Direction) -> bool {
    ticks.windows(2).all(|pair| apart(&pair[0], &pair[1], span, room, direction))
}

fn apart(one: &Tick, next: &Tick, (low, high): (f64, f64), room: f64, direction: Direction) -> bool {
    let distance = (next.position - one.position) / (high - low) * room;
    match direction {
        Direction::Across => distance >= (width_of(&one.label) + width_of(&next.label)) / 2.0 + GAP_ACROSS,
        Direction::Up => distance >= PITCH_UP,
    }
}

/// The ticks that fit, from the first on.
fn thinned(ticks: Vec<Tick>, span: (f64, f64), room: f64, direction: Direction) -> Vec<Tick> {
    let mut kept: Vec<Tick> = Vec::new();
    for tick in ticks {
        if kept.last().is_none_or(|last| apart(last, &tick, span, room, direction)) {
            kept.push(tick);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, figures: Figures, span: (f64, f64), direction: Direction) -> Vec<String> {
        let axis = Axis::new("", scale, figures);
        ticks(&axis, span, 400.0, direction).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn steps_are_one_two_and_five() {
        assert_eq!(nice_step(100.0, 8.0), 20.0);
        assert_eq!(nice_step(1.0, 10.0), 0.1);
        assert_eq!(nice_step(70.0, 8.0), 10.0);
        assert_eq!(nice_step(40.0, 8.0), 5.0);
    }

    #[test]
    fn a_throughput_has_round_ticks_from_zero() {
        let labels = labels(Scale::FromZero, Figures::Rate, (0.0, 80_000.0), Direction::Up);
        assert_eq!(labels, ["0", "10 k", "20 k", "30 k", "40 k", "50 k", "60 k", "70 k", "80 k"]);
    }

    #[test]
    fn jobs_are_labelled_at_powers_of_two() {
        let few = labels(Scale::Log2, Figures::Plain, (-0.2, 6.2), Direction::Across);
        assert_eq!(few, ["1", "2", "4", "8", "16", "32", "64"]);
        let two = labels(Scale::Log2, Figures::Plain, (-0.04, 1.04), Direction::Across);
        assert_eq!(two, ["1", "2"], "jobs are whole numbers");
        let many = labels(Scale::Log2, Figures::Plain, (-0.5, 20.5), Direction::Across);
        assert_eq!(many, ["1", "16", "256", "4096", "65536", "1048576"]);
        let ratios = labels(Scale::Log2, Figures::Factor, (0.8f64.log2(), 1.25f64.log2()), Direction::Across);
        assert_eq!(ratios, ["0.8 ×", "0.9 ×", "1 ×", "1.1 ×", "1.2 ×"]);
        let wide = labels(Scale::Log2, Figures::Factor, (0.6f64.log2(), 2.6f64.log2()), Direction::Across);
        assert_eq!(wide, ["0.75 ×", "1 ×", "1.5 ×", "2 ×"]);
    }

    #[test]
    fn latency_is_labelled_within_and_over_decades() {
        let two = labels(Scale::Log10, Figures::Nanos, (5.0, 7.0), Direction::Up);
        assert_eq!(two, ["100 µs", "200 µs", "500 µs", "1 ms", "2 ms", "5 ms", "10 ms"]);
        let nine = labels(Scale::Log10, Figures::Nanos, (2.0, 11.0), Direction::Up);
        assert_eq!(nine[..3], ["100 ns", "1 µs", "10 µs"]);
    }

    #[test]
    fn quantiles_are_labelled_by_their_nines() {
        let labels = labels(Scale::Nines, Figures::Quantile, (0.0, 4.0), Direction::Across);
        assert_eq!(labels, ["50 %", "90 %", "99 %", "99.9 %", "99.99 %"]);
    }
}
