//! Real records of each kind, small ones, in every view: the figures that each view shows of them.
//!
//! A change of these snapshots is a figure that a view has gained, lost or writes in another way.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use dbdyno_report::{
    ComparisonView, LayersQuery, SheetOptions, Style, activity, activity_csv, comparison_csv, comparison_junit, csv,
    io_csv, layers, layers_csv, sheet,
};
use model::{ActivityChoice, CompareOptions};
use record::Record;

/// Units that follow a number.
const UNITS: [&str; 31] = [
    "%", "k", "M", "G", "T", "ns", "µs", "ms", "s", "min", "h", "B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB",
    "TiB", "KiB/s", "MiB/s", "GiB/s", "MB/s", "stmt/s", "op/s", "tx/s", "row/s", "blk/s", "1/s", "jobs",
];

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records")
}

fn record(name: &str) -> Record {
    store::read(&directory().join(name).with_extension("jsonl")).unwrap()
}

/// The records, a few of each kind.
fn names() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory())
        .unwrap()
        .filter_map(|entry| Some(entry.unwrap().path().file_name()?.to_str()?.strip_suffix(".jsonl")?.to_owned()))
        .collect();
    names.sort();
    assert!(names.len() >= 10, "{names:?}");
    names
}

/// The numbers of each line with their units; a line without any is left out.
fn figures(view: &str) -> String {
    let mut found = String::new();
    for line in view.lines() {
        let mut figures: Vec<String> = Vec::new();
        let mut is_number = false;
        for word in line.split_whitespace() {
            let word = word.trim_matches([',', ';', ':', '(', ')', '.', '|', '"']);
            match figures.last_mut() {
                Some(last) if is_number && UNITS.contains(&word) => last.push_str(&format!(" {word}")),
                _ if word.contains(|letter: char| letter.is_ascii_digit()) => figures.push(word.to_owned()),
                _ => {}
            }
            is_number = word.contains(|letter: char| letter.is_ascii_digit());
        }
        if !figures.is_empty() {
            found.push_str(&figures.join(" | "));
            found.push('\n');
        }
    }
    found
}

/// The text of a page, a line for each row of a table, paragraph and point of a list; without styles, programs and
/// drawings.
fn page_text(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some((before, behind)) = rest.split_once('<') {
        text.push_str(before);
        let (tag, after) = behind.split_once('>').unwrap_or((behind, ""));
        rest = after;
        for left_out in ["style", "script", "svg"] {
            if tag.split(' ').next() == Some(left_out) {
                rest = after.split_once(&format!("</{left_out}>")).map_or("", |(_, after)| after);
            }
        }
        let ends_line = ["/tr", "/p", "/li", "/h2", "/h3", "/div", "/dd", "/summary"].contains(&tag);
        text.push(if ends_line { '\n' } else { ' ' });
    }
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    // A cell may be broken in the source of the page.
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n").collect()
}

/// The numbers of each line of values, each with its name, by name: the order of columns is none of theirs.
fn named_figures(table: &str) -> String {
    let mut reader = ::csv::Reader::from_reader(table.as_bytes());
    let heads = reader.headers().unwrap().clone();
    let mut found = String::new();
    for line in reader.records() {
        let line = line.unwrap();
        let cells = heads.iter().zip(line.iter());
        let mut cells: Vec<String> = cells
            .filter(|(_, cell)| cell.contains(|letter: char| letter.is_ascii_digit()))
            .map(|(head, cell)| format!("{head}={}", cell.replace('\n', " ")))
            .collect();
        cells.sort();
        found.push_str(&cells.join("\n"));
        found.push_str("\n\n");
    }
    found
}

fn hold(record: &str, view: &str, figures: &str) {
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(format!("{record}.{view}"), figures);
    });
}

