//! One verdict in every view: what short text, full text, page, CSV and JSON say of each run, of each test and of the
//! record, held against each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use dbdyno_report::{
    ComparisonView, SheetOptions, ShortText, Style, check_words, comparison_junit, csv, finding_text, json, short_text,
};
use model::CompareOptions;
use record::{
    Check, Finding, Nanos, NodeEvent, NodeEventKind, Outcome, Pace, Record, Resource, Run, Variation, Verdict,
};

use crate::drawn::{html, text};
use crate::finding_sample::{backlog, finding, steal};
use crate::load_curve::with_runs;
use crate::{proof_sample, sample, storage_sample};

/// What a view says.
#[derive(Default)]
struct Seen {
    /// The verdict of each run.
    runs: BTreeMap<u32, Verdict>,
    /// The verdict of each test.
    tests: BTreeMap<String, Verdict>,
    /// The checks that are named as no pass, with their verdicts; absent where the view does not list them.
    warnings: Option<BTreeSet<(String, Verdict)>>,
    /// The number of all runs, of invalid ones, and of others with a warning; absent where the view does not count.
    counts: Option<[usize; 3]>,
}

/// The one alphabet: the word of views, the key of data.
const ALPHABET: [(Verdict, [&str; 2]); 4] = [
    (Verdict::Pass, ["passed", "pass"]),
    (Verdict::Unknown, ["unchecked", "unknown"]),
    (Verdict::Warn, ["warning", "warn"]),
    (Verdict::Fail, ["invalid", "fail"]),
];

fn of_column(column: usize, shown: &str) -> Option<Verdict> {
    ALPHABET.iter().find(|(_, words)| words[column] == shown.trim()).map(|(verdict, _)| *verdict)
}

fn word(shown: &str) -> Option<Verdict> {
    of_column(0, shown)
}

fn key(shown: &str) -> Option<Verdict> {
    of_column(1, shown)
}

/// The last word of a line that is a verdict: the number of runs or the code of a test may follow.
fn word_of_line(line: &str) -> Option<Verdict> {
    line.split_whitespace().rev().find_map(|shown| word(shown.trim_end_matches(',')))
}

/// Text in one line, with single spaces.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines of the section `title` of a text.
fn section<'a>(text: &'a str, title: &str) -> Vec<&'a str> {
    let is_heading = |line: &&str| line.starts_with(|letter: char| letter.is_ascii_uppercase()) && line.contains("──");
    let after = text.lines().skip_while(|line| !(line.starts_with(title) && line.contains("──"))).skip(1);
    after.take_while(|line| !is_heading(line)).collect()
}

/// `12 of 14 runs gave a result, 3 with a warning`, and the sentences about a single run.
fn counts_of_text(text: &str) -> Option<[usize; 3]> {
    let text = joined(text);
    for (sentence, counts) in [
        ("the only run is valid, with a warning", [1, 0, 1]),
        ("the only run is valid", [1, 0, 0]),
        ("the only run is invalid", [1, 1, 0]),
    ] {
        if text.contains(sentence) {
            return Some(counts);
        }
    }
    let (before, after) = text.split_once(" runs gave a result")?;
    let mut numbers = before.split_whitespace().rev();
    let all: usize = numbers.next()?.parse().ok()?;
    let valid: usize = numbers.nth(1)?.parse().ok()?;
    let warned = after.strip_prefix(", ").and_then(|rest| rest.split_once(" with a warning"));
    Some([all, all - valid, warned.and_then(|(count, _)| count.parse().ok()).unwrap_or(0)])
}

/// The checks with a finding of `record` that is quoted in `shown`.
fn quoted(record: &Record, shown: &str) -> BTreeSet<(String, Verdict)> {
    let quoted = |finding: &&Finding| shown.contains(&joined(&finding_text(finding)));
    let findings = record.runs.iter().flat_map(|run| &run.findings).filter(|found| found.verdict != Verdict::Pass);
    findings.filter(quoted).map(|found| (check_words(found.check()).name.to_owned(), found.verdict)).collect()
}

