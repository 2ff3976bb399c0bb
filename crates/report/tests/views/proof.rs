//! The views of proofs.

use dbdyno_report::{SheetOptions, ShortText, Style, results, short_text};
use record::Record;

use crate::drawn::{html, text};
use crate::proof_sample::{cache_device, durability, fabric, lossy_durability, nfs, numa, tiers, volume};

fn short(record: &Record, width: usize) -> String {
    short_text(
        record,
        &ShortText { path: "proof.jsonl", page: None, only_sheet: false, beside: None },
        Style::default(),
        width,
    )
}

/// The summary alone.
fn summary(record: &Record) -> String {
    let text = short(record, 80);
    text.lines().skip_while(|line| !line.starts_with("SUMMARY")).take_while(|line| !line.starts_with("validity")).fold(
        String::new(),
        |mut all, line| {
            all.push_str(line);
            all.push('\n');
            all
        },
    )
}

#[test]
fn a_volume_and_its_members() {
    insta::assert_snapshot!(short(&volume(), 80));
}

#[test]
fn a_cache_device_its_cache_and_its_origin() {
    insta::assert_snapshot!(short(&cache_device(), 80));
}

#[test]
fn a_fabric() {
    insta::assert_snapshot!(short(&fabric(), 80));
}

#[test]
fn nodes_of_memory() {
    insta::assert_snapshot!(short(&numa(), 80));
}

#[test]
fn caches_and_device() {
    insta::assert_snapshot!(short(&tiers(), 80));
}

#[test]
fn connections_of_a_network_file_system() {
    insta::assert_snapshot!(short(&nfs(), 80));
}

#[test]
fn acknowledged_commits_under_faults() {
    insta::assert_snapshot!(short(&durability(), 80));
}

#[test]
fn commits_that_are_lost() {
    insta::assert_snapshot!(short(&lossy_durability(), 80));
}

#[test]
fn members_that_could_not_be_read_are_said_to_be_unknown() {
    let mut record = volume();
    record.runs.retain(|run| run.kind.proof().is_some_and(|part| part.load.writes()));
    insta::assert_snapshot!(summary(&record));
}

#[test]
fn one_round_has_no_interval() {
    let mut record = fabric();
    record.runs.truncate(6);
    insta::assert_snapshot!(summary(&record));
}

#[test]
fn no_line_is_wider_than_the_page() {
    for record in [volume(), cache_device(), fabric(), numa(), tiers(), nfs(), durability(), lossy_durability()] {
        for width in [60, 80, 120] {
            for line in short(&record, width).lines().chain(text(&record, "r", Style::default(), width).lines()) {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
        }
    }
}

#[test]
fn the_page_begins_with_the_parts_side_by_side() {
    for (record, cell) in [
        (volume(), "sum of the members alone"),
        (cache_device(), "origin nvme1n1"),
        (fabric(), "SLOWER"),
        (numa(), "node 1"),
        (tiers(), "half"),
        (nfs(), "4"),
        (durability(), "SURVIVED"),
        (lossy_durability(), "LOST"),
    ] {
        let page = html(&record, &SheetOptions::default());
        let first = page.find("<section").expect("a section");
        let parts = page.find("id=\"proof-table\"").expect("the table");
        // The summary, then the parts.
        let after = |from: usize| page[from + 1..].find("<section").map_or(page.len(), |next| from + 1 + next);
        let next = after(after(first));
        assert!((first..next).contains(&parts) && page[parts..next].contains(cell), "{cell}");
        // What the terminal says of the result stands above the table.
        let sentence = results(&record).remove(0);
        assert!(page[first..parts].contains(&sentence), "{sentence}");
    }
}
