//! What a proof of durability has shown, in sheets and comparisons.

use crate::bench::Bench;

/// `text` without its breaks of lines.
pub(crate) fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const RUN: [&str; 8] = ["run", "--tests", "T311", "--jobs", "1", "--seconds", "0.2", "--record"];

#[test]
fn the_sheet_says_what_a_proof_of_the_same_settings_has_shown() {
    let bench = Bench::new();
    let prove = ["prove", "durability", "--crashes", "4", "--control", "lying-storage", "--record", "proof.jsonl"];
    bench.succeed(&prove);
    let with_proof = [&RUN[..], &["proved.jsonl", "--durability", "proof.jsonl"]].concat();
    let output = bench.succeed(&with_proof);
    assert!(output.out.contains("commits durable: shown on D1, 0 of 4"), "{}", output.out);
    let shown = &bench.record("proved.jsonl")["engine"]["durability_shown"];
    assert_eq!(
        (shown["rung"].as_str(), shown["crashes"].as_u64(), shown["damaged"].as_u64()),
        (Some("d1"), Some(4), Some(0))
    );

    // A record that has none is shown with one, and stays as it is.
    bench.succeed(&[&RUN[..], &["settings.jsonl"]].concat());
    assert!(bench.succeed(&["report", "settings.jsonl"]).out.contains("commits durable: settings"));
    let report = bench.succeed(&["report", "settings.jsonl", "--durability", "proof.jsonl", "--details"]).out;
    let report = unwrapped(&report);
    assert!(report.contains("at 95 % confidence"), "{report}");
    assert!(bench.record("settings.jsonl")["engine"].get("durability_shown").is_none());

    // With other settings the proof says nothing, and neither does a record that is no proof.
    let lossy = [&RUN[..], &["lossy.jsonl", "--target", "sqlite?synchronous=off"]].concat();
    let refused = bench.run(&[&lossy[..], &["--durability", "proof.jsonl"]].concat());
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("was made with other settings"), "{}", refused.err);
    let refused = bench.run(&["report", "settings.jsonl", "--durability", "settings.jsonl"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("settings.jsonl is no proof of durability"), "{}", refused.err);

    // Commits that are not the same work are not ranked, unless that is asked for.
    bench.succeed(&lossy);
    let compare = ["compare", "settings.jsonl", "lossy.jsonl", "--durability", "proof.jsonl,-", "--details"];
    let compared = unwrapped(&bench.succeed(&compare).out);
    assert!(
        compared.contains("durable: shown on D1, 0 of 4") && compared.contains("different durability"),
        "{compared}"
    );
    let ranked = unwrapped(&bench.succeed(&[&compare[..], &["--any-durability"]].concat()).out);
    assert!(!ranked.contains("different durability"), "{ranked}");
    // A run that is invalid on a busy machine has no warning beside it.
    assert!(ranked.contains("not the same work") || ranked.contains("invalid"), "{ranked}");
}
