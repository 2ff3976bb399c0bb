//! The page in a browser: console messages, network requests, accessibility, rendering. The pictures go to
//! target/screenshots.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde_json::{Value, json};

use dbdyno_report::SheetOptions;

use crate::browser::Browser;
use crate::drawn::html;
use crate::{published, series};

const AXE: &str = include_str!("axe.min.js");

/// A desk and a telephone.
pub const SIZES: [(u32, u32); 2] = [(1280, 800), (390, 844)];

/// The tallest picture: browsers cannot draw much higher ones.
const PICTURE_HEIGHT_MAX: f64 = 15_000.0;

/// Where the pictures go.
pub fn screenshots() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/screenshots");
    fs::create_dir_all(&folder).unwrap();
    folder.canonicalize().unwrap()
}

/// The page of the sample record, written once.
static PAGE: LazyLock<PathBuf> = LazyLock::new(|| {
    let path = screenshots().join("record.html");
    fs::write(&path, html(&series::record(), &SheetOptions { path: "record.json", ..SheetOptions::default() }))
        .unwrap();
    path
});

#[test]
fn the_page_is_quiet_fits_and_can_be_used_by_everyone() {
    let mut browser = Browser::start();
    for (width, height) in SIZES {
        for scheme in ["light", "dark"] {
            let place = format!("{width} {scheme}");
            browser.open(&PAGE, (width, height), scheme);
            let colours = browser.evaluate("getComputedStyle(document.body).backgroundColor");
            assert_eq!(colours == "rgb(255, 255, 255)", scheme == "light", "{place}: {colours}");
            let overflow = browser.evaluate("document.documentElement.scrollWidth - innerWidth");
            assert!(overflow.as_i64().unwrap() <= 0, "{place}: the page is {overflow} pixels too wide");
            picture(&mut browser, &format!("record-{width}-{scheme}"));
            browser.open_sections();
            picture(&mut browser, &format!("record-open-{width}-{scheme}"));
            let overflow = browser.evaluate("document.documentElement.scrollWidth - innerWidth");
            assert!(overflow.as_i64().unwrap() <= 0, "{place}: with all sections {overflow} pixels too wide");
            asked_nobody(&browser, &place);
            assert_eq!(serious(&mut browser), Vec::<String>::new(), "{place}");
        }
    }
}

/// Records of each kind, as they were measured.
const KINDS: [&str; 9] = ["run", "io", "calibrate", "blocks", "load", "streams", "rate", "until", "prove"];

#[test]
fn the_page_of_each_kind_of_record_begins_with_its_result() {
    let mut browser = Browser::start();
    for kind in KINDS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/records/{kind}.jsonl"));
        let page = html(&store::read(&path).unwrap(), &SheetOptions::default());
        assert!(page.len() < 2 << 20, "{kind}: {} bytes", page.len());
        let file = screenshots().join(format!("{kind}.html"));
        fs::write(&file, page).unwrap();
        for (size, scheme) in SIZES.into_iter().flat_map(|size| ["light", "dark"].map(|scheme| (size, scheme))) {
            browser.open(&file, size, scheme);
            let place = format!("{kind}-{}-{scheme}", size.0);
            let overflow = browser.evaluate("document.documentElement.scrollWidth - innerWidth");
            assert!(overflow.as_i64().unwrap() <= 0, "{place}: the page is {overflow} pixels too wide");
            let tile = browser.evaluate("document.querySelector('.tiles .much').getBoundingClientRect().bottom");
            assert!(tile.as_f64().unwrap() < f64::from(size.1), "{place}: the first result is at {tile}");
            picture(&mut browser, &place);
            asked_nobody(&browser, &place);
            assert_eq!(serious(&mut browser), Vec::<String>::new(), "{place}");
        }
        browser.open(&file, SIZES[0], "light");
        let first = browser.evaluate("document.querySelector('details.section').getBoundingClientRect().top");
        assert!(first.as_f64().unwrap() < 4.5 * 800.0, "{kind}: the first part of details is at {first}");
    }
}

