//! Targets in production beside the records.

use std::fs;

use super::{Server, archive, without_ways};
use crate::fleet_hosts::{wait_until, write};
use crate::monitored::{Monitor, events};

#[test]
fn a_monitor_is_followed_live_and_its_months_are_those_of_its_report() {
    let bench = archive();
    write(&bench, "slo.toml", "[read]\nthreshold = \"5s\"\n[commit]\nthreshold = \"5s\"\n[scan]\nthreshold = \"5s\"\n");
    fs::write(bench.path().join("records/other.db"), "no database").unwrap();
    let server = Server::start(&bench, &[]);
    assert!(!server.page("/live").contains("In production"));
    let quick = ["--slo", "slo.toml", "--every", "250ms", "--timeout", "200ms", "--cpu", "100%"];
    let monitor = Monitor::start(&bench, &[&["sqlite", "--data", "records/shop.db"][..], &quick].concat());
    wait_until("there are no events", || events(&bench, "records/shop.db", 0).len() >= 3 * 4);
    wait_until("it is not seen", || server.page("/live").contains("WATCHED: no alert"));
    let page = server.page("/live");
    for words in ["In production", "sqlite", "so far", "fast burn", "The last bursts", "good", "history shop.db"] {
        assert!(page.contains(words), "no {words} in\n{page}");
    }
    let month = page.split("href=\"month?").nth(1).and_then(|rest| rest.split('"').next()).expect("a month");
    let month = month.replace("&amp;", "&");
    monitor.end();
    wait_until("its end is not seen", || server.page("/live").contains("NOT WATCHED"));
    let served = without_ways(&server.page(&format!("/month?{month}")));
    let of = month.rsplit('=').next().unwrap();
    let files = |bench: &crate::bench::Bench| fs::read_dir(bench.path().join("records")).unwrap().count();
    let before = files(&bench);
    bench.succeed(&["monitor", "report", "--data", "records/shop.db", "--month", of, "--html", "month.html"]);
    assert!(served == fs::read_to_string(bench.path().join("month.html")).unwrap(), "a month is that of the report");
    for query in [
        "history=..%2Fshop.db&target=sqlite&month=2026-11",
        "history=other.db&target=sqlite&month=2026-11",
        "history=shop.db&target=other&month=2026-11",
        "history=shop.db&target=sqlite&month=2026-13",
    ] {
        assert_eq!(server.get(&format!("/month?{query}")).status, 422, "{query}");
    }
    assert_eq!(files(&bench), before, "nothing is written beside it");
    // Who writes the file writes the names of its targets.
    let hostile = "\"><script>alert(1)</script>\r\nX-Evil: 1";
    let history = rusqlite::Connection::open(bench.path().join("records/shop.db")).unwrap();
    history.execute("update target set name = ?1, record = ?1", [hostile]).unwrap();
    history.execute("insert into alert values (1, 'read', 'down', 1, 2, ?1, ?1)", [hostile]).unwrap();
    drop(history);
    wait_until("the name is not seen", || server.page("/live").contains("&lt;script&gt;alert(1)"));
    let live = server.page("/live");
    let month = live.split("href=\"month?").nth(1).and_then(|rest| rest.split('"').next()).expect("a month");
    let month = server.get(&format!("/month?{}", month.replace("&amp;", "&")));
    assert_eq!(month.status, 200, "{}", month.body);
    assert!(!live.contains("<script>alert") && !month.body.contains("<script>alert"), "{}", month.body);
    assert!(month.field("x-evil").is_none(), "{}", month.head);
}
