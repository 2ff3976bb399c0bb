//! Figures as they are shown: four significant digits of a rate, three of a time, followed by the unit.
//! Only this module turns ratios into percent.

use record::{Bytes, Nanos, Ratio};

/// Shown for an unknown value.
pub const UNKNOWN: &str = "-";

const SI_PREFIXES: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];

/// A number with four significant digits and an SI prefix: `853.2`, `52.31 k`, `1.234 M`.
pub fn number(value: f64) -> String {
    let (digits, prefix) = scaled(value, 4);
    if prefix.is_empty() { digits } else { format!("{digits} {prefix}") }
}

/// A number with four significant digits and groups of three: `24,630`, `932,400`, `541.7`: the numbers of a column are in one
/// scale.
pub fn grouped(value: f64) -> String {
    if !value.is_finite() {
        return UNKNOWN.to_owned();
    }
    let (size, sign) = (value.abs(), if value < 0.0 { "-" } else { "" });
    if size < 999.95 {
        return format!("{sign}{}", scaled(size, 4).0);
    }
    let unit = 10f64.powi((size.log10().floor() as i32 - 3).max(0));
    let digits = format!("{:.0}", (size / unit).round() * unit);
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    format!("{sign}{}", groups.join(","))
}

/// A span in microseconds with three significant digits: `1,690 µs`, `1.64 µs`.
pub fn microseconds(span: Nanos) -> String {
    let value = span.0 as f64 / 1e3;
    let digits = if value < 999.5 { three_digits(value) } else { grouped(rounded(value, 3)) };
    format!("{digits} µs")
}

/// `value` with so many significant digits.
fn rounded(value: f64, digits: i32) -> f64 {
    if value <= 0.0 {
        return value;
    }
    let unit = 10f64.powi(value.log10().floor() as i32 + 1 - digits);
    (value / unit).round() * unit
}

/// A rate, as [`number`]; [`UNKNOWN`] where there is none.
pub fn rate(per_second: Option<f64>) -> String {
    per_second.map_or_else(|| UNKNOWN.to_owned(), number)
}

/// A rate with three significant digits, for a narrow column; [`UNKNOWN`] where there is none.
pub fn short(per_second: Option<f64>) -> String {
    let Some((digits, prefix)) = per_second.map(|value| scaled(value, 3)) else { return UNKNOWN.to_owned() };
    if prefix.is_empty() { digits } else { format!("{digits} {prefix}") }
}

/// Bytes per second in units of 10^6 bytes, four significant digits, without the unit: the column states it.
/// Below 0.1 only that it is not zero: `0.00`.
pub fn megabytes(bytes_per_second: Option<f64>) -> String {
    let Some(value) = bytes_per_second.map(|value| value / 1e6).filter(|value| value.is_finite()) else {
        return UNKNOWN.to_owned();
    };
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size < 9.9995 => format!("{value:.2}"),
        size if size < 999.95 => format!("{value:.1}"),
        size if size < 1e6 => format!("{value:.0}"),
        _ => format!("{value:.1e}"),
    }
}

/// Bytes per second as published reports of storage have them, in units of 1024 and at most four digits before the
/// point: `853 KiB/s`, `7802 MiB/s`, `11.5 GiB/s`.
pub fn throughput(bytes_per_second: Option<f64>) -> String {
    let Some(bytes) = bytes_per_second.filter(|bytes| bytes.is_finite()) else { return UNKNOWN.to_owned() };
    let units = [(1u64 << 10, "KiB/s"), (1 << 20, "MiB/s"), (1 << 30, "GiB/s"), (1 << 40, "TiB/s")];
    let last = units[units.len() - 1];
    // KiB/s only below 1 MiB/s.
    let fits = |(unit, name): &(u64, &str)| {
        let value = bytes / *unit as f64;
        value < if *name == "KiB/s" { 1024.0 } else { 9999.5 }
    };
    let (unit, name) = units.into_iter().find(fits).unwrap_or(last);
    format!("{} {name}", three_digits(bytes / unit as f64))
}

/// A count: exact up to five digits, then as [`number`].
pub fn count(value: u64) -> String {
    if value < 100_000 { value.to_string() } else { number(value as f64) }
}

/// A span of time with three significant digits: `85 ns`, `13.6 µs`, `2.01 s`, `17.4 min`.
pub fn duration(span: Nanos) -> String {
    nanos(span.0 as f64)
}

/// As [`duration`]; [`UNKNOWN`] where there is none.
pub fn time(span: Option<Nanos>) -> String {
    span.map_or_else(|| UNKNOWN.to_owned(), duration)
}

