//! Charts of arbitrary data: the figure is always well-formed.

use super::*;

/// Words, some of which are markup.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![Just("<script>\"'&\u{0}]]>".to_owned()), any::<String>(), Just("rows/s".to_owned())]
}

/// Values of every kind: not finite, huge, tiny, and those that are likely.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        0.0..1e6,
        0.0..1.0,
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::MAX),
        Just(0.0),
        -5.0..5.0
    ]
}

fn scale() -> impl Strategy<Value = Scale> {
    prop::sample::select(vec![Scale::Linear, Scale::FromZero, Scale::Log2, Scale::Log10, Scale::Nines])
}

fn figures() -> impl Strategy<Value = Figures> {
    let names = Figures::Names(vec!["old".to_owned(), "<new>".to_owned()]);
    let all =
        [Figures::Rate, Figures::Plain, Figures::Nanos, Figures::Percent, Figures::Quantile, Figures::Factor, names];
    prop::sample::select(all.to_vec())
}

fn axis() -> impl Strategy<Value = Axis> {
    (word(), scale(), figures()).prop_map(|(label, scale, figures)| Axis::new(label, scale, figures))
}

fn series() -> impl Strategy<Value = Series> {
    use Role::{Ceiling, Claim, Fit, Ideal, Invalid, Measured, Other};
    let role = prop::sample::select(vec![Measured, Other, Invalid, Fit, Ideal, Ceiling, Claim]);
    let panel = prop::sample::select(vec![Panel::Upper, Panel::Lower]);
    let point = (value(), value(), prop::option::of((value(), value())), word())
        .prop_map(|(x, y, interval, note)| Point { x, y, interval, note });
    let band =
        prop::collection::vec((value(), value(), value()).prop_map(|(x, low, high)| Reach { x, low, high }), 0..4);
    (word(), role, panel, prop::collection::vec(point, 0..8), band)
        .prop_map(|(name, role, panel, points, band)| Series { name, role, panel, points, band })
}

fn line_chart() -> impl Strategy<Value = LineChart> {
    let shades = prop::collection::vec((value(), value(), word()), 0..3);
    let marks = prop::collection::vec((value(), word()), 0..3);
    let axes = (axis(), axis(), prop::option::of(axis()));
    ((word(), word()), axes, prop::collection::vec(series(), 0..7), shades, marks).prop_map(
        |((title, description), (x, y, lower), series, shades, marks)| LineChart {
            title,
            description,
            x,
            y,
            lower,
            series,
            shaded: shades.into_iter().map(|(from, to, label)| Shade { from, to, label }).collect(),
            marks: marks.into_iter().map(|(x, label)| Mark { x, label }).collect(),
        },
    )
}

fn bar_chart() -> impl Strategy<Value = BarChart> {
    let tone = prop::sample::select(vec![Tone::Plain, Tone::Better, Tone::Worse, Tone::Open]);
    let bar = (word(), value(), prop::option::of((value(), value())), word(), tone)
        .prop_map(|(label, value, interval, note, tone)| Bar { label, value, interval, note, tone });
    let marks = prop::collection::vec((value(), word()).prop_map(|(x, label)| Mark { x, label }), 0..3);
    (word(), axis(), value(), prop::collection::vec(bar, 0..6), marks).prop_map(|(title, axis, base, bars, marks)| {
        BarChart { title, description: String::new(), axis, base, bars, marks }
    })
}

fn heat_map() -> impl Strategy<Value = HeatMap> {
    let cells = prop::collection::vec((value(), value(), any::<u64>()), 0..5);
    let column = (value(), value(), cells, word()).prop_map(|(from, to, cells, note)| Column { from, to, cells, note });
    (axis(), axis(), prop::collection::vec(column, 0..6), prop::collection::vec(series(), 0..3)).prop_map(
        |(x, y, columns, lines)| HeatMap {
            title: String::new(),
            description: "<".to_owned(),
            x,
            y,
            columns,
            lines,
            shaded: Vec::new(),
        },
    )
}

/// Well-formed XML whose coordinates are numbers and whose texts stay in the drawing at the left.
fn holds(chart: &dyn Chart) -> Result<(), TestCaseError> {
    let figure = chart.figure("a<b");
    let document =
        roxmltree::Document::parse(&figure).map_err(|error| TestCaseError::fail(format!("{error}: {figure}")))?;
    for node in document.descendants() {
        for name in ["d", "x", "y", "cx", "cy", "width", "height", "viewBox"] {
            let value = node.attribute(name).unwrap_or_default();
            prop_assert!(!value.contains("NaN") && !value.contains("inf"), "{name} {value}");
        }
        prop_assert!(!node.has_tag_name("script"));
    }
    prop_assert!(chart.csv().lines().count() > 0);
    prop_assert!(!chart.csv().contains("inf,"), "{}", chart.csv());
    Ok(())
}

proptest! {
    #[test]
    fn any_lines_are_well_formed(chart in line_chart()) {
        holds(&chart)?;
    }

    #[test]
    fn any_bars_are_well_formed(chart in bar_chart()) {
        holds(&chart)?;
    }

    #[test]
    fn any_heat_map_is_well_formed(chart in heat_map()) {
        holds(&chart)?;
    }
}
