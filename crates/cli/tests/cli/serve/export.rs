//! The same pages as files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{Server, archive, common, id, write};
use crate::bench::finished;

/// All links of a page to other pages.
fn links(page: &str) -> BTreeSet<String> {
    let parts = page.split(" href=\"").skip(1).filter_map(|part| part.split('"').next());
    parts.filter(|to| !to.starts_with('#') && !to.starts_with("data:")).map(str::to_owned).collect()
}

#[test]
fn an_export_has_the_pages_of_the_server_and_its_links_lead_to_files() {
    let bench = archive();
    let output = bench.succeed(&["serve", "records", "--export", "pages"]);
    assert!(output.out.contains("pages/index.html"), "{}", output.out);
    let server = Server::start(&bench, &[]);
    let file = |name: &str| {
        fs::read_to_string(bench.path().join("pages").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let (old, new, index) = (id(&server, "dbdyno-old"), id(&server, "dbdyno-new"), file("index.html"));
    // The style sheet of both is the same, and no part of what is compared.
    assert!(common(&index) == common(&server.page("/")), "{}\n\n{}", common(&index), common(&server.page("/")));
    assert!(!index.contains("<form") && !index.contains("<input "), "a file has no forms");
    for (name, target) in [
        (format!("r/{old}.html"), format!("/r/{old}")),
        ("r/hp-dl980-violin-vma3205.html".to_owned(), "/r/hp-dl980-violin-vma3205".to_owned()),
        ("history/T611.html".to_owned(), "/history?test=T611".to_owned()),
        (format!("compare/{new}.html"), format!("/compare?a={old}&b={new}")),
    ] {
        assert!(common(&file(&name)) == common(&server.page(&target)), "{name}");
    }
    assert_eq!(file("api/v1/records.json"), server.page("/api/v1/records"));
    assert_eq!(file(&format!("api/v1/records/{old}.json")), server.page(&format!("/api/v1/records/{old}")));
    let mut followed = 0;
    for name in ["index.html".to_owned(), format!("r/{old}.html"), "history/T611.html".to_owned()] {
        for to in links(&file(&name)) {
            let path = bench.path().join("pages").join(&name).parent().unwrap().join(&to);
            assert!(path.is_file(), "{name} leads to {to}, which is not there");
            followed += 1;
        }
    }
    assert!(followed > 8, "{followed}");
    // The first record of a host has none before it.
    assert!(index.contains(&format!("href=\"compare/{new}.html\"")) && !index.contains(&format!("compare/{old}.html")));
    assert!(server.page("/").contains(&format!("compare?a={old}&amp;b={new}")));
}

#[test]
fn what_is_there_is_not_overwritten() {
    let bench = archive();
    fs::create_dir(bench.path().join("pages")).unwrap();
    bench.succeed(&["serve", "records", "--export", "pages"]);
    let output = bench.run(&["serve", "records", "--export", "pages"]);
    assert!(output.code == 2 && output.err.contains("hint: give a new directory"), "{}", output.err);
    let output = finished(bench.as_given(&["serve", "nowhere"]).output().unwrap());
    assert!(output.code == 2 && output.err.contains("nowhere"), "{}", output.err);
    assert!(Path::new(&bench.path().join("pages/index.html")).is_file());
}

/// A part of every name of the sample, which nothing else has.
const MARK: &str = "zqxjvkw";

/// Writes a record with a name wherever one can be.
fn write_named(bench: &crate::bench::Bench, name: &str, day: u32) {
    let named = |text: &str| json!(text.replace('$', MARK));
    write(bench, name, day, |record| {
        record["host"]["host_name"] = named("$-db1.$.example");
        record["plan"]["target"] = named("postgres://$-jane@$-db2.example:5433/$-crm?application_name=x");
        record["plan"]["directory"] = named("/srv/$ data/dbdyno");
        record["plan"]["test_files"] = json!([named("/home/$-jim/own.toml")]);
        record["plan"]["skipped"] =
            json!([{ "test": "T332", "reason": named("server '$-db2' has none for \"$-jane\"") }]);
        record["plan"]["network"] = json!({ "peer": named("$-db3:5250"), "address": "192.0.2.77:5250",
            "far": { "host_name": named("$-db3") }, "near": {}, "is_same_host": false });
        record["reason"] = named("stopped: cannot write /srv/$ data/dbdyno/x, 2001:db8::77 and $-db3 are gone");
        record["status"] = json!("interrupted");
        record["host"]["file_system"] = json!({ "kind": "nfs4", "mount_point": named("/srv/$ data"),
            "source": named("$-filer:/export/$"), "options": named("rw,addr=192.0.2.77,username=$-jane,subvol=/$") });
        record["host"]["kernel"]["command_line"] = named(
            "root=/dev/mapper/$-root quiet systemd.hostname=$-db1 rd.luks.uuid=0a1b2c3d-7777-2222-3333-444455556666",
        );
        record["host"]["devices"] = json!([{ "name": "nvme0n1", "slaves": [], "serial_masked": named("****$"),
            "subsystem": named("nqn.2014-08.$:x"), "backing_file": named("/srv/$.img"),
            "paths": [{ "name": "nvme5", "address": "traddr=192.0.2.77" }] }]);
        let mut host = record["host"].clone();
        host["host_name"] = named("$-db2");
        record["server_hosts"] = json!([{ "name": named("$-db2.example"), "directory": named("/var/lib/$"),
            "program": "postgres", "is_same_machine": false, "host": host }]);
        let settings = json!([{ "name": "cluster_name", "value": named("$") },
            { "name": "data_directory", "value": named("/var/lib/$") },
            { "name": "archive_command", "value": named("scp %p $-jane@$-backup:/srv") }]);
        record["engine"]["settings"] = settings;
        for run in record["runs"].as_array_mut().unwrap() {
            run["title"] = named("rows of $-db1");
            run["server_hosts"] = json!({ format!("{MARK}-db2.example"):
                { "readings": [], "time_error_ns": 0, "foreign_load": null } });
        }
    });
}

/// All files of the directory, with their texts.
fn texts(directory: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(texts(&path)),
            false => found.push((path.display().to_string(), fs::read_to_string(&path).unwrap())),
        }
    }
    found
}

