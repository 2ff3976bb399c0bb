//! Valid and invalid test files.

use engine::null::NULL;
use engine::{Engine, Workspace};
use proptest::prelude::*;
use record::{Preset, Sweep};

use super::*;
use crate::data::DataTable;

const GOOD: &str = r#"
code       = "T901"
layer      = "server"
summary    = "one of the user's own"
answers    = "Something."
not        = "Everything else."
cost       = "Little."
limits     = "An operation is a statement."
unit       = "statement"
operations = "n"
sweep      = "jobs"
tables     = ["small"]

[param]
n = { smoke = 1, quick = 2, standard = 3, publish = 4 }

[[table]]
name     = "mine_{job}"
columns  = ["id int", "pad text(20)"]
key      = "id"
rows_max = 100

[[statement]]
name   = "read"
sql    = "select value from small where id = :id and 1 = :one"
bind   = { id = { uniform = [1, "small.rows"] }, one = { constant = 1 } }
repeat = 3
expect = { table = "small", by = "id", columns = ["value"] }

[[statement]]
name   = "write"
sql    = "insert into mine_{job} (id, pad) values (:id, :pad)"
bind   = { id = "sequence", pad = { text = 20 } }
expect = { changed = 1 }
"#;

/// `GOOD` with the first `this` as `that`.
fn with(this: &str, that: &str) -> Result<Test, TestError> {
    assert!(GOOD.contains(this), "{this}");
    Test::parse(&GOOD.replacen(this, that, 1), "mine.toml")
}