fn of_short(record: &Record, codes: &[String]) -> Seen {
    let shown = ShortText { path: "r.jsonl", page: None, only_sheet: false, beside: None };
    let text = short_text(record, &shown, Style::default(), 120);
    let sheet = model::sheet(record);
    let name = |code: &String| {
        let line = sheet.lines.iter().find(|line| line.test == *code)?;
        let layer = line.layer.word();
        let rest = line.title.get(..layer.len()).filter(|start| start.eq_ignore_ascii_case(layer));
        Some(rest.map_or(line.title.as_str(), |_| line.title[layer.len()..].trim_start_matches([',', ':', ' '])))
    };
    let line = |code: &String| {
        let name = name(code)?;
        let by_code = |line: &&str| line.starts_with(&format!("{code} "));
        let by_name = |line: &&str| line.starts_with(&format!("{name} "));
        let line = text.lines().find(|line| by_name(line)).or_else(|| text.lines().find(by_code));
        line.and_then(word_of_line)
    };
    let tests = codes.iter().filter_map(|code| Some((code.clone(), line(code)?))).collect();
    Seen { tests, counts: counts_of_text(&text), ..Seen::default() }
}

fn of_details(record: &Record, codes: &[String]) -> Seen {
    let text = text(record, "r.jsonl", Style::default(), 120);
    let sheet = section(&text, "Spec sheet");
    let line = |code: &String| {
        sheet.iter().find(|line| line.ends_with(&format!(" {code}"))).and_then(|line| word_of_line(line))
    };
    let run = |line: &&str| {
        let number = line.split_whitespace().next()?.parse().ok()?;
        Some((number, word_of_line(line)?))
    };
    let runs =
        ["Runs", "I/O jobs"].iter().flat_map(|title| section(&text, title)).filter_map(|line| run(&line)).collect();
    let warnings = joined(&section(&text, "Warnings ").join(" "));
    Seen {
        runs,
        tests: codes.iter().filter_map(|code| Some((code.clone(), line(code)?))).collect(),
        warnings: Some(quoted(record, &warnings)),
        counts: counts_of_text(&text),
    }
}

/// The cells of the rows of the table `id` of a page, the heads first; empty without the table.
fn rows(page: &str, id: &str) -> Vec<Vec<String>> {
    let Some((_, after)) = page.split_once(&format!("<table id=\"{id}\"")) else { return Vec::new() };
    let table = after.split("</table>").next().unwrap();
    let cells = |row: &str| {
        let parts = row.split("<t").skip(1).filter(|part| part.starts_with("h ") || part.starts_with('d'));
        parts.map(|part| plain(part.split_once('>').map_or("", |(_, rest)| rest))).collect::<Vec<_>>()
    };
    table.split("<tr").skip(1).map(|row| cells(row.split_once('>').map_or("", |(_, rest)| rest))).collect()
}

