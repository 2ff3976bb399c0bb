//! The pages in a browser: they fit, are quiet, and ask nobody else. The pictures go to target/screenshots.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Server, allowed, archive, id};
use crate::fleet_hosts::{wait_until, write};
use crate::monitored::{Monitor, events};

#[allow(dead_code, reason = "the tests of pages use the rest")]
#[path = "../../../../report/tests/page/browser.rs"]
mod browser;

use browser::Browser;

/// A desk and a telephone.
const SIZES: [(u32, u32); 2] = [(1280, 800), (390, 844)];

const AXE: &str = include_str!("../../../../report/tests/page/axe.min.js");

/// What axe-core finds that is serious or critical.
fn serious(browser: &mut Browser) -> Vec<String> {
    browser.evaluate(&format!("{AXE}; undefined"));
    let found = browser.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then((found) => ({ passes: found.passes.length, \
         violations: found.violations.map(({ id, impact, nodes }) => ({ id, impact, \
         nodes: nodes.slice(0, 3).map((node) => node.html.slice(0, 200) + ' ' + node.failureSummary) })) }))",
    );
    assert!(found["passes"].as_u64().unwrap() > 10, "axe has checked too little: {found}");
    let violations = found["violations"].as_array().unwrap().iter();
    let bad = |violation: &&Value| violation["impact"] == "serious" || violation["impact"] == "critical";
    violations.filter(bad).map(Value::to_string).collect()
}

fn screenshots() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/screenshots");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The pictures that the documentation has.
const SAMPLES: [&str; 2] = ["serve-list-1280-light", "serve-live-1280-light"];

/// Fonts differ between machines: a picture is made anew on request, and not compared.
fn keep_sample(name: &str, picture: &[u8]) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/src/samples/{name}.png"));
    if std::env::var_os("DBDYNO_DOCS").is_some_and(|word| word == "write") {
        fs::write(&path, picture).unwrap();
    }
    assert!(path.exists(), "no {}; DBDYNO_DOCS=write cargo test writes it", path.display());
}

/// Opens each of `pages` of the server at `address` at both sizes, light and dark, draws it, and holds it against what pages must be; `login` is
/// what the address begins with.
fn look(browser: &mut Browser, address: &str, login: &str, pages: &[(&str, String)]) {
    let root = format!("http://{address}/");
    let from = format!("http://{login}{address}/");
    let looks = SIZES.into_iter().flat_map(|size| ["light", "dark"].map(|scheme| (size, scheme)));
    for (size, scheme) in looks {
        for (name, target) in pages {
            browser.open_url(&format!("{from}{target}"), size, scheme);
            let place = format!("serve-{name}-{}-{scheme}", size.0);
            let overflow = browser.evaluate("document.documentElement.scrollWidth - innerWidth");
            assert!(overflow.as_i64().unwrap() <= 0, "{place}: the page is {overflow} pixels too wide");
            for event in &browser.events {
                let parameters = &event["params"];
                let is_bad = match event["method"].as_str().unwrap_or_default() {
                    "Runtime.exceptionThrown" => true,
                    "Log.entryAdded" => parameters["entry"]["level"] != "verbose" && *name != "no-page",
                    "Network.requestWillBeSent" => {
                        let url = parameters["request"]["url"].as_str().unwrap_or_default();
                        ![&*root, &from, "data:"].iter().any(|own| url.starts_with(own))
                    }
                    _ => false,
                };
                assert!(!is_bad, "{place}: {event}");
            }
            let picture = browser.bytes("Page.captureScreenshot", json!({"format": "png"}));
            if SAMPLES.contains(&place.as_str()) {
                keep_sample(&place, &picture);
            }
            fs::write(screenshots().join(format!("{place}.png")), picture).unwrap();
            assert_eq!(serious(browser), Vec::<String>::new(), "{place}");
        }
    }
}

#[test]
fn the_pages_of_the_server_are_quiet_and_fit() {
    let bench = archive();
    write(
        &bench,
        "slo.toml",
        "[read]\nthreshold = \"5s\"\n[commit]\nthreshold = \"1us\"\n[scan]\nthreshold = \"5s\"\n",
    );
    let quick = ["--slo", "slo.toml", "--every", "250ms", "--timeout", "200ms", "--cpu", "100%"];
    let _monitor = Monitor::start(&bench, &[&["sqlite", "--data", "records/shop.db"][..], &quick].concat());
    wait_until("there are no events", || events(&bench, "records/shop.db", 0).len() >= 3 * 4);
    let month = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    let server = Server::start(&bench, &["--allow-notes"]);
    let (old, new) = (id(&server, "dbdyno-old"), id(&server, "dbdyno-new"));
    let mut browser = Browser::start();
    let pages = [
        ("list", String::new()),
        ("record", format!("r/{new}")),
        ("reference", "r/hp-dl980-violin-vma3205".to_owned()),
        ("compare", format!("compare?a={old}&b={new}")),
        ("side", format!("side?ids={old},{new},hp-dl980-violin-vma3205")),
        ("plan", "plan?target=sqlite&preset=smoke&tests=T611".to_owned()),
        ("live", "live".to_owned()),
        ("month", format!("month?history=shop.db&target=sqlite&month={}", &month[..7])),
        ("history", "history?test=T611&host=db1".to_owned()),
        ("note", format!("note?id={old}")),
        ("no-page", "nothing".to_owned()),
    ];
    look(&mut browser, &server.address.to_string(), "", &pages);
    let root = format!("http://{}/", server.address);
    // By hand: two are checked, and the button leads to their comparison.
    browser.open_url(&root, SIZES[0], "light");
    let checked = "(() => { const boxes = document.querySelectorAll('input[name=id]'); boxes[0].click(); \
                   boxes[1].click(); document.querySelector('#compare button').click(); })()";
    browser.evaluate(checked);
    let mut title = json!("");
    for _ in 0..50 {
        std::thread::sleep(std::time::Duration::from_millis(100));
        title = browser.evaluate("document.title");
        if title == json!("dbdyno comparison") {
            break;
        }
    }
    assert_eq!(title, json!("dbdyno comparison"));
}

#[test]
fn the_pages_of_runs_that_readers_start_are_quiet_and_fit() {
    let bench = allowed::place();
    let server = allowed::start(&bench);
    allowed::post(&server, "/run", "target=crm&preset=smoke&tests=T611&jobs=1");
    wait_until("it does not end", || allowed::get(&server, "/live").contains("ENDED WITHOUT SUCCESS"));
    let pages =
        [("run-plan", "plan?target=here&preset=smoke&tests=T611&jobs=1".to_owned()), ("run-live", "live".to_owned())];
    let mut browser = Browser::start();
    look(&mut browser, &server.address.to_string(), &format!("me:{}@", allowed::TOKEN), &pages);
}
