//! The pages: the list with its filters, and those that are the same as other verbs draw.

use std::fs;

use serde_json::{Value, json};

use super::{MEASURED, Server, archive, common, id, without_ways, write};

/// How many records are in a list.
fn records_in(page: &str) -> usize {
    page.matches("name=\"id\"").count()
}

#[test]
fn the_list_has_figures_with_verdicts_and_its_filters_hold() {
    let bench = archive();
    write(&bench, "dbdyno-fast", 4, |record| record["plan"]["preset"] = json!("standard"));
    fs::write(bench.path().join("records/dbdyno-damaged.jsonl"), "{\"head\":{\"format\":\"dbdyno").unwrap();
    let newer = fs::read_to_string(bench.path().join("records/dbdyno-old.jsonl")).unwrap();
    let newer = newer.replacen("\"schema_version\":1", "\"schema_version\":99", 1);
    fs::write(bench.path().join("records/dbdyno-newer.jsonl"), newer).unwrap();
    let server = Server::start(&bench, &[]);
    let page = server.page("/");
    for words in ["T611 by key", "C11 processor", "S22 device reads", "stmt/s", "SQLite", "db2", "smoke", "published 2"]
    {
        assert!(page.contains(words), "no {words}");
    }
    let verdicts = page.matches("class=\"word ").count();
    assert!(verdicts >= 8, "a verdict beside each figure: {verdicts}");
    assert!(page.contains("schema version 99") && page.contains("dbdyno-damaged.jsonl"), "unreadable files are named");
    let systems = reference_count(&page);
    assert!(systems >= 3 && page.contains("not measured by dbdyno"), "{systems}");
    let found = |query: &str| records_in(&server.page(&format!("/?{query}")));
    assert_eq!(records_in(&page), 4 + systems);
    assert_eq!(found("host=db2"), 1);
    assert_eq!(found("host=db2&engine=SQLite"), 1);
    assert_eq!(found("engine=PostgreSQL&shown=measured"), 0);
    assert_eq!(found("preset=standard"), 1);
    assert_eq!(found("text=DB1+t611"), 2);
    assert_eq!(found("shown=measured"), 4);
    assert_eq!(found("shown=published"), systems);
    assert_eq!(found("tag=none"), 0);
    assert_eq!(server.get("/?page=0").status, 400);
    assert_eq!(server.get("/?preset=fast").status, 400);
    assert!(page.find("dbdyno-fast") < page.find("dbdyno-old"), "the newest is first");
    let output = server.interrupt();
    assert_eq!((output.code, output.out.as_str()), (0, ""), "{}", output.err);
}

/// The rows of published systems.
fn reference_count(page: &str) -> usize {
    page.matches("published, not measured by dbdyno").count()
}

