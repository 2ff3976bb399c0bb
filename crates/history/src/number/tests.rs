use proptest::prelude::*;

use super::*;

fn notation_of(texts: &[&str]) -> Result<Option<Notation>> {
    let mut evidence = Evidence::default();
    texts.iter().for_each(|text| evidence.see(text));
    evidence.notation()
}

#[test]
fn one_number_tells_the_notation_of_a_file() {
    for text in ["1,234.5", ".1", "0.123", "12.3456", "1,234,567", "321.5K", "4.8E+08", "353.90us", "1 234.5"] {
        assert_eq!(notation_of(&[text, "1,234"]), Ok(Some(Notation::Point)), "{text}");
    }
    for text in ["1.234,5", ",1", "0,123", "1.234.567", "1 234,5", "1\u{202f}234,56", "1\u{a0}234,5"] {
        assert_eq!(notation_of(&[text, "1.234"]), Ok(Some(Notation::Comma)), "{text}");
    }
}

#[test]
fn what_may_be_read_in_two_ways_tells_nothing() {
    for text in ["1,234", "1.234", "123.456", "17", "", "N/A", "#####", "11.2.0.4.0x", "1,23,4"] {
        assert_eq!(notation_of(&[text]), Ok(None), "{text}");
    }
    assert_eq!(number("1,234", None), None);
    assert_eq!(number("1234", None), Some(1234.0));
}

#[test]
fn two_notations_in_one_file_are_refused() {
    let error = notation_of(&["1,234.5", "1.234,5"]).unwrap_err();
    assert!(error.message.contains("1,234.5") && error.message.contains("1.234,5"), "{error}");
}

#[test]
fn numbers_have_letters_for_thousands_and_units() {
    let point = Some(Notation::Point);
    assert_eq!(number("321.5K", point), Some(321_500.0));
    assert_eq!(number("4.8E+08", point), Some(4.8e8));
    assert_eq!(number("-74.60", point), Some(-74.6));
    assert_eq!(number("1\u{202f}234\u{202f}567,5", Some(Notation::Comma)), Some(1_234_567.5));
    assert_eq!(number("1 23 4", point), None);
    assert_eq!(number("12,34.5", point), None);
    assert_eq!(number("########", point), None);
    assert_eq!(size_bytes("5,424K", point), Some(5424 << 10));
    assert_eq!(duration_seconds("353.90us", point), Some(353.9e-6));
    assert_eq!(duration_seconds("184", point), None);
}

#[test]
fn programs_without_thousands_write_a_point_or_a_comma() {
    assert_eq!(plain("12.50"), Some(12.5));
    assert_eq!(plain("12,50"), Some(12.5));
    assert_eq!(plain("1.2e+06"), Some(1.2e6));
    for text in ["1,234.5", "1.2.3", "", "nan", "inf", "0x1", "1e999"] {
        assert_eq!(plain(text), None, "{text}");
    }
}

/// A number as a locale writes it.
fn written(value: u64, decimals: u32, group: &str, decimal: char) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push_str(group);
        }
        text.push(digit);
    }
    format!("{text}{decimal}{decimals:02}")
}

proptest! {
    #[test]
    fn every_number_is_read_as_it_was_written(value in 0u64..1_000_000_000_000, decimals in 0u32..100) {
        let expected = value as f64 + f64::from(decimals) / 100.0;
        for (group, decimal, notation) in
            [(",", '.', Notation::Point), (".", ',', Notation::Comma), ("\u{202f}", ',', Notation::Comma),
             ("", '.', Notation::Point)]
        {
            let text = written(value, decimals, group, decimal);
            prop_assert_eq!(notation_of(&[&text]), Ok(Some(notation)), "{}", &text);
            let read = number(&text, Some(notation)).unwrap();
            prop_assert!((read - expected).abs() <= expected * 1e-12, "{} {}", text, read);
        }
    }

    #[test]
    fn any_text_is_a_number_or_none(text in "[-0-9., KMGTEe+us\u{202f}#a]{0,30}") {
        let mut evidence = Evidence::default();
        evidence.see(&text);
        for notation in [None, Some(Notation::Point), Some(Notation::Comma)] {
            prop_assert!(number(&text, notation).is_none_or(f64::is_finite));
            let _ = (size_bytes(&text, notation), duration_seconds(&text, notation));
        }
        prop_assert!(plain(&text).is_none_or(f64::is_finite));
    }
}
