//! Every test of the catalogue on every engine, in the smallest size: right answers, 23 steps counted by the
//! interpreter and by the engine; and existing data sets are reused.

mod faults;

use std::sync::atomic::AtomicBool;

use engine::{Engine, Kind, Node, Processes, Session, Target, Value, Workspace};
use measure::Work;
use record::{DataSet, Dop, Layer, Preset, name};
use tempfile::TempDir;
use workload::data_set::{Loading, ensure, needed};
use workload::{
    DataTable, Job, Sizes, Test, TestContext, broken_condition, catalogue, commits_counted, jobs, make_tables, set_up,
    tear_down,
};

use crate::faults::Fault;

const STEPS: u64 = 23;

/// The same for CPU tests in DuckDB, whose procedures are recursive queries: a step takes a second.
const LONG_STEPS: u64 = 2;

/// The tests of the order mix.
const ORDER_MIXES: [&str; 2] = ["C100", "C110"];

/// A session of MariaDB or MySQL that is at work.
const AT_WORK: &str = "select id from information_schema.processlist where command in ('Execute', 'Query') \
                       and id <> connection_id() and db = database() limit 1";
const KILL_QUERY: Fault = Fault::OfQuery { query: AT_WORK, statement: "kill query" };
const KILL: Fault = Fault::OfQuery { query: AT_WORK, statement: "kill" };

static NEVER: AtomicBool = AtomicBool::new(false);

/// By two sessions, without reports.
const LOADING: Loading<'static> = Loading { jobs: 2, stop: &NEVER, progress: &|_| {}, server_cpu: &|| None };

/// A claimed node in its own directory.
struct Fixture {
    engine: &'static dyn Engine,
    node: Option<Box<dyn Node>>,
    sizes: Sizes,
    directory: TempDir,
}

impl Fixture {
    fn new(engine: &'static dyn Engine, target: &str) -> Fixture {
        let directory = tempfile::Builder::new().prefix("dbdyno-catalogue-").tempdir_in("/tmp").expect("a directory");
        let target: Target = target.parse().expect("a target");
        let workspace =
            Workspace { directory: directory.path().to_owned(), keep: false, cache_bytes: None, sessions_max: 16 };
        let node = engine.open(&target, &workspace).unwrap_or_else(|error| panic!("open {target}: {error:?}"));
        node.claim().expect("claim");
        let sizes = Sizes::derive(Preset::Smoke, None, 42);
        Fixture { engine, node: Some(node), sizes, directory }
    }

    fn node(&self) -> &dyn Node {
        self.node.as_deref().expect("open until dropped")
    }

