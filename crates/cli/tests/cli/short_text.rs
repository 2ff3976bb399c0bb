//! What a user sees who gives no option of the output: one screen, a page beside the record, the next command.

use crate::bench::{Bench, Finished, finished};

pub fn plain(bench: &Bench, arguments: &[&str]) -> Finished {
    finished(bench.as_given(arguments).output().unwrap())
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