/// Text without tags.
fn plain(markup: &str) -> String {
    let mut text = String::new();
    for part in markup.split('<') {
        text.push_str(if text.is_empty() && !markup.starts_with('<') {
            part
        } else {
            part.split_once('>').map_or("", |(_, rest)| rest)
        });
    }
    joined(&text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
}

/// The verdicts in the column `head`, by what the column `name` says.
fn column<T: Ord>(
    rows: &[Vec<String>],
    [name, head]: [&str; 2],
    key: impl Fn(&str) -> Option<T>,
) -> BTreeMap<T, Verdict> {
    let place = |wanted: &str| rows.iter().find_map(|row| row.iter().position(|head| head == wanted));
    let Some((name, at)) = place(name).zip(place(head)) else { return BTreeMap::new() };
    rows.iter().filter_map(|row| Some((key(row.get(name)?)?, word(row.get(at)?)?))).collect()
}

fn of_page(record: &Record, codes: &[String]) -> Vec<(&'static str, Seen)> {
    let page = html(record, &SheetOptions::default());
    let code = |cell: &str| codes.contains(&cell.to_owned()).then(|| cell.to_owned());
    let [sheet, runs, findings] = ["sheet", "runs-table", "findings"].map(|id| rows(&page, id));
    let counts = page.split_once("id=\"verdicts\"").and_then(|(_, after)| counts_of_page(after));
    let checks = findings.iter().skip(1).filter_map(|row| Some((row.first()?.clone(), word(row.get(1)?)?)));
    let checks: BTreeSet<(String, Verdict)> =
        checks.filter(|(check, _)| !["aborted", "gain beyond the workers"].contains(&check.as_str())).collect();
    vec![(
        "page",
        Seen {
            runs: column(&runs, ["run", "verdict"], |cell| cell.parse().ok()),
            tests: column(&sheet, ["code", "trust"], code),
            warnings: Some(checks),
            counts,
        },
    )]
}

/// `3 runs: 1 passed, 2 warning.`
fn counts_of_page(section: &str) -> Option<[usize; 3]> {
    let sentence = section.split("<p>").map(|part| part.split("</p>").next().unwrap_or_default());
    let sentence = sentence.map(plain).find(|text| text.contains(" runs: ") || text.contains(" run: "))?;
    let (all, of) = sentence.split_once(" run")?;
    let of = of.split_once(": ")?.1.split('.').next()?;
    let count = |verdict: Verdict| {
        let count =
            |part: &str| part.trim().split_once(' ').filter(|(_, shown)| word(shown) == Some(verdict))?.0.parse().ok();
        of.split(',').find_map(count).unwrap_or(0)
    };
    Some([all.rsplit(' ').next()?.parse().ok()?, count(Verdict::Fail), count(Verdict::Warn)])
}

fn of_csv(record: &Record) -> Seen {
    let table = csv(record);
    let mut reader = ::csv::Reader::from_reader(table.as_bytes());
    let heads = reader.headers().unwrap().clone();
    let at = |name: &str| heads.iter().position(|head| head == name).unwrap();
    let (run, verdict) = (at("run"), at("verdict"));
    let rows = reader.records().map(Result::unwrap);
    let runs: BTreeMap<u32, Verdict> =
        rows.filter_map(|row| Some((row[run].parse().ok()?, key(&row[verdict])?))).collect();
    let count = |verdict: Verdict| runs.values().filter(|found| **found == verdict).count();
    let counts = Some([runs.len(), count(Verdict::Fail), count(Verdict::Warn)]);
    Seen { runs, counts, ..Seen::default() }
}

fn of_json(record: &Record) -> Seen {
    let document: serde_json::Value = serde_json::from_str(&json(record)).unwrap();
    let judged = &document["judgement"];
    let list = |name: &str| judged[name].as_array().cloned().unwrap_or_default();
    let verdict = |of: &serde_json::Value| key(of["verdict"].as_str()?);
    let run = |of: &serde_json::Value| Some((u32::try_from(of["run"].as_u64()?).ok()?, verdict(of)?));
    let test = |of: &serde_json::Value| Some((of["test"].as_str()?.to_owned(), verdict(of)?));
    let warning = |of: &serde_json::Value| {
        let check: Check = serde_json::from_value(of["subject"]["check"].clone()).ok()?;
        Some((check_words(check).name.to_owned(), verdict(of)?))
    };
    let count = |name: &str| judged["counts"][name].as_u64().map(|count| count as usize);
    Seen {
        runs: list("runs").iter().filter_map(run).collect(),
        tests: list("tests").iter().filter_map(test).collect(),
        warnings: Some(list("warnings").iter().filter_map(warning).collect()),
        counts: ["runs", "invalid", "with_warnings"]
            .map(count)
            .into_iter()
            .collect::<Option<Vec<_>>>()
            .map(|found| [found[0], found[1], found[2]]),
    }
}

/// The verdict on the test `code` in the record of system A, by the sentence below the results of a comparison.
fn of_sentence(text: &str, code: &str) -> Verdict {
    let text = joined(text);
    let of_first = text.split_once("in their own records: A: ").map_or("", |(_, after)| after);
    let of_first = of_first.split("; B: ").next().unwrap_or_default();
    let mut verdict = Verdict::Pass;
    for shown in of_first.split_whitespace() {
        match shown.trim_end_matches(',') {
            found if found == code => return verdict,
            other => verdict = word(other).unwrap_or(verdict),
        }
    }
    Verdict::Pass
}

/// The verdicts of tests in the forms of a comparison of `record` with itself.
fn of_comparison(record: &Record, codes: &[String]) -> Vec<(&'static str, Seen)> {
    let systems = [model::system(record), model::system(record)];
    let comparison = model::compare(&systems, CompareOptions::default());
    let view = ComparisonView { systems: &systems, comparison: &comparison, gate: None, prices: &[] };
    let of_code = |code: &str, verdict: Option<Verdict>| {
        let code = codes.iter().find(|known| *known == code)?;
        Some((code.clone(), verdict?))
    };
    let first = |text: &str| text.split_whitespace().next().unwrap_or_default().to_owned();
    let seen = |tests: BTreeMap<String, Verdict>| Seen { tests, ..Seen::default() };

    let text = dbdyno_report::comparison(&view).text(Style::default(), 120);
    let lines: Vec<&str> = text.lines().collect();
    let of_text = lines.windows(2).filter_map(|pair| {
        let row = pair[1].strip_prefix("A ")?;
        of_code(&first(pair[0]), word_of_line(row))
    });
    let markdown = dbdyno_report::comparison(&view).comment();
    // What is folded has other tables.
    let open = markdown.split("<details>").next().unwrap_or_default();
    let of_markdown = open.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.split(" | ").collect();
        let code = first(cells[0]);
        let found = word(cells.get(3)?).unwrap_or_else(|| of_sentence(open, &code));
        of_code(&code, Some(found))
    });
    let page = dbdyno_report::comparison(&view).html();
    let mut of_page = BTreeMap::new();
    let mut test = String::new();
    for row in rows(&page, "verdicts-table") {
        match row.as_slice() {
            [head] => test = first(head),
            [letter, .., trust] if letter == "A" => of_page.extend(of_code(&test, word(trust))),
            _ => {}
        }
    }
    let junit = comparison_junit(&view);
    let of_junit = junit.split("<testcase name=\"").skip(1).filter_map(|case| {
        let verdict = case.split("verdict of A ").nth(1)?;
        of_code(&first(case), key(verdict.split([';', '<']).next()?))
    });
    vec![
        ("compared, text", seen(of_text.collect())),
        ("compared, Markdown", seen(of_markdown.collect())),
        ("compared, page", seen(of_page)),
        ("compared, JUnit", seen(of_junit.collect())),
    ]
}

