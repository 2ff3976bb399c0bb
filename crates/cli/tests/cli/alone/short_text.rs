//! What a user sees who gives no option of the output, with the warnings of an idle machine alone.

use crate::bench::{Bench, finished};
use crate::short_text::plain;

#[test]
fn a_measurement_prints_one_screen_and_leaves_record_and_page() {
    // Beside others it would have more warnings.
    let bench = Bench::new().alone();
    let output = plain(&bench, &["run", "--preset", "smoke", "--record", "r.jsonl"]);
    assert_eq!(output.code, 0, "{}\n{}", output.out, output.err);
    let lines: Vec<&str> = output.out.lines().collect();
    // Warnings about the build of tests and the preset smoke stand above.
    let count = lines.iter().filter(|line| !line.starts_with('!')).count();
    assert!(count <= 60, "{count} lines\n{}", output.out);
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{}", output.out);
    assert_eq!(bench.files(), ["r.html", "r.jsonl"].map(std::path::PathBuf::from));
    for part in ["│ Good for nothing: ", "\nWorkloads ", "\nOLTP select, 32 rows", "\ntrust ", "\nrecord    r.jsonl\n"]
    {
        assert!(output.out.contains(part), "no {part:?}\n{}", output.out);
    }
    assert!(output.out.contains("\npage      r.html\n") && output.out.contains("dbdyno report r.jsonl --details\n"));
    assert!(output.out.contains("\nOther rates ") && output.out.contains("more tests (--details)"), "{}", output.out);
    // The report of the record is the same text.
    assert_eq!(plain(&bench, &["report", "r.jsonl"]).out, output.out);
    // The page belongs to the record, and is that of `report --html`.
    let page = std::fs::read_to_string(bench.path().join("r.html")).unwrap();
    bench.succeed(&["report", "r.jsonl", "--html", "again.html"]);
    assert_eq!(page, std::fs::read_to_string(bench.path().join("again.html")).unwrap());
    let narrow = finished(bench.as_given(&["report", "r.jsonl"]).env("COLUMNS", "60").output().unwrap());
    assert!(narrow.out.lines().all(|line| line.chars().count() <= 60), "{}", narrow.out);
}

#[test]
fn storage_has_its_result_in_a_few_lines() {
    // Beside others it would have more warnings.
    let bench = Bench::on_disk().alone();
    let job = [
        "io", "--name", "reader", "--rw", "randread", "--bs", "4k", "--size", "8M", "-T", "0.2", "--record", "r.jsonl",
    ];
    let output = plain(&bench, &job);
    // What disturbed it, such as the host of a virtual machine, is said on more lines.
    let is_disturbed = output.out.contains("with a warning") || output.out.contains("most serious: ");
    let most = if is_disturbed { 35 } else { 30 };
    let lines = output.out.lines().filter(|line| !line.starts_with('!')).count();
    assert!(lines <= most, "{lines} lines\n{}", output.out);
    let words = output.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains(" results reader (randread, 4 KiB): ") && output.out.contains("\npage      r.html\n"),
        "{}",
        output.out
    );
}