    fn context(&self) -> TestContext<'_> {
        TestContext { engine: self.engine, node: self.node(), others: &[], sizes: &self.sizes }
    }

    fn session(&self) -> Box<dyn Session> {
        self.node().connect().expect("a session")
    }

    fn ask(&self, sql: &str) -> Vec<Vec<Value<'static>>> {
        let mut session = self.session();
        let statement = session.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        session.query(statement, &[]).unwrap_or_else(|error| panic!("{sql}: {error:?}"))
    }

    fn load(&self, tables: &[DataTable]) -> Vec<DataSet> {
        ensure(&self.context(), tables, &LOADING).unwrap_or_else(|error| panic!("{error:?}"))
    }

    /// Runs `test` with two jobs and checks its counts.
    fn run(&self, test: &Test, dop: Dop) {
        let (context, caps) = (self.context(), *self.node().caps());
        let kept = set_up(test, &context, &LOADING).unwrap_or_else(|error| panic!("{error:?}"));
        let mut jobs = jobs(test, &context, dop).unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(jobs.len() as u32, dop.jobs);
        for job in &mut jobs {
            job.check().unwrap_or_else(|broken| panic!("{broken}"));
        }
        let is_long = self.engine.name() == "duckdb" && test.layer == Layer::Cpu;
        let steps_of_job = if is_long { LONG_STEPS } else { STEPS };
        let (operations, rows, transactions) = promised(test, &self.sizes);
        let (mut done, mut rows_of_all) = ((0, 0, 0), 0);
        let orders_before = ORDER_MIXES.contains(&test.code.as_str()).then(|| self.orders_and_payments());
        let mut entered = [0, 0];
        let commits = self.commits(&mut jobs, &mut |jobs| {
            for number in 0..steps_of_job {
                for job in jobs.iter_mut() {
                    let step = job.step(number).unwrap_or_else(|broken| panic!("{broken}"));
                    assert_eq!(step.failure, None, "{}", test.code);
                    if let Some(count) = entered.get_mut(step.stream as usize) {
                        *count += step.transactions as i64;
                    }
                    // Each kind of a mixed load has rows of its own.
                    rows_of_all += match test.code.as_str() {
                        "T741" => [1, 25, 1, 80][step.stream as usize],
                        "C100" | "C110" | "H100" => step.rows,
                        // Rows that were changed have the same text: one of them is distinct.
                        "T731" if (216..=rows).contains(&step.rows) => step.rows,
                        _ => rows,
                    };
                    done = (done.0 + step.operations, done.1 + step.rows, done.2 + step.transactions);
                }
            }
        });
        let steps = steps_of_job * u64::from(dop.jobs);
        assert_eq!((done.0, done.1), (steps * operations, rows_of_all), "operations and rows of {}", test.code);
        match test.code.as_str() {
            // Some of their steps first empty the table.
            "T211" | "T322" | "T331" | "T332" | "T362" | "T363" => {
                assert!(done.2 > steps && done.2 < steps * 2, "{}: {}", test.code, done.2)
            }
            // One in a hundred orders is rolled back.
            "C100" => assert!((steps - 2..=steps).contains(&done.2), "{} of {steps}", done.2),
            _ => assert_eq!(done.2, steps * transactions, "transactions of {}", test.code),
        }
        if commits_counted(test, &caps) {
            assert_eq!(commits, done.2, "commits of {} as the engine counts them", test.code);
        }
        if let Some(before) = orders_before {
            let after = self.orders_and_payments();
            assert_eq!([after[0] - before[0], after[1] - before[1]], entered, "orders and payments are those counted");
        }
        if test.code == "H100" {
            self.tables_of_decision_queries_are_whole(&kept);
        }
        if test.code == "T641" {
            self.each_step_is_a_connection(jobs.as_mut_slice());
        }
        drop(jobs);
        assert_eq!(broken_condition(test, &context).unwrap_or_else(|error| panic!("{error:?}")), None, "{}", test.code);
        match test.code.as_str() {
            "T352" => self.documents_are_changed_in_one_field(),
            "T351" => self.documents_are_those_of_their_keys("documents_0", steps_of_job + 1),
            _ => {}
        }
        tear_down(test, &context).unwrap_or_else(|error| panic!("{error:?}"));
    }

    /// Their rows at scale 0.01 are those of every generator that is derived from that of the TPC, and say so to the last cent.
    fn tables_of_decision_queries_are_whole(&self, loaded: &[DataSet]) {
        let rows = [
            ("h_region", 5),
            ("h_nation", 25),
            ("h_supplier", 100),
            ("h_part", 2_000),
            ("h_partsupp", 8_000),
            ("h_customer", 1_500),
            ("h_orders", 15_000),
            ("h_lineitem", 60_175),
        ];
        for ((table, rows), set) in rows.into_iter().zip(loaded) {
            assert_eq!((set.table.as_str(), set.rows, set.reused), (table, rows, false));
            assert_eq!(self.ask(&format!("select count(*) from {table}"))[0][0], Value::Int(rows as i64), "{table}");
        }
        assert_eq!(loaded.len(), rows.len());
        let test = catalogue().iter().find(|test| test.code == "H100").expect("H100");
        let again = set_up(test, &self.context(), &LOADING).expect("tables");
        assert!(again.iter().all(|set| set.reused), "{again:?}");
        // A row too few, and the table is loaded anew; one that is another one, and an answer is wrong.
        self.session().batch("delete from h_supplier where s_suppkey = 17").expect("a row less");
        let again = set_up(test, &self.context(), &LOADING).expect("tables");
        let loaded: Vec<&str> = again.iter().filter(|set| !set.reused).map(|set| set.table.as_str()).collect();
        assert_eq!(loaded, ["h_supplier"]);
        self.session()
            .batch("update h_lineitem set l_quantity = l_quantity + 1 where l_orderkey = 1")
            .expect("other rows");
        let mut changed = jobs(test, &self.context(), Dop::jobs(1)).expect("a job");
        let broken = changed[0].check().expect_err("another quantity").message;
        assert!(
            broken.starts_with("query q1 returned no row (A, F, ")
                || broken.starts_with("query q1 returned no row (N, O, "),
            "{broken}"
        );
    }

    /// What the tables of the order mix say of orders that were entered, and of payments.
    fn orders_and_payments(&self) -> [i64; 2] {
        ["select sum(d_next_o_id) from district", "select count(*) from history"].map(|query| {
            match &self.ask(query)[0][0] {
                Value::Int(count) => *count,
                Value::Decimal(text) | Value::Text(text) => text.parse().expect("a number"),
                other => panic!("{other:?} is no number"),
            }
        })
    }

    /// The engine counts a connection for each step: all that it was asked for in between, but that of the first question.
    fn each_step_is_a_connection(&self, jobs: &mut [Job<'_>]) {
        let counted = match self.engine.name() {
            "postgres" => "select sessions from pg_stat_database where datname = current_database()",
            "mariadb" => {
                "select variable_value from information_schema.global_status where variable_name = 'Connections'"
            }
            "mysql" => {
                "select variable_value from performance_schema.global_status where variable_name = 'Connections'"
            }
            _ => return,
        };
        let count = || -> i64 {
            let answer = self.ask(counted);
            match &answer[0][0] {
                Value::Int(count) => *count,
                Value::Text(text) => text.parse().expect("a number"),
                other => panic!("{other:?} is no number"),
            }
        };
        // A session of PostgreSQL is counted when it has reported for the first time: at its end at the latest.
        let settled = || {
            let (mut before, mut now) = (-1, count());
            while now != before + 1 {
                std::thread::sleep(std::time::Duration::from_millis(200));
                (before, now) = (now, count());
            }
            now
        };
        let before = settled();
        for number in 0..STEPS {
            for job in jobs.iter_mut() {
                job.step(number).unwrap_or_else(|broken| panic!("{broken}"));
            }
        }
        // Each question is a connection too; the last of those before may be counted late, and no other one closes the gap.
        let steps = STEPS as i64 * jobs.len() as i64;
        let counts = |question: i64| {
            std::thread::sleep(std::time::Duration::from_millis(100));
            count() - before == steps + question
        };
        assert!((1..=50).any(counts), "{} does not count {steps} connections", self.engine.title());
    }

    /// The documents of `table`, by key.
    fn documents(&self, table: &str) -> Vec<serde_json::Value> {
        let rows = self.ask(&format!("select id, doc from {table} order by id"));
        let document = |row: &Vec<Value<'static>>| match (&row[0], &row[1]) {
            (Value::Int(id), Value::Text(text)) => {
                let document: serde_json::Value = serde_json::from_str(text).expect("JSON");
                assert_eq!(document["id"], format!("{id:012}"));
                document
            }
            other => panic!("{other:?} is no document"),
        };
        rows.iter().map(document).collect()
    }

    fn documents_are_those_of_their_keys(&self, table: &str, count: u64) {
        let documents = self.documents(table);
        assert_eq!(documents.len() as u64, count);
        assert!(documents.iter().all(|document| document["lines"].as_array().map(Vec::len) == Some(9)));
    }

    /// Nothing but the city of some documents is other than before: tables of two runs differ in nothing else.
    fn documents_are_changed_in_one_field(&self) {
        let test = catalogue().iter().find(|test| test.code == "T352").expect("T352");
        let changed = self.documents("documents");
        make_tables(test, &self.context(), 1).expect("new tables");
        let original = self.documents("documents");
        assert_eq!(changed.len(), original.len());
        let mut cities = 0;
        for (changed, original) in changed.iter().zip(&original) {
            cities += u64::from(changed["city"] != original["city"]);
            assert_eq!(changed["city"].as_str().map(str::len), Some(16), "{changed}");
            for field in ["id", "lines", "total", "status"] {
                assert_eq!(changed[field], original[field], "{field}");
            }
        }
        // 48 draws out of 64 keys hit 34 of them on average.
        assert!((15..=48).contains(&cities), "{cities} documents are changed");
    }

    /// Commits that the engine counts for `work`, without those of reading counters.
    fn commits(&self, jobs: &mut [Job<'_>], work: &mut dyn FnMut(&mut [Job<'_>])) -> u64 {
        let mut reader = self.session();
        let publish = |jobs: &mut [Job<'_>]| -> u64 {
            jobs.iter_mut().map(|job| job.publish_counters().expect("counters published")).sum()
        };
        publish(jobs);
        let (before, reading) = self.node().counters(reader.as_mut()).expect("counters");
        work(jobs);
        let publishing = publish(jobs);
        let (after, _) = self.node().counters(reader.as_mut()).expect("counters");
        after[name::COMMIT_COUNT] - before[name::COMMIT_COUNT] - reading - publishing
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let closed = self.node.take().map(Node::close);
        if !std::thread::panicking() {
            closed.expect("open").expect("close");
            assert_eq!(self.directory.path().read_dir().expect("the directory").count(), 0, "something is left");
        }
    }
}

