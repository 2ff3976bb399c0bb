//! The pictures of the documentation, which are made of its sample records. Numbers in them mark what the text explains.

use std::fs;
use std::path::{Path, PathBuf};

use dbdyno_report::{ComparisonView, SheetOptions};
use model::CompareOptions;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::drawn::html;
use crate::look::{SIZES, screenshots};

/// The begin of the page.
const TOP: &str = "body";

/// Facts of the summary, by their place.
const VALIDITY: &str = "#workloads dl.facts > div:nth-child(2)";
const LIMITS: &str = "#workloads dl.facts > div:nth-child(3)";
const WOULD_HELP: &str = "#workloads dl.facts > div:nth-child(4)";

/// The same of workloads, whose limits are in facts of their own.
const TRUST: &str = "#workloads dl.facts > div:nth-child(1)";
const OF_WORKLOADS: [&str; 2] =
    ["#workloads dl.facts + dl.facts > div:nth-child(1)", "#workloads dl.facts + dl.facts > div:nth-child(2)"];

/// A picture: its name, the samples of its page (two are compared), where it begins, what is marked, and its height.
struct Picture {
    name: &'static str,
    samples: &'static [&'static str],
    from: &'static str,
    marks: &'static [&'static str],
    height: u32,
}

const PICTURES: [Picture; 7] = [
    Picture { name: "page", samples: &["quick"], from: TOP, marks: &[], height: 1_200 },
    Picture {
        name: "run",
        samples: &["quick"],
        from: TOP,
        marks: &[".tiles", TRUST, OF_WORKLOADS[0], OF_WORKLOADS[1], "#charts figure"],
        height: 2_180,
    },
    Picture {
        name: "io",
        samples: &["io"],
        from: TOP,
        marks: &[".tiles", VALIDITY, LIMITS, WOULD_HELP, "#storage table"],
        height: 660,
    },
    Picture {
        name: "calibrate",
        samples: &["calibrate"],
        from: TOP,
        marks: &[".tiles", VALIDITY, LIMITS, WOULD_HELP, "#charts figure"],
        height: 3_200,
    },
    Picture {
        name: "durability",
        samples: &["durability"],
        from: "section:has(#proof-table)",
        marks: &["section:has(#proof-table) ul", "#proof-table", "#durability-strata", "#durability-events"],
        height: 1_255,
    },
    Picture {
        name: "load",
        samples: &["load"],
        from: TOP,
        marks: &[".tiles", VALIDITY, LIMITS, WOULD_HELP, "#bulk-load figure"],
        height: 1_900,
    },
    Picture {
        name: "comparison",
        samples: &["pair-a", "pair-b"],
        from: TOP,
        marks: &[
            "dl.facts > div:nth-child(1)",
            "dl.facts > div:nth-child(3)",
            "dl.facts > div:nth-child(4)",
            "#limits dl",
            "#results-table",
            "#ratios figure",
            "#differences",
        ],
        height: 1_640,
    },
];

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/samples")
}

/// The page of one sample, or of the comparison of several.
fn page(names: &[&str]) -> String {
    let read = |name: &&str| store::read(&samples().join(format!("{name}.jsonl"))).unwrap();
    let records: Vec<_> = names.iter().map(read).collect();
    if let [record] = &records[..] {
        let place = format!("{}.jsonl", names[0]);
        return html(record, &SheetOptions { path: &place, ..SheetOptions::default() });
    }
    let systems: Vec<_> = records.iter().map(model::system).collect();
    let comparison = model::compare(&systems, CompareOptions::default());
    dbdyno_report::comparison(&ComparisonView { systems: &systems, comparison: &comparison, prices: &[], gate: None })
        .html()
}

/// Draws a number at the corner of each of `selectors`, and gives how many were found.
fn mark(browser: &mut Browser, selectors: &[&str]) -> Value {
    browser.evaluate(&format!(
        "{}.filter((selector, index) => {{ const part = document.querySelector(selector); if (!part) return false; \
         const box = part.getBoundingClientRect(); const mark = document.createElement('span'); \
         mark.textContent = index + 1; mark.style.cssText = `position:absolute; z-index:99; width:26px; height:26px; \
         border-radius:13px; background:#b3261e; color:#fff; font:bold 15px/26px sans-serif; text-align:center; \
         left:${{Math.max(2, box.left + scrollX - 30)}}px; top:${{box.top + scrollY - 2}}px`; \
         document.body.append(mark); return true; }}).length",
        json!(selectors)
    ))
}

#[test]
fn the_pictures_of_the_documentation_are_those_of_its_samples() {
    let mut browser = Browser::start();
    let is_written = std::env::var_os("DBDYNO_DOCS").is_some_and(|word| word == "write");
    for Picture { name, samples: sources, from, marks, height } in PICTURES {
        let file = screenshots().join(format!("sample-{name}.html"));
        fs::write(&file, page(sources)).unwrap();
        browser.open(&file, SIZES[0], "light");
        assert_eq!(mark(&mut browser, marks), marks.len(), "{name}: what is marked is not on the page");
        let top = browser.evaluate(&format!(
            "Math.floor(document.querySelector({}).getBoundingClientRect().top + scrollY)",
            json!(from)
        ));
        let clip = json!({"x": 0, "y": top, "width": SIZES[0].0, "height": height, "scale": 1});
        let wanted = json!({"format": "png", "captureBeyondViewport": true, "clip": clip});
        let image = browser.bytes("Page.captureScreenshot", wanted);
        // Fonts differ between machines: a picture is made anew on request, and not compared.
        let picture = samples().join(format!("{name}.png"));
        if is_written {
            fs::write(&picture, &image).unwrap();
        }
        fs::write(screenshots().join(format!("sample-{name}.png")), image).unwrap();
        assert!(picture.exists(), "no {}; DBDYNO_DOCS=write cargo test writes it", picture.display());
    }
}
