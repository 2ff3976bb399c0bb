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

const MIX: &str = r#"
code       = "X901"
layer      = "database"
summary    = "a mix of the user's own"
answers    = "Something."
not        = "Everything else."
cost       = "Little."
limits     = "An operation is a transaction."
unit       = "transaction"
operations = 1
sweep      = "jobs"
choice     = "deck"
tries_max  = 9

[param]
keys = { smoke = 5, quick = 6, standard = 7, publish = 8 }

[[table]]
name    = "places"
columns = ["id int", "house int", "name text(20)"]
key     = "id"
indexes = ["house"]

[[mix]]
name   = "look"
weight = 3
script = """
\\set key random(1, :keys)
select name from places where id = :key and :large_rows > 0;
"""

[[mix]]
name   = "change"
script = "update places set house = house + 1 where id = 1;"

[[condition]]
name = "houses_are_there"
sql  = "select id from places where house < 0"
"#;

#[test]
fn a_mix_has_scripts_with_the_numbers_of_its_preset_as_variables() {
    let test = Test::parse(MIX, "mix.toml").unwrap_or_else(|error| panic!("{error}"));
    let sizes = crate::data::Sizes::derive(Preset::Standard, None, 1);
    let scripts = test.scripts_for(&NULL, &sizes).expect("scripts");
    let names: Vec<(&str, u32)> = scripts.scripts.iter().map(|script| (script.name.as_str(), script.weight)).collect();
    assert_eq!(names, [("look", 3), ("change", 1)]);
    assert_eq!((scripts.variables["keys"].as_str(), scripts.tries_max.map(|tries| tries.get())), ("7", Some(9)));
    assert_eq!(scripts.variables["large_rows"], sizes.large_rows.to_string());
    assert!(test.is_scripted() && test.has_conditions() && test.changes() && test.reads_too());
    let table = test.table[0].table(0);
    assert_eq!((table.indexes[0].name.as_str(), table.indexes[0].columns[0].as_str()), ("places_house", "house"));
    assert_eq!(test.statements().map(|(name, _)| name).collect::<Vec<_>>(), ["look", "change"]);
}

#[test]
fn mistakes_in_a_mix_are_named() {
    let broken = |this: &str, that: &str| {
        assert!(MIX.contains(this), "{this}");
        Test::parse(&MIX.replacen(this, that, 1), "mix.toml").expect_err(that).to_string()
    };
    for (this, that, message) in [
        ("weight = 3", "weight = 20_000", "the weights of the deck add up to 20001, at most 10000"),
        ("random(1, :keys)", "randon(1, :keys)", "script look, line 1: function randon is not known"),
        ("random(1, :keys)", "random(1, :key_count)", "script look, line 1: "),
        ("choice     = \"deck\"", "transaction = true", "a test has [[mix]] or transaction, not both"),
        ("choice     = \"deck\"", "choice = \"card\"", "unknown variant `card`"),
        ("choice     = \"deck\"", "schema = \"orders\"", "the schema needs a parameter [param.warehouses]"),
        ("choice     = \"deck\"", "schema = \"decision\"", "the schema needs a parameter [param.scale_percent]"),
        ("choice     = \"deck\"", "choice = \"streams\"", "those of 22 transactions, and the test has 2"),
        ("name   = \"change\"", "name   = \"look\"", "name `look` is given twice"),
        ("indexes = [\"house\"]", "indexes = [\"street\"]", "an index on `street`, which is none of its columns"),
        ("key     = \"id\"", "", "has indexes, and no key"),
    ] {
        let found = broken(this, that);
        assert!(found.contains(message), "{that}: {found}");
    }
    let queries = MIX.replace("choice     = \"deck\"", "schema = \"decision\"").replace("keys =", "scale_percent =");
    let error = Test::parse(&queries.replace(":keys", "9"), "mix.toml").expect_err("other transactions").to_string();
    assert!(error.contains("the schema needs the transactions q1 to q22, in this order"), "{error}");
    let error = with("sweep      = \"jobs\"", "sweep = \"jobs\"\nchoice = \"deck\"").expect_err("no mix");
    assert!(error.to_string().contains("choice is of a test with [[mix]]"), "{error}");
}