#[test]
fn pages_are_those_of_the_verbs_that_draw_them() {
    let bench = archive();
    let server = Server::start(&bench, &[]);
    let (old, new) = (id(&server, "dbdyno-old"), id(&server, "dbdyno-new"));
    let drawn = |arguments: &[&str]| {
        let file = bench.path().join("drawn.html");
        let _ = fs::remove_file(&file);
        let output = bench.as_given(&[arguments, &["--html", "drawn.html"]].concat()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read_to_string(file).unwrap()
    };
    let served = without_ways(&server.page(&format!("/r/{old}")));
    assert!(served == drawn(&["report", "records/dbdyno-old.jsonl"]), "the page of a record is that of report");
    let served = without_ways(&server.page("/r/hp-dl980-violin-vma3205"));
    assert!(served == drawn(&["report", "hp-dl980"]), "so is that of a published system");
    let served = without_ways(&server.page(&format!("/compare?a={old}&b={new}")));
    let compared = drawn(&["compare", "records/dbdyno-old.jsonl", "records/dbdyno-new.jsonl"]);
    assert!(served == compared, "a comparison is that of compare");
    let picked = without_ways(&server.page(&format!("/compare?as=compare&id={old}&id={new}")));
    assert!(picked == compared, "so it is by check boxes");
    let served = common(&server.page("/history?test=T611"));
    assert!(served == common(&drawn(&["history", "records", "--test", "T611"])), "a history is that of history");
    let page = server.page("/history?test=T611&host=db2");
    assert!(page.contains("<option value=\"db1\"") && page.contains("<option value=\"db2\" selected"), "{page}");
    let of_host = server.page("/history?test=T611&host=db1");
    assert!(of_host.contains("dbdyno-old") && !of_host.contains("dbdyno-other"), "{of_host}");
    assert!(server.page("/").contains("href=\"history?test=T611\""));
}

#[test]
fn what_cannot_be_compared_is_refused_with_the_reason() {
    let bench = archive();
    write(&bench, "dbdyno-elsewhere", 4, |record| {
        record["runs"].as_array_mut().unwrap().retain(|run| run["test"] == "C11");
        record["plan"]["runs"].as_array_mut().unwrap().retain(|run| run["test"] == "C11");
        record["runs"].as_array_mut().unwrap().iter_mut().for_each(|run| run["test"] = json!("C21"));
        record["plan"]["runs"].as_array_mut().unwrap().iter_mut().for_each(|run| run["test"] = json!("C21"));
    });
    let server = Server::start(&bench, &[]);
    let (old, elsewhere) = (id(&server, "dbdyno-old"), id(&server, "dbdyno-elsewhere"));
    let answer = server.get(&format!("/compare?a={old}&b={elsewhere}"));
    assert_eq!(answer.status, 422, "{}", answer.body);
    assert!(answer.body.contains("no test in common"), "{}", answer.body);
    for (target, status) in [
        (format!("/compare?a={old}"), 400),
        (format!("/compare?a={old}&b=nothing"), 404),
        ("/history?test=T999".to_owned(), 422),
        ("/history".to_owned(), 400),
    ] {
        assert_eq!(server.get(&target).status, status, "{target}");
    }
}

#[test]
fn programs_read_records_and_are_told_what_has_not_changed() {
    let bench = archive();
    let server = Server::start(&bench, &[]);
    let list = server.get("/api/v1/records");
    let value: Value = serde_json::from_str(&list.body).unwrap();
    assert_eq!(value["schema_version"], MEASURED["schema_version"]);
    let entry = &value["records"][0];
    assert_eq!((&entry["name"], &entry["host"]), (&json!("dbdyno-other"), &json!("db2")));
    assert!(
        entry["figures"]["T611"]["per_second"].as_f64().unwrap() > 0.0
            && entry["figures"]["T611"]["verdict"].is_string()
    );
    let tag = list.field("etag").unwrap().to_owned();
    let again = server.ask("GET", "/api/v1/records", &[&format!("If-None-Match: {tag}")], "");
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    let id = entry["id"].as_str().unwrap();
    let target = format!("/api/v1/records/{id}");
    let record = server.get(&target);
    let printed = bench.succeed(&["report", "records/dbdyno-other.jsonl", "--format", "json"]).out;
    assert!(record.body == printed, "a record as JSON is that of report");
    let tag = record.field("etag").unwrap().to_owned();
    assert_eq!(server.ask("GET", &target, &[&format!("If-None-Match: {tag}")], "").status, 304);
    // A changed directory has another tag.
    write(&bench, "dbdyno-fresh", 5, |_| {});
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let tag = format!("If-None-Match: {}", list.field("etag").unwrap());
    let changed = server.ask("GET", "/api/v1/records", &[&tag], "");
    assert!(changed.status == 200 && changed.body.contains("dbdyno-fresh"), "{}", changed.status);
    let missing = server.get("/api/v1/records/0000");
    assert!(missing.status == 404 && missing.body.starts_with("{\"error\":"), "{}", missing.body);
    let head = server.ask("HEAD", "/", &[], "");
    assert_eq!((head.status, head.body.as_str()), (200, ""));
}

#[test]
fn a_record_that_has_vanished_is_gone_and_the_others_stay() {
    let bench = archive();
    let server = Server::start(&bench, &[]);
    let (old, new) = (id(&server, "dbdyno-old"), id(&server, "dbdyno-new"));
    fs::remove_file(bench.path().join("records/dbdyno-old.jsonl")).unwrap();
    for target in [format!("/r/{old}"), format!("/api/v1/records/{old}"), format!("/compare?a={old}&b={new}")] {
        assert_eq!(server.get(&target).status, 404, "{target}");
    }
    server.page(&format!("/r/{new}"));
}

#[test]
fn records_that_come_and_go_in_mid_request_are_there_or_gone() {
    let bench = archive();
    let server = Server::start(&bench, &[]);
    let (old, new) = (id(&server, "dbdyno-old"), id(&server, "dbdyno-new"));
    let directory = bench.path().join("records");
    let text = fs::read(directory.join("dbdyno-old.jsonl")).unwrap();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(5);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0.. {
                if std::time::Instant::now() > until {
                    break;
                }
                // One that grows, one that is replaced, one that goes.
                let at = directory.join(format!("dbdyno-blink-{}.jsonl", number % 5));
                fs::write(&at, &text[..text.len() / 2]).unwrap();
                fs::write(&at, &text).unwrap();
                fs::rename(&at, directory.join("dbdyno-old.jsonl")).unwrap();
                if number % 3 == 0 {
                    fs::remove_file(directory.join("dbdyno-old.jsonl")).unwrap();
                }
            }
            fs::write(directory.join("dbdyno-old.jsonl"), &text).unwrap();
        });
        for target in [
            "/".to_owned(),
            format!("/r/{old}"),
            format!("/api/v1/records/{old}"),
            format!("/compare?a={old}&b={new}"),
            "/history?test=T611".to_owned(),
            "/live".to_owned(),
        ] {
            let server = &server;
            scope.spawn(move || {
                while std::time::Instant::now() < until {
                    let status = server.get(&target).status;
                    // Of a half of a record it is said that it cannot be read.
                    assert!([200, 404, 422].contains(&status), "{target}: {status}");
                }
            });
        }
    });
    std::thread::sleep(std::time::Duration::from_millis(2100));
    server.page(&format!("/r/{old}"));
}

