//! The scripts for a schema that HammerDB has built, on procedures with the parameters that its have.

use serde_json::Value;

use crate::bench::{Bench, growth, runs};
use crate::far_server::FarServer;
use crate::mariadb_server::MariadbServer;

/// What the schema has on PostgreSQL: procedures that note what they are called with.
const SCHEMA: &str = "
create table warehouse (w_id int); insert into warehouse select generate_series(1, 7);
create table calls (name text, home int, district int, customer int, other int, last_name text);
create procedure neword(w integer, max_w integer, d integer, c integer, lines integer, inout discount numeric,
  inout last varchar, inout credit varchar, inout d_tax numeric, inout w_tax numeric, inout next integer, at timestamp)
  language sql as $$ insert into calls values ('neword', w, d, c, lines, null) returning 0.0, '', '', 0.0, 0.0, 1 $$;
create procedure payment(w integer, d integer, c_w integer, c_d integer, by_name integer, amount numeric,
  inout credit char(2), inout last varchar(16), inout c integer, inout w1 varchar(20), inout w2 varchar(20),
  inout w3 varchar(20), inout w4 char(2), inout w5 char(9), inout d1 varchar(20), inout d2 varchar(20),
  inout d3 varchar(20), inout d4 char(2), inout d5 char(9), inout c1 varchar(16), inout c2 char(2), inout c3 varchar(20),
  inout c4 varchar(20), inout c5 varchar(20), inout c6 char(2), inout c7 char(9), inout c8 char(16), inout since timestamp,
  inout credit_limit numeric(12,2), inout discount numeric(4,4), inout balance numeric(12,2), inout data varchar(500),
  at timestamp) language plpgsql as $$ begin
  insert into calls values ('payment', w, d, c, c_w, case when by_name = 1 then last end); end $$;
create procedure delivery(w integer, carrier integer, at timestamp) language sql as
  $$ insert into calls values ('delivery', w, null, null, carrier, null) $$;
create procedure slev(w integer, d integer, threshold integer, inout low integer) language plpgsql as $$ begin
  insert into calls values ('slev', w, d, null, threshold, null); low := 1; end $$;
create procedure ostat(w integer, d integer, inout c integer, by_name integer, inout last varchar, inout first varchar,
  inout middle varchar, inout balance numeric, inout o integer, inout entered timestamp, inout carrier integer,
  inout line text default '') language plpgsql as $$ begin
  insert into calls values ('ostat', w, d, c, null, case when by_name = 1 then last end); end $$;";

/// The same on MariaDB.
const SCHEMA_OF_MARIADB: &str = "
create database tpcc; use tpcc;
create table warehouse (w_id int); insert into warehouse values (1), (2), (3), (4), (5), (6), (7);
create table calls (name text, home int, district int, customer int, other int, last_name text);
delimiter //
create procedure neword(w integer, max_w integer, d integer, c integer, line_count integer, out discount decimal(4,4),
  out last varchar(16), out credit varchar(2), out d_tax decimal(4,4), out w_tax decimal(4,4), inout next_o integer,
  at_ datetime) begin insert into calls values ('neword', w, d, c, line_count, null); commit; end//
create procedure payment(w integer, d integer, c_w integer, c_d integer, inout c integer, by_name integer,
  amount decimal(6,2), inout last varchar(16), out w1 varchar(20), out w2 varchar(20), out w3 varchar(20), out w4 char(2),
  out w5 char(9), out d1 varchar(20), out d2 varchar(20), out d3 varchar(20), out d4 char(2), out d5 char(9),
  out c1 varchar(16), out c2 char(2), out c3 varchar(20), out c4 varchar(20), out c5 varchar(20), out c6 char(2),
  out c7 char(9), out c8 char(16), out since datetime, inout credit char(2), out credit_limit decimal(12,2),
  out discount decimal(4,4), inout balance decimal(12,2), out data varchar(500), at_ datetime)
  begin insert into calls values ('payment', w, d, c, c_w, if(by_name = 1, last, null)); commit; end//
create procedure delivery(w integer, carrier integer, at_ datetime)
  begin insert into calls values ('delivery', w, null, null, carrier, null); commit; end//
create procedure slev(w integer, d integer, threshold integer, out low integer)
  begin insert into calls values ('slev', w, d, null, threshold, null); commit; end//
create procedure ostat(w integer, d integer, inout c integer, by_name integer, inout last varchar(16),
  out first varchar(16), out middle char(2), out balance decimal(12,2), out o integer, out entered datetime,
  out carrier integer)
  begin insert into calls values ('ostat', w, d, c, null, if(by_name = 1, last, null)); commit; end//";