#[test]
fn a_search_opens_the_sections_that_have_the_word_and_a_link_the_one_that_it_names() {
    let mut browser = Browser::start();
    browser.open(&PAGE, SIZES[0], "light");
    let opened = "Array.from(document.querySelectorAll('details.section')).filter((part) => part.open).length";
    assert_eq!(browser.evaluate(opened), 0);
    browser.evaluate("location.hash = '#disclosure'; new Promise((done) => setTimeout(done, 100))");
    assert_eq!(browser.evaluate("document.querySelector('#disclosure details').open"), true);
    let search = |words: &str| {
        format!(
            "(() => {{ const search = document.getElementById('search'); search.value = '{words}'; \
             search.dispatchEvent(new Event('input')); }})()"
        )
    };
    let shown =
        "Array.from(document.querySelectorAll('main > section')).filter((part) => !part.hidden).map((part) => part.id)";
    browser.evaluate(&search("mitigations"));
    assert_eq!(browser.evaluate(shown), json!(["platform", "disclosure"]));
    browser.evaluate(&search(""));
    assert!(browser.evaluate(shown).as_array().unwrap().len() > 8);
    assert_eq!(browser.evaluate(opened), 0);
}

#[test]
fn the_page_of_a_published_system_is_quiet_fits_and_can_be_used_too() {
    let path = screenshots().join("published.html");
    fs::write(&path, dbdyno_report::system(&published::system(), None).html()).unwrap();
    let mut browser = Browser::start();
    for (size, scheme) in SIZES.into_iter().zip(["light", "dark"]) {
        browser.open(&path, size, scheme);
        let overflow = browser.evaluate("document.documentElement.scrollWidth - innerWidth");
        assert!(overflow.as_i64().unwrap() <= 0, "{size:?}: the page is {overflow} pixels too wide");
        picture(&mut browser, &format!("published-{}-{scheme}", size.0));
        asked_nobody(&browser, scheme);
        assert_eq!(serious(&mut browser), Vec::<String>::new(), "{size:?}");
    }
}

/// Neither an error on the console nor a request beside the page itself.
pub fn asked_nobody(browser: &Browser, place: &str) {
    for event in &browser.events {
        let parameters = &event["params"];
        let bad = match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => true,
            "Runtime.consoleAPICalled" => parameters["type"] == "error" || parameters["type"] == "warning",
            "Log.entryAdded" => parameters["entry"]["level"] != "verbose",
            "Network.requestWillBeSent" => {
                let url = parameters["request"]["url"].as_str().unwrap_or_default();
                !url.ends_with(".html") && !url.starts_with("data:")
            }
            _ => false,
        };
        assert!(!bad, "{place}: {event}");
    }
}

/// What axe-core finds that is serious or critical.
pub fn serious(browser: &mut Browser) -> Vec<String> {
    browser.evaluate(&format!("{AXE}; undefined"));
    let found = browser.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then((found) => ({ passes: found.passes.length, \
         violations: found.violations.map(({ id, impact, nodes }) => ({ id, impact, \
         nodes: nodes.slice(0, 3).map((node) => node.html.slice(0, 200) + ' ' + node.failureSummary) })) }))",
    );
    assert!(found["passes"].as_u64().unwrap() > 20, "axe has checked too little: {found}");
    let violations = found["violations"].as_array().unwrap().iter();
    let bad = |violation: &&Value| violation["impact"] == "serious" || violation["impact"] == "critical";
    violations.filter(bad).map(Value::to_string).collect()
}