#[test]
fn no_name_of_a_record_is_left_in_an_anonymized_export() {
    let bench = archive();
    for (name, day) in [("first", 11), ("second", 12)] {
        write_named(&bench, &format!("dbdyno-{MARK}-{name}"), day);
    }
    fs::write(bench.path().join(format!("records/{MARK}.jsonl")), "x").unwrap();
    let plain = bench.succeed(&["serve", "records", "--export", "plain"]);
    assert!(plain.out.contains("plain/index.html"), "{}", plain.out);
    let has_mark = |text: &str| text.to_lowercase().contains(MARK);
    let marked = texts(&bench.path().join("plain")).iter().filter(|(_, text)| has_mark(text)).count();
    assert!(marked >= 7, "the sample is named on {marked} pages");
    let output = bench.succeed(&["serve", "records", "--export", "pages", "--anonymize"]);
    assert!(output.err.contains("left out"), "{}", output.err);
    let pages = texts(&bench.path().join("pages"));
    assert!(pages.len() > 10, "{}", pages.len());
    for (path, text) in &pages {
        let at = text
            .to_lowercase()
            .find(MARK)
            .map(|at| text[at.saturating_sub(200)..].chars().take(300).collect::<String>());
        assert!(at.is_none() && !has_mark(path), "{path}: {at:?}");
        for other in ["192.0.2.77", "2001:db8::77", "0a1b2c3d-7777", "dbdyno-anonymize", "/tmp/"] {
            assert!(!text.contains(other), "{path} has {other}");
        }
    }
    let list: Value =
        serde_json::from_str(&fs::read_to_string(bench.path().join("pages/api/v1/records.json")).unwrap()).unwrap();
    let hosts: Vec<&str> =
        list["records"].as_array().unwrap().iter().filter_map(|entry| entry["host"].as_str()).collect();
    let same: std::collections::BTreeSet<&str> = hosts.iter().copied().collect();
    assert!(same.len() == 3 && hosts.iter().all(|host| host.starts_with("host-")), "{hosts:?}");
    // What was comparable is, under the same names as before.
    assert!(pages.iter().filter(|(path, _)| path.contains("/compare/")).count() >= 2, "{pages:?}");
    bench.succeed(&["serve", "records", "--export", "again", "--anonymize"]);
    let again = texts(&bench.path().join("again"));
    let of = |pages: &[(String, String)]| pages.iter().map(|(_, text)| text.len()).sum::<usize>();
    assert_eq!((pages.len(), of(&pages)), (again.len(), of(&again)), "the same names have the same stand-ins");
}
