//! The same pages as files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{Server, archive, id};
use crate::bench::finished;

/// `page` without what only a server has: forms, check boxes, and links, which lead to files in the export.
fn common(page: &str) -> String {
    let mut page = page.to_owned();
    for (open, close) in [
        ("<p class=\"ways\">", "</p>"),
        ("<form ", "</form>"),
        ("<td><input ", "</td>"),
        ("<td><a href=\"note", "</td>"),
        ("<th scope=\"col\">compare", "</th>"),
        ("<th scope=\"col\">notes", "</th>"),
        ("<td colspan=\"", "</td>"),
        ("content=\"default-src", ">"),
        (" href=\"", "\""),
    ] {
        while let Some(at) = page.find(open) {
            let end = page[at + open.len()..].find(close).unwrap_or_else(|| panic!("{open}")) + at + open.len();
            page.replace_range(at..end + close.len(), "");
        }
    }
    page
}

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
    let (old, index) = (id(&server, "dbdyno-old"), file("index.html"));
    // The style sheet of both is the same, and no part of what is compared.
    assert!(common(&index) == common(&server.page("/")), "{}\n\n{}", common(&index), common(&server.page("/")));
    assert!(!index.contains("<form") && !index.contains("<input "), "a file has no forms");
    for (name, target) in [
        (format!("r/{old}.html"), format!("/r/{old}")),
        ("r/hp-dl980-violin-vma3205.html".to_owned(), "/r/hp-dl980-violin-vma3205".to_owned()),
        ("history/T611.html".to_owned(), "/history?test=T611".to_owned()),
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