/// Operations, rows and transactions of one step, by the codes of the published reports.
fn promised(test: &Test, sizes: &Sizes) -> (u64, u64, u64) {
    let parameter = |name: &str| test.parameters(Preset::Smoke)[name] as u64;
    match test.code.as_str() {
        "T131" | "T132" | "T133" | "T141" => (parameter("operations"), 1, 1),
        "T151" => (465, 1, 1),
        "T152" => (2_000, 1, 1),
        "T161" => (1_000, 1, 1),
        "T421" => (sizes.small_rows, sizes.small_rows, 1),
        "T611" | "T641" | "T321" | "T341" | "T351" | "T352" | "T651" | "T652" => (1, 1, 1),
        "T361" | "T362" | "T363" | "T461" | "T462" | "T463" => (1, 1, 1),
        "T621" => (1, 320, 1),
        "T211" => (64, 64, 1),
        "T426" | "T431" => (sizes.large_rows, sizes.large_rows, 1),
        "T626" => (320, 320, 1),
        "T721" | "T722" => (1, 320, 1),
        "T331" | "T332" => (512, 512, 1),
        "T441" => (1, sizes.large_rows, 1),
        "T512" => (sizes.large_rows, sizes.large_rows, 2),
        "T311" => (1, 2, 1),
        "T322" => (32, 32, 1),
        "T342" => (10, 10, 1),
        "T343" => (100, 100, 1),
        "T344" => (1_000, 1_000, 1),
        "T751" | "T752" | "T753" | "T755" => (10, 10, 10),
        "T616" | "T716" => (1, 32, 1),
        "T731" => (1, 315, 1),
        "C100" | "C110" | "H100" => (1, 0, 1),
        "T741" => (1, 0, 1),
        other => panic!("{other} is promised nothing"),
    }
}

