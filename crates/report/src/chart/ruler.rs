//! The range of an axis over the values of one chart, positions on it, and the plot area.

use super::axis::{Axis, Direction, Figures, Scale};
use super::series::Panel;
use super::tick::{Tick, nice_step, ticks};

/// The height of one line of text.
pub(super) const LINE_HEIGHT: f64 = 18.0;

/// An axis with its two ends.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ruler<'a> {
    /// What is measured.
    pub(super) axis: &'a Axis,
    /// The labelled values.
    pub(super) ticks: Vec<Tick>,
    low: f64,
    high: f64,
}

impl<'a> Ruler<'a> {
    /// The ruler over all of `values`, `room` units long; `None` where none of them has a position.
    pub(super) fn over(
        axis: &'a Axis,
        values: impl Iterator<Item = f64>,
        room: f64,
        direction: Direction,
    ) -> Option<Ruler<'a>> {
        let positions = values.filter_map(|value| axis.scale.position(value));
        let (low, high) = positions
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), position| (low.min(position), high.max(position)));
        if low > high {
            return None;
        }
        let (low, high) = widened(axis, (low, high), direction);
        Some(Ruler { axis, ticks: ticks(axis, (low, high), room, direction), low, high })
    }

    /// The position of `value` along the ruler, 0 to 1; outside of that beyond an end.
    pub(super) fn share(&self, value: f64) -> Option<f64> {
        self.axis.scale.position(value).map(|position| self.share_of_position(position))
    }

    /// As [`Ruler::share`], for a position of the scale.
    pub(super) fn share_of_position(&self, position: f64) -> f64 {
        (position - self.low) / (self.high - self.low)
    }

    /// As [`Ruler::share`], clamped to the ends.
    pub(super) fn share_inside(&self, value: f64) -> Option<f64> {
        self.share(value).map(|share| share.clamp(0.0, 1.0))
    }
}

/// The ends of an axis for positions from `low` to `high`: never equal; vertical axes end on round values.
fn widened(axis: &Axis, (low, high): (f64, f64), direction: Direction) -> (f64, f64) {
    let (low, high) = if axis.scale == Scale::FromZero { (low.min(0.0), high.max(0.0)) } else { (low, high) };
    // Equal within rounding errors.
    let same = high - low <= low.abs().max(high.abs()) * 1e-9;
    match (axis.scale, direction) {
        (_, _) if matches!(axis.figures, Figures::Names(_)) => (low - 0.5, high + 0.5),
        (Scale::FromZero, _) if high - low < f64::MIN_POSITIVE => (0.0, 1.0),
        (Scale::Nines, _) if same => ((low - 0.3).max(0.0), high + 0.3),
        (Scale::Log2 | Scale::Log10, _) if same => (low - 1.0, high + 1.0),
        (Scale::Linear, _) if same => {
            let margin = (low.abs() * 0.05).max(0.5);
            (low - margin, high + margin)
        }
        (Scale::Linear | Scale::FromZero, Direction::Up) => {
            let step = nice_step(high - low, 5.0);
            ((low / step + 1e-6).floor() * step, (high / step - 1e-6).ceil() * step)
        }
        (Scale::Log10, Direction::Up) => (rounded_down(low), -rounded_down_mirror(high)),
        (Scale::Log2 | Scale::Log10, _) => {
            // A margin at the ends of a sweep.
            let margin = (high - low) * 0.04;
            (low - margin, high + margin)
        }
        (Scale::Linear | Scale::FromZero | Scale::Nines, _) => (low, high),
    }
}

/// The largest of 1, 2, 5 times a power of ten that is not above 10 to the `position`, as its logarithm.
fn rounded_down(position: f64) -> f64 {
    let decade = position.floor();
    let steps = [5f64, 2.0].map(f64::log10);
    let rest = position - decade + 1e-9;
    decade + steps.into_iter().find(|step| *step <= rest).unwrap_or(0.0)
}

/// Minus the smallest of 1, 2, 5 times a power of ten that is not below 10 to the `position`, as its logarithm.
fn rounded_down_mirror(position: f64) -> f64 {
    // 1, 2, 5 mirror themselves: 1/2 is 5/10.
    rounded_down(-position)
}

/// How far an axis over results may be extended for ideal lines, wide bands and ceilings.
#[derive(Debug)]
pub(super) struct Reachable {
    low: f64,
    high: f64,
    ceiling: f64,
}

impl Reachable {
    /// The reach around `results`; `None` where there are none.
    pub(super) fn of(axis: &Axis, results: impl Iterator<Item = f64>) -> Option<Reachable> {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = results.fold(ends, |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            return None;
        }
        Some(match axis.scale {
            Scale::Log2 => Reachable { low: low / 2.0, high: high * 2.0, ceiling: high * 1e3 },
            Scale::Log10 => Reachable { low: low / 10.0, high: high * 10.0, ceiling: high * 1e3 },
            Scale::Linear | Scale::FromZero | Scale::Nines => {
                let span = if axis.scale == Scale::FromZero { high.max(0.0) - low.min(0.0) } else { high - low };
                Reachable { low: low - span * 0.25, high: high + span * 0.25, ceiling: high + span * 2.0 }
            }
        })
    }

