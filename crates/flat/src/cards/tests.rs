//! Properties of the rows.

use std::collections::BTreeMap;

use super::draw::CENTS_MAX;
use super::*;
use crate::layout::Layout;
use crate::line_reader::Lines;
use crate::parsed::{FieldValue, Parsed};

fn lines(cards: &Cards, rows: Range<u64>) -> Vec<u8> {
    let mut lines = Vec::new();
    cards.write(rows, &mut lines);
    lines
}

#[test]
fn a_line_has_the_fields_of_the_layout() {
    let text = String::from_utf8(lines(&Cards::new(42, 1), 0..1)).unwrap();
    let fields: Vec<&str> = text.trim_end_matches('\n').split('|').collect();
    assert_eq!((fields.len(), fields[9]), (10, ""), "{text}");
    assert_eq!((fields[0].len(), fields[2].len(), fields[4].len(), fields[8].len()), (16, 4, 10, 5), "{text}");
}

#[test]
fn rows_do_not_change_between_versions() {
    let text = lines(&Cards::new(42, 1_000), 0..1_000);
    let first = "6549171840479632|DISCOVER|5964|141.99|2025-01-25|51066387|NORFOLK|VA|23520|";
    assert_eq!(text.split(|byte| *byte == b'\n').next().map(String::from_utf8_lossy).as_deref(), Some(first));
    assert_eq!(crc32fast::hash(&text), 0x6F34_336E);
}

#[test]
fn rows_do_not_depend_on_batches_but_on_the_seed() {
    let cards = Cards::new(42, 10_000);
    let whole = lines(&cards, 0..10_000);
    let batches: Vec<u8> = [0..1, 1..777, 777..5_000, 5_000..5_000, 5_000..10_000]
        .into_iter()
        .flat_map(|rows| lines(&cards, rows))
        .collect();
    assert!(whole == batches);
    assert!(lines(&Cards::new(42, 1_000_000), 0..10_000) == whole, "a smaller set is a prefix of a larger one");
    assert!(lines(&Cards::new(43, 10_000), 0..10_000) != whole);
}

#[test]
fn lines_have_the_values_of_rows() {
    let cards = Cards::new(7, 5_000);
    let mut parsed = Parsed::default();
    parsed.parse(&Layout::cards(), Lines { bytes: lines(&cards, 0..5_000), first_line: 1, cut: false }, u64::MAX);
    assert_eq!((parsed.rows(), parsed.rejects()), (5_000, &[][..]));
    let mut commas = b"card_no,...\n".to_vec();
    cards.write_as(Style::Commas, 0..5_000, &mut commas);
    let mut other = Parsed::default();
    other.parse(&Layout::cards_csv(), Lines { bytes: commas, first_line: 1, cut: false }, u64::MAX);
    assert_eq!((other.rows(), other.sums()), (5_000, parsed.sums()));
    for row in 0..5_000 {
        let card = cards.card(row as u64);
        let zip = format!("{:05}", card.merchant_zip);
        let values = [
            FieldValue::Int(card.card_no as i64),
            FieldValue::Text(card.card_type),
            FieldValue::Int(i64::from(card.mcc)),
            FieldValue::Decimal { unscaled: i64::from(card.purchase_amt_cents), scale: 2 },
            FieldValue::Date(card.purchase_dt),
            FieldValue::Int(i64::from(card.merchant_code)),
            FieldValue::Text(card.merchant_city),
            FieldValue::Text(card.merchant_state),
            FieldValue::Text(&zip),
        ];
        for (column, value) in values.into_iter().enumerate() {
            assert_eq!(parsed.field(row, column), value, "row {row}");
            assert_eq!(other.field(row, column), value, "row {row}");
        }
    }
}

#[test]
fn card_numbers_have_a_check_digit_and_the_prefix_of_their_kind() {
    let cards = Cards::new(3, 20_000);
    for row in 0..20_000 {
        let card = cards.card(row);
        let text = card.card_no.to_string();
        let digits = text.bytes().rev().map(|byte| u32::from(byte - b'0'));
        let sum: u32 = digits.enumerate().map(|(i, d)| if i % 2 == 0 { d } else { d * 2 / 10 + d * 2 % 10 }).sum();
        assert_eq!((text.len(), sum % 10), (16, 0), "{card:?}");
        let prefix = match card.card_type {
            "VISA" => "4",
            "MASTERCARD" => "5",
            "DISCOVER" => "65",
            "UNIONPAY" => "622",
            "MAESTRO" => "5018",
            _ => "35",
        };
        assert!(text.starts_with(prefix), "{card:?}");
    }
}