/// Writes pictures of the top of the page and of all of it.
fn picture(browser: &mut Browser, name: &str) {
    let height = browser.evaluate("document.documentElement.scrollHeight").as_f64().unwrap();
    let width = browser.evaluate("innerWidth").as_f64().unwrap();
    let clip = |height: f64| json!({"x": 0, "y": 0, "width": width, "height": height, "scale": 1});
    let folder = screenshots();
    for (part, height) in [("top", 1_200.0), ("all", height.min(PICTURE_HEIGHT_MAX))] {
        let wanted = json!({"format": "png", "captureBeyondViewport": true, "clip": clip(height)});
        let image = browser.bytes("Page.captureScreenshot", wanted);
        assert!(image.starts_with(b"\x89PNG") && image.len() > 20_000, "{name}: no picture");
        fs::write(folder.join(format!("{name}-{part}.png")), image).unwrap();
    }
}

/// Writes a picture of the part of the page that `selector` means.
pub fn part_picture(browser: &mut Browser, name: &str, selector: &str) {
    let place = browser.evaluate(&format!(
        "(() => {{ const box = document.querySelector('{selector}').getBoundingClientRect(); \
         return [box.left + scrollX, box.top + scrollY, box.width, box.height]; }})()"
    ));
    let clip = json!({"x": place[0], "y": place[1], "width": place[2], "height": place[3], "scale": 1});
    let wanted = json!({"format": "png", "captureBeyondViewport": true, "clip": clip});
    let image = browser.bytes("Page.captureScreenshot", wanted);
    assert!(image.starts_with(b"\x89PNG") && image.len() > 5_000, "{name}: no picture");
    fs::write(screenshots().join(format!("{name}.png")), image).unwrap();
}

const COLUMN: &str = "Array.from(document.querySelectorAll('#runs-table tbody tr')).map(({ cells: [,,,,,, cell] }) => \
     (cell.dataset.v ?? cell.textContent) || null)";

/// The values of the column of rates: those that are known, and whether the unknown ones are all below them.
fn column(browser: &mut Browser) -> (Vec<f64>, bool) {
    let cells = browser.evaluate(COLUMN);
    let values: Vec<Option<f64>> =
        cells.as_array().unwrap().iter().map(|value| value.as_str().map(|value| value.parse().unwrap())).collect();
    let known: Vec<f64> = values.iter().copied().flatten().collect();
    let below = values[known.len()..].iter().all(Option::is_none);
    (known, below)
}

#[test]
fn the_table_of_runs_is_sorted_by_the_keyboard() {
    let mut browser = Browser::start();
    browser.open(&PAGE, SIZES[0], "light");
    browser.open_sections();
    let head = "document.querySelector('#runs-table').tHead.rows[1].cells[6]";
    browser.evaluate(&format!("{head}.querySelector('button').focus()"));
    browser.press("Enter", 13);
    assert_eq!(browser.evaluate(&format!("{head}.getAttribute('aria-sort')")), "ascending");
    let (ascending, below) = column(&mut browser);
    assert!(ascending.is_sorted() && below && ascending.len() > 30, "{ascending:?}");
    browser.press("Enter", 13);
    assert_eq!(browser.evaluate(&format!("{head}.getAttribute('aria-sort')")), "descending");
    let (descending, below) = column(&mut browser);
    assert!(descending.iter().rev().is_sorted() && below);
    assert_eq!(browser.evaluate("document.querySelectorAll('[aria-sort]').length"), 1);
}

#[test]
fn the_figures_of_a_chart_are_shown_by_keyboard_and_pointer() {
    let mut browser = Browser::start();
    browser.open(&PAGE, SIZES[1], "light");
    let frame = "document.querySelector('#charts figure .scroll')";
    browser.evaluate(&format!("{frame}.scrollIntoView({{ behavior: 'instant' }}); {frame}.focus()"));
    browser.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    browser.press("ArrowRight", 39);
    let shown = browser.evaluate("document.querySelector('#tip.on').textContent");
    let first = browser.evaluate(&format!("{frame}.querySelector('[data-label]').dataset.label"));
    assert_eq!(shown, first);
    let inside = "(() => { const box = document.querySelector('#tip').getBoundingClientRect(); \
                  return box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight; })()";
    assert_eq!(browser.evaluate(inside), true);
    browser.press("Escape", 27);
    assert_eq!(browser.evaluate("document.querySelectorAll('#tip.on').length"), 0);
    let place = browser.evaluate(&format!(
        "(() => {{ const box = {frame}.querySelector('.point').getBoundingClientRect(); \
         return [box.left + box.width / 2, box.top + box.height / 2]; }})()"
    ));
    browser.ask("Input.dispatchMouseEvent", json!({"type": "mouseMoved", "x": place[0], "y": place[1]}));
    assert_eq!(browser.evaluate("document.querySelectorAll('#tip.on').length"), 1);
}