#[test]
fn pipes_and_devices_in_the_directory_hold_nothing_up() {
    let bench = archive();
    let directory = bench.path().join("records");
    for name in ["dbdyno-pipe.jsonl", "pipe.db", "dbdyno-old.prices.toml", "dbdyno.notes"] {
        crate::fleet_hosts::system("mkfifo", &[&directory.join(name).display().to_string()]);
    }
    std::os::unix::fs::symlink("/dev/zero", directory.join("dbdyno-zero.jsonl")).unwrap();
    std::os::unix::fs::symlink("dbdyno-loop.jsonl", directory.join("dbdyno-loop.jsonl")).unwrap();
    let server = Server::start(&bench, &["--allow-notes"]);
    let (old, new) = (id(&server, "dbdyno-old"), id(&server, "dbdyno-new"));
    for target in ["/".to_owned(), "/live".to_owned(), format!("/side?ids={old},{new}"), format!("/note?id={old}")] {
        assert_eq!(server.get(&target).status, 200, "{target}");
    }
    let list = server.page("/");
    assert!(list.contains("dbdyno-pipe.jsonl") && list.contains("dbdyno-zero.jsonl"), "what is no record is named");
}

#[test]
fn names_of_others_are_text() {
    let bench = archive();
    let hostile = "\"><script>alert(1)</script><img src=x onerror=alert(1)>";
    write(&bench, "dbdyno-hostile", 4, |record| {
        record["id"] = json!(hostile);
        record["host"]["host_name"] = json!(hostile);
        record["plan"]["target"] = json!(hostile);
        record["engine"]["title"] = json!(hostile);
    });
    fs::write(bench.path().join("records/dbdyno-<script>alert(1)<!--.jsonl"), "x").unwrap();
    fs::write(bench.path().join("records/dbdyno-line\r\nX-Evil: 1\u{202e}.jsonl"), "x").unwrap();
    let server = Server::start(&bench, &[]);
    let hostile_id = id(&server, hostile);
    let old = id(&server, "dbdyno-old");
    let query = "%22%3E%3Cscript%3Ealert(1)%3C/script%3E";
    for target in [
        "/".to_owned(),
        format!("/?text={query}&host={query}&tag={query}"),
        format!("/note?id={hostile_id}"),
        format!("/side?ids={hostile_id},{old}&tests={query}"),
        format!("/r/{hostile_id}"),
        format!("/compare?a={hostile_id}&b={old}"),
        "/history?test=T611".to_owned(),
        format!("/history?test={query}"),
        format!("/plan?target={query}"),
    ] {
        let answer = server.get(&target);
        assert!(answer.field("x-evil").is_none(), "{target}: {}", answer.head);
        let body = answer.body;
        assert!(!body.contains('\u{202e}'), "{target} lets a name turn the text around");
        assert!(!body.contains("<script>alert") && !body.contains("<img"), "{target}\n{body}");
    }
}

