//! Every statement that Oracle would get, read by an independent grammar of its SQL and PL/SQL.
//!
//! The grammar is that of antlr/grammars-v4, which is made from Oracle's references, in a package that `test.sh` installs.
//! It says nothing of names and types. Three statements it does not know; those are held against the reference by hand,
//! and a grammar that learns them makes the test fail.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use engine::Table;
use engine_kit::sample;
use record::Bytes;

use super::loads;
use crate::dialect::DIALECT;
use crate::script::statements;
use crate::{activity, counter, inventory, node, schema, session, sql};

/// A statement, and where it comes from.
type Named = (String, String);

/// What is no Oracle, each for a reason of its own.
const BROKEN: [&str; 14] = [
    "selec 1",
    "select id from t limit 5",
    "select 1 where",
    "create table x (id bigint auto_increment)",
    "create table x (id number(19), primary key id)",
    "insert into t (a, b) value (1, 2)",
    "update t set a = 1 b = 2",
    "alter session farce parallel query",
    "create user a identified with b",
    "begin x := ; end;",
    "begin if x then null; end;",
    "create or replace function f(n number) return number is begin retrun n end;",
    "create or replace function f(n number) return number is begin for i in 1 .. n return 1; end;",
    "begin execute immediate 'a' exception when others then null; end;",
];

/// What the grammar does not know, each with what it stumbles over: `alter system` it has not at all, and a parameter of a
/// session may have no number.
fn unknown() -> [(String, &'static str); 3] {
    [
        (node::CHECKPOINT.to_owned(), "alter system"),
        (session::cancel(12, 3456), "alter system"),
        (DIALECT.single_block_reads[0].to_owned(), "mismatched input '1'"),
    ]
}

/// Where the package is installed.
fn package() -> PathBuf {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/oracle-grammar");
    std::env::var_os("DBDYNO_ORACLE_GRAMMAR").map_or(default, PathBuf::from)
}

/// What is wrong with each text. Blocks and plain statements share little of what the reader learns of its grammar, which
/// is most of its work: each are read by a reader of their own.
fn errors(texts: &[&str]) -> Vec<Vec<String>> {
    let is_block = |at: &usize| ["begin", "create or replace"].iter().any(|start| texts[*at].starts_with(start));
    let (blocks, plain): (Vec<usize>, Vec<usize>) = (0..texts.len()).partition(is_block);
    let of = |places: &[usize]| read(&places.iter().map(|at| texts[*at]).collect::<Vec<&str>>());
    let (of_blocks, of_plain) = std::thread::scope(|scope| {
        let of_blocks = scope.spawn(|| of(&blocks));
        let of_plain = of(&plain);
        (of_blocks.join().expect("blocks are read"), of_plain)
    });
    let mut errors = vec![Vec::new(); texts.len()];
    for (at, found) in blocks.into_iter().zip(of_blocks).chain(plain.into_iter().zip(of_plain)) {
        errors[at] = found;
    }
    errors
}

/// What one reader says to each text.
fn read(texts: &[&str]) -> Vec<Vec<String>> {
    let package = package();
    let hint = "./test.sh installs Node.js and the grammar into target/oracle-grammar";
    assert!(package.join("node_modules").is_dir(), "no grammar in {}; hint: {hint}", package.display());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/grammar/check.mjs");
    let mut reader = Command::new("node")
        .arg(script)
        .arg(&package)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("no node: {error}; hint: {hint}"));
    let input = serde_json::to_vec(texts).expect("texts");
    reader.stdin.take().expect("its input").write_all(&input).expect("the texts are read");
    let output = reader.wait_with_output().expect("it ends");
    assert!(output.status.success(), "the reader failed");
    let errors: Vec<Vec<String>> = serde_json::from_slice(&output.stdout).expect("an array of errors for each text");
    assert_eq!(errors.len(), texts.len());
    errors
}

fn named(origin: &str, texts: impl IntoIterator<Item = String>) -> Vec<Named> {
    texts.into_iter().flat_map(|text| split(origin, &text)).collect()
}

fn split(origin: &str, text: &str) -> Vec<Named> {
    statements(text).into_iter().map(|statement| (origin.to_owned(), statement.to_owned())).collect()
}

/// A table with every type, with and without everything that a table can have.
fn tables() -> [Table; 5] {
    let table = sample::table("order");
    let bare = Table { name: "large".to_owned(), key: Vec::new(), indexes: Vec::new(), ..table.clone() };
    let in_parts = Table { indexes: table.indexes.clone(), ..sample::partitioned_table("order") };
    [Table { compressed: true, ..bare.clone() }, Table { compressed: true, ..in_parts.clone() }, bare, in_parts, table]
}