/// As [`duration`], for a mean that may be a fraction of a nanosecond.
pub fn nanos(value: f64) -> String {
    if !value.is_finite() {
        return UNKNOWN.to_owned();
    }
    if value < 1000.0 && value.fract() == 0.0 {
        return format!("{value:.0} ns");
    }
    // Each unit up to where the next one takes over; the bounds are where rounding would show a fourth digit.
    let units: [(f64, f64, &str); 5] =
        [(1.0, 999.5, "ns"), (1e3, 999.5, "µs"), (1e6, 999.5, "ms"), (1e9, 999.5, "s"), (60e9, 59.95, "min")];
    for (size, limit, unit) in units {
        if value / size < limit {
            return format!("{} {unit}", three_digits(value / size));
        }
    }
    format!("{} h", three_digits(value / 3600e9))
}

/// A share in percent: `62 %`, `3.4 %`, `0.05 %`; the ratio may lie outside [0, 1].
pub fn percent(ratio: Ratio) -> String {
    let digits = percent_digits(ratio);
    if digits == UNKNOWN { digits } else { format!("{digits} %") }
}

/// As [`percent`], without the sign: the column states it.
pub fn percent_digits(Ratio(ratio): Ratio) -> String {
    let value = ratio * 100.0;
    match value.abs() {
        size if !size.is_finite() => UNKNOWN.to_owned(),
        0.0 => "0".to_owned(),
        size if size < 0.095 => format!("{value:.2}"),
        size if size < 9.95 => format!("{value:.1}"),
        size if size < 99_999.5 => format!("{value:.0}"),
        _ => format!("{value:.1e}"),
    }
}

