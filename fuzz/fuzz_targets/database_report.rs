//! Any bytes as reports of a database: a load profile that is consistent, or a refusal.

#![no_main]

use history::Form;
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/history/tests/history/consistent.rs"]
mod consistent;

/// The forms of this target; inputs of others are for the other targets.
const FORMS: &[Form] = &[Form::AwrText, Form::AwrHtml, Form::Statspack, Form::AwrMiner];

fuzz_target!(|bytes: &[u8]| {
    // One file, or two with a line of dashes between them.
    let middle = bytes.windows(5).position(|window| window == b"\n---\n");
    let files = match middle {
        Some(middle) => vec![&bytes[..middle + 1], &bytes[middle + 5..]],
        None => vec![bytes],
    };
    if files.iter().any(|file| history::detect(file).is_some_and(|form| FORMS.contains(&form))) {
        let mut read = history::History::new(history::Names::Hidden);
        for file in files {
            if let Err(error) = read.read("fuzz", file) {
                assert!(!error.message.is_empty() && !error.to_string().contains('\u{1b}'), "{error}");
            }
        }
        if let Ok(profile) = read.finish() {
            consistent::check(&profile);
        }
    }
});
