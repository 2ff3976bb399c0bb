//! The interpreter on an engine with scripted answers that records the statements it receives.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};

use engine::null::NULL;
use engine::{Canceller, Caps, Description, Engine, Node, Processes, RowSource, StatementFile, Target, Workspace};
use measure::RunSeed;
use record::{Dop, EngineInventory, FailureKind, JobShare, Preset};

use super::*;
use crate::data::{DataColumn, DataTable, Sizes};
use crate::data_set::Loading;
use crate::job::{jobs, open_jobs, set_up, tear_down};
use crate::{Job, catalogue};

type Answer = dyn Fn(&str, &[Value<'_>]) -> Result<Vec<Vec<Value<'static>>>> + Send + Sync;

/// What all sessions of the fake share.
struct Script {
    statements: Mutex<Vec<String>>,
    answer: Box<Answer>,
    caps: Caps,
}

struct Fake(Arc<Script>);

impl Fake {
    fn new(answer: impl Fn(&str, &[Value<'_>]) -> Result<Vec<Vec<Value<'static>>>> + Send + Sync + 'static) -> Fake {
        let caps = Caps { answers: true, ..*null().caps() };
        Fake(Arc::new(Script { statements: Mutex::default(), answer: Box::new(answer), caps }))
    }

    /// What was statements since the last time.
    fn statements(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.statements.lock().expect("no panic"))
    }
}

fn null() -> Box<dyn Node> {
    let workspace = Workspace { directory: std::env::temp_dir(), keep: false, cache_bytes: None, sessions_max: 1 };
    NULL.open(&"null".parse().expect("a target"), &workspace).expect("a node")
}

static DESCRIPTION: LazyLock<Description> = LazyLock::new(|| Description {
    name: "fake",
    title: "Fake",
    summary: "gives scripted answers",
    schemes: &["fake"],
    harmless_parameters: &[],
    is_in_process: false,
    statement_files: &[
        StatementFile { name: "T905.read", sql: "own words with :id" },
        StatementFile { name: "T906.read", sql: "own words with :other" },
    ],
    shares_threads: false,
    pipelines: false,
    ..*NULL.about()
});

impl Engine for Fake {
    fn about(&self) -> &Description {
        &DESCRIPTION
    }
    fn open(&self, _target: &Target, _site: &Workspace) -> Result<Box<dyn Node>> {
        Ok(Box::new(Fake(Arc::clone(&self.0))))
    }
}

impl Node for Fake {
    fn caps(&self) -> &Caps {
        &self.0.caps
    }
    fn claim(&self) -> Result<()> {
        Ok(())
    }
    fn connect(&self) -> Result<Box<dyn Session>> {
        Ok(Box::new(FakeSession { script: Arc::clone(&self.0), prepared: Vec::new(), queued: 0 }))
    }
    fn inventory(&self) -> Result<EngineInventory> {
        null().inventory()
    }
    fn counters(&self, _session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)> {
        Ok((BTreeMap::new(), 0))
    }
    fn settle(&self, _session: &mut dyn Session) -> Result<Vec<record::SettlingStep>> {
        Ok(Vec::new())
    }
    fn processes(&self) -> Processes {
        Processes::Remote
    }
    fn data_directory(&self) -> Option<&Path> {
        None
    }
    fn close(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}

struct FakeSession {
    script: Arc<Script>,
    prepared: Vec<String>,
    queued: u64,
}

impl FakeSession {
    fn on_event(&self, text: String) {
        self.script.statements.lock().expect("no panic").push(text);
    }
}

impl Session for FakeSession {
    fn batch(&mut self, sql: &str) -> Result<()> {
        self.on_event(sql.to_owned());
        (self.script.answer)(sql, &[]).map(|_| ())
    }
    fn prepare(&mut self, sql: &str) -> Result<Statement> {
        if sql.starts_with("select 1 from") {
            return Err(Error::new(Kind::Statement, "there is no such table"));
        }
        self.on_event(format!("prepare {sql}"));
        self.prepared.push(sql.to_owned());
        Ok(Statement(self.prepared.len() as u32 - 1))
    }
    fn execute(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<u64> {
        self.query(statement, binds).map(|rows| rows.len() as u64)
    }
    fn query(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<Vec<Vec<Value<'static>>>> {
        let sql = self.prepared[statement.0 as usize].clone();
        self.on_event(format!("{sql} {binds:?}"));
        (self.script.answer)(&sql, binds)
    }
    fn queue(&mut self, _statement: Statement, _binds: &[Value<'_>]) -> Result<()> {
        self.queued += 1;
        Ok(())
    }
    fn execute_queued(&mut self) -> Result<u64> {
        let queued = std::mem::take(&mut self.queued);
        self.on_event(format!("send {queued}"));
        (self.script.answer)("send", &[]).map(|_| queued)
    }
    fn begin(&mut self) -> Result<()> {
        self.on_event("begin".to_owned());
        Ok(())
    }
    fn commit(&mut self) -> Result<()> {
        self.on_event("commit".to_owned());
        (self.script.answer)("commit", &[]).map(|_| ())
    }
    fn rollback(&mut self) -> Result<()> {
        self.on_event("rollback".to_owned());
        Ok(())
    }
    fn bulk(&mut self, table: &str, _rows: &mut dyn RowSource) -> Result<u64> {
        self.on_event(format!("bulk {table}"));
        (self.script.answer)("bulk", &[]).map(|rows| rows.len() as u64)
    }
    fn append(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        self.bulk(table, rows)
    }
    fn canceller(&self) -> Option<Box<dyn Canceller>> {
        None
    }
}

const HEAD: &str = r#"
layer = "server"
summary = "s"
answers = "a"
not = "n"
cost = "c"
limits = "l"
sweep = "jobs"
"#;

fn parse(code: &str, rest: &str) -> Test {
    Test::parse(&format!("code = \"{code}\"{HEAD}{rest}"), "test").unwrap_or_else(|error| panic!("{error}"))
}

fn sizes() -> Sizes {
    Sizes::derive(Preset::Smoke, None, 42)
}

fn one_job<'a>(test: &Test, fake: &'a Fake) -> Job<'a> {
    static SIZES: LazyLock<Sizes> = LazyLock::new(sizes);
    let context = TestContext { engine: fake, node: fake, others: &[], sizes: &SIZES };
    jobs(test, &context, Dop::jobs(1)).unwrap_or_else(|error| panic!("{error}")).remove(0)
}

fn rows(count: usize) -> Vec<Vec<Value<'static>>> {
    vec![Vec::new(); count]
}

const TRANSFER: &str = r#"
unit = "transaction"
operations = 1
transaction = true
[[statement]]
name = "one"
sql = "update a where id = :id"
bind = { id = { uniform = [1, 1_000_000] } }
repeat = 8
ascending = "id"
expect = { changed = 1 }
[[statement]]
name = "two"
sql = "insert :key, :note, :key"
bind = { key = "sequence", note = { text = 5 } }
expect = { changed = 2 }
"#;

#[test]
fn a_step_executes_the_statements_of_its_file_in_order() {
    let fake = Fake::new(|sql, _| Ok(rows(if sql.starts_with("insert") { 2 } else { 1 })));
    let mut job = one_job(&parse("T901", TRANSFER), &fake);
    assert_eq!(fake.statements(), ["prepare update a where id = $1", "prepare insert $1, $2, $1"]);
    for key in 1..3 {
        let done = job.step(0).expect("a step");
        assert_eq!(done, Done { operations: 1, rows: 10, transactions: 1, bytes: 0, ..Done::default() });
        let statements = fake.statements();
        assert_eq!((statements.len(), statements[0].as_str(), statements[10].as_str()), (11, "begin", "commit"));
        let number = |text: &String| text.split(['(', ')']).nth(1).and_then(|digits| digits.parse().ok());
        let keys: Vec<i64> = statements[1..9].iter().filter_map(number).collect();
        assert!(keys.len() == 8 && keys.is_sorted() && keys[0] < keys[7], "{keys:?}");
        assert!(statements[9].starts_with(&format!("insert $1, $2, $1 [Int({key}), Text(\"")), "{}", statements[9]);
    }
}

const READ_THRICE: &str = r#"
[[statement]]
name = "read"
sql = "select"
repeat = 3
expect = { rows = 1 }
"#;

#[test]
fn without_a_transaction_each_execution_is_one() {
    let rest = r#"
unit = "statement"
operations = "rows"
rows = "small.rows"
row_bytes = 10
tables = ["small"]
"#;
    let fake = Fake::new(|_, _| Ok(rows(1)));
    let done = one_job(&parse("T902", &format!("{rest}{READ_THRICE}")), &fake).step(0).expect("a step");
    assert_eq!(done, Done { operations: 3_200, rows: 3_200, transactions: 3, bytes: 32_000, ..Done::default() });
}

#[test]
fn a_pipeline_has_never_more_statements_unanswered_and_counts_as_the_steps_in_it() {
    let rest = r#"
unit = "row"
operations = "rows"
row_bytes = 10
"#;
    let fails = Arc::new(Mutex::new(false));
    let failing = Arc::clone(&fails);
    let fake = Fake::new(move |_, _| match *failing.lock().expect("no panic") {
        true => Err(Error::new(Kind::Step(FailureKind::Constraint), "twice")),
        false => Ok(rows(1)),
    });
    let (test, sizes) = (parse("T902", &format!("{rest}{READ_THRICE}")), sizes());
    assert!(test.pipelines() && !parse("T901", TRANSFER).pipelines());
    let context = TestContext { engine: &fake, node: &fake, others: &[], sizes: &sizes };
    // As many steps of the test as have so many statements; or the statements of one where it has more.
    for (pipeline, sent, counted) in [(8, &["send 8", "send 1"][..], 9), (2, &["send 2", "send 1"], 3)] {
        let jobs = open_jobs(&test, &context, JobShare::whole(1), 1, RunSeed::default(), Some(pipeline));
        let mut job = jobs.unwrap_or_else(|error| panic!("{error}")).remove(0);
        fake.statements();
        let done = job.step(0).expect("a step");
        let bytes = 10 * counted;
        assert_eq!(done, Done { operations: counted, rows: counted, transactions: counted, bytes, ..Done::default() });
        assert_eq!(fake.statements(), sent);
        *fails.lock().expect("no panic") = true;
        assert_eq!(job.step(1), Ok(Done::failed(FailureKind::Constraint)));
        *fails.lock().expect("no panic") = false;
    }
}

#[test]
fn a_failed_step_is_rolled_back_and_counted() {
    let fails = Arc::new(Mutex::new(true));
    let failing = Arc::clone(&fails);
    let fake = Fake::new(move |sql, _| match sql.starts_with("insert") && *failing.lock().expect("no panic") {
        true => Err(Error::new(Kind::Step(FailureKind::Deadlock), "deadlock")),
        false => Ok(rows(1)),
    });
    let mut job = one_job(&parse("T901", TRANSFER), &fake);
    assert_eq!(job.step(0), Ok(Done::failed(FailureKind::Deadlock)));
    assert_eq!(fake.statements().last().map(String::as_str), Some("rollback"));
    *fails.lock().expect("no panic") = false;
    assert_eq!(job.step(1).map(|done| done.transactions), Ok(1));
}

#[test]
fn a_commit_that_fails_is_a_failed_step_and_a_lost_session_the_end() {
    let kind = Arc::new(Mutex::new(Kind::Step(FailureKind::Serialization)));
    let now = Arc::clone(&kind);
    let fake = Fake::new(move |sql, _| match sql {
        "commit" => Err(Error::new(*now.lock().expect("no panic"), "it is over").hint("see the log")),
        _ => Ok(rows(1)),
    });
    let mut job = one_job(&parse("T901", TRANSFER), &fake);
    assert_eq!(job.step(0), Ok(Done::failed(FailureKind::Serialization)));
    *kind.lock().expect("no panic") = Kind::Lost;
    let broken = job.step(1).expect_err("lost");
    assert_eq!(broken.message, "it is over; hint: see the log");
}

#[test]
fn a_statement_of_the_engine_comes_first_and_may_use_no_other_binds() {
    let rest = r#"
unit = "statement"
operations = 1
[[statement]]
name = "read"
sql = "portable words with :id"
bind = { id = { constant = 7 } }
expect = { values = [7] }
"#;
    let fake = Fake::new(|_, _| Ok(vec![vec![Value::Int(7)]]));
    one_job(&parse("T905", rest), &fake).check().expect("seven");
    assert_eq!(fake.statements(), ["prepare own words with $1", "own words with $1 [Int(7)]"]);
    one_job(&parse("T904", rest), &fake).check().expect("seven");
    assert_eq!(fake.statements()[0], "prepare portable words with $1");
    let sizes = sizes();
    let context = TestContext { engine: &fake, node: &fake, others: &[], sizes: &sizes };
    let error = jobs(&parse("T906", rest), &context, Dop::jobs(1)).err().expect("no such bind");
    assert_eq!(error.kind, Kind::Statement);
    let words = "statement read of test T906: the statement of fake uses :other, which the test does not bind";
    assert_eq!(error.message, words);
}

#[test]
fn a_wrong_answer_is_found_and_described() {
    let rest = r#"
unit = "statement"
operations = 1
tables = ["small"]
[[statement]]
name = "read"
sql = "select :id"
bind = { id = { constant = 23 } }
expect = { table = "small", by = "id", columns = ["id", "value"] }
"#;
    let test = parse("T907", rest);
    let right = Generator::new(DataTable::Small, &sizes()).row(23).field(DataColumn::Value);
    let returned = right.clone();
    let good = Fake::new(move |_, _| Ok(vec![vec![Value::Int(23), returned.clone()]]));
    assert_eq!(one_job(&test, &good).check(), Ok(()));
    let bad = Fake::new(|_, _| Ok(vec![vec![Value::Int(23), Value::Int(-1)]]));
    let message = one_job(&test, &bad).check().expect_err("wrong").message;
    let Value::Int(value) = right else { panic!("no integer") };
    assert_eq!(message, format!("test T907: statement read returned (23, -1), expected (23, {value}) for id 23"));
    let none = Fake::new(|_, _| Ok(Vec::new()));
    let message = one_job(&test, &none).check().expect_err("nothing").message;
    assert_eq!(message, "test T907: statement read returned 0 rows, expected 1 for id 23");
    let more = Fake::new(|_, _| Ok(rows(9)));
    let message = one_job(&parse("T901", TRANSFER), &more).check().expect_err("too many").message;
    assert_eq!(message, "test T901: statement one changed 9 rows, expected 1");
    assert_eq!(more.statements().last().map(String::as_str), Some("commit"));
}

#[test]
fn tables_of_jobs_are_made_for_each_run_and_emptied_before_they_are_full() {
    let rest = r#"
unit = "row"
operations = "rows"
[[table]]
name = "t_{job}"
columns = ["id int"]
key = "id"
rows_max = 10
[[statement]]
name = "write"
sql = "insert into t_{job}"
expect = { changed = 4 }
"#;
    let fake = Fake::new(|_, _| Ok(rows(4)));
    let (test, sizes) = (parse("T908", rest), sizes());
    let context = TestContext { engine: &fake, node: &fake, others: &[], sizes: &sizes };
    let mut two = jobs(&test, &context, Dop::jobs(2)).expect("jobs");
    let made = ["drop t_0", "create t_0", "finish t_0", "create t_1", "finish t_1"];
    assert_eq!(fake.statements(), [&made[..], &["prepare insert into t_0", "prepare insert into t_1"]].concat());
    let transactions: Vec<u64> = (0..5).map(|_| two[1].step(0).expect("a step").transactions).collect();
    assert_eq!(transactions, [1, 1, 2, 1, 2], "two steps are 8 rows, a third would be 12");
    let statements = fake.statements();
    assert_eq!(statements[2..5], ["begin", "truncate t_1", "commit"]);
    tear_down(&test, &context).expect("torn down");
    assert_eq!(fake.statements(), ["drop t_0"]);
}

#[test]
fn a_bulk_load_counts_rows_and_bytes_of_the_width_that_is_accounted_for() {
    let test = catalogue().iter().find(|test| test.code == "T331").expect("T331");
    let fake = Fake::new(|_, _| Ok(rows(512)));
    let mut job = one_job(test, &fake);
    let done = job.step(0).expect("a step");
    let bytes = 512 * crate::data::ROW_BYTES.0;
    assert_eq!(done, Done { operations: 512, rows: 512, transactions: 1, bytes, ..Done::default() });
    assert_eq!(fake.statements(), ["drop loaded_0", "create loaded_0", "bulk loaded_0"]);
    let message = job.check().expect_err("the fake returns no contents").message;
    assert!(message.starts_with("test T331: table loaded_0 returned ("), "{message}");
}

#[test]
fn every_test_of_the_catalogue_runs_on_the_null_engine() {
    let (node, sizes) = (null(), sizes());
    let context = TestContext { engine: &NULL, node: node.as_ref(), others: &[], sizes: &sizes };
    // It answers nothing, and so has no test whose scripts go on with answers.
    for test in catalogue().iter().filter(|test| test.missing(node.caps(), &NULL).is_none()) {
        let stop = std::sync::atomic::AtomicBool::new(false);
        let loading = Loading { jobs: 2, stop: &stop, progress: &|_| {}, server_cpu: &|| None };
        set_up(test, &context, &loading).expect("set up");
        for dop in [Dop::jobs(1), Dop::jobs(3), Dop { nodes: 1, jobs: 1, threads: 4 }] {
            let mut jobs = jobs(test, &context, dop).expect("jobs");
            assert_eq!(jobs.len() as u32, dop.jobs);
            for job in &mut jobs {
                for number in 0..23 {
                    let done = job.step(number).unwrap_or_else(|broken| panic!("{}: {broken}", test.code));
                    assert!(done.transactions > 0 && done.failure.is_none(), "{}", test.code);
                }
            }
        }
        tear_down(test, &context).expect("torn down");
    }
}