#[test]
fn systems_stand_side_by_side_with_chosen_tests_and_prices() {
    let bench = archive();
    let book = "currency = \"EUR\"\nyears = 3\ndate = \"2026-01-01\"\nsource = \"offer\"\n\n[[item]]\n\
                name = \"server\"\nkind = \"once\"\nquantity = 1\nlist_price = 10000\n";
    fs::write(bench.path().join("records/dbdyno-old.prices.toml"), book).unwrap();
    let server = Server::start(&bench, &[]);
    let (old, new) = (id(&server, "dbdyno-old"), id(&server, "dbdyno-new"));
    let answer = server.get(&format!("/side?ids={old},{new},hp-dl980-violin-vma3205"));
    assert_eq!(answer.status, 200, "{}", answer.body);
    for words in ["dbdyno-old", "hp-dl980-violin-vma3205", "T611", "EUR", "published", "stmt/s at"] {
        assert!(answer.body.contains(words), "no {words}");
    }
    let chosen = server.page(&format!("/side?ids={old},{new}&tests=C11"));
    assert!(chosen.contains("<strong>C11</strong>") && !chosen.contains("<strong>T611</strong>"), "{chosen}");
    assert_eq!(server.get(&format!("/compare?as=side&id={old}&id={new}")).status, 200);
}

#[test]
fn a_plan_ends_in_a_command_and_executes_nothing() {
    let bench = archive();
    let server = Server::start(&bench, &[]);
    assert!(server.page("/plan").contains("choose, and press Plan"));
    let query = "/plan?target=sqlite&preset=smoke&jobs=1%2C2&tests=T611&tests=C11";
    let page = server.page(query);
    assert!(page.contains("dbdyno run --target sqlite --preset smoke --tests T611,C11 --jobs 1,2"), "{page}");
    for words in ["duration", "about", "1, 2 jobs", "rows"] {
        assert!(page.contains(words), "no {words} in\n{page}");
    }
    let led = server.ask("GET", query, &["Sec-Fetch-Site: cross-site"], "");
    assert!(led.status == 200 && led.body.contains("no plan is made"), "{}", led.body);
    let of_server = server.page("/plan?target=local%3Apostgres");
    assert!(of_server.contains("--target local:postgres") && of_server.contains("--dry-run"), "{of_server}");
    for query in ["target=postgres%3A%2F%2Fdb1%2Fx", "target=sqlite&tests=%2Fetc%2Fpasswd", "target=sqlite&jobs=x"] {
        assert_eq!(server.get(&format!("/plan?{query}")).status, 422, "{query}");
    }
    let is_record = |entry: &std::fs::DirEntry| !entry.file_name().to_string_lossy().starts_with(".dbdyno-serve-");
    let files = bench.path().join("records").read_dir().unwrap().map(Result::unwrap).filter(is_record);
    assert_eq!(files.count(), 3, "nothing was written");
}
