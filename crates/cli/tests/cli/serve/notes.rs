//! Notes beside records.

use std::fs;

use super::{Server, archive, id};

const FORM: &str = "Content-Type: application/x-www-form-urlencoded";

#[test]
fn notes_are_written_beside_records_and_only_where_that_is_allowed() {
    let bench = archive();
    let path = bench.path().join("records/dbdyno-old.jsonl");
    let before = fs::read(&path).unwrap();
    let body = |id: &str| format!("id={id}&tags=baseline%2C+new+disks&note=%3Cb%3Efirst%3C%2Fb%3E");
    let server = Server::start(&bench, &[]);
    let old = id(&server, "dbdyno-old");
    let origin = format!("Origin: http://{}", server.address);
    let refused = server.ask("POST", "/note", &[&origin, FORM], &body(&old));
    assert!(refused.status == 422 && refused.body.contains("--allow-notes"), "{}", refused.status);
    assert!(!bench.path().join("records/dbdyno.notes").exists());
    drop(server);

    let server = Server::start(&bench, &["--allow-notes"]);
    let origin = format!("Origin: http://{}", server.address);
    let post = |fields: &[&str], body: &str| server.ask("POST", "/note", fields, body).status;
    assert_eq!(post(&[FORM], &body(&old)), 403, "without an origin");
    assert_eq!(post(&["Origin: http://evil.example", FORM], &body(&old)), 403);
    assert_eq!(post(&[&origin, "Sec-Fetch-Site: cross-site", FORM], &body(&old)), 403);
    assert_eq!(post(&[&origin, "Content-Type: text/plain"], &body(&old)), 415);
    assert_eq!(post(&[&origin, FORM, "Content-Encoding: gzip"], &body(&old)), 415);
    assert_eq!(post(&[&origin, FORM], &format!("id={old}&note={}", "x".repeat(40_000))), 413);
    assert_eq!(post(&[&origin, FORM], &format!("id={old}&note={}", "x".repeat(5_000))), 400);
    assert_eq!(post(&[&origin, FORM], &body("nothing")), 404);
    assert!(!bench.path().join("records/dbdyno.notes").exists());
    let written = server.ask("POST", "/note", &[&origin, FORM], &body(&old));
    assert_eq!((written.status, written.field("location")), (303, Some(&*format!("note?id={old}"))));
    let page = server.page("/?tag=new+disks");
    assert!(page.contains("&lt;b&gt;first&lt;/b&gt;") && page.matches("name=\"id\"").count() == 1, "{page}");
    assert!(server.page(&format!("/note?id={old}")).contains("baseline, new disks"));
    assert_eq!(fs::read(&path).unwrap(), before, "a record is what was measured");
    assert_eq!(post(&[&origin, FORM], &format!("id={old}&tags=&note=")), 303);
    assert!(!server.page("/").contains("baseline"));
}