#[test]
fn the_data_of_a_chart_become_a_table_and_a_file() {
    let mut browser = Browser::start();
    browser.open(&PAGE, SIZES[0], "light");
    let details = "document.querySelector('#charts details.data')";
    let lines = browser.evaluate(&format!("{details}.querySelector('pre').textContent.trim().split('\\n').length - 1"));
    browser.evaluate(&format!(
        "new Promise((done) => {{ {details}.addEventListener('toggle', () => setTimeout(done, 50)); {details}.open = true; }})"
    ));
    assert_eq!(browser.evaluate(&format!("{details}.querySelectorAll('tbody tr').length")), lines);
    // The file is the text on the page: the script returns what it would save.
    let saved = browser.evaluate(
        "(() => { let saved = null; const make = URL.createObjectURL; URL.createObjectURL = (blob) => { saved = blob; \
         return make.call(URL, blob); }; document.querySelector('#charts button.csv').click(); return saved.text(); })()",
    );
    assert_eq!(saved.as_str().unwrap().trim().lines().count() as u64 - 1, lines.as_u64().unwrap());
    asked_nobody(&browser, "data");
}

#[test]
fn colours_can_be_chosen() {
    let mut browser = Browser::start();
    browser.open(&PAGE, SIZES[0], "light");
    let paper = "getComputedStyle(document.body).backgroundColor";
    browser.evaluate("document.getElementById('theme').click(); document.getElementById('theme').click()");
    assert_eq!(browser.evaluate("document.documentElement.dataset.theme"), "dark");
    assert_ne!(browser.evaluate(paper), "rgb(255, 255, 255)");
    assert_eq!(serious(&mut browser), Vec::<String>::new());
}

#[test]
fn all_charts_and_tables_fit_on_paper() {
    let mut browser = Browser::start();
    // What A4 is wide between the margins of the style, in CSS pixels: upright, and for the table of runs lying.
    for (width, tables) in [(703, "main > section:not(#runs) table"), (1032, "#runs table")] {
        browser.open(&PAGE, (width, 1000), "dark");
        browser.ask("Emulation.setEmulatedMedia", json!({"media": "print"}));
        browser.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
        let cut = browser.evaluate(&format!(
            "Array.from(document.querySelectorAll('{tables}')).map((table) => [table.id, \
             table.getBoundingClientRect().right]) .filter(([, right]) => right > innerWidth + 1)"
        ));
        assert_eq!(cut, json!([]), "tables that are cut on paper");
    }
    browser.open(&PAGE, (703, 1000), "dark");
    browser.open_sections();
    browser.ask("Emulation.setEmulatedMedia", json!({"media": "print"}));
    let lost = browser.evaluate(
        "Array.from(document.querySelectorAll('main figure svg')).filter((svg) => { const box = \
         svg.getBoundingClientRect(); return box.width < 150 || box.height < 40 || box.right > innerWidth + 1; }).length",
    );
    assert_eq!(lost, 0, "charts that are not on the paper");
    assert_eq!(browser.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)");
    browser.ask("Emulation.setEmulatedMedia", json!({"media": ""}));
    let paper = browser.bytes("Page.printToPDF", json!({"preferCSSPageSize": true, "printBackground": true}));
    assert!(paper.starts_with(b"%PDF") && paper.len() > 50_000, "{} bytes", paper.len());
    fs::write(screenshots().join("record.pdf"), paper).unwrap();
}