/// Counts of the values of `key` in the first `rows` rows.
fn counts<K: Ord>(rows: u64, key: impl Fn(&Card) -> K) -> BTreeMap<K, u64> {
    let cards = Cards::new(42, rows);
    let mut counts = BTreeMap::new();
    (0..rows).for_each(|row| *counts.entry(key(&cards.card(row))).or_default() += 1);
    counts
}

#[test]
fn kinds_and_categories_are_skewed() {
    let kinds = counts(50_000, |card| card.card_type);
    assert_eq!(kinds.len(), 6);
    assert!((24_000..28_000).contains(&kinds["VISA"]), "{kinds:?}");
    assert!((1_000..2_500).contains(&kinds["JCB"]), "{kinds:?}");
    let categories = counts(50_000, |card| card.mcc);
    assert!(categories.len() > 55, "{}", categories.len());
    let most = categories.iter().max_by_key(|(_, count)| **count).unwrap();
    assert!(*most.1 > 50_000 / 20 && [5411, 5812, 5814].contains(most.0), "{most:?}");
}

#[test]
fn cards_repeat_and_every_eighth_one_more_often() {
    let cards = Cards::new(42, u64::MAX);
    let first = 1 << WINDOW_BITS;
    let mut purchases = [0; 8];
    // All rows with the eight cards in their window.
    for row in 0..ROWS_PER_CARD * (first + 8) {
        let card = card_at(row, mix(cards.row_key ^ row.wrapping_mul(GOLDEN)));
        if let Some(count) = card.checked_sub(first).and_then(|index| purchases.get_mut(index as usize)) {
            *count += 1;
        }
    }
    let all: u64 = purchases.iter().sum();
    assert!((150..240).contains(&all), "{purchases:?}");
    assert!((50..100).contains(&purchases[0]) && purchases[1..].iter().all(|count| *count < 50), "{purchases:?}");
}

#[test]
fn purchases_are_made_near_home_and_on_every_day_of_the_year() {
    let days = counts(100_000, |card| card.purchase_dt);
    assert_eq!(days.len(), 365);
    assert!(days.keys().all(|day| Cards::days().contains(day)));
    let (tables, cards) = (Tables::get(), Cards::new(42, 100_000));
    let is_at_home = |row: &u64| {
        let card = card_at(*row, mix(cards.row_key ^ row.wrapping_mul(GOLDEN)));
        let home = home(tables, mix(cards.card_key ^ card.wrapping_mul(GOLDEN)));
        let neighbour = usize::from(tables.local[home][0]);
        tables.merchants[neighbour].city().state == cards.card(*row).merchant_state
    };
    let share = (0..100_000).filter(is_at_home).count() as f64 / 1e5;
    // Seven eighths, and the others by chance.
    assert!((0.875..0.91).contains(&share), "{share}");
}

#[test]
fn amounts_are_those_of_their_categories() {
    let mut fuel: Vec<u32> = Vec::new();
    let cards = Cards::new(42, 200_000);
    for row in 0..200_000 {
        let card = cards.card(row);
        assert!((1..=CENTS_MAX as u32).contains(&card.purchase_amt_cents));
        if card.mcc == 5542 {
            fuel.push(card.purchase_amt_cents);
        }
    }
    fuel.sort_unstable();
    let median = fuel[fuel.len() / 2];
    assert!((4_200..4_600).contains(&median), "{median}");
    let round = fuel.iter().filter(|cents| **cents % 100 == 0).count();
    assert!((0.10..0.18).contains(&(round as f64 / fuel.len() as f64)), "{round} of {}", fuel.len());
}

#[test]
fn sizes_and_rows_are_converted_into_each_other() {
    for style in [Style::Bars, Style::Commas] {
        let rows = Cards::rows_in(Bytes(10_000_000), style);
        let mut lines = Vec::new();
        Cards::new(99, rows).write_as(style, 0..rows, &mut lines);
        let share = lines.len() as f64 / 10e6;
        assert!((0.99..1.01).contains(&share), "{style:?}: {share}");
        let bytes = Cards::bytes_of(rows, style).0;
        assert!((9_999_000..=10_000_000).contains(&bytes), "{bytes}");
    }
    assert_eq!(Cards::rows_for(Bytes(0)), 1);
}
