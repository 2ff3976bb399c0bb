//! Runs with codes of more than four characters, on pages of every width.

use dbdyno_report::Style;

use crate::drawn::text;
use crate::sample;

/// The longest code of ours.
const CODE: &str = "L100@partitioned+compressed,as-is";

#[test]
fn codes_are_whole_and_groups_of_columns_keep_their_heads_at_every_width() {
    let mut record = sample::record();
    record.runs.iter_mut().filter(|run| run.test == "T721").for_each(|run| run.test = CODE.to_owned());
    for width in [60, 80, 120] {
        let page = text(&record, "r.json", Style::default(), width);
        for (title, group) in [("I/O requested by the engine", "engine"), ("I/O at the block layer", "device")] {
            let (_, table) = page.split_once(title).unwrap_or_else(|| panic!("{page}"));
            let table: Vec<&str> = table.lines().skip(1).take_while(|line| !line.is_empty()).collect();
            let is_row = |line: &str| line.trim_start().starts_with(|first: char| first.is_ascii_digit());
            let mut heads = table.iter().take_while(|line| !is_row(line));
            assert!(heads.any(|line| line.contains(group)), "no {group} at {width} columns:\n{}", table.join("\n"));
            assert!(table.iter().any(|line| line.contains(CODE)), "{width}:\n{}", table.join("\n"));
        }
        assert!(page.lines().all(|line| line.chars().count() <= width), "{width}:\n{page}");
    }
}
