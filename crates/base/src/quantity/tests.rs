use proptest::prelude::*;

use super::*;

const MOST: u64 = 1_000_000_000;

fn rows(text: &str) -> Result<u64, String> {
    count_within("rows", text, 1..=MOST).map_err(|error| error.to_string())
}

fn of_bytes(text: &str) -> Result<u64, String> {
    size_within("size", text, 1 << 10..=1_000_000_000_000).map_err(|error| error.to_string())
}

#[test]
fn decimals_are_accepted_if_the_product_is_an_integer() {
    for (text, expected) in [
        ("7", 7),
        ("10k", 10_000),
        ("1.5M", 1_500_000),
        ("0.5k", 500),
        ("1_000", 1_000),
        ("2.0", 2),
        (" 1.25 k ", 1_250),
        ("1e3", 1_000),
        ("1.5E+6", 1_500_000),
        ("20e-1", 2),
    ] {
        assert_eq!(rows(text), Ok(expected), "{text}");
    }
    for text in
        ["M", "-1", "1.2345k", "1.5", "ten", "1e", "1e-3", "1..5k", "1Mi", "1MB", "1.5.2k", "1e99", "1e-2147483648"]
    {
        let expected = format!("rows {text} is not a whole number\nhint: use 1 to {MOST}, such as 100k or 1.5M");
        assert_eq!(rows(text), Err(expected));
    }
    assert!(rows("").unwrap_err().starts_with("rows \"\" is not a whole number"));
    assert!(rows("1.1g").unwrap_err().starts_with("rows 1.1g is more than 1000000000\n"));
    assert!(rows("0").unwrap_err().starts_with("rows 0 is less than 1\n"));
    assert!(rows("99999999999999999999G").unwrap_err().starts_with("rows 99999999999999999999G is more than"));
}

#[test]
fn sizes_are_exact_and_errors_name_the_limits() {
    let kib = 1024.0;
    assert_eq!(of_bytes("1.5GB"), Ok(1_500_000_000));
    assert_eq!(of_bytes("1.5GiB"), Ok((1.5 * kib * kib * kib) as u64));
    assert_eq!((of_bytes("2048"), of_bytes("8MiB"), of_bytes("1.1kb")), (Ok(2_048), Ok(8 << 20), Ok(1_100)));
    assert_eq!((of_bytes("1M"), of_bytes("1Mi"), of_bytes("1m")), (Ok(1_000_000), Ok(1 << 20), Ok(1_000_000)));
    let hint = "hint: use 1KiB to 1TB, such as 500MB, 1.5GB or 8MiB";
    assert_eq!(of_bytes("2TB"), Err(format!("size 2TB is more than 1TB\n{hint}")));
    assert_eq!(of_bytes("0"), Err(format!("size 0 is less than 1KiB\n{hint}")));
    for text in ["much", "1.5B", "1.0001KiB", "1 GBit", "1iB", "1KM", "1kBB"] {
        assert_eq!(of_bytes(text), Err(format!("size {text} is not a size in whole bytes\n{hint}")));
    }
}

#[test]
fn a_time_has_units_or_is_in_seconds() {
    let (ms, second) = (1_000_000, SECOND_NS);
    for (text, expected_ns) in [
        ("5ms", 5 * ms),
        ("30", 30 * second),
        ("0.2", 200 * ms),
        ("30s", 30 * second),
        ("2m", 120 * second),
        ("90min", 5_400 * second),
        ("1h", 3_600 * second),
        ("1h 30min", 5_400 * second),
        ("1h30m", 5_400 * second),
        ("1.5 s", 1_500 * ms),
        ("500us", 500_000),
        ("7µs", 7_000),
        ("2 days", 2 * 86_400 * second),
        ("1w", 7 * 86_400 * second),
        ("0", 0),
        ("1.5ns", 1),
        ("1e9", 1_000_000_000 * second),
    ] {
        assert_eq!(time_ns(text), Some(expected_ns), "{text}");
    }
    for text in ["", "s", "-1", "nan", "inf", "5M", "5 x", "1h 30", "1h s", "long", "1h 2", "1,5s"] {
        assert_eq!(time_ns(text), None, "{text}");
    }
    assert_eq!(time_ns("1e29"), Some(u64::MAX));
    let window =
        |text: &str| time_ns_within("seconds", text, ms..=7 * 86_400 * second).map_err(|error| error.to_string());
    let hint = "hint: use 1ms to 7d, a number of seconds or a time such as 500ms or 5min";
    assert_eq!(window("0"), Err(format!("seconds 0 is less than 1ms\n{hint}")));
    assert_eq!(window("8d"), Err(format!("seconds 8d is more than 7d\n{hint}")));
    assert_eq!(window("soon"), Err(format!("seconds soon is not a length of time\n{hint}")));
}