#[test]
fn warehouses_of_the_user_come_before_those_of_the_preset() {
    let test = crate::catalogue().iter().find(|test| test.code == "C110").expect("C110");
    let sizes = crate::data::Sizes::derive(Preset::Smoke, None, 1);
    let of = |sizes: &crate::data::Sizes| {
        let scripts = test.scripts_for(&NULL, sizes).expect("scripts");
        let (most, name) = test.jobs_max(sizes).expect("a limit");
        assert_eq!((test.parameters_at(sizes)["warehouses"], name.as_str()), (most.into(), "warehouses"));
        assert_eq!(scripts.variables["warehouses"], most.to_string());
        (most, crate::schema_bytes(test, sizes).expect("tables"))
    };
    let (most, bytes) = of(&sizes);
    assert_eq!(most, 10);
    let (most, more_bytes) = of(&sizes.with_warehouses(Some(70)));
    assert!(most == 70 && more_bytes.0 > 6 * bytes.0, "{more_bytes:?} and {bytes:?}");
    assert_eq!(test.parameters_at(&sizes.with_warehouses(Some(70)))["items"], 100, "nothing else");
    assert_eq!((test.per_minute("new_order"), test.per_minute("payment")), (Some("NOPM"), None));
}

#[test]
fn an_engine_without_a_set_up_of_its_own_skips_the_test() {
    let own = "[[setup]]\nname = \"create\"\neach_own = true\n\n[[mix]]\nname   = \"look\"";
    let test = Test::parse(&MIX.replacen("[[mix]]\nname   = \"look\"", own, 1), "mix.toml").expect("a good file");
    let mut caps = *null_node().caps();
    assert_eq!(test.missing(&caps, &NULL), None, "an engine without answers runs anything");
    caps.answers = true;
    assert_eq!(test.missing(&caps, &NULL).as_deref(), Some("no statement of its own for X901.create"));
}

#[test]
fn calls_are_counted_where_the_engine_counts_transactions_of_procedures() {
    let test = crate::catalogue().iter().find(|test| test.code == "C110").expect("C110");
    let mut caps = *null_node().caps();
    assert!(caps.counts_procedure_commits && commits_counted(test, &caps) && test.changes());
    caps.counts_procedure_commits = false;
    assert!(!commits_counted(test, &caps));
}

fn null_node() -> Box<dyn engine::Node> {
    let workspace = Workspace { directory: std::env::temp_dir(), keep: false, cache_bytes: None, sessions_max: 1 };
    NULL.open(&"null".parse().expect("a target"), &workspace).expect("a node")
}

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
    let error = with("\"statement\"", "\"question\"").expect_err("question is no unit").to_string();
    assert!(error.contains("line 9: unknown variant `question`, expected one of `operation`"), "{error}");
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
        ("key      = \"id\"", "key = [\"id\", \"none\"]", 18, "has `none` in its key, which is none of its columns"),
        ("key      = \"id\"", "key = [\"id\", \"id\"]", 18, "has a key without columns, or with one twice"),
        ("key      = \"id\"", "key = \"id\"\nindexes = [[]]", 18, "has an index without columns, or with one twice"),
        ("id int", "id int null", 18, "has the key `id`, which may be null"),
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
        ("operations = \"n\"", "operations = 1\ncheckpoints = 0", 11, "checkpoints 0 is not in 1 to 1000"),
        (
            "operations = \"n\"",
            "operations = 1\nconnect = true",
            11,
            "connect = true opens a session for each step, and [[table]] needs one for the whole run",
        ),
        ("{ changed = 1 }", "{ changed = 1, rows = 1 }", 34, "exactly one of rows, changed, values and table"),
        ("pad = { text = 20 }", "pad = { document = \"pad\" }", 33, "a value of the key `pad`, which is no uniform"),
        ("{ text = 20 }", "{ text_of = { key = \"id\", bytes = 1048577 } }", 33, "has 1048577 bytes, not 1 to 1048576"),
        ("rows_max = 100", "fill = { rows = 0, bind = {} }", 21, "rows 0 is smaller than 1"),
        (
            "rows_max = 100",
            "fill = { rows = 1, bind = { id = \"sequence\" } }",
            21,
            "not exactly its columns, those that may be null apart: `pad`",
        ),
        (
            "rows_max = 100",
            "rows_max = 9\nfill = { rows = 1, bind = { id = \"sequence\", pad = { text = 1 } } }",
            18,
            "has fill and rows_max",
        ),
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
    let alone: Vec<&str> = all.filter(|code| !["T426", "T431", "T512", "T641", "H100"].contains(code)).collect();
    assert_eq!(counted(&caps), alone, "workers may be counted too, and log-ons");
    (caps.parallel_query, caps.parallel_index) = (false, false);
    caps.counts_read_commits = false;
    let writing = [
        "T211", "T721", "T722", "T331", "T332", "T341", "T342", "T343", "T344", "T351", "T352", "T361", "T362", "T363",
        "T512", "T311", "T321", "T322", "T716",
    ];
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
