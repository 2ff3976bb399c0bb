//! JSON documents, each a pure function of its key.

use std::fmt::Write;

use crate::data::text::{GOLDEN, letters, mix};

/// The size of every document.
pub(crate) const DOCUMENT_BYTES: usize = 1_024;

/// Letters of a city.
const CITY_LETTERS: usize = 16;

/// Lines of an order.
const LINES: u64 = 9;

/// Letters of the note of a line.
const NOTE_LETTERS: usize = 56;

/// Puts document `key` into `text`, an order with its lines.
///
/// It is written as engines print documents that they keep in a form of their own: keys by length, then by letters, and a space after each
/// colon and comma. So it comes back to the letter from every engine, and answers can be compared as text.
pub(crate) fn document(key: i64, text: &mut String) {
    let seed = mix(key as u64 ^ GOLDEN);
    let number = |of: u64, digits: u64| digits + mix(seed.wrapping_add(of)) % (9 * digits);
    text.clear();
    // Writing into a string does not fail.
    let _ = write!(text, r#"{{"id": "{key:012}", "city": ""#);
    push_letters(seed, CITY_LETTERS, text);
    let _ = write!(text, r#"", "lines": ["#);
    for line in 0..LINES {
        let between = if line == 0 { "" } else { ", " };
        let _ = write!(text, r#"{between}{{"item": {}, "note": ""#, number(2 * line, 100_000));
        push_letters(seed.wrapping_add(LINES + line), NOTE_LETTERS, text);
        let _ = write!(text, r#"", "count": {}}}"#, number(2 * line + 1, 10));
    }
    let _ = write!(text, r#"], "total": {}, "status": ""#, number(4 * LINES, 100_000));
    let rest = DOCUMENT_BYTES.saturating_sub(text.len() + 2);
    push_letters(seed.wrapping_mul(GOLDEN), rest, text);
    text.push_str("\"}");
}

/// Puts the city of document `key` into `text`.
pub(crate) fn document_city(key: i64, text: &mut String) {
    text.clear();
    push_letters(mix(key as u64 ^ GOLDEN), CITY_LETTERS, text);
}

/// Appends `count` random letters.
pub(crate) fn push_letters(seed: u64, count: usize, text: &mut String) {
    const PART: usize = 512;
    let (mut counter, mut left) = (seed, count);
    while left > 0 {
        let mut part = [0; PART];
        for eight in part[..left.min(PART).next_multiple_of(8)].chunks_exact_mut(8) {
            counter = counter.wrapping_add(GOLDEN);
            eight.copy_from_slice(&letters(mix(counter)));
        }
        let taken = left.min(PART);
        // Letters are ASCII.
        text.push_str(std::str::from_utf8(&part[..taken]).unwrap_or_default());
        left -= taken;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn of(key: i64) -> String {
        let mut text = "what was there before".to_owned();
        document(key, &mut text);
        text
    }

    #[test]
    fn each_document_has_the_same_size_its_key_and_its_city() {
        for key in [1, 2, 99_999, 4_194_304] {
            let (text, mut city) = (of(key), String::new());
            assert_eq!(text.len(), DOCUMENT_BYTES, "{text}");
            let read: Value = serde_json::from_str(&text).expect("a document");
            document_city(key, &mut city);
            assert_eq!(read["city"], city.as_str());
            assert_eq!(read["id"], format!("{key:012}"));
            assert_eq!(read["lines"].as_array().map(Vec::len), Some(9));
        }
        assert_ne!(of(1)[30..], of(2)[30..]);
    }

    /// Keys by length, then by letters, as engines with a type for documents print them: else no answer would be the text that was written.
    #[test]
    fn keys_of_an_object_come_in_the_order_in_which_engines_keep_them() {
        let text = of(17);
        let keys = |object: &str| -> Vec<String> {
            object
                .split('"')
                .collect::<Vec<&str>>()
                .windows(2)
                .filter(|two| two[1].starts_with(": "))
                .map(|two| two[0].to_owned())
                .collect()
        };
        let (start, end) = (text.find('[').expect("lines"), text.find(']').expect("lines"));
        let outer = keys(&format!("{}{}", &text[..start], &text[end..]));
        assert_eq!(outer, ["id", "city", "lines", "total", "status"]);
        let first = &text[start..text.find('}').expect("a line")];
        assert_eq!(keys(first), ["item", "note", "count"]);
        for names in [outer, keys(first)] {
            assert!(names.is_sorted_by_key(|name| (name.len(), name.clone())));
        }
    }

    #[test]
    fn letters_of_any_count_begin_alike_and_differ_by_seed() {
        let of = |seed: u64, count: usize| {
            let mut text = String::new();
            push_letters(seed, count, &mut text);
            text
        };
        for count in [0, 1, 7, 8, 511, 512, 513, 4_096] {
            assert_eq!(of(3, count).len(), count);
            assert!(of(3, 5_000).starts_with(&of(3, count)));
        }
        assert_ne!(of(3, 64), of(4, 64));
        let text = of(3, 65_536);
        let parts: std::collections::BTreeSet<&str> = (0..65_536 / 8).map(|at| &text[8 * at..8 * at + 8]).collect();
        assert_eq!(parts.len(), 65_536 / 8, "what repeats is compressed");
    }
}
