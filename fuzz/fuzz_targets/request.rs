//! Any text as path and query of a request, and what follows the first line as the form of a note: a page that there
//! may be, or a refusal; an identifier is no part of a path.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serve::{Id, Route, note_form, route};

fn is_safe(id: &Id) -> bool {
    let text = id.text();
    let is_letter = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    !text.is_empty() && text.chars().all(is_letter)
}

fuzz_target!(|text: &str| {
    let (target, form) = text.split_once('\n').unwrap_or((text, ""));
    match route(target) {
        Ok(Route::Record(id) | Route::Note(id) | Route::ApiRecord(id)) => assert!(is_safe(&id), "{id:?}"),
        Ok(Route::Compare(ids)) => assert!(ids.len() > 1 && ids.iter().all(is_safe), "{ids:?}"),
        Ok(Route::Side { ids, .. }) => assert!(!ids.is_empty() && ids.iter().all(is_safe), "{ids:?}"),
        Ok(Route::List(query)) => assert!(query.page > 0),
        Ok(Route::History { test, .. }) => assert!(!test.is_empty()),
        Ok(_) | Err(_) => {}
    }
    if let Ok((id, note)) = note_form(form) {
        assert!(is_safe(&id));
        assert!(note.tags.len() <= 16 && note.tags.iter().all(|tag| !tag.is_empty() && !tag.contains(',')), "{note:?}");
    }
});
