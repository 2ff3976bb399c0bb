//! Scripts in a session that notes what it is asked for, and gives scripted answers.

use std::num::NonZeroU32;
use std::sync::Mutex;

use engine::{Engine, Placeholder, RowSource};
use record::{FailureKind, Script, Scripts};

use super::*;

/// What the session was asked for.
type Notes = Arc<Mutex<Vec<String>>>;

/// Statements with `$1` and `+` cannot be prepared, those with `none` never; those with `fail` fail, those with `twice` the first
/// two times, and those with `wrong` are wrong.
struct NotingSession {
    notes: Notes,
    prepared: Vec<String>,
    queued: Vec<String>,
    rows: Vec<Vec<Value<'static>>>,
}

impl NotingSession {
    fn note(&self, note: String) -> Result<()> {
        let is_early = || self.notes.lock().unwrap().iter().filter(|before| before.contains("twice")).count() < 2;
        let failure = match () {
            () if note.contains("twice") && is_early() => Some(Kind::Step(FailureKind::Deadlock)),
            () if note.contains("fail") => Some(Kind::Step(FailureKind::Serialization)),
            () if note.contains("wrong") => Some(Kind::Statement),
            () => None,
        };
        self.notes.lock().unwrap().push(note);
        failure.map_or(Ok(()), |kind| Err(Error::new(kind, "it failed")))
    }

    fn shown(&self, statement: Statement, binds: &[Value<'_>]) -> String {
        let value = |value: &Value<'_>| match value {
            Value::Int(value) => value.to_string(),
            other => format!("{other:?}"),
        };
        let values: Vec<String> = binds.iter().map(value).collect();
        format!("{} [{}]", self.prepared[statement.0 as usize], values.join(", "))
    }
}