fn every_test_on(fixture: &Fixture, skipped: &[(&str, &str)]) {
    let caps = *fixture.node().caps();
    let missing = |test: &Test| test.missing(&caps, fixture.engine);
    let reasons: Vec<(&str, String)> =
        catalogue().iter().filter_map(|test| Some((test.code.as_str(), missing(test)?))).collect();
    let reasons: Vec<(&str, &str)> = reasons.iter().map(|(code, reason)| (*code, reason.as_str())).collect();
    assert_eq!(reasons, skipped);
    let tests: Vec<&Test> = catalogue().iter().filter(|test| missing(test).is_none()).collect();
    fixture.load(&needed(tests.iter().copied()));
    let objects = tables(fixture);
    for test in &tests {
        let dop =
            if test.is_parallel(&caps) { Dop { nodes: 1, jobs: 1, threads: 2 } } else { Dop::jobs(jobs_of(test)) };
        fixture.run(test, dop);
    }
    assert_eq!(tables(fixture), objects, "a test left something behind");
    // The answers are still right after updates.
    assert!(fixture.load(&[DataTable::Small, DataTable::Large]).iter().all(|set| set.reused));
}

/// A test of threads runs with one job: two would create the same index.
fn jobs_of(test: &Test) -> u32 {
    match test.sweep {
        record::Sweep::Jobs | record::Sweep::Agents { .. } => 2,
        record::Sweep::Threads => 1,
    }
}

