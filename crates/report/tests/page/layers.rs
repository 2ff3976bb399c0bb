//! The latency table on the page: its figures against the record, its bars, and its rendering in a browser.

use std::fs;

use dbdyno_report::SheetOptions;
use record::Record;
use roxmltree::Node;

use crate::browser::Browser;
use crate::document::{parse, select, text, texts, xml};
use crate::drawn::html;
use crate::layers_sample::{record, without_privileges};
use crate::look::{SIZES, asked_nobody, part_picture, screenshots, serious};

fn page(record: &Record) -> String {
    html(record, &SheetOptions { path: "record.json", ..SheetOptions::default() })
}

/// The cells of each line of the first table that is about `test`.
fn lines<'a>(root: Node<'a, 'a>, test: &str) -> Vec<Vec<Node<'a, 'a>>> {
    let details = select(root, "#layers details");
    let about = details.into_iter().find(|details| text(*details).starts_with(test)).unwrap();
    select(about, "tbody tr").into_iter().map(|line| select(line, "th, td")).collect()
}

#[test]
fn the_table_has_the_figures_of_the_traced_repeat() {
    let page = xml(&page(&record()));
    let document = parse(&page);
    let shown = texts(&document, "#layers details");
    assert!(shown.iter().any(|words| words.contains("run 40, traced repeat of run")), "{shown:?}");
    assert!(shown.iter().any(|words| words.contains("cost of tracing: 3.0 % of the rate")), "{shown:?}");
    let lines = lines(document.root(), "T311");
    let line = |name: &str| {
        let found = lines.iter().find(|cells| text(cells[0]) == name).unwrap_or_else(|| panic!("no {name}"));
        found.iter().map(|cell| text(*cell)).collect::<Vec<_>>()
    };
    assert_eq!(
        line("L5 fdatasync")[2..],
        ["1.96 ms", "3698", "0.99", "1.96 ms", "1.70 ms", "3.30 ms", "8.20 ms", "40.1 ms"]
    );
    // No distribution: the engine adds up.
    assert_eq!(line("L4 wal sync")[6..], ["-"; 4]);
    let names: Vec<String> = lines.iter().map(|cells| text(cells[0])).collect();
    let order = ["L1 ", "L2 ", "L3 ", "L4 ", "L5 ", "L6 ", "L7 "];
    let places: Vec<usize> =
        order.iter().map(|id| names.iter().position(|name| name.starts_with(id)).unwrap()).collect();
    assert!(places.is_sorted(), "{names:?}");
}

#[test]
fn bars_and_unaccounted_parts_fill_the_layer_above() {
    let page = xml(&page(&record()));
    let document = parse(&page);
    let mut layer_end = 0.0;
    let mut seen = 0;
    for cells in lines(document.root(), "T311") {
        let Some(bar) = select(cells[1], "rect").first().copied() else { continue };
        let figure = |name: &str| bar.attribute(name).unwrap().parse::<f64>().unwrap();
        let (from, to) = (figure("x"), figure("x") + figure("width"));
        assert!(from >= 0.0 && to <= 100.01, "{from} to {to}");
        if text(cells[0]) == "unaccounted" && bar.attribute("class") == Some("gap") {
            // The gap ends where the layer ends, and the next layer ends where the gap begins.
            assert!((to - layer_end).abs() < 0.05, "{to} is not {layer_end}");
            layer_end = from;
            seen += 1;
        } else {
            layer_end = to;
        }
        assert_eq!(select(cells[1], "svg")[0].attribute("aria-hidden"), Some("true"));
    }
    assert!(seen >= 4, "{seen} gaps");
}

#[test]
fn what_was_not_seen_is_named_once_with_how_to_get_it() {
    let page = xml(&page(&without_privileges()));
    let document = parse(&page);
    let absent: Vec<String> =
        texts(&document, "#layers li").into_iter().filter(|item| item.starts_with("L5")).collect();
    assert_eq!(absent.len(), 1, "{absent:?}");
    assert!(absent[0].contains("CAP_BPF") && absent[0].contains("setcap"), "{absent:?}");
    assert_eq!(texts(&document, "#layers tr.unaccounted td").iter().filter(|cell| *cell == "n.d.").count(), 5 + 2);
    let nothing = Record { runs: Vec::new(), ..record() };
    let none = xml(&self::page(&nothing));
    assert!(select(parse(&none).root(), "#layers").is_empty());
}

#[test]
fn the_tables_are_quiet_fit_and_can_be_used_by_everyone() {
    let path = screenshots().join("layers.html");
    fs::write(&path, page(&record())).unwrap();
    let mut browser = Browser::start();
    for (size, scheme) in SIZES.into_iter().flat_map(|size| [(size, "light"), (size, "dark")]) {
        let place = format!("layers-{}-{scheme}", size.0);
        browser.open(&path, size, scheme);
        browser.open_sections();
        let overflow = browser.evaluate("document.documentElement.scrollWidth - innerWidth");
        assert!(overflow.as_i64().unwrap() <= 0, "{place}: the page is {overflow} pixels too wide");
        part_picture(&mut browser, &place, "#layers");
        asked_nobody(&browser, &place);
        assert_eq!(serious(&mut browser), Vec::<String>::new(), "{place}");
    }
    // The table that tells most is open; the keyboard opens the other one.
    let tables =
        browser.evaluate("Array.from(document.querySelectorAll('#layers details.fold')).map(({ open }) => open)");
    assert_eq!(tables, serde_json::json!([false, true]));
    let first = "document.querySelector('#layers details.fold')";
    browser.evaluate(&format!("{first}.querySelector('summary').focus()"));
    browser.press("Enter", 13);
    assert_eq!(browser.evaluate(&format!("{first}.open")), true);
    browser.open(&path, (703, 1000), "light");
    browser.ask("Emulation.setEmulatedMedia", serde_json::json!({"media": "print"}));
    browser.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
    let cut = browser.evaluate(
        "Array.from(document.querySelectorAll('#layers table')).filter((table) => \
         table.getBoundingClientRect().right > innerWidth + 1).map((table) => table.id)",
    );
    assert_eq!(cut, serde_json::json!([]), "tables that are cut on paper");
}