/// What a block carries out that is given as a text: the server reads it later, and the grammar not at all.
fn carried_out(statement: &str) -> Option<&str> {
    statement.strip_prefix("begin execute immediate '")?.split_once("';").map(|(inner, _)| inner)
}

fn of_the_dialect() -> Vec<Named> {
    let mut all: Vec<Named> = loads::statements().into_iter().flat_map(|(origin, text)| split(origin, &text)).collect();
    for table in tables().into_iter().chain(loads::tables()) {
        all.extend(named("create", (DIALECT.create)(&table)));
        let sparse = (DIALECT.sparse)(Bytes(8192)).expect("it has blocks");
        if table.partitions.is_none() {
            all.extend(named("sparse", (sparse.create)(&table)));
        }
        all.extend(named("finish", (DIALECT.finish)(&table)));
        all.extend(named("drop", (DIALECT.drop)(&table.name)));
        all.extend(named("truncate", (DIALECT.truncate)(&table.name)));
        all.extend(named("size", (DIALECT.table_bytes)(&table.name)));
        for direct in [true, false] {
            all.extend(named("bulk", [session::insert(&table.name, &table.columns, direct)]));
        }
    }
    let inner = |(origin, text): &Named| Some((format!("{origin}, carried out"), carried_out(text)?.to_owned()));
    let inner: Vec<Named> = all.iter().filter_map(inner).collect();
    assert!(inner.iter().any(|(_, text)| text.starts_with("create index")), "indexes are made by blocks");
    all.extend(inner);
    for count in [1, 2, 64] {
        all.extend(named("threads", (DIALECT.threads)(count)));
    }
    all.extend(named("single-block reads", DIALECT.single_block_reads[1..].iter().map(|text| (*text).to_owned())));
    all
}

/// Tests that have no procedures for Oracle: a run says so and leaves them out.
const LEFT_OUT: [&str; 1] = ["C110"];

/// The statements of the catalogue: the engine's own file where it has one, otherwise what the test says; binds as the
/// server gets them.
fn of_the_catalogue() -> Vec<Named> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workload/catalogue");
    let own = |name: &str| sql::FILES.iter().find(|file| file.name == name).map(|file| file.sql.to_owned());
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the catalogue") {
        let text = std::fs::read_to_string(entry.expect("a file").path()).expect("a test");
        let test: toml::Table = text.parse().expect("a test file");
        let code = test["code"].as_str().expect("a code");
        if LEFT_OUT.contains(&code) {
            continue;
        }
        for part in ["setup", "statement", "teardown"] {
            for step in test.get(part).and_then(toml::Value::as_array).into_iter().flatten() {
                let name = format!("{code}.{}", step["name"].as_str().expect("a name"));
                let portable = step.get("sql").and_then(toml::Value::as_str).map(str::to_owned);
                let text = own(&name).or(portable).unwrap_or_else(|| panic!("{name} has no words of Oracle"));
                all.extend(split(&name, &with_binds(&text.replace("{job}", "0"))));
            }
        }
    }
    // Random blocks are no test of a file.
    let texts = [
        "select count(*), sum(length(c2)) from {table}",
        "update {table} set c2 = :c2 where block_key between :a and :b",
    ];
    let blocks = texts.map(str::to_owned).into_iter().chain(own("B100.read"));
    for text in blocks {
        let text = text.replace("{table}", "blocks1").replace("{index}", "blocks1_key");
        all.extend(split("random blocks", &with_binds(&text)));
    }
    assert!(all.len() > 35, "the catalogue has {} statements", all.len());
    all
}

/// `:name` as `:1`; `:=` and what stands in quotes have no letter behind the colon.
fn with_binds(text: &str) -> String {
    let mut bound = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(':') {
        let (before, tail) = rest.split_at(at + 1);
        bound.push_str(before);
        let name = tail.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(tail.len());
        let is_bind = tail.starts_with(|first: char| first.is_ascii_alphabetic());
        bound.push_str(if is_bind { "1" } else { "" });
        rest = if is_bind { &tail[name..] } else { tail };
    }
    bound + rest
}