/// Runs the scripts of the schema at `target`, and holds what they report against what the procedures have noted, which `ask` tells.
fn called_as_they_are(bench: &Bench, target: &str, ask: &dyn Fn(&str) -> String) -> Value {
    let words = ["run", "--target", target, "--schema", "tpcc", "--jobs", "2", "--steps", "200"];
    let exact =
        ["--preset", "smoke", "--seconds", "60", "--no-activity", "--no-html", "--quiet", "--record", "r.jsonl"];
    bench.succeed(&[&words[..], &exact].concat());
    let record = bench.record("r.jsonl");
    let run = runs(&record, "X100")[0];
    assert_eq!((&run["outcome"]["status"], &run["totals"]["operations"]), (&"done".into(), &400.into()), "{run}");
    assert_eq!(run["transaction_types"][0]["per_minute"], "NOPM");
    for of in run["transaction_types"].as_array().unwrap() {
        let name = of["name"].as_str().unwrap().trim_start_matches("schema:tpcc/");
        let calls: u64 = ask(&format!("select count(*) from calls where name = '{name}'")).parse().unwrap();
        // Each job has called one before the window, to warm up.
        let steps = of["totals"]["steps"].as_u64().unwrap();
        assert!(steps > 0 && (steps..=steps + 2).contains(&calls), "{calls} of {steps} of {name}");
    }
    for contradiction in [
        "home not between 1 and 7 or (select count(distinct home) from calls) > 2",
        "customer not between 1 and 3000",
        "name = 'neword' and other not between 5 and 15",
        "name = 'slev' and (select count(distinct district) from calls where name = 'slev') > 2",
    ] {
        assert_eq!(ask(&format!("select count(*) from calls where {contradiction}")), "0", "{contradiction}");
    }
    let names = ask("select distinct last_name from calls where last_name is not null");
    let syllables = ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];
    let without = |name: &str, count: usize| {
        (0..count).fold(name.to_owned(), |name, _| {
            let first = syllables.iter().find_map(|syllable| name.strip_prefix(syllable));
            first.unwrap_or(&name).to_owned()
        })
    };
    assert!(names.lines().count() > 20 && names.lines().all(|name| without(name, 3).is_empty()), "{names}");
    run.clone()
}

#[test]
fn procedures_of_others_are_called_as_they_are() {
    let bench = Bench::new();
    let Some(server) = FarServer::start(&bench, "db1") else { return };
    server.ask(SCHEMA);
    let run = called_as_they_are(&bench, &server.target(), &|question| server.ask(question));
    let counted = growth(&run, "commit_count").unwrap() - growth(&run, "bookkeeping_commit_count").unwrap();
    assert_eq!(counted, 400, "each call is a commit");
    for (question, answer) in [
        ("select string_agg(distinct nspname, ',') from pg_namespace where nspname = 'dbdyno'", ""),
        (
            "select string_agg(relname, ',' order by relname) from pg_class where relnamespace = 'public'::regnamespace",
            "calls,warehouse",
        ),
    ] {
        assert_eq!(server.ask(question), answer, "{question}");
    }
}

#[test]
fn procedures_of_others_are_called_in_the_words_of_mariadb() {
    let bench = Bench::new();
    let server = MariadbServer::start(&bench);
    server.ask(SCHEMA_OF_MARIADB);
    called_as_they_are(&bench, &server.target("tpcc"), &|question| server.ask(&format!("use tpcc; {question}")));
    assert_eq!(server.ask("select count(*) from information_schema.schemata where schema_name = 'dbdyno'"), "0");
    let tables = server.ask("select table_name from information_schema.tables where table_schema = 'tpcc'");
    assert_eq!(tables.lines().count(), 2, "{tables}");
}

#[test]
fn a_script_finds_the_tables_of_the_database_of_its_target() {
    let bench = Bench::new();
    let server = MariadbServer::start(&bench);
    server.ask("create database shop; use shop; create table basket (id int); insert into basket values (1), (2);");
    std::fs::write(bench.path().join("put.sql"), "insert into basket values (:client_id);\n").unwrap();
    let target = server.target("shop");
    let words = ["run", "--target", &target, "--script", "put.sql", "--gauge", "rows=select count(*) from basket"];
    let exact = ["--jobs", "2", "--steps", "50", "--preset", "smoke", "--seconds", "60", "--no-html", "--quiet"];
    bench.succeed(&[&words[..], &exact, &["--record", "r.jsonl"]].concat());
    let rows: u64 = server.ask("select count(*) from shop.basket").parse().unwrap();
    assert!((102..=104).contains(&rows), "{rows}");
}

#[test]
fn an_engine_without_the_procedures_is_refused() {
    let bench = Bench::new();
    let refused = bench.run(&["run", "--schema", "tpcc"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("schema tpcc has no procedures on sqlite"), "{}", refused.err);
    let pair = bench.run(&["pair", "--a", "postgres://db1/tpcc", "--b", "mariadb://db2/tpcc", "--schema", "tpcc"]);
    assert_eq!(pair.code, 2, "{}", pair.err);
    assert!(pair.err.contains("other procedures on postgres than on mariadb"), "{}", pair.err);
}
