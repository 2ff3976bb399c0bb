//! Any bytes as what an Oracle listener answers, as the text of a refusal, and as a `tnsnames.ora`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use oracle::fuzz::{is_listener, places, refusal};

fuzz_target!(|bytes: &[u8]| {
    // Length and type are all that is looked at.
    assert!(!is_listener(bytes) || bytes.len() >= 8);
    let text = String::from_utf8_lossy(bytes);
    let number = bytes.first_chunk().map_or(0, |number| u16::from_be_bytes(*number).into());
    assert!(!refusal(number, &text).is_empty());
    assert!(places(&text) <= text.len());
});