/// The readable names, in both engines.
fn tables(fixture: &Fixture) -> Vec<&'static str> {
    let mut session = fixture.session();
    let names = [
        "small",
        "large",
        "dbdyno_data_set",
        "orders",
        "written_0",
        "written_1",
        "loaded_0",
        "loaded_1",
        "committed_0",
        "logged_0",
        "arrived_0",
        "documents",
        "documents_0",
        "values_0",
        "large_values",
        "read_write_rows",
    ];
    let there = |name: &&str| match session.prepare(&format!("select 1 from {name}")) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.kind, Kind::Statement, "{error:?}");
            false
        }
    };
    names.into_iter().filter(there).collect()
}

/// A complete data set is reused, an incomplete one is loaded again.
fn a_data_set_is_used_again(fixture: &Fixture) {
    let both = [DataTable::Small, DataTable::Large];
    let first = fixture.load(&both);
    assert!(first.iter().all(|set| !set.reused && set.load_ns.is_some() && set.finish_ns.is_some()));
    let apart = fixture.node().processes() != Processes::InProcess;
    assert!(first.iter().all(|set| set.generator_cpu_ns.is_some() == apart));
    assert_eq!(first[1].jobs, if fixture.node().caps().concurrent_writers { 2 } else { 1 });
    let again = fixture.load(&both);
    assert!(again.iter().all(|set| set.reused && set.load_ns.is_none()));
    assert_eq!(again[0].fingerprint, first[0].fingerprint);
    for damage in ["delete from small where id = 17", "update small set value = -1 where id = 1", "drop table small"] {
        fixture.session().batch(damage).unwrap_or_else(|error| panic!("{damage}: {error:?}"));
        let reused: Vec<bool> = fixture.load(&both).iter().map(|set| set.reused).collect();
        assert_eq!(reused, [false, true], "after {damage}");
        assert_eq!(fixture.ask("select count(*), min(value) >= 0 from small")[0][0], Value::Int(3_200));
    }
    let other = Sizes { seed: 43, ..fixture.sizes };
    let stop = AtomicBool::new(false);
    let loading = Loading { jobs: 2, stop: &stop, progress: &|_| {}, server_cpu: &|| None };
    let sets =
        ensure(&TestContext { sizes: &other, ..fixture.context() }, &[DataTable::Small], &loading).expect("loaded");
    assert!(!sets[0].reused && sets[0].fingerprint != first[0].fingerprint);
}

/// An aborted load leaves no table, and the next one starts from the beginning.
fn a_broken_load_leaves_nothing(fixture: &Fixture) {
    fixture.load(&[DataTable::Small]);
    let stop = AtomicBool::new(false);
    let progress = |_| stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let loading = Loading { jobs: 2, stop: &stop, progress: &progress, server_cpu: &|| None };
    let sizes = fixture.sizes.with_rows(None, Some(1_000_000));
    let context = TestContext { sizes: &sizes, ..fixture.context() };
    let error = ensure(&context, &[DataTable::Large], &loading).expect_err("aborted");
    assert_eq!(error.message, "the load of table large was interrupted");
    assert!(fixture.session().prepare("select 1 from large").is_err(), "half a table is left");
    let sets = fixture.load(&[DataTable::Small, DataTable::Large]);
    assert_eq!(sets.iter().map(|set| set.reused).collect::<Vec<bool>>(), [true, false]);
}

mod on_sqlite {
    use super::*;

