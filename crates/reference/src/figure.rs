//! Figures in words.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_their_digits_and_are_grouped_from_five_digits_on() {
        let shown = [0.99, 1809.0, 68_336.0, 1_977_404.0, 624.05365, -12_345.5, 100.0, 0.0].map(exact);
        assert_eq!(shown, ["0.99", "1809", "68,336", "1,977,404", "624.05365", "-12,345.5", "100", "0"]);
        assert_eq!([f64::NAN, f64::INFINITY].map(exact), ["NaN", "inf"]);
    }
}
