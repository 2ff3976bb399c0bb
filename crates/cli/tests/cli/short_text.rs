//! What a user sees who gives no option of the output: one screen, a page beside the record, the next command.

use crate::bench::{Bench, Finished, finished};

fn plain(bench: &Bench, arguments: &[&str]) -> Finished {
    finished(bench.as_given(arguments).output().unwrap())
}

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
    for part in ["│ Good for nothing: ", "\nWorkloads ", "\nOLTP select, 32 rows", "\ntrust ", "\nrecord    r.jsonl\n"] {
        assert!(output.out.contains(part), "no {part:?}\n{}", output.out);
    }
    assert!(output.out.contains("\npage      r.html\n") && output.out.contains("dbdyno report r.jsonl --details\n"));
    assert!(output.out.contains("\nOther rates ") && output.out.contains(" S21\n"), "{}", output.out);
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
fn quiet_prints_summary_and_sheet_alone() {
    let bench = Bench::new();
    let smoke = ["run", "--preset", "smoke", "--tests", "T611", "--record", "r.jsonl"];
    let output = plain(&bench, &[&smoke[..], &["--quiet", "--no-html"]].concat());
    assert!(output.out.contains("Workloads ") && output.out.contains("\nprimary key access"), "{}", output.out);
    assert!(!output.out.contains("WARNINGS ─") && !output.out.contains("\nrecord "), "{}", output.out);
    assert_eq!((output.err.as_str(), bench.files()), ("", vec!["r.jsonl".into()]));
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
    let most = if is_disturbed { 32 } else { 27 };
    let lines = output.out.lines().filter(|line| !line.starts_with('!')).count();
    assert!(lines <= most, "{lines} lines\n{}", output.out);
    assert!(
        output.out.contains("\nresults     reader (randread, 4 KiB): ") && output.out.contains("\npage      r.html\n"),
        "{}",
        output.out
    );
}

#[test]
fn a_file_that_is_no_page_is_not_overwritten() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("mine.html"), "<html>mine</html>").unwrap();
    std::fs::write(bench.path().join("r.html"), "<html>mine</html>").unwrap();
    let smoke = ["run", "--preset", "smoke", "--tests", "T611", "--record", "r.jsonl"];
    let refused = plain(&bench, &[&smoke[..], &["--html", "mine.html"]].concat());
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("mine.html exists and is not a page of dbdyno"), "{}", refused.err);
    // The page beside the record is not asked for: the measurement goes on without it.
    let output = plain(&bench, &smoke);
    assert_eq!(output.code, 0, "{}", output.err);
    assert!(output.err.contains("no page: r.html exists and is not a page of dbdyno"), "{}", output.err);
    assert!(!output.out.contains("\npage "), "{}", output.out);
    for name in ["mine.html", "r.html"] {
        assert_eq!(std::fs::read_to_string(bench.path().join(name)).unwrap(), "<html>mine</html>");
    }
}

#[test]
fn options_of_other_tools_are_taken() {
    let bench = Bench::new();
    let options = ["--preset", "smoke", "--tests", "T611", "-c", "2", "-T", "0.1", "--no-html", "--record"];
    for (index, words) in
        [["--clients", "--time"], ["--threads", "--duration"], ["--jobs", "--seconds"]].iter().enumerate()
    {
        let record = format!("{index}.jsonl");
        let given =
            ["run", "--preset", "smoke", "--tests", "T611", words[0], "2", words[1], "0.1", "--no-html", "--record"];
        assert_eq!(plain(&bench, &[&given[..], &[record.as_str()]].concat()).code, 0);
        assert_eq!(bench.record(&record)["runs"][0]["dop"]["jobs"], 2);
    }
    assert_eq!(plain(&bench, &[&["run"][..], &options, &["short.jsonl"]].concat()).code, 0);
    assert_eq!(bench.record("short.jsonl")["plan"]["window_ns"], 100_000_000);
}