/// What dbdyno asks and does beside tests.
fn of_the_node() -> Vec<Named> {
    let mut all = named("session_setup", session::session_setup(Some(schema::SCHEMA)));
    all.extend(named("counters", counter::questions()));
    all.extend(named("activity", [activity::QUESTION.to_owned()]));
    all.extend(named("parameters", [inventory::parameter_question()]));
    all.extend(named("inventory", inventory::QUESTIONS.map(|(_, question)| question.to_owned())));
    all.extend(named("calibration", [inventory::calibration(8)]));
    all.extend(named("options", [node::OPTIONS_QUESTION.to_owned()]));
    all.extend(named("find", [schema::find_question(), schema::TABLESPACE_QUESTION.to_owned()]));
    all.extend(named("make", [schema::create_user("Db_0123456789abcdef01234567", "USERS")]));
    all.extend(named("mark", schema::mark("dbdyno: the user")));
    all.extend(named("hold", [schema::hold_statement()]));
    all.extend(named("remove", [schema::DROP_USER.to_owned(), schema::DROP_OBJECTS.to_owned()]));
    // What the list of data sets asks for in every engine.
    let data_sets = [
        "select fingerprint from dbdyno_data_set where table_name = :1",
        "delete from dbdyno_data_set where table_name = :1",
        "insert into dbdyno_data_set (table_name, fingerprint) values (:1, :2)",
        "select 1 from small where 1 = 0",
        "select count(*) from large",
    ];
    all.extend(named("data sets", data_sets.map(str::to_owned)));
    // What a monitor asks for in every engine, of a table as narrow as its own.
    let (id, value, filler) = ((DIALECT.quoted)("id"), (DIALECT.quoted)("value"), (DIALECT.quoted)("filler"));
    let (monitor, key) = ((DIALECT.quoted)("monitor"), DIALECT.placeholder.at(1));
    let bursts = [
        format!("select {value}, {filler} from {monitor} where {id} = {key}"),
        format!("update {monitor} set {value} = {value} + 1 where {id} = {key}"),
        format!("select count({filler}), sum({value}) from {monitor}"),
        format!("select count({value}), count({filler}) from {monitor}"),
    ];
    all.extend(named("monitor", bursts));
    all
}

#[test]
fn every_statement_is_oracle_and_what_is_not_is_refused() {
    let mut all = [of_the_dialect(), of_the_catalogue(), of_the_node()].concat();
    all.sort_by(|one, other| one.1.cmp(&other.1));
    all.dedup_by(|one, other| one.1 == other.1);
    assert!(all.len() > 80, "{} statements", all.len());
    let unknown = unknown();
    let texts: Vec<&str> = all.iter().map(|(_, text)| text.as_str()).collect();
    let broken = BROKEN.into_iter().chain(unknown.iter().map(|(text, _)| text.as_str()));
    let errors = errors(&texts.iter().copied().chain(broken).collect::<Vec<&str>>());
    let (good, refused) = errors.split_at(texts.len());
    let wrong: Vec<String> = all
        .iter()
        .zip(good)
        .filter(|(_, errors)| !errors.is_empty())
        .map(|((origin, text), errors)| format!("{origin}: {text}\n  {}", errors.join("\n  ")))
        .collect();
    assert!(wrong.is_empty(), "{} of {} are no Oracle:\n{}", wrong.len(), all.len(), wrong.join("\n"));
    for (text, errors) in BROKEN.iter().zip(refused) {
        assert!(!errors.is_empty(), "the grammar takes {text} for Oracle");
    }
    for ((text, stumble), errors) in unknown.iter().zip(&refused[BROKEN.len()..]) {
        let is_gap = errors.first().is_some_and(|error| error.contains(stumble));
        assert!(is_gap, "the grammar knows {text} by now: read it with the others ({errors:?})");
    }
}

/// As in the SQL Language Reference: `checkpoint_clause` and `cancel_sql_clause` of "ALTER SYSTEM", and
/// `alter_session_set_clause` of "ALTER SESSION" with a parameter of the Database Reference (integer, 1 to 10000).
#[test]
fn what_the_grammar_does_not_know_is_as_the_reference_says() {
    let expected = [
        "alter system checkpoint",
        "alter system cancel sql '12, 3456'",
        "alter session set optimizer_index_cost_adj = 1",
    ];
    assert_eq!(unknown().map(|(text, _)| text), expected);
}

#[test]
fn no_view_that_needs_a_licence_is_read() {
    let licensed = ["dba_hist_", "v$active_session_history", "v$ash_info", "dbms_workload_repository", "dba_addm_"];
    for (origin, text) in [of_the_dialect(), of_the_catalogue(), of_the_node()].concat() {
        let text = text.to_lowercase();
        assert!(licensed.iter().all(|name| !text.contains(name)), "{origin}: {text}");
    }
}

#[test]
fn binds_become_numbers_and_assignments_stay() {
    assert_eq!(with_binds("x := a; select :rows + 1, :pad from dual"), "x := a; select :1 + 1, :1 from dual");
}
