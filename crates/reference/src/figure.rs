//! Figures in the words of remarks and facts.

/// A figure with all of its digits, in groups of three from 10,000 on: `0.99`, `1809`, `68,336`.
pub(crate) fn exact(value: f64) -> String {
    let digits = format!("{value}");
    let (whole, fraction) = digits.split_once('.').map_or((digits.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |rest| ("-", rest));
    let mut grouped = whole.to_owned();
    if value.is_finite() && whole.len() > 4 {
        let groups: Vec<&str> =
            whole.as_bytes().rchunks(3).rev().filter_map(|part| str::from_utf8(part).ok()).collect();
        grouped = groups.join(",");
    }
    match fraction {
        Some(fraction) => format!("{sign}{grouped}.{fraction}"),
        None => format!("{sign}{grouped}"),
    }
}

/// A computed figure with three significant digits, and none less before the point: `15.8`, `190`, `2,101`.
pub(crate) fn rounded(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    let shown = format!("{value:.decimals$}");
    shown.parse().map_or(shown, exact)
}

/// How far `found` lies from `expected`: `12 % more`, `5 % less`.
pub(crate) fn apart(found: f64, expected: f64) -> String {
    let percent = (found / expected - 1.0) * 100.0;
    format!("{} % {}", rounded_percent(percent.abs()), if percent < 0.0 { "less" } else { "more" })
}

fn rounded_percent(percent: f64) -> String {
    if percent < 9.95 { exact((percent * 10.0).round() / 10.0) } else { exact(percent.round()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_their_digits_and_are_grouped_from_five_digits_on() {
        let shown = [0.99, 1809.0, 68_336.0, 1_977_404.0, 624.05365, -12_345.5, 100.0, 0.0].map(exact);
        assert_eq!(shown, ["0.99", "1809", "68,336", "1,977,404", "624.05365", "-12,345.5", "100", "0"]);
        assert_eq!([f64::NAN, f64::INFINITY].map(exact), ["NaN", "inf"]);
    }

    #[test]
    fn computed_figures_have_three_digits() {
        assert_eq!([190.469, 15.84, 6.012, 12_375.3, 0.1].map(rounded), ["190", "15.8", "6.01", "12,375", "0.1"]);
        assert_eq!([apart(112.0, 100.0), apart(95.1, 100.0)], ["12 % more", "4.9 % less"]);
    }
}