/// What a record is good for in one sentence, in each view that has it.
fn good_for(record: &Record) -> Vec<(&'static str, String)> {
    let document: serde_json::Value = serde_json::from_str(&json(record)).unwrap();
    let sentence = joined(document["judgement"]["good_for"].as_str().unwrap_or("none"));
    let shown = ShortText { path: "r.jsonl", page: None, only_sheet: false, beside: None };
    let [short, full] =
        [short_text(record, &shown, Style::default(), 120), text(record, "r.jsonl", Style::default(), 120)]
            .map(|text| joined(&text.replace('│', " ")));
    let page = plain(&html(record, &SheetOptions::default()));
    let capital: String =
        sentence.chars().take(1).flat_map(char::to_uppercase).chain(sentence.chars().skip(1)).collect();
    let begins = |text: String| match text.contains(&capital) || text.contains(&format!("Good for {sentence}")) {
        true => sentence.clone(),
        false => "another sentence".to_owned(),
    };
    let views = [("short text", begins(short)), ("full text", begins(full)), ("page", begins(page))];
    [("JSON", sentence.clone())].into_iter().chain(views).collect()
}

/// Where two views of `record` differ, a sentence each.
fn disagreements(name: &str, record: &Record) -> Vec<String> {
    // Longer codes are cut in texts.
    let codes: Vec<String> =
        model::sheet(record).lines.iter().map(|line| line.test.clone()).filter(|code| code.len() <= 4).collect();
    let mut seen = vec![("short text", of_short(record, &codes)), ("full text", of_details(record, &codes))];
    seen.extend(of_page(record, &codes));
    seen.extend(of_comparison(record, &codes));
    seen.extend([("CSV", of_csv(record)), ("JSON", of_json(record))]);
    let mut found = Vec::new();
    let mut say = |what: String, one: (&str, String), other: (&str, String)| {
        if one.1 != other.1 {
            found.push(format!("{name}: {what}: {} in {}, {} in {}", one.1, one.0, other.1, other.0));
        }
    };
    if !record.runs.is_empty() {
        let good_for = good_for(record);
        good_for.iter().for_each(|of_view| say("good for".to_owned(), good_for[0].clone(), of_view.clone()));
    }
    let json = &seen.last().unwrap().1;
    let all_runs = record.runs.iter().filter(|run| !json.runs.contains_key(&run.number));
    for run in all_runs {
        say(format!("run {}", run.number), ("the record", "is there".to_owned()), ("JSON", "none".to_owned()));
    }
    for (index, (one, of_one)) in seen.iter().enumerate() {
        for (other, of_other) in &seen[index + 1..] {
            for (run, verdict) in &of_one.runs {
                if let Some(known) = of_other.runs.get(run) {
                    say(format!("run {run}"), (one, format!("{verdict:?}")), (other, format!("{known:?}")));
                }
            }
            for (test, verdict) in &of_one.tests {
                if let Some(known) = of_other.tests.get(test) {
                    say(format!("test {test}"), (one, format!("{verdict:?}")), (other, format!("{known:?}")));
                }
            }
            if let (Some(ours), Some(theirs)) = (&of_one.warnings, &of_other.warnings) {
                let only = |these: &BTreeSet<(String, Verdict)>, those: &BTreeSet<(String, Verdict)>| {
                    format!("{:?}", these.difference(those).collect::<Vec<_>>())
                };
                say("warnings alone".to_owned(), (one, only(ours, theirs)), (other, only(theirs, ours)));
            }
            if let (Some(ours), Some(theirs)) = (of_one.counts, of_other.counts) {
                say(
                    "runs, invalid, with warnings".to_owned(),
                    (one, format!("{ours:?}")),
                    (other, format!("{theirs:?}")),
                );
            }
        }
    }
    found
}

