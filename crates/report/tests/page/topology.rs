//! The picture of nodes, links and volume.

use std::fs;

use dbdyno_report::SheetOptions;
use record::Record;

use crate::browser::Browser;
use crate::document::{parse, select, text, texts, xml};
use crate::drawn::html;
use crate::look::{SIZES, part_picture, screenshots, serious};
use crate::sample;
use crate::topology_sample::host;

fn page() -> String {
    html(&Record { host: host(), ..sample::record() }, &SheetOptions { path: "record.json", ..SheetOptions::default() })
}

#[test]
fn parts_are_in_what_they_are_plugged_into_and_what_is_wrong_is_marked() {
    let page = xml(&page());
    let document = parse(&page);
    let wrong = select(document.root(), "#topology .wrong");
    let names: Vec<String> =
        wrong.iter().map(|one| text(select(*one, "span")[0]).split([' ', ':']).next().unwrap().to_owned()).collect();
    assert_eq!(names, ["0000", "md0", "nvme5n1"]);
    // A drive is below three ports of node 1, a path in the member of an array in a file system.
    let depth = |begin: &str| {
        let parts = select(document.root(), "#topology .part");
        let part = parts.into_iter().find(|part| text(*part).starts_with(begin)).unwrap();
        part.ancestors()
            .skip(1)
            .filter(|one| one.attribute("class").is_some_and(|class| class.starts_with("part")))
            .count()
    };
    assert_eq!((depth("node 1"), depth("0000:83:00.0"), depth("md0"), depth("path nvme6")), (0, 4, 1, 3));
    let warnings = texts(&document, "#topology .note p");
    assert_eq!(warnings.len(), 4, "{warnings:?}");
    let head = texts(&document, ".answer .note");
    assert!(head.iter().any(|text| text.contains("md0 is degraded")), "at the head of the page too: {head:?}");
    assert!(head.iter().any(|text| text.contains("and 1 more of the platform")), "at most three there: {head:?}");
    let shared = texts(&document, "#topology tbody .warn");
    assert!(shared.len() == 1 && shared[0].starts_with("switch 0000:81:00.0"), "{shared:?}");
}

#[test]
fn it_fits_and_can_be_used_by_everyone() {
    let file = screenshots().join("topology.html");
    fs::write(&file, page()).unwrap();
    let mut browser = Browser::start();
    for size in SIZES {
        browser.open(&file, size, "light");
        browser.open_sections();
        let overflow = browser.evaluate("document.documentElement.scrollWidth - innerWidth");
        assert!(overflow.as_i64().unwrap() <= 0, "{size:?}: {overflow} pixels too wide");
        part_picture(&mut browser, &format!("topology-{}", size.0), "#topology");
        assert_eq!(serious(&mut browser), Vec::<String>::new(), "{size:?}");
    }
}