    fn fixture() -> Fixture {
        Fixture::new(&sqlite::SQLITE, "sqlite")
    }

    #[test]
    fn every_test_gives_the_right_answers_and_counts() {
        let skipped = [
            ("T132", "no exact decimal arithmetic"),
            ("T161", "no procedural language"),
            ("T332", "no table compression"),
            ("C110", "no procedural language"),
        ];
        every_test_on(&fixture(), &skipped);
    }

    /// What breaks each condition of the order mix alone, or first.
    const BREAKS: [(&str, &[&str]); 12] = [
        ("sales_of_warehouses", &["update warehouse set w_ytd = w_ytd + 1 where w_id = 1"]),
        ("next_order", &["update district set d_next_o_id = d_next_o_id + 1 where d_w_id = 1 and d_id = 1"]),
        ("last_new_order", &["delete from new_order where no_w_id = 1 and no_d_id = 1 and no_o_id = 30"]),
        ("new_orders_in_sequence", &["delete from new_order where no_w_id = 1 and no_d_id = 1 and no_o_id = 25"]),
        (
            "lines_of_districts",
            &["update orders set o_ol_cnt = o_ol_cnt + 1 where o_w_id = 1 and o_d_id = 1 and o_id = 1"],
        ),
        (
            "new_orders_have_no_carrier",
            &["update orders set o_carrier_id = 3 where o_w_id = 1 and o_d_id = 1 and o_id = 30"],
        ),
        (
            "lines_of_orders",
            &["update orders set o_ol_cnt = o_ol_cnt + case o_id when 1 then 1 else -1 end \
               where o_w_id = 1 and o_d_id = 1 and o_id in (1, 2)"],
        ),
        (
            "delivered_lines",
            &["update order_line set ol_delivery_d = '2026-01-01' where ol_w_id = 1 and ol_d_id = 1 and ol_o_id = 30"],
        ),
        (
            "payments_of_warehouses",
            &[
                "update warehouse set w_ytd = w_ytd + 1 where w_id = 1",
                "update district set d_ytd = d_ytd + 1 where d_w_id = 1 and d_id = 1",
            ],
        ),
        (
            "payments_of_districts",
            &[
                "update district set d_ytd = d_ytd + case d_id when 1 then 1 else -1 end where d_w_id = 1 and d_id in (1, 2)",
            ],
        ),
        ("balances", &["update customer set c_balance = c_balance + 1 where c_w_id = 1 and c_d_id = 1 and c_id = 1"]),
        (
            "balances_and_payments",
            &["update customer set c_ytd_payment = c_ytd_payment + 1 where c_w_id = 1 and c_d_id = 1 and c_id = 1"],
        ),
    ];

    #[test]
    fn each_broken_condition_of_the_order_mix_is_found() {
        let fixture = fixture();
        let test = catalogue().iter().find(|test| test.code == "C100").expect("C100");
        for (name, statements) in BREAKS {
            set_up(test, &fixture.context(), &LOADING).expect("tables");
            assert_eq!(broken_condition(test, &fixture.context()).expect("conditions"), None, "as loaded");
            let mut session = fixture.session();
            statements.iter().for_each(|statement| session.batch(statement).expect(name));
            drop(session);
            let broken = broken_condition(test, &fixture.context()).expect("conditions").unwrap_or_default();
            assert!(broken.starts_with(&format!("condition {name} does not hold: ")), "{name}: {broken}");
        }
        tear_down(test, &fixture.context()).expect("no tables");
    }

    #[test]
    fn a_complete_data_set_is_reused() {
        a_data_set_is_used_again(&fixture());
    }

    #[test]
    fn an_aborted_load_leaves_no_table() {
        a_broken_load_leaves_nothing(&fixture());
    }
}

mod on_duckdb {
    use super::*;

    fn fixture() -> Fixture {
        let library = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/duckdb/libduckdb.so");
        let there = std::path::Path::new(library).exists();
        assert!(there, "no DuckDB library at {library}\nhint: run ./test.sh once, it installs one");
        Fixture::new(&duckdb::DUCKDB, &format!("duckdb?library={library}"))
    }