#[test]
fn every_view_of_each_record_has_the_figures_that_it_had() {
    let (style, width) = (Style::default(), 100);
    for name in &names() {
        let record = record(name);
        let path = "r.jsonl";
        let sheet = sheet(&record, &SheetOptions { path, ..SheetOptions::default() });
        hold(name, "text", &figures(&sheet.text(style, width)));
        hold(name, "html", &figures(&page_text(&sheet.html())));
        hold(name, "markdown", &figures(&sheet.markdown()));
        hold(name, "csv", &named_figures(&csv(&record)));
        if record.runs.iter().any(|run| run.storage.is_some()) {
            hold(name, "io-csv", &named_figures(&io_csv(&record)));
        }
        let query = LayersQuery::All;
        if let (Ok(shown), Ok(table)) = (layers(&record, &query, path), layers_csv(&record, &query)) {
            hold(name, "layers-text", &figures(&shown.text(style, width)));
            hold(name, "layers-csv", &named_figures(&table));
        }
        let choice = ActivityChoice::Best;
        if let (Ok(shown), Ok(table)) = (activity(&record, &choice, path), activity_csv(&record, &choice)) {
            hold(name, "activity-text", &figures(&shown.text(style, width)));
            hold(name, "activity-csv", &named_figures(&table));
        }
    }
}

/// The different numbers of a view, without those of drawings, whose figures are in tables too.
fn numbers(view: &str) -> BTreeSet<String> {
    let mut is_drawing = false;
    let kept = view.lines().filter(|line| {
        let is_fence = line.starts_with("```");
        is_drawing ^= is_fence;
        !is_drawing && !is_fence && !line.starts_with("Data: ")
    });
    let tags = ["<br>", "<details>", "<summary>", "</summary>"];
    let kept = tags.iter().fold(kept.collect::<Vec<_>>().join("\n"), |text, tag| text.replace(tag, " "));
    let escapes = [("&#64;", "@"), ("&#35;", "#"), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    let kept = escapes.iter().fold(kept, |text, (escape, letter)| text.replace(escape, letter));
    let found = figures(&kept.replace(['*', '\\', '`'], ""));
    found.lines().flat_map(|line| line.split(" | ")).map(|figure| first_word(figure).to_owned()).collect()
}

fn first_word(figure: &str) -> &str {
    figure.split(' ').next().unwrap_or(figure)
}

#[test]
fn a_record_has_the_same_figures_as_a_page_and_as_markdown() {
    for name in names() {
        let sheet = sheet(&record(&name), &SheetOptions { path: "r.jsonl", ..SheetOptions::default() });
        let page = sheet.html();
        // Without the data of drawings.
        let page: String =
            page.split("<pre").map(|part| part.split_once("</pre>").map_or(part, |(_, rest)| rest)).collect();
        let (page, markdown) = (numbers(&page_text(&page)), numbers(&sheet.markdown()));
        let missing: Vec<&String> = page.difference(&markdown).collect();
        assert!(missing.is_empty(), "{name}: in Markdown are no {missing:?}");
        let missing: Vec<&String> = markdown.difference(&page).collect();
        assert!(missing.is_empty(), "{name}: on the page are no {missing:?}");
    }
}

#[test]
fn every_form_of_a_comparison_has_the_figures_that_it_had() {
    let systems = [record("pair-a"), record("pair-b")].map(|record| model::system(&record));
    let comparison = model::compare(&systems, CompareOptions::default());
    let view = ComparisonView { systems: &systems, comparison: &comparison, gate: None, prices: &[] };
    hold("pair", "compare-text", &figures(&dbdyno_report::comparison(&view).text(Style::default(), 100)));
    hold("pair", "compare-html", &figures(&page_text(&dbdyno_report::comparison(&view).html())));
    hold("pair", "compare-markdown", &figures(&dbdyno_report::comparison(&view).comment()));
    hold("pair", "compare-csv", &named_figures(&comparison_csv(&view)));
    hold("pair", "compare-junit", &figures(&page_text(&comparison_junit(&view))));
}