fn stored() -> Vec<(String, Record)> {
    let mut paths = Vec::new();
    for directory in ["tests/records", "../../docs/src/samples"] {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
        paths.extend(fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()));
    }
    paths.retain(|path| path.extension().is_some_and(|kind| kind == "jsonl"));
    paths.sort();
    paths.iter().map(|path| (path.display().to_string(), store::read(path).unwrap())).collect()
}

/// A run of T616 at four jobs with `variation` and `findings`.
fn varied(number: u32, variation: Variation, findings: Vec<Finding>) -> Run {
    let plain = sample::record().runs.into_iter().find(|run| run.test == "T616" && run.dop.jobs == 4).unwrap();
    let pace = match variation {
        Variation::Paced { pace, .. } => pace,
        _ => Pace::Unthrottled,
    };
    Run { number, variation: Some(variation), pace, findings, ..plain }
}

/// Records of which views have differed, and others like them.
fn made() -> Vec<(String, Record)> {
    let mut beyond = sample::record();
    for run in beyond.runs.iter_mut().filter(|run| run.test == "T611" && run.dop.jobs == 1) {
        run.totals.operations /= 9;
        run.totals.steps /= 9;
        run.findings.clear();
    }
    let only_beyond = Record {
        runs: beyond
            .runs
            .iter()
            .filter(|run| run.test == "T611")
            .cloned()
            .map(|run| Run { findings: Vec::new(), ..run })
            .collect(),
        ..beyond.clone()
    };
    let pace =
        |steps_per_second: f64| Variation::Paced { pace: Pace::Rate { steps_per_second }, one_thread_per_core: false };
    let expected = vec![
        varied(101, pace(1_000.0), vec![backlog(Verdict::Warn, 7)]),
        varied(102, pace(2_000.0), vec![backlog(Verdict::Fail, 700)]),
        varied(103, pace(500.0), vec![finding(Check::Bound, Verdict::Warn)]),
        varied(104, pace(500.0), vec![finding(Check::Bound, Verdict::Pass), steal(Verdict::Warn, 12.0)]),
        varied(
            105,
            Variation::Perturbed { resource: Resource::Processors, share: 0.5 },
            vec![backlog(Verdict::Warn, 9)],
        ),
        varied(106, Variation::Pipelined { statements: 8 }, vec![backlog(Verdict::Warn, 9)]),
        varied(107, Variation::Traced, vec![backlog(Verdict::Warn, 9)]),
    ];
    let invalid = |mut record: Record| {
        for run in &mut record.runs {
            run.outcome = Outcome::Failed { message: "the server closed the session".to_owned() };
        }
        record
    };
    let lost = |mut record: Record| {
        for run in record.runs.iter_mut().filter(|run| run.test == "T616") {
            run.findings.push(finding(Check::NodeLoss, Verdict::Warn));
            run.events.push(NodeEvent {
                at_ns: Nanos(1_000_000_000),
                node: 2,
                name: "node 2".to_owned(),
                kind: NodeEventKind::Lost,
                jobs: 1,
                message: "the connection was closed".to_owned(),
            });
        }
        record
    };
    let each = |verdict: Verdict| {
        let mut record = sample::record();
        let findings: Vec<Finding> =
            crate::finding_sample::all().into_iter().filter(|found| found.verdict == verdict).collect();
        let tests = record.runs.len();
        for (index, run) in record.runs.iter_mut().enumerate() {
            run.outcome = Outcome::Done;
            run.findings = findings.iter().skip(index).step_by(tests).cloned().collect();
        }
        record
    };
    let mut records: Vec<(&str, Record)> = vec![
        ("sample", sample::record()),
        ("gain beyond the workers", beyond),
        ("nothing but a gain beyond the workers", only_beyond),
        ("paced runs with expected answers", with_runs(sample::record(), expected)),
        ("aborted runs", invalid(sample::record())),
        ("no run", Record { runs: Vec::new(), ..sample::record() }),
        ("a lost node", lost(sample::record())),
        ("passed checks", each(Verdict::Pass)),
        ("unknown checks", each(Verdict::Unknown)),
        ("warnings", each(Verdict::Warn)),
        ("failed checks", each(Verdict::Fail)),
        ("I/O", storage_sample::io()),
        ("search of I/O", storage_sample::search()),
        ("calibration", storage_sample::calibration()),
        ("tests and I/O", storage_sample::mixed_record()),
    ];
    records.extend([
        ("volume", proof_sample::volume()),
        ("cache device", proof_sample::cache_device()),
        ("fabric", proof_sample::fabric()),
        ("nodes of memory", proof_sample::numa()),
        ("tiers", proof_sample::tiers()),
        ("NFS", proof_sample::nfs()),
        ("durability", proof_sample::durability()),
        ("lossy durability", proof_sample::lossy_durability()),
    ]);
    records.into_iter().map(|(name, record)| (name.to_owned(), record)).collect()
}

#[test]
fn every_view_of_a_record_gives_the_same_verdicts() {
    let records = [stored(), made()].concat();
    assert!(records.len() > 25, "{}", records.len());
    let found: Vec<String> = records.iter().flat_map(|(name, record)| disagreements(name, record)).collect();
    assert!(found.is_empty(), "{} disagreements:\n{}", found.len(), found.join("\n"));
}
