//! The reference pages of the documentation are what the program says of itself. `DBDYNO_DOCS=write cargo test -p dbdyno
//! reference_pages` writes them anew.

mod format;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use clap::CommandFactory;
use tables::Kind;

use crate::command::Arguments;

/// Compares the page `name` with `text`, or writes it.
/// A unit in words.
fn unit(unit: record::Unit) -> String {
    let word = serde_json::to_value(unit).expect("a unit is a word");
    word.as_str().unwrap_or_default().replace('_', " ")
}

fn hold(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference").join(name);
    if std::env::var_os("DBDYNO_DOCS").is_some_and(|word| word == "write") {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a page");
    }
    let page = fs::read_to_string(&path).unwrap_or_default();
    assert!(page == text, "{} is not what the program says; DBDYNO_DOCS=write cargo test writes it", path.display());
}

#[test]
fn every_option_is_on_the_page_of_options() {
    let mut page = "# Options\n\nWhat `--help` of each command says.\n".to_owned();
    let mut root = Arguments::command();
    root.build();
    fn add(command: &mut clap::Command, page: &mut String) {
        let name = command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned();
        let help = command.clone().term_width(100).render_long_help().to_string();
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        let _ = write!(page, "\n## {name}\n\n```text\n{}\n```\n", help.join("\n").trim());
        command.get_subcommands_mut().filter(|one| one.get_name() != "help").for_each(|one| add(one, page));
    }
    root.get_subcommands_mut().filter(|one| one.get_name() != "help").for_each(|one| add(one, &mut page));
    hold("options.md", &page);
}

#[test]
fn every_test_is_on_the_page_of_the_catalogue() {
    let mut page = "# The catalogue\n\nProbes need no database: C are of the processors, M of memory, S of storage, N of the \
                    network. They are the ceilings of the tests, whose codes begin with T. SQL is as sent where an engine \
                    has no statement of its own.\n\n## Probes\n\n| code | layer | what it measures | unit |\n|---|---|---|---|\n"
        .to_owned();
    for probe in probe::probes() {
        let (layer, unit) = (probe.layer.word(), unit(probe.unit));
        let _ = writeln!(page, "| {} | {layer} | {} | {unit} |", probe.code, probe.title);
    }
    for test in workload::catalogue() {
        let flowing = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = write!(page, "\n## {}: {}\n\n{}\n\n", test.code, test.summary, flowing(&test.answers));
        let mut fact = |name: &str, text: &str| {
            if !text.is_empty() {
                let _ = writeln!(page, "- {name}: {text}");
            }
        };
        fact("layer", test.layer.word());
        fact("unit", &unit(test.unit));
        fact("ceiling", test.ceiling.as_ref().map_or("", |ceiling| &ceiling.probe));
        fact("is not about", &flowing(&test.not));
        fact("cost", &flowing(&test.cost));
        fact("pitfalls", &flowing(&test.limits));
        for (name, sql) in test.statements() {
            let _ = write!(page, "\n`{name}`:\n\n```sql\n{}\n```\n", sql.trim());
        }
    }
    hold("catalogue.md", &page);
}

#[test]
fn every_check_is_on_the_page_of_checks() {
    let (mut limits, mut meanings) = (String::new(), String::new());
    for check in record::Check::ALL {
        let report::CheckWords { name, limits: [warning, invalid], meaning, remedy, .. } = report::check_words(*check);
        let code = serde_json::to_value(check).expect("a check is a word");
        let code = code.as_str().unwrap_or_default();
        let _ = writeln!(limits, "| `{code}` | {name} | {} | {warning} | {invalid} |", check.description());
        let _ = writeln!(meanings, "| {name} | {meaning} | {remedy} |");
    }
    let page = format!(
        "# Checks\n\nEach run is checked. What a check found is in the record with its figures and limits (`findings` of the \
         run, by the code of the check), and in words on the sheet and the page, by its name.\n\n\
         | code | name when it passes | what is checked | warning | invalid |\n|---|---|---|---|---|\n{limits}\n\
         | check | where it does not pass | remedy |\n|---|---|---|\n{meanings}"
    );
    hold("checks.md", &page);
}

#[test]
fn every_column_is_on_the_page_of_tables() {
    let kind = |kind: Kind| match kind {
        Kind::Text => "text",
        Kind::Flag => "yes or no",
        Kind::Count => "number of",
        Kind::Bytes | Kind::Memory => "bytes",
        Kind::Nanoseconds | Kind::DerivedNanoseconds => "nanoseconds",
        Kind::PerSecond | Kind::IoPerSecond | Kind::Iops => "per second",
        Kind::BytesPerSecond => "bytes per second",
        Kind::Ratio => "ratio in [0, 1]",
        Kind::Amount | Kind::Number => "number",
    };
    let mut page =
        "# Tables of exports\n\n`dbdyno export RECORD --format csv --out DIR` writes these tables, one file each; \
                    they are joined by `record` and `run`.\n"
            .to_owned();
    for table in tables::OF_RECORDS {
        let _ = write!(page, "\n## {}\n\n| column | kind |\n|---|---|\n", table.name);
        for (key, of) in (table.heads)() {
            let _ = writeln!(page, "| `{key}` | {} |", kind(of));
        }
    }
    hold("tables.md", &page);
}

#[test]
fn every_type_of_a_record_is_on_the_page_of_its_format() {
    hold("format.md", &format::page(&store::schema(store::Form::Line)));
}
