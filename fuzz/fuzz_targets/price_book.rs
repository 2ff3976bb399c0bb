//! Any text as a price book: prices that can be reckoned with, or a refusal.

#![no_main]

use libfuzzer_sys::fuzz_target;
use model::{cost_ratio, incomparable_prices};
use reference::price_book;

fuzz_target!(|text: &str| {
    // Two books, between them a line of nothing but dashes.
    let (one, other) = text.split_once("\n---\n").unwrap_or((text, text));
    let books = [one, other].map(|text| match price_book(text, "fuzz.toml") {
        Ok(book) => {
            let total = book.total();
            assert!(total.low >= 0.0 && total.low <= total.amount && total.amount <= total.high, "{total:?}");
            assert!(total.high.is_finite(), "{total:?}");
            Some(book)
        }
        Err(error) => {
            assert!(error.line.is_none_or(|line| (1..=text.lines().count() + 1).contains(&line)), "{error}");
            None
        }
    });
    if let [Some(one), Some(other)] = books {
        let ratio = cost_ratio(&one, &other, 1.5, None);
        assert_eq!(ratio.is_none(), incomparable_prices(&one, &other).is_some());
        assert!(ratio.is_none_or(|ratio| ratio.ratio.is_finite()), "{ratio:?}");
    }
});