    /// `value`, clamped to the reach.
    pub(super) fn limited(&self, value: f64) -> f64 {
        value.clamp(self.low, self.high)
    }

    /// Whether a ceiling at `value` is close enough to be shown.
    pub(super) fn shows_ceiling(&self, value: f64) -> bool {
        value <= self.ceiling
    }
}

/// The plot area with its rulers.
#[derive(Debug)]
pub(super) struct Plot<'a> {
    /// The left edge.
    pub(super) left: f64,
    /// The upper edge.
    pub(super) top: f64,
    /// From the left to the right edge.
    pub(super) width: f64,
    /// From the upper to the lower edge.
    pub(super) height: f64,
    /// The horizontal axis.
    pub(super) x: Ruler<'a>,
    /// The vertical axis.
    pub(super) y: Ruler<'a>,
    /// The panel below, if there is one.
    pub(super) lower: Option<Lower<'a>>,
}

/// The plot area of the lower panel; its width and its horizontal axis are those of the upper one.
#[derive(Debug)]
pub(super) struct Lower<'a> {
    /// The upper edge.
    pub(super) top: f64,
    /// From the upper to the lower edge.
    pub(super) height: f64,
    /// The vertical axis.
    pub(super) y: Ruler<'a>,
}

impl<'a> Plot<'a> {
    /// The horizontal position of `value`.
    pub(super) fn across(&self, value: f64) -> Option<f64> {
        self.x.share(value).map(|share| self.left + share * self.width)
    }

    /// The vertical position of `value` in a panel.
    pub(super) fn up(&self, panel: Panel, value: f64) -> Option<f64> {
        let (top, height) = self.extent(panel);
        self.ruler(panel)?.share(value).map(|share| top + (1.0 - share) * height)
    }

    /// The vertical axis of `panel`.
    pub(super) fn ruler(&self, panel: Panel) -> Option<&Ruler<'a>> {
        match panel {
            Panel::Upper => Some(&self.y),
            Panel::Lower => self.lower.as_ref().map(|lower| &lower.y),
        }
    }

    /// The upper edge of `panel`, and its height.
    pub(super) fn extent(&self, panel: Panel) -> (f64, f64) {
        match (panel, &self.lower) {
            (Panel::Lower, Some(lower)) => (lower.top, lower.height),
            _ => (self.top, self.height),
        }
    }

    /// The lower edge of the upper panel.
    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// The lower edge of all panels, where the horizontal axis is.
    pub(super) fn end(&self) -> f64 {
        self.lower.as_ref().map_or(self.bottom(), |lower| lower.top + lower.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(scale: Scale, values: &[f64], direction: Direction) -> (f64, f64) {
        let axis = Axis::new("", scale, Figures::Plain);
        let ruler = Ruler::over(&axis, values.iter().copied(), 400.0, direction).unwrap();
        (ruler.low, ruler.high)
    }

    #[test]
    fn a_throughput_axis_starts_at_zero_and_ends_round() {
        assert_eq!(ends(Scale::FromZero, &[11.0, 73.0], Direction::Up), (0.0, 80.0));
        assert_eq!(ends(Scale::FromZero, &[0.0, 0.0], Direction::Up), (0.0, 1.0));
        assert_eq!(ends(Scale::FromZero, &[-3.0, 7.0], Direction::Up), (-4.0, 8.0));
    }

    #[test]
    fn a_latency_axis_ends_at_one_two_or_five() {
        let (low, high) = ends(Scale::Log10, &[130.0, 4100.0], Direction::Up);
        assert!((low - 2.0).abs() < 1e-9 && (high - 5000f64.log10()).abs() < 1e-9, "{low} {high}");
        let (low, high) = ends(Scale::Log10, &[200.0, 1000.0], Direction::Up);
        assert!((low - 200f64.log10()).abs() < 1e-6 && (high - 3.0).abs() < 1e-6, "{low} {high}");
    }

    #[test]
    fn one_value_has_an_axis_of_its_own() {
        for scale in [Scale::Linear, Scale::FromZero, Scale::Log2, Scale::Log10] {
            let (low, high) = ends(scale, &[5.0], Direction::Across);
            assert!(low < high, "{scale:?}");
        }
        let axis = Axis::new("", Scale::Log2, Figures::Plain);
        assert_eq!(Ruler::over(&axis, [0.0, f64::NAN].into_iter(), 400.0, Direction::Across), None);
    }
}
