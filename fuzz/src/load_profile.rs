//! What every target of statistics of production databases does with its bytes.

use history::Form;

#[path = "../../crates/history/tests/history/consistent.rs"]
mod consistent;

/// Reads `bytes` as files of one of `forms`; inputs of others are for the other targets.
pub fn read(bytes: &[u8], forms: &[Form]) {
    // One file, or two with a line of dashes between them.
    let middle = bytes.windows(5).position(|window| window == b"\n---\n");
    let files = match middle {
        Some(middle) => vec![&bytes[..middle + 1], &bytes[middle + 5..]],
        None => vec![bytes],
    };
    if files.iter().any(|file| history::detect(file).is_some_and(|form| forms.contains(&form))) {
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
}