    #[test]
    fn every_test_gives_the_right_answers_and_counts() {
        every_test_on(&fixture(), &[("T161", "no procedural language"), ("C110", "no procedural language")]);
    }

    #[test]
    fn a_complete_data_set_is_reused() {
        a_data_set_is_used_again(&fixture());
    }

    #[test]
    fn an_aborted_load_leaves_no_table() {
        a_broken_load_leaves_nothing(&fixture());
    }
}

mod on_postgres {
    use super::*;
    use crate::faults;

    fn fixture() -> Fixture {
        Fixture::new(&postgres::POSTGRES, "local:postgres")
    }

    /// A session that is at work.
    const CANCEL: Fault = Fault::Statement(
        "select pg_cancel_backend(pid) from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() \
         and backend_type = 'client backend' limit 1",
    );
    const TERMINATE: Fault = Fault::Statement(
        "select pg_terminate_backend(pid) from pg_stat_activity where xact_start is not null and pid <> pg_backend_pid() \
         and backend_type = 'client backend' limit 1",
    );

    #[test]
    fn order_mixes_stay_consistent_where_statements_are_cancelled_and_sessions_lost() {
        let fixture = fixture();
        for code in ORDER_MIXES {
            faults::cancelled_statements_are_failed_steps(&fixture, code, CANCEL, false);
            faults::a_lost_session_leaves_one_step_unknown_at_most(&fixture, code, TERMINATE);
        }
    }

    #[test]
    fn an_order_that_is_tried_again_is_one_order() {
        let target = "local:postgres?default_transaction_isolation=serializable";
        faults::transactions_that_are_tried_again_count_once(&Fixture::new(&postgres::POSTGRES, target));
    }

    #[test]
    fn every_test_gives_the_right_answers_and_counts() {
        every_test_on(&fixture(), &[("T332", "no table compression")]);
    }

    #[test]
    fn a_complete_data_set_is_reused() {
        a_data_set_is_used_again(&fixture());
    }

    #[test]
    fn an_aborted_load_leaves_no_table() {
        a_broken_load_leaves_nothing(&fixture());
    }
}

mod on_mariadb {
    use super::*;
    use crate::faults;

    fn fixture() -> Fixture {
        Fixture::new(&mysql::MARIADB, "local:mariadb")
    }

    #[test]
    fn order_mixes_stay_consistent_where_statements_are_cancelled_and_sessions_lost() {
        let fixture = fixture();
        for code in ORDER_MIXES {
            faults::cancelled_statements_are_failed_steps(&fixture, code, KILL_QUERY, code == "C110");
            faults::a_lost_session_leaves_one_step_unknown_at_most(&fixture, code, KILL);
        }
    }

    #[test]
    fn every_test_gives_the_right_answers_and_counts() {
        every_test_on(&fixture(), &[]);
    }

    #[test]
    fn a_complete_data_set_is_reused() {
        a_data_set_is_used_again(&fixture());
    }

    #[test]
    fn an_aborted_load_leaves_no_table() {
        a_broken_load_leaves_nothing(&fixture());
    }
}

mod on_mysql {
    use super::*;
    use crate::faults;

    fn fixture() -> Fixture {
        Fixture::new(&mysql::MYSQL, concat!("local:mysql?bin=", env!("CARGO_MANIFEST_DIR"), "/../../target/mysql/bin"))
    }

    #[test]
    fn order_mixes_stay_consistent_where_statements_are_cancelled_and_sessions_lost() {
        let fixture = fixture();
        for code in ORDER_MIXES {
            faults::cancelled_statements_are_failed_steps(&fixture, code, KILL_QUERY, code == "C110");
            faults::a_lost_session_leaves_one_step_unknown_at_most(&fixture, code, KILL);
        }
    }

    #[test]
    fn every_test_gives_the_right_answers_and_counts() {
        every_test_on(&fixture(), &[]);
    }

    #[test]
    fn an_aborted_load_leaves_no_table() {
        a_broken_load_leaves_nothing(&fixture());
    }
}