#[test]
fn a_rate_is_per_second_or_has_a_unit_of_time() {
    for (text, expected) in [
        ("500", 500.0),
        ("100/s", 100.0),
        ("6000/min", 100.0),
        ("7M", 7e6),
        ("165_000", 165e3),
        ("1.5 k", 1.5e3),
        ("2e3", 2e3),
        ("3.6k/h", 1.0),
        ("0.000001", 1e-6),
        ("1e300", 1e300),
    ] {
        assert_eq!(rate(text), Some(expected), "{text}");
    }
    for text in ["", "M", "-1", "NaN", "inf", "µ", "5/", "5/fortnight", "/s", "7Mi", "50%", "1e400"] {
        assert_eq!(rate(text), None, "{text}");
    }
    assert_eq!(
        [share("50%"), share(" 0.5 %"), share("%"), share("50"), share("-1%")],
        [Some(0.5), Some(0.005), None, None, None]
    );
    let error = rate_within("rate", "2e7", 1e-6..=1e7).unwrap_err();
    assert_eq!(error.message, "rate 2e7 is more than 10000000");
    assert_eq!(error.hint, "use 0.000001 to 10000000 per second, such as 500, 6000/min or 7M");
}

#[test]
fn an_error_quotes_empty_text_and_escapes_control_characters() {
    let error = number_within("margin", "\u{1b}[2J", 0.0..=1.0).unwrap_err();
    assert_eq!(error.to_string(), "margin \\u{1b}[2J is not a number\nhint: use 0 to 1");
    assert!(number_within("margin", " ", 0.0..=1.0).unwrap_err().message.starts_with("margin \"\" is"));
}

proptest! {
    #[test]
    fn no_text_panics(
        text in ".{0,40}",
        likely in "[0-9._]{0,34}(e[+-]?[0-9]{0,12})?[kKMGTPiBbµmsh%/ ]{0,4}",
    ) {
        for text in [&text, &likely] {
            let _ = (count(text), size(text), time_ns(text), rate(text), number(text), share(text));
            if let Some(bytes) = size(text) {
                prop_assert_eq!(size_within("size", text, 0..=u64::MAX), Ok(bytes), "{}", text);
            }
        }
    }

    #[test]
    fn formatted_values_are_parsed(number in any::<u64>(), power in 0u32..64) {
        for number in [number, number >> power, (number >> power) << power, (number % 1_000) * 10u64.pow(power % 16)] {
            prop_assert_eq!(size(&size_text(number)), Some(number));
            prop_assert_eq!(time_ns(&time_text(number)), Some(number));
            prop_assert_eq!(count(&number.to_string()), Some(number));
        }
    }

    #[test]
    fn formatted_rates_are_parsed(number in 1e-6f64..1e15) {
        prop_assert_eq!(rate(&number.to_string()), Some(number));
        prop_assert_eq!(share(&format!("{number}%")), Some(number / 100.0));
    }

    #[test]
    fn thousandths_of_thousands_are_integers(thousandths in 1u64..1_000_000) {
        let text = format!("{}.{:03}k", thousandths / 1_000, thousandths % 1_000);
        prop_assert_eq!(rows(&text), Ok(thousandths));
    }
}