/// A size of memory in units of 1024: `192 GiB`, `8 KiB`.
pub fn memory(size: Bytes) -> String {
    let units =
        [(1u64 << 60, "EiB"), (1 << 50, "PiB"), (1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    for (unit_bytes, unit) in units {
        if size.0 >= unit_bytes {
            let value = size.0 as f64 / unit_bytes as f64;
            return if size.0.is_multiple_of(unit_bytes) {
                format!("{value:.0} {unit}")
            } else {
                format!("{} {unit}", trimmed(value))
            };
        }
    }
    format!("{} B", size.0)
}

/// A size of a device or of data in units of 1000, three significant digits: `10.5 TB`.
pub fn volume(size: Bytes) -> String {
    if size.0 < 1000 {
        return format!("{} B", size.0);
    }
    let (digits, prefix) = scaled(size.0 as f64, 3);
    format!("{digits} {prefix}B")
}

/// `value` with `digits` significant digits, and its SI prefix.
fn scaled(value: f64, digits: usize) -> (String, &'static str) {
    if !value.is_finite() {
        return (UNKNOWN.to_owned(), "");
    }
    if value == 0.0 {
        return ("0".to_owned(), "");
    }
    // The exponent is taken after rounding, so that 999.96 becomes 1.000 k and not 1000.0.
    let scientific = format!("{:.*e}", digits - 1, value);
    let exponent: i32 = scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    let group = usize::try_from(exponent.div_euclid(3)).unwrap_or(0);
    let Some(prefix) = SI_PREFIXES.get(group) else { return (format!("{value:.1e}"), "") };
    if exponent < -2 {
        return (format!("{value:.1e}"), "");
    }
    let decimals = digits as i32 - 1 - (exponent - 3 * group as i32);
    let shown = value / 1000f64.powi(group as i32);
    (format!("{shown:.*}", usize::try_from(decimals).unwrap_or(0)), prefix)
}

/// A plain number with three significant digits: `2.05`.
pub fn three_digits(value: f64) -> String {
    match value.abs() {
        size if size < 9.995 => format!("{value:.2}"),
        size if size < 99.95 => format!("{value:.1}"),
        size if size < 99_999.5 => format!("{value:.0}"),
        _ => format!("{value:.1e}"),
    }
}

/// A probability after `relation`: `= 0.029`, `<= 0.001`; below a thousandth `< 0.001`.
pub fn chance(relation: &str, p_value: f64) -> String {
    if p_value < 0.001 { "< 0.001".to_owned() } else { format!("{relation} {p_value:.3}") }
}

/// Three significant digits without zeros at the end.
fn trimmed(value: f64) -> String {
    let shown = three_digits(value);
    if shown.contains('.') { shown.trim_end_matches('0').trim_end_matches('.').to_owned() } else { shown }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn no_probability_is_zero() {
        assert_eq!([0.0, 4e-4, 9.99e-4].map(|p| chance("=", p)), ["< 0.001"; 3]);
        assert_eq!([chance("=", 0.0286), chance("<=", 0.001)], ["= 0.029", "<= 0.001"]);
    }

    #[test]
    fn a_number_has_four_digits_and_a_prefix() {
        let shown = |value: f64| number(value);
        assert_eq!(shown(0.0), "0");
        assert_eq!(shown(1.0), "1.000");
        assert_eq!(shown(85.3), "85.30");
        assert_eq!(shown(853.24), "853.2");
        assert_eq!(shown(999.94), "999.9");
        assert_eq!(shown(999.96), "1.000 k");
        assert_eq!(shown(52_310.0), "52.31 k");
        assert_eq!(shown(1_234_000.0), "1.234 M");
        assert_eq!(shown(999_960_000.0), "1.000 G");
        assert_eq!(shown(0.5), "0.5000");
        assert_eq!(shown(0.01234), "0.01234");
        assert_eq!(shown(0.001234), "1.2e-3");
        assert_eq!(shown(1.5e300), "1.5e300");
        assert_eq!(shown(f64::NAN), "-");
        assert_eq!(shown(-1500.0), "-1.500 k");
    }

    #[test]
    fn a_time_has_three_digits_and_no_more_than_the_clock_gives() {
        let shown = |value: u64| duration(Nanos(value));
        assert_eq!(shown(0), "0 ns");
        assert_eq!(shown(85), "85 ns");
        assert_eq!(shown(1000), "1.00 µs");
        assert_eq!(shown(13_640), "13.6 µs");
        assert_eq!(shown(999_499), "999 µs");
        assert_eq!(shown(999_500), "1.00 ms");
        assert_eq!(shown(2_010_000_000), "2.01 s");
        assert_eq!(shown(886_000_000_000), "886 s");
        assert_eq!(shown(1_044_000_000_000), "17.4 min");
        assert_eq!(shown(7_200_000_000_000), "2.00 h");
        assert_eq!(shown(u64::MAX), "5.1e6 h");
        assert_eq!(nanos(21.34), "21.3 ns");
        assert_eq!(nanos(f64::INFINITY), "-");
    }

    #[test]
    fn a_share_becomes_percent_at_the_edge() {
        assert_eq!(percent(Ratio(0.624)), "62 %");
        assert_eq!(percent(Ratio(0.034)), "3.4 %");
        assert_eq!(percent(Ratio(0.0005)), "0.05 %");
        assert_eq!(percent(Ratio(1.0)), "100 %");
        assert_eq!(percent(Ratio(0.0)), "0 %");
        assert_eq!(percent(Ratio(f64::NAN)), "-");
    }

    #[test]
    fn sizes_name_the_unit_they_are_counted_in() {
        assert_eq!(memory(Bytes::GIB.times(192)), "192 GiB");
        assert_eq!(memory(Bytes(8192)), "8 KiB");
        assert_eq!(memory(Bytes(4_100_000_000)), "3.82 GiB");
        assert_eq!(memory(Bytes(512)), "512 B");
        assert_eq!(volume(Bytes(10_500_000_000_000)), "10.5 TB");
        assert_eq!(volume(Bytes(999)), "999 B");
        assert_eq!(volume(Bytes(999_999)), "1.00 MB");
        assert_eq!(megabytes(Some(1_234_567.0)), "1.23");
        assert_eq!(megabytes(Some(85_300_000.0)), "85.3");
        assert_eq!(megabytes(Some(2_423_000_000.0)), "2423");
        assert_eq!(megabytes(Some(0.0)), "0");
        assert_eq!(megabytes(None), "-");
    }

    #[test]
    fn throughput_is_written_as_published_rows_have_it() {
        let mebibytes = |value: f64| throughput(Some(value * 1_048_576.0));
        assert_eq!(mebibytes(7802.0), "7802 MiB/s");
        assert_eq!(mebibytes(54.1 * 1024.0), "54.1 GiB/s");
        assert_eq!(mebibytes(11.5 * 1024.0), "11.5 GiB/s");
        assert_eq!(mebibytes(0.8), "819 KiB/s");
        assert_eq!(mebibytes(1.0), "1.00 MiB/s");
        assert_eq!(throughput(Some(0.0)), "0.00 KiB/s");
        assert_eq!(throughput(None), "-");
    }

    proptest! {
        #[test]
        fn whatever_the_value_the_figure_is_short(value in any::<f64>(), whole in any::<u64>()) {
            prop_assert!(number(value.abs()).len() <= 8, "{}", number(value.abs()));
            prop_assert!(megabytes(Some(value.abs())).len() <= 7, "{}", megabytes(Some(value.abs())));
            prop_assert!(throughput(Some(value.abs())).len() <= 13, "{}", throughput(Some(value.abs())));
            prop_assert!(percent_digits(Ratio(value.abs())).len() <= 7);
            prop_assert!(nanos(value.abs()).chars().count() <= 9, "{}", nanos(value.abs()));
            prop_assert!(duration(Nanos(whole)).chars().count() <= 8);
            prop_assert!(count(whole).len() <= 7 && memory(Bytes(whole)).len() <= 9 && volume(Bytes(whole)).len() <= 8);
        }

        #[test]
        fn a_figure_is_off_by_at_most_half_of_its_last_digit(value in 1.0f64..1e12) {
            let shown = number(value);
            let (digits, prefix) = shown.split_once(' ').unwrap_or((&shown, ""));
            let power = SI_PREFIXES.iter().position(|known| *known == prefix).unwrap();
            let read = digits.parse::<f64>().unwrap() * 1000f64.powi(power as i32);
            prop_assert!((read - value).abs() <= value * 0.000_500_1, "{value} shown as {shown}");
        }
    }
}