impl Session for NotingSession {
    fn batch(&mut self, sql: &str) -> Result<()> {
        self.note(format!("text {sql}"))
    }
    fn execute_unnamed(&mut self, sql: &str, binds: &[Value<'_>]) -> Result<u64> {
        self.note(format!("unnamed {sql} {binds:?}")).map(|()| 1)
    }
    fn prepare(&mut self, sql: &str) -> Result<Statement> {
        if sql.contains("none") || sql.contains("$1 +") {
            return Err(Error::new(Kind::Statement, "it cannot be prepared"));
        }
        self.prepared.push(sql.to_owned());
        Ok(Statement(self.prepared.len() as u32 - 1))
    }
    fn execute(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<u64> {
        self.note(self.shown(statement, binds)).map(|()| 1)
    }
    fn queue(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<()> {
        self.queued.push(self.shown(statement, binds));
        Ok(())
    }
    fn execute_queued(&mut self) -> Result<u64> {
        let queued = std::mem::take(&mut self.queued);
        self.note(format!("together {}", queued.join("; "))).map(|()| queued.len() as u64)
    }
    fn query(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<Vec<Vec<Value<'static>>>> {
        self.note(self.shown(statement, binds)).map(|()| self.rows.clone())
    }
    fn column_names(&self, _statement: Statement) -> Result<Vec<String>> {
        Ok(vec!["one".to_owned(), "two".to_owned()])
    }
    fn begin(&mut self) -> Result<()> {
        self.note("BEGIN".to_owned())
    }
    fn commit(&mut self) -> Result<()> {
        self.note("COMMIT".to_owned())
    }
    fn rollback(&mut self) -> Result<()> {
        self.note("ROLLBACK".to_owned())
    }
    fn bulk(&mut self, _table: &str, _rows: &mut dyn RowSource) -> Result<u64> {
        Ok(0)
    }
    fn append(&mut self, _table: &str, _rows: &mut dyn RowSource) -> Result<u64> {
        Ok(0)
    }
    fn canceller(&self) -> Option<Box<dyn Canceller>> {
        None
    }
}

/// Steps of one script, or of several with the weights 1, 2, ..., and what the session was asked for.
struct Steps {
    work: ScriptWork<'static>,
    notes: Notes,
}

impl Steps {
    fn opened(texts: &[&str], rows: Vec<Vec<Value<'static>>>) -> Result<Steps> {
        Steps::with_tries(texts, rows, 1)
    }

    fn with_tries(texts: &[&str], rows: Vec<Vec<Value<'static>>>, tries_max: u32) -> Result<Steps> {
        let script = |(index, text): (usize, &&str)| Script::new(format!("{index}.sql"), index as u32 + 1, *text);
        let scripts = texts.iter().enumerate().map(script).collect();
        Steps::of_scripts(&Scripts { scripts, tries_max: NonZeroU32::new(tries_max), ..Scripts::default() }, rows)
    }

    fn of_scripts(scripts: &Scripts, rows: Vec<Vec<Value<'static>>>) -> Result<Steps> {
        let compiled = CompiledScripts::new(scripts, 42).unwrap_or_else(|error| panic!("{error}"));
        let notes = Notes::default();
        let session = Box::new(NotingSession { notes: notes.clone(), prepared: Vec::new(), queued: Vec::new(), rows });
        let dialect = Dialect { placeholder: Placeholder::Dollar, ..*engine::null::NULL.dialect() };
        let scripts = Arc::new(compiled);
        let types = Arc::new(TransactionTypes::new(Arc::clone(&scripts), record::JobShare::whole(1)));
        let work = ScriptWork::new((scripts, types), (7, 8), &dialect, session, 1)?;
        Ok(Steps { work, notes })
    }

    fn of(text: &str) -> Steps {
        Steps::opened(&[text], vec![vec![Value::Int(5), Value::Text("x y".into())]])
            .unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn step(&mut self) -> (std::result::Result<Done, Broken>, Vec<String>) {
        let done = self.work.step(0);
        (done, std::mem::take(&mut self.notes.lock().unwrap()))
    }
}

/// The first step of `text`: what it did, and what the session was asked for.
fn first(text: &str) -> (Done, Vec<String>) {
    let (done, notes) = Steps::of(text).step();
    (done.unwrap_or_else(|broken| panic!("{text}: {broken}")), notes)
}

fn broken_by(text: &str) -> String {
    Steps::of(text).step().0.expect_err(text).message
}

#[test]
fn a_transaction_is_an_execution_of_a_script() {
    let (done, notes) =
        first("\\set x 2 * 3\nbegin;\nupdate t set a = :x where b = :client_id and c = :x;\nselect 1;\nend;");
    assert_eq!(notes, ["BEGIN", "update t set a = $1 where b = $2 and c = $3 [6, 7, 6]", "select 1 []", "COMMIT"]);
    assert_eq!((done.operations, done.rows, done.transactions), (1, 2, 1));
    let (done, notes) = first("select 1; select 2; begin isolation level serializable; abort;");
    assert_eq!(notes, ["select 1 []", "select 2 []", "begin isolation level serializable []", "ROLLBACK"]);
    assert_eq!((done.operations, done.transactions), (1, 2), "what was rolled back is no commit");
}

#[test]
fn variables_keep_their_values_from_one_step_to_the_next() {
    let mut steps = Steps::opened(&["\\set x 1\n\\if false\n\\set y 0\n\\endif\nselect :x;"], Vec::new()).unwrap();
    assert_eq!(steps.step().1, ["select $1 [1]"]);
    let mut steps = Steps::of("\\if :one is null\n\\endif\nselect 1 \\gset");
    assert!(steps.step().0.unwrap_err().message.contains("0.sql:1: variable one was not set before"));
}

#[test]
fn answers_become_variables() {
    let (done, notes) = first("select 1 \\gset p_\n\\set x :p_one + 1\nselect :x, :p_two;");
    assert_eq!(notes, ["select 1 []", "select $1, $2 [6, Text(\"x y\")]"]);
    assert_eq!((done.rows, done.transactions), (2, 2));
    let message = broken_by("select 1 \\gset\nselect :three;");
    assert_eq!(message, "0.sql:2: variable three was not set before", "no column is called so");
}

#[test]
fn values_that_cannot_be_bound_are_put_into_the_text() {
    let (done, notes) = first("\\set x 5\nselect ':x :y';\nselect :x + :x;\nselect :x;");
    assert_eq!(notes, ["text select '5 :y'", "text select 5 + 5", "select $1 [5]"]);
    assert_eq!(done.transactions, 3);
}

#[test]
fn a_failed_statement_ends_the_transaction_and_is_counted() {
    let mut steps = Steps::of("begin;\nupdate fail;\nselect 1;\nend;");
    let (done, notes) = steps.step();
    assert_eq!(done.unwrap(), Done::failed(FailureKind::Serialization));
    assert_eq!(notes, ["BEGIN", "update fail []", "ROLLBACK"]);
    assert_eq!(steps.step().1[0], "BEGIN", "the next step begins anew");
    assert_eq!(Steps::of("update fail;").step().1, ["update fail []"], "nothing is open");
}

#[test]
fn statements_are_sent_as_the_mode_says() {
    let text = "\\set x 5\nbegin;\nselect :x;\nselect ':x';\nselect 1 as one \\gset\nend;";
    let notes = |query_mode| {
        let scripts = vec![Script::new("a.sql", 1, text)];
        let scripts = Scripts { scripts, query_mode, ..Scripts::default() };
        Steps::of_scripts(&scripts, vec![vec![Value::Int(5)]]).unwrap().step().1
    };
    assert_eq!(
        notes(QueryMode::Simple),
        ["text begin", "text select 5", "text select '5'", "select 1 as one []", "text end"]
    );
    assert_eq!(
        notes(QueryMode::Extended),
        ["unnamed begin []", "unnamed select $1 [Int(5)]", "text select '5'", "select 1 as one []", "unnamed end []"]
    );
    assert_eq!(notes(QueryMode::Prepared)[..2], ["BEGIN", "select $1 [5]"]);
    let scripts = vec![Script::new("a.sql", 1, "\\startpipeline\nselect 1;\n\\endpipeline")];
    let refused = CompiledScripts::new(&Scripts { scripts, query_mode: QueryMode::Simple, ..Scripts::default() }, 1);
    assert!(refused.unwrap_err().to_string().contains("a.sql:1: a pipeline cannot be of statements"));
}

#[test]
fn what_was_committed_before_a_failure_stays_counted() {
    let done = Steps::of("update t set a = 1;\nupdate fail;").step().0.unwrap();
    let committed = Done { transactions: 1, ..Done::failed(FailureKind::Serialization) };
    assert_eq!(done, committed);
}

#[test]
fn an_execution_is_tried_again_with_the_same_numbers() {
    let text = "\\set x random(1, 1000000)\nselect 1;\nbegin;\nupdate twice :x;\nend;";
    let mut steps = Steps::with_tries(&[text], Vec::new(), 3).unwrap();
    let (done, notes) = steps.step();
    let done = done.unwrap();
    assert_eq!((done.retries, done.failure, done.operations, done.rows), (2, None, 1, 2));
    assert_eq!(done.transactions, 4, "the first statement commits each time");
    let tries: Vec<&String> = notes.iter().filter(|note| note.contains("twice")).collect();
    assert!(tries.len() == 3 && tries.iter().all(|one| *one == tries[0]), "{notes:?}");
    let next = steps.step();
    assert!(next.0.unwrap().retries == 2 && next.1.iter().any(|note| note.contains("twice") && note != tries[0]));

    let (done, _) = Steps::with_tries(&[text], Vec::new(), 2).unwrap().step();
    let done = done.unwrap();
    assert_eq!((done.retries, done.failure), (1, Some(FailureKind::Deadlock)), "the limit is reached");
    let (done, notes) = Steps::with_tries(&["insert failed;"], Vec::new(), 9).unwrap().step();
    assert_eq!((done.unwrap().retries, notes.len()), (8, 9));
}

#[test]
fn types_and_statements_have_their_own_figures() {
    let mut steps = Steps::opened(&["select 1;\nselect 2;", "update fail;"], Vec::new()).unwrap();
    let types = Arc::clone(steps.work.types());
    steps.work.finish().unwrap();
    let (mut counts, mut failed) = ([0_u64; 2], 0);
    let mut tallies = vec![measure::Tally::new(Nanos(0), 1); 2];
    for _ in 0..60 {
        let done = steps.step().0.unwrap();
        counts[done.stream as usize] += 1;
        failed += u64::from(done.failure.is_some());
        tallies[done.stream as usize].record(&measure::StepStart::default(), Nanos(5), &done);
    }
    steps.work.finish().unwrap();
    let of_run = types.of_run(&tallies);
    let steps_of: Vec<u64> = of_run.iter().map(|of| of.totals.steps).collect();
    assert_eq!((steps_of.as_slice(), failed), (&counts[..], counts[1]));
    assert_eq!((of_run[0].name.as_str(), of_run[1].weight), ("0.sql", 2));
    let timed = |of: &record::TransactionType| of.statements.iter().map(|one| (one.line, one.service.count)).collect();
    let first: Vec<(u32, u64)> = timed(&of_run[0]);
    assert_eq!(first, [(1, counts[0]), (2, counts[0])]);
    assert_eq!((of_run[1].statements[0].failures, of_run[1].statements[0].service.count), (counts[1], 0));
    let both: Vec<record::TransactionType> = types.of_run(&[tallies.clone(), tallies].concat());
    assert_eq!(both[0].totals.steps, 2 * counts[0], "of two nodes");
}

#[test]
fn what_can_never_succeed_ends_the_run_with_its_place() {
    assert_eq!(broken_by("select 1;\nupdate wrong;"), "0.sql:2: it failed");
    assert_eq!(broken_by("begin;\n\n\\set x 1 / 0\nend;"), "0.sql:3: 1 is divided by zero");
    assert_eq!(broken_by("select none;"), "0.sql:1: it cannot be prepared");
    assert!(broken_by("begin;\nselect 1;").contains("0.sql:2: at the end of the script a transaction is open"));
    assert!(broken_by("\\startpipeline\nselect 1;").contains("a pipeline is open"));
    assert!(broken_by("\\startpipeline\n\\startpipeline").contains("0.sql:2: a pipeline is started inside"));
    assert!(broken_by("\\endpipeline").contains("none was started"));
    assert!(broken_by("\\startpipeline\nselect 1 \\gset\n\\endpipeline").contains("none in a pipeline"));
    let mut steps = Steps::of("begin;\n\\set x 1 / 0\nend;");
    assert_eq!(steps.step().1, ["BEGIN", "ROLLBACK"]);
}

#[test]
fn statements_of_a_pipeline_are_sent_together() {
    let (done, notes) = first("\\startpipeline\nbegin;\nselect 1;\nend;\n\\syncpipeline\nselect 2;\n\\endpipeline");
    assert_eq!(notes, ["together begin []; select 1 []; end []", "together select 2 []"]);
    assert_eq!((done.rows, done.transactions), (4, 2));
}

#[test]
fn a_row_that_is_not_one_is_a_mistake_of_the_script() {
    for rows in [Vec::new(), vec![vec![Value::Int(1)], vec![Value::Int(2)]]] {
        let count = rows.len();
        let mut steps = Steps::opened(&["select 1 \\gset"], rows.clone()).unwrap();
        let message = steps.step().0.unwrap_err().message;
        assert_eq!(message, format!("0.sql:1: \\gset is of one row, and the statement returned {count}"));
        let mut steps = Steps::opened(&["select 1 \\aset"], rows).unwrap();
        assert!(steps.step().0.is_ok());
    }
    let kept = Steps::opened(&["\\set x 1\nselect ':x' as one \\gset"], Vec::new()).map(|_| ());
    assert!(kept.unwrap_err().message.contains("0.sql:2: the statement cannot be prepared"));
}

#[test]
fn scripts_are_chosen_by_their_weights() {
    let mut steps = Steps::opened(&["select 0;", "select 1;", "select 2;"], Vec::new()).unwrap();
    let mut counts = [0; 3];
    for _ in 0..6_000 {
        let (_, notes) = steps.step();
        let number: usize = notes[0].trim_start_matches("select ").trim_end_matches(" []").parse().unwrap();
        counts[number] += 1;
    }
    // The standard deviations are 29, 37 and 39.
    assert!((880..1_120).contains(&counts[0]) && (2_840..3_160).contains(&counts[2]), "{counts:?}");
}

#[test]
fn a_deck_has_each_card_as_often_as_its_weight() {
    let Steps { work, notes } = Steps::opened(&["select 0;", "select 1;", "select 2;"], Vec::new()).unwrap();
    let mut steps = Steps { work: work.with_deck(), notes };
    let mut orders = Vec::new();
    for _ in 0..20 {
        let deck: Vec<u32> = (0..6).map(|_| steps.step().0.unwrap().stream).collect();
        assert_eq!([0, 1, 2].map(|card| deck.iter().filter(|one| **one == card).count()), [1, 2, 3], "{deck:?}");
        orders.push(deck);
    }
    assert!(orders.iter().any(|order| *order != orders[0]), "each is shuffled");
}

#[test]
fn a_pause_is_part_of_its_step() {
    let mut steps = Steps::of("\\set n 3\n\\sleep 10 ms\n\\sleep :n ms\n\\sleep -1 s");
    let start = std::time::Instant::now();
    assert!(steps.step().0.is_ok());
    assert!(start.elapsed().as_millis() >= 13);
    let waker = steps.work.cancellers().pop().expect("one of pauses");
    waker.cancel().unwrap();
    let mut steps = Steps { work: steps.work, notes: steps.notes };
    let start = std::time::Instant::now();
    assert!(steps.step().0.is_ok() && start.elapsed().as_millis() < 13);
}
