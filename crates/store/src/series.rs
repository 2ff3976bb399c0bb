//! Removes the time series, which are most of it, from the line of a run before it is parsed.

use memchr::{memchr2, memchr3};

/// Nesting depth of the fields of a run: the line and the run.
const RUN_DEPTH: usize = 2;

/// The text of an empty series, by the field of a run.
fn empty(field: &[u8]) -> Option<&'static [u8]> {
    match field {
        b"seconds" => Some(br#"{"steps":[],"service_ns_sum":[],"service_ns_max":[]}"#),
        b"slices" => Some(b"null"),
        _ => None,
    }
}

/// `line` with empty series; none if it is not valid JSON. Fields are recognised as written by dbdyno, without a space
/// before the colon.
pub(crate) fn without_series(line: &[u8]) -> Option<Vec<u8>> {
    let mut short = Vec::with_capacity(line.len());
    let (mut at, mut taken, mut depth) = (0, 0, 0_usize);
    while let Some(byte) = line.get(at) {
        match byte {
            b'"' => {
                let end = string_end(line, at)?;
                let value = end + 1;
                match empty(&line[at + 1..end - 1]).filter(|_| depth == RUN_DEPTH && line.get(end) == Some(&b':')) {
                    Some(empty) => {
                        short.extend_from_slice(&line[taken..value]);
                        short.extend_from_slice(empty);
                        taken = value_end(line, value)?;
                        at = taken;
                    }
                    None => at = end,
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        at += 1;
    }
    short.extend_from_slice(&line[taken..]);
    Some(short)
}

/// The index after the string that starts at `at`.
fn string_end(line: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        at += memchr2(b'"', b'\\', line.get(at..)?)?;
        if line[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// The index of the comma or brace after the value that starts at `at`.
fn value_end(line: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        match line.get(at)? {
            b'"' => {
                at = string_end(line, at)?;
                continue;
            }
            b',' | b'}' | b']' if depth == 0 => return Some(at),
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            // Numbers and commas.
            _ if depth > 0 => at += bound(&line[at..])?.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
}

/// The index of the first byte of `text` that can end a series of numbers.
fn bound(text: &[u8]) -> Option<usize> {
    let near = memchr3(b'"', b'[', b']', text);
    memchr2(b'{', b'}', &text[..near.unwrap_or(text.len())]).or(near)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn short(line: &str) -> Option<Value> {
        without_series(line.as_bytes()).map(|short| serde_json::from_slice(&short).unwrap())
    }

    #[test]
    fn series_are_removed_where_they_are_fields_of_the_run() {
        let nothing = json!({"steps": [], "service_ns_sum": [], "service_ns_max": []});
        for (run, expected) in [
            (
                json!({"a": {"seconds": [1]}, "seconds": {"steps": [[2, "}"]]}, "b": "seconds", "slices": null, "slice": 3}),
                json!({"a": {"seconds": [1]}, "seconds": nothing, "b": "seconds", "slices": null, "slice": 3}),
            ),
            (
                json!({"seconds": "x\"", "runs": ["slices", {"slices": 4}], "slices": {"width_ns": [5, {}]}}),
                json!({"seconds": nothing, "runs": ["slices", {"slices": 4}], "slices": null}),
            ),
            (json!({"z": "\\", "seconds": -1.5}), json!({"z": "\\", "seconds": nothing})),
            (json!({}), json!({})),
        ] {
            let line = json!({ "run": run });
            assert_eq!(short(&line.to_string()).unwrap(), json!({ "run": expected }), "{line}");
        }
        let other = json!({"head": {"plan": {"seconds": 1}}, "seconds": 7});
        assert_eq!(short(&other.to_string()).unwrap(), other);
    }

    #[test]
    fn truncated_text_does_not_panic() {
        let line =
            json!({"run": {"a": "\"", "seconds": {"steps": [1, 2]}, "slices": {"responses": ["x"]}}}).to_string();
        assert!(without_series(line.as_bytes()).unwrap().len() < line.len() + 60);
        for end in 0..line.len() {
            let _ = without_series(&line.as_bytes()[..end]);
            let _ = without_series(&line.as_bytes()[end..]);
        }
    }
}
