//! Every test of the catalogue on every engine, in the smallest size: right answers, 23 steps counted by the
//! interpreter and by the engine; and existing data sets are reused.

use std::sync::atomic::AtomicBool;

use engine::{Engine, Kind, Node, Processes, Session, Target, Value, Workspace};
use measure::Work;
use record::{DataSet, Dop, Layer, Preset, name};
use tempfile::TempDir;
use workload::data_set::{Loading, ensure, needed};
use workload::{DataTable, Job, Sizes, Test, TestContext, catalogue, commits_counted, jobs, set_up, tear_down};

const STEPS: u64 = 23;

/// The same for CPU tests in DuckDB, whose procedures are recursive queries: a step takes a second.
const LONG_STEPS: u64 = 2;

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
        let stop = AtomicBool::new(false);
        let loading = Loading { jobs: 2, stop: &stop, progress: &|_| {}, server_cpu: &|| None };
        ensure(&self.context(), tables, &loading).unwrap_or_else(|error| panic!("{error:?}"))
    }

    /// Runs `test` with two jobs and checks its counts.
    fn run(&self, test: &Test, dop: Dop) {
        let (context, caps) = (self.context(), *self.node().caps());
        set_up(test, &context).unwrap_or_else(|error| panic!("{error:?}"));
        let mut jobs = jobs(test, &context, dop).unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(jobs.len() as u32, dop.jobs);
        for job in &mut jobs {
            job.check().unwrap_or_else(|broken| panic!("{broken}"));
        }
        let is_long = self.engine.name() == "duckdb" && test.layer == Layer::Cpu;
        let steps_of_job = if is_long { LONG_STEPS } else { STEPS };
        let mut done = (0, 0, 0);
        let commits = self.commits(&mut jobs, &mut |jobs| {
            for number in 0..steps_of_job {
                for job in jobs.iter_mut() {
                    let step = job.step(number).unwrap_or_else(|broken| panic!("{broken}"));
                    assert_eq!(step.failure, None, "{}", test.code);
                    done = (done.0 + step.operations, done.1 + step.rows, done.2 + step.transactions);
                }
            }
        });
        let steps = steps_of_job * u64::from(dop.jobs);
        let (operations, rows, transactions) = promised(test, &self.sizes);
        assert_eq!((done.0, done.1), (steps * operations, steps * rows), "operations and rows of {}", test.code);
        match test.code.as_str() {
            // Some of their steps first empty the table.
            "T211" | "T322" | "T331" | "T332" => {
                assert!(done.2 > steps && done.2 < steps * 2, "{}: {}", test.code, done.2)
            }
            _ => assert_eq!(done.2, steps * transactions, "transactions of {}", test.code),
        }
        if commits_counted(test, &caps) {
            assert_eq!(commits, done.2, "commits of {} as the engine counts them", test.code);
        }
        drop(jobs);
        tear_down(test, &context).unwrap_or_else(|error| panic!("{error:?}"));
    }

    /// Commits that the engine counts for `work`, without those of reading counters.
    fn commits(&self, jobs: &mut [Job], work: &mut dyn FnMut(&mut [Job])) -> u64 {
        let mut reader = self.session();
        let publish = |jobs: &mut [Job]| -> u64 {
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
        "T611" | "T321" | "T341" => (1, 1, 1),
        "T621" => (1, 320, 1),
        "T211" => (64, 64, 1),
        "T426" | "T431" => (sizes.large_rows, sizes.large_rows, 1),
        "T626" => (320, 320, 1),
        "T721" => (1, 320, 1),
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
        ];
        every_test_on(&fixture(), &skipped);
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
        every_test_on(&fixture(), &[("T161", "no procedural language")]);
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

    fn fixture() -> Fixture {
        Fixture::new(&postgres::POSTGRES, "local:postgres")
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

    fn fixture() -> Fixture {
        Fixture::new(&mysql::MARIADB, "local:mariadb")
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

    fn fixture() -> Fixture {
        Fixture::new(&mysql::MYSQL, concat!("local:mysql?bin=", env!("CARGO_MANIFEST_DIR"), "/../../target/mysql/bin"))
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