#[test]
fn a_test_file_is_parsed() {
    let test = Test::parse(GOOD, "mine.toml").expect("a good file");
    assert_eq!((test.code.as_str(), test.sweep, test.statement.len()), ("T901", Sweep::Jobs, 2));
    assert_eq!(test.parameters(Preset::Standard).into_iter().collect::<Vec<_>>(), [("n".to_owned(), 3)]);
    assert_eq!(test.statement[0].repeat, 3);
    assert_eq!(test.table[0].table(7).name, "mine_7");
    assert_eq!(test.tables, [DataTable::Small]);
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_the_keys_that_there_are() {
    let error = with("cost       =", "costs      =").expect_err("costs is no key").to_string();
    assert!(error.starts_with("test file mine.toml line 7: unknown field `costs`, expected one of `code`"), "{error}");
    for (this, that, line, key) in [
        ("repeat = 3", "repeats = 3", "line 27:", "`repeats`"),
        ("by = \"id\"", "of = \"id\"", "line 28:", "`of`"),
        ("key      =", "kez      =", "line 20:", "`kez`"),
        ("publish = 4", "published = 4", "line 15:", "`published`"),
        ("{ uniform =", "{ unform =", "line 26:", "`unform`"),
    ] {
        let error = with(this, that).expect_err(that).to_string();
        assert!(error.contains(line) && error.contains(key) && error.contains("expected"), "{error}");
    }
}

#[test]
fn a_missing_key_and_a_wrong_type_are_named() {
    let error = with("unit       = \"statement\"\n", "").expect_err("no unit").to_string();
    assert!(error.contains("mine.toml") && error.contains("`unit`"), "{error}");
    let error = with("\"statement\"", "\"query\"").expect_err("query is no unit").to_string();
    assert!(error.contains("line 9: unknown variant `query`, expected one of `operation`"), "{error}");
    let error = with("repeat = 3", "repeat = \"three\"").expect_err("three is no number").to_string();
    assert!(error.contains("line 27:") && error.contains("three"), "{error}");
    let error = with("code ", "code = ").expect_err("no TOML").to_string();
    assert!(error.starts_with("test file mine.toml line 2:"), "{error}");
}

#[test]
fn every_rule_is_checked_and_reports_thing_value_and_limit() {
    for (this, that, line, words) in [
        ("T901", "P901", 2, "code `P901` is not a capital letter other than P and three digits"),
        ("T901", "T90", 2, "code `T90`"),
        ("\"Little.\"", "\"\"", 7, "cost is empty"),
        ("one of the user's own", &"x".repeat(61), 4, "summary has 61 characters, at most 60"),
        ("operations = \"n\"", "operations = 0", 10, "operations 0 is smaller than 1"),
        ("operations = \"n\"", "operations = \"m\"", 10, "operations `m` is not a number, small.rows"),
        ("quick = 2", "quick = 0", 10, "operations 0 is smaller than 1"),
        ("sweep      = \"jobs\"", "sweep = \"threads\"", 11, "needs parallel = one of parallel_query, parallel_index"),
        ("tables     = [\"small\"]", "tables = [\"small\"]\nparallel = \"parallel_query\"", 13, "only for sweep"),
        (
            "tables     = [\"small\"]",
            "tables = [\"small\"]\nneeds = [\"speed\"]",
            13,
            "needs `speed` is not one of procedures",
        ),
        ("tables     = [\"small\"]", "tables = []", 26, "`small.rows` is about a table that is not in tables"),
        ("mine_{job}\"", "Mine\"", 18, "table `Mine` is not named in lower-case letters"),
        ("mine_{job}\"", "small\"", 18, "table `small` has a name that dbdyno uses itself"),
        ("mine_{job}\"", "mine\"", 18, "table `mine` has rows_max, but is not one for each job"),
        ("key      = \"id\"", "key = \"pad\"", 18, "has the key `pad`, which is none of its int columns"),
        ("pad text(20)", "pad blob", 19, "column `pad blob` is not a name and one of int"),
        ("rows_max = 100", "rows_max = -1", 21, "rows_max -1 is smaller than 1"),
        ("name   = \"write\"", "name = \"read\"", 24, "name `read` is given twice"),
        ("name   = \"write\"", "name = \"Write\"", 31, "name `Write` is not made of lower-case letters"),
        ("repeat = 3", "repeat = 0", 27, "repeat 0 of statement `read` is not in 1 to 100000"),
        ("and 1 = :one", "and 1 = :two", 25, "statement `read` uses :two, but bind has no two"),
        (" and 1 = :one", "", 26, "bind one of statement `read` is not used by it"),
        ("[1, \"small.rows\"]", "[2, 1]", 26, "bind id of statement `read` has the range 2 to 1, which is descending"),
        ("pad = { text = 20 }", "pad = { text = 40000 }", 33, "has 40000 letters, at most 32768"),
        ("by = \"id\"", "by = \"one\"", 28, "by = \"one\" is not id or scatter with a bind of that name"),
        ("columns = [\"value\"]", "columns = [\"valu\"]", 28, "column `valu` is not one of id"),
        ("columns = [\"value\"]", "columns = [\"value\", \"count\"]", 28, "`value` with aggregates, but not in group"),
        ("columns = [\"value\"]", "columns = [\"sum price\"]", 28, "`sum price` cannot be computed exactly"),
        ("{ changed = 1 }", "{ changed = 1, rows = 1 }", 34, "exactly one of rows, changed, values and table"),
        ("repeat = 3", "repeat = 3\nascending = \"one\"", 28, "ascending `one` is no uniform bind of `read`"),
    ] {
        let error = with(this, that).expect_err(that);
        assert!(error.message.contains(words), "{that}: {error}");
        assert_eq!(error.line, Some(line), "{that}: {error}");
        assert_eq!(error.origin, "mine.toml");
    }
}

#[test]
fn a_statement_outside_the_steps_knows_no_job() {
    let text = format!("{GOOD}\n[[setup]]\nname = \"make\"\nsql = \"create table a_{{job}} (i int)\"\n");
    let error = Test::parse(&text, "mine.toml").expect_err("no job").to_string();
    assert!(error.contains("`make` runs once for all jobs"), "{error}");
}

#[test]
fn commits_are_counted_where_every_transaction_writes_or_reads_count_too() {
    let target = "null".parse().expect("a target");
    let workspace = Workspace { directory: std::env::temp_dir(), keep: false, cache_bytes: None, sessions_max: 1 };
    let mut caps = *NULL.open(&target, &workspace).expect("a node").caps();
    let counted = |caps: &engine::Caps| -> Vec<String> {
        let tests = crate::catalogue().iter().filter(|test| commits_counted(test, caps));
        tests.map(|test| test.code.clone()).collect()
    };
    let all = crate::catalogue().iter().map(|test| test.code.as_str());
    let alone: Vec<&str> = all.filter(|code| !["T426", "T431", "T512"].contains(code)).collect();
    assert_eq!(counted(&caps), alone, "workers may be counted too");
    (caps.parallel_query, caps.parallel_index) = (false, false);
    caps.counts_read_commits = false;
    let writing =
        ["T211", "T721", "T331", "T332", "T341", "T342", "T343", "T344", "T512", "T311", "T321", "T322", "T716"];
    assert_eq!(counted(&caps), writing);
    let mixed = Test::parse(GOOD, "mine.toml").expect("a good file");
    assert!(!commits_counted(&mixed, &caps), "the statement that reads is a transaction of its own");
    let together = Test { transaction: true, ..mixed };
    assert!(commits_counted(&together, &caps));
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC{0,200}", at in 0usize..900) {
        let _ = Test::parse(&text, "any.toml");
        let mut cut = at.min(GOOD.len());
        while !GOOD.is_char_boundary(cut) {
            cut -= 1;
        }
        let mixed = format!("{}{text}{}", &GOOD[..cut], &GOOD[cut..]);
        if let Err(error) = Test::parse(&mixed, "any.toml") {
            prop_assert!(error.to_string().starts_with("test file any.toml"));
        }
    }
}
