//! Text that is taken apart, in pieces of every size.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// The runs and the rest of `text`, fed in pieces of `piece_bytes`.
fn split(text: &str, piece_bytes: usize) -> Option<(Vec<String>, String)> {
    split_fields(text, piece_bytes, Fields::All)
}

fn split_fields(text: &str, piece_bytes: usize, fields: Fields) -> Option<(Vec<String>, String)> {
    let mut splitter = Splitter::new(fields, BATCH_BYTES);
    let mut runs = Vec::new();
    let mut take = |batch: &Batch| {
        assert_eq!(batch.first, runs.len());
        runs.extend(batch.runs.iter().map(|run| String::from_utf8(batch.text[run.clone()].to_vec()).unwrap()));
    };
    for piece in text.as_bytes().chunks(piece_bytes) {
        splitter.feed(piece);
        // As if each batch was full.
        if !splitter.batch.runs.is_empty() {
            take(&splitter.hand_out());
        }
    }
    let rest = splitter.finish()?;
    take(&rest.last);
    assert_eq!(rest.places.len(), runs.len());
    for (place, run) in rest.places.iter().zip(&runs) {
        let whole = &text[place.start as usize..place.end as usize];
        assert!(fields == Fields::NoSeries || whole == run, "{whole} {run}");
    }
    Some((runs, String::from_utf8(rest.text).unwrap()))
}

#[test]
fn only_the_runs_of_the_record_itself_are_taken_out() {
    let text = r#"{"plan":{"runs":[1,2]},"id":"runs","runs":[{"a":"]},\"["},[1]],"z":[3]}"#;
    let (runs, rest) = split(text, 1_000).unwrap();
    assert_eq!(runs, [r#"{"a":"]},\"["}"#, "[1]"]);
    assert_eq!(rest, r#"{"plan":{"runs":[1,2]},"id":"runs","runs":[],"z":[3]}"#);
    assert_eq!(split(r#"{"runs": [ ]}"#, 3).unwrap().0, Vec::<String>::new());
}

#[test]
fn series_are_left_out_where_they_are_fields_of_the_run_itself() {
    let run =
        json!({"a": {"seconds": [1]}, "seconds": {"steps": [[2, "}"]]}, "b": "seconds", "slices": null, "slice": 3});
    let last = json!({"seconds": "x\"", "runs": ["slices", {"slices": 4}], "slices": {"width_ns": [5, {}]}});
    let text = format!("{:#}", json!({"runs": [run, last, 6]}));
    for piece_bytes in 1..text.len() {
        let (runs, _) = split_fields(&text, piece_bytes, Fields::NoSeries).unwrap();
        let runs: Vec<Value> = runs.iter().map(|run| serde_json::from_str(run).unwrap()).collect();
        let empty = json!({"steps": [], "service_ns_sum": [], "service_ns_max": []});
        let mut expected = [run.clone(), last.clone(), json!(6)];
        (expected[0]["seconds"], expected[1]["seconds"]) = (empty.clone(), empty);
        expected[1]["slices"] = Value::Null;
        assert_eq!(runs, expected, "in pieces of {piece_bytes}");
    }
}

#[test]
fn what_is_no_list_has_no_runs() {
    for broken in ["{\"runs\":[1,]}", "{\"runs\":[,1]}", "{\"runs\":[1,,2]}", "{\"runs\":[1}}", "{\"runs\":[1"] {
        assert_eq!(split(broken, 2), None, "{broken}");
    }
}

#[test]
fn a_batch_ends_with_a_run() {
    let mut splitter = Splitter::new(Fields::All, 2 * BATCH_BYTES);
    splitter.feed(b"{\"runs\":[\"");
    splitter.feed(&vec![b'x'; BATCH_BYTES]);
    assert_eq!(splitter.full_batch(), None, "half a run");
    splitter.feed(b"\", 7");
    let batch = splitter.full_batch().unwrap();
    assert_eq!((batch.first, batch.runs.len(), batch.text.len()), (0, 1, BATCH_BYTES + 2));
    splitter.feed(b"]}");
    let rest = splitter.finish().unwrap();
    assert_eq!((rest.last.first, &rest.last.text[rest.last.runs[0].clone()], rest.places.len()), (1, &b" 7"[..], 2));
}

#[test]
fn what_is_no_record_is_not_held_in_memory() {
    for begin in ["{\"name\":\"", "{\"runs\":[\""] {
        let mut splitter = Splitter::new(Fields::All, 1_000);
        splitter.feed(begin.as_bytes());
        splitter.feed(&[b'x'; 900]);
        assert!(!splitter.is_broken() && !splitter.is_foreign(), "{begin}");
        splitter.feed(&[b'x'; 200]);
        assert!(splitter.is_broken() && splitter.is_foreign(), "{begin}");
        assert_eq!(splitter.finish(), None);
    }
    for begin in ["[{", " 7", "\u{0}", "\"{"] {
        let mut splitter = Splitter::new(Fields::All, 1_000);
        splitter.feed(begin.as_bytes());
        assert!(splitter.is_broken() && splitter.is_foreign(), "{begin}");
    }
    let mut splitter = Splitter::new(Fields::All, 1_000);
    splitter.feed(b"{\"runs\": [1,,");
    assert!(splitter.is_broken() && !splitter.is_foreign());
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(Value::from),
        "[a\\\\\"\\]\\[{},:]{0,6}".prop_map(Value::from),
        Just(json!("runs"))
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("runs|[a\\\\\"]{0,3}", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn runs_and_rest_are_the_record(
        runs in prop::collection::vec(any_json(), 0..4),
        before in any_json(),
        after in any_json(),
        pretty in any::<bool>(),
        piece_bytes in 1usize..40,
    ) {
        let record = json!({"a": before, "runs": runs, "z": after});
        let text = if pretty { format!("{record:#}") } else { record.to_string() };
        let (found, rest) = split(&text, piece_bytes).unwrap();
        let found: Vec<Value> = found.iter().map(|run| serde_json::from_str(run).unwrap()).collect();
        let mut whole: Value = serde_json::from_str(&rest).unwrap();
        prop_assert_eq!(&whole["runs"], &json!([]));
        whole["runs"] = Value::from(found);
        prop_assert_eq!(whole, record);
    }

    #[test]
    fn no_text_is_a_panic(text in "[\"runs:{}\\[\\], \\\\]{0,60}", piece_bytes in 1usize..9) {
        split(&text, piece_bytes);
        split_fields(&text, piece_bytes, Fields::NoSeries);
    }
}
