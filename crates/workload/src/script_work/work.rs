//! A job that runs scripts: a step is one execution of one of them, chosen by weight.

use std::sync::Arc;

use engine::{Canceller, Dialect, Error, Kind, Node, Result, Session, Statement, Value};
use measure::{Broken, Done, StepStart, Work, clock};
use record::{FailureKind, Nanos, Pace, QueryMode, Script};

use super::closed::ClosedSession;
use super::queries::Queries;
use super::script_log::{JobLog, ScriptLog};
use super::types::{TimesOfJob, TransactionTypes};
use crate::pause::{Pause, Waker};
use crate::script::{
    Action, Answer, Command, CompiledScript, CompiledScripts, Control, Fault, Number, Part, Random, RolePlace,
    SleepLength, SqlStatement, Variables,
};
use crate::test_context::{broken, failed};

/// The job of one session.
pub(crate) struct ScriptWork<'a> {
    session: Box<dyn Session>,
    scripts: Arc<CompiledScripts>,
    /// The statements of each script, at the indexes of its commands.
    statements: Vec<Vec<Option<Bound>>>,
    variables: Variables,
    random: Random,
    stack: Vec<Number>,
    /// Text of the statement that is sent as text.
    sql: String,
    pause: Arc<Pause>,
    transaction: Transaction,
    pipeline: Pipeline,
    job: u32,
    /// Its place in the roles of the scripts.
    place: RolePlace,
    types: Arc<TransactionTypes>,
    times: TimesOfJob,
    /// Where each execution has a session of its own.
    connects: Option<Connects<'a>>,
    order: Order,
    /// Where the scripts are the decision queries.
    queries: Option<Queries>,
    /// Variables and random numbers before the first try, where there may be another one.
    before: Option<(Variables, Random)>,
    /// Where each execution has a line in a log.
    log: Option<JobLog>,
}

/// How the script of a step is chosen.
enum Order {
    /// Each by its weight, whatever came before.
    Independent,
    /// From the cards of a deck, of which so many were used.
    Deck(Vec<u32>, usize),
    /// One after the other in this order, in which they are counted from 1.
    Stream(&'static [u8]),
}

/// Sessions of single executions.
struct Connects<'a> {
    node: &'a dyn Node,
    dialect: &'static Dialect,
    /// What a session begins with.
    set_up: Vec<String>,
    /// Of all of them, the log-on included, where they count them.
    round_trips: Option<u64>,
}

/// Whether a transaction is open: by a statement of the script, or of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transaction {
    None,
    Open,
}

/// Statements that were sent and not answered yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pipeline {
    None,
    Open,
}

/// A statement in a session.
struct Bound {
    form: Form,
    /// Which columns of its answer become which variables, once they are known.
    columns: Option<Vec<(usize, usize)>>,
}

enum Form {
    Prepared {
        statement: Statement,
        /// The variable of each placeholder.
        slots: Vec<usize>,
        values: Vec<Value<'static>>,
    },
    /// Sent as text, with values in place.
    Text,
    /// Sent as text, with values beside it.
    Unnamed { text: String, slots: Vec<usize>, values: Vec<Value<'static>> },
    /// Prepared when it is reached: an earlier statement of the script may make what it needs.
    Later,
}

/// Why a script did not come to its end.
enum Stop {
    Engine(Error),
    Script(Fault),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Engine(error)
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Script(fault)
    }
}

type Outcome<T> = std::result::Result<T, Stop>;

impl<'a> ScriptWork<'a> {
    /// Job `job` of `jobs` of `scripts`; statements are prepared as far as they can be. Random numbers are drawn from `seed`. What its types of
    /// transactions do is published in `types`.
    pub(crate) fn new(
        (scripts, types): (Arc<CompiledScripts>, Arc<TransactionTypes>),
        (job, jobs): (u32, u32),
        dialect: &Dialect,
        mut session: Box<dyn Session>,
        seed: u64,
    ) -> Result<ScriptWork<'a>> {
        let bind = |script| bound_statements(script, scripts.query_mode, dialect, session.as_mut());
        let statements = scripts.scripts.iter().map(bind).collect::<Result<Vec<_>>>()?;
        let (variables, random) = (Variables::new(&scripts.names, job), Random::new(seed));
        let before = (scripts.tries_max > 1).then(|| (variables.clone(), random.clone()));
        let place = scripts.place_of(job, jobs);
        Ok(ScriptWork {
            session,
            statements,
            variables,
            place,
            scripts,
            random,
            stack: Vec::new(),
            sql: String::new(),
            pause: Arc::default(),
            transaction: Transaction::None,
            pipeline: Pipeline::None,
            job,
            times: types.times_of_job(),
            types,
            connects: None,
            order: Order::Independent,
            queries: None,
            before,
            log: None,
        })
    }

    /// The same, with a session on `node` for each execution, which begins with `set_up` and whose statements are those of `dialect`.
    pub(crate) fn connecting(
        self,
        node: &'a dyn Node,
        dialect: &'static Dialect,
        set_up: Vec<String>,
    ) -> ScriptWork<'a> {
        let connects = Connects { node, dialect, set_up, round_trips: None };
        ScriptWork { session: Box::new(ClosedSession), connects: Some(connects), ..self }
    }

    /// Round trips of its sessions so far, where they count them.
    pub(crate) fn round_trip_count(&self) -> Option<u64> {
        self.connects.as_ref().map_or_else(|| self.session.round_trip_count(), |connects| connects.round_trips)
    }

    /// Its session, unless each execution has one of its own.
    pub(crate) fn session(&self) -> Option<&dyn Session> {
        self.connects.is_none().then(|| self.session.as_ref())
    }

    /// The same, to be used.
    pub(crate) fn session_mut(&mut self) -> Option<&mut dyn Session> {
        match self.connects {
            Some(_) => None,
            None => Some(self.session.as_mut()),
        }
    }

    /// Opens the session of an execution of script `index`.
    fn open(&mut self, index: usize) -> Result<()> {
        let Some(connects) = &self.connects else { return Ok(()) };
        let mut session = connects.node.connect()?;
        connects.set_up.iter().try_for_each(|statement| session.batch(statement))?;
        let script = &self.scripts.scripts[index];
        self.statements[index] = bound_statements(script, self.scripts.query_mode, connects.dialect, session.as_mut())?;
        self.session = session;
        Ok(())
    }

    /// Closes it.
    fn close(&mut self) {
        if let Some(connects) = &mut self.connects {
            if let Some(count) = self.session.round_trip_count() {
                connects.round_trips = Some(connects.round_trips.unwrap_or(0) + count);
            }
            self.session = Box::new(ClosedSession);
        }
    }

    /// The same, with scripts chosen from a shuffled deck in place of independently.
    pub(crate) fn with_deck(self) -> ScriptWork<'a> {
        let cards = self.scripts.roles[self.place.role].deck();
        ScriptWork { order: Order::Deck(cards, 0), ..self }
    }

    /// The same, with all scripts one after the other in this order, in which they are counted from 1.
    pub(crate) fn with_stream(self, order: &'static [u8]) -> ScriptWork<'a> {
        ScriptWork { order: Order::Stream(order), ..self }
    }

    /// The same for the decision queries at a scale of `scale_percent` hundredths.
    pub(crate) fn with_queries(mut self, scale_percent: u32) -> ScriptWork<'a> {
        let queries = Queries::new(&self.scripts, scale_percent);
        queries.make_room(&mut self.variables, &mut self.sql);
        ScriptWork { queries: Some(queries), ..self }
    }

    /// Runs all decision queries with the parameters of validation, and compares their answers with those that are known.
    ///
    /// # Errors
    /// The first answer that is another one, and errors of the engine.
    pub(crate) fn check(&mut self) -> std::result::Result<(), Broken> {
        let Some(queries) = &self.queries else { return Ok(()) };
        queries.check((&self.scripts, &mut self.variables), self.session.as_mut())
    }

    /// Adds a line to `log` for each execution of the window; which ones follows from `seed` where not all have one.
    pub(crate) fn log_to(&mut self, log: Arc<ScriptLog>, seed: u64) {
        self.log = Some(JobLog::new(log, self.job, seed.wrapping_add(self.job.into())));
    }

    /// Publishes what has no other reader before a part of the run ends.
    fn publish(&mut self) -> std::result::Result<(), Broken> {
        self.types.publish(self.job, &mut self.times);
        let logged = self.log.as_mut().map_or(Ok(()), JobLog::publish);
        logged.map_err(|message| Broken { message })
    }

    /// The script of step `number`.
    #[inline]
    fn choose(&mut self, number: u64) -> usize {
        let role = &self.scripts.roles[self.place.role];
        match &mut self.order {
            Order::Independent => role.only().unwrap_or_else(|| role.at(self.random.below(role.weights))),
            Order::Stream(order) => usize::from(order[(number % order.len() as u64) as usize]) - 1,
            Order::Deck(cards, used) => {
                if *used == 0 {
                    for last in (1..cards.len()).rev() {
                        cards.swap(last, self.random.below(last as u64 + 1) as usize);
                    }
                }
                let card = cards[*used];
                *used = (*used + 1) % cards.len();
                card as usize
            }
        }
    }

    /// The types of transactions of its run.
    pub(crate) fn types(&self) -> &Arc<TransactionTypes> {
        &self.types
    }

    /// Cancellers of a statement of this job, and of its pauses.
    pub(crate) fn cancellers(&self) -> Vec<Box<dyn Canceller>> {
        let waker = Box::new(Waker(Arc::clone(&self.pause))) as Box<dyn Canceller>;
        self.session.canceller().into_iter().chain([waker]).collect()
    }

    /// Runs script `index`; what stopped it is that of the command at `reached`.
    fn run(&mut self, index: usize, reached: &mut usize, done: &mut Done) -> Outcome<()> {
        let scripts = Arc::clone(&self.scripts);
        let commands = &scripts.scripts[index].commands;
        let mut next = 0;
        while let Some(command) = commands.get(next) {
            *reached = next;
            next += 1;
            match &command.action {
                Action::Sql(sql) => self.timed((index, *reached), |work, place| work.execute(sql, place, done))?,
                Action::Set { slot, expression } => {
                    let value = expression.evaluate(&self.variables, &mut self.random, &mut self.stack)?;
                    self.variables.set(*slot, value);
                }
                Action::JumpUnless { condition, to } => {
                    if !condition.evaluate(&self.variables, &mut self.random, &mut self.stack)?.is_true() {
                        next = *to;
                    }
                }
                Action::Jump(to) => next = *to,
                Action::Sleep { length, unit_us } => self.sleep(*length, *unit_us)?,
                Action::StartPipeline if self.pipeline == Pipeline::Open => {
                    return Err(Fault::new("a pipeline is started inside of a pipeline").into());
                }
                Action::StartPipeline => self.pipeline = Pipeline::Open,
                Action::SyncPipeline | Action::EndPipeline if self.pipeline == Pipeline::None => {
                    return Err(Fault::new("a pipeline is ended, and none was started").into());
                }
                Action::SyncPipeline | Action::EndPipeline => {
                    if command.action == Action::EndPipeline {
                        self.pipeline = Pipeline::None;
                    }
                    self.timed((index, *reached), |work, _| {
                        done.rows += work.session.execute_queued()?;
                        Ok(())
                    })?;
                }
            }
        }
        self.check_end()
    }

    /// Runs `statement`, the one at `place`, and notes how long it takes; not for one that waits in a pipeline.
    #[inline]
    fn timed(
        &mut self,
        place: (usize, usize),
        statement: impl FnOnce(&mut ScriptWork<'a>, (usize, usize)) -> Outcome<()>,
    ) -> Outcome<()> {
        if self.times.is_empty() || self.pipeline == Pipeline::Open {
            return statement(self, place);
        }
        let begun = clock::now();
        let outcome = statement(self, place);
        self.times[place.0][place.1].record(clock::now() - begun, outcome.is_ok());
        outcome
    }

    /// One execution of script `index`, with all its tries.
    fn execution(&mut self, index: usize) -> std::result::Result<Done, Broken> {
        let mut done = Done { operations: 1, stream: index as u32, ..Done::default() };
        if let Some((variables, random)) = &mut self.before {
            variables.set_as_in(&self.variables);
            random.clone_from(&self.random);
        }
        loop {
            let mut reached = 0;
            let Err(stop) = self.run(index, &mut reached, &mut done) else { return Ok(done) };
            let failure = self.stopped(stop, index, reached)?;
            let can_succeed = matches!(failure, Some(FailureKind::Serialization | FailureKind::Deadlock));
            if !can_succeed || done.retries + 1 >= self.scripts.tries_max {
                // What was committed before stays so.
                return Ok(Done { operations: 0, rows: 0, failure, ..done });
            }
            if let Some(times) = self.times.get_mut(index) {
                times[reached].record_retry();
            }
            done.retries += 1;
            done.rows = 0;
            if let Some((variables, random)) = &self.before {
                self.variables.set_as_in(variables);
                self.random.clone_from(random);
            }
        }
    }

    fn check_end(&self) -> Outcome<()> {
        let open = match (self.transaction, self.pipeline) {
            (Transaction::None, Pipeline::None) => return Ok(()),
            (Transaction::Open, _) => "a transaction is open; end it with COMMIT or ROLLBACK",
            (_, Pipeline::Open) => "a pipeline is open; end it with \\endpipeline",
        };
        Err(Fault::new(format!("at the end of the script {open}")).into())
    }

    #[inline]
    fn execute(&mut self, sql: &SqlStatement, place: (usize, usize), done: &mut Done) -> Outcome<()> {
        let bound = &mut self.statements[place.0][place.1];
        match (bound, self.pipeline) {
            (None, _) => match sql.control {
                Control::Begin { .. } => self.session.begin()?,
                Control::Commit { .. } => self.session.commit()?,
                _ => self.session.rollback()?,
            },
            (Some(bound), Pipeline::Open) => bound.queue(sql, &self.variables, self.session.as_mut())?,
            (Some(bound), Pipeline::None) if sql.answer == Answer::Dropped => {
                let (session, text) = (self.session.as_mut(), &mut self.sql);
                done.rows += bound.execute(sql, &self.variables, session, text)?;
            }
            (Some(bound), Pipeline::None) => {
                done.rows += bound.query(sql, (&mut self.variables, &self.scripts), self.session.as_mut())?;
            }
        }
        done.transactions += u64::from(self.follow(sql.control));
        Ok(())
    }

    /// Follows the transaction over a statement that has ended; whether a transaction was committed by it.
    #[inline]
    fn follow(&mut self, control: Control) -> bool {
        match control {
            Control::None => self.transaction == Transaction::None,
            Control::Begin { .. } => {
                self.transaction = Transaction::Open;
                false
            }
            Control::Commit { .. } => {
                self.transaction = Transaction::None;
                true
            }
            Control::Rollback { .. } => {
                self.transaction = Transaction::None;
                false
            }
        }
    }

    /// Sleeps while other jobs of this thread go on; not for a negative time.
    fn sleep(&self, length: SleepLength, unit_us: i64) -> Outcome<()> {
        let number = match length {
            SleepLength::Fixed(number) => number,
            SleepLength::Variable(slot) => self.variables.number(slot)?.to_int()?,
        };
        let length_us = u64::try_from(number).unwrap_or(0).saturating_mul(unit_us as u64);
        self.pause.sleep(Nanos(length_us.saturating_mul(1_000)));
        Ok(())
    }

    /// Why a try failed that was stopped in script `index` at command `reached`.
    #[cold]
    fn stopped(
        &mut self,
        stop: Stop,
        index: usize,
        reached: usize,
    ) -> std::result::Result<Option<FailureKind>, Broken> {
        self.pipeline = Pipeline::None;
        let script = &self.scripts.scripts[index];
        let command = &script.commands[reached];
        // A procedure that fails may leave a transaction open, which the next one would go on with, or commit.
        let is_call = matches!(&command.action, Action::Sql(statement) if statement.commits_itself);
        let open = std::mem::replace(&mut self.transaction, Transaction::None) == Transaction::Open || is_call;
        match stop {
            Stop::Engine(error) => {
                failed(self.session.as_mut(), &at(&script.name, command, &error), open).map(|done| done.failure)
            }
            Stop::Script(Fault(message)) => {
                let error = Error::new(Kind::Statement, message);
                // Its locks must not outlive the step.
                if open {
                    let _ = self.session.rollback();
                }
                Err(broken(&at(&script.name, command, &error)))
            }
        }
    }
}

/// `error` with the place of the command.
fn at(script: &str, command: &Command, error: &Error) -> Error {
    // What a built-in script lacks are its tables.
    let is_builtin = error.kind == Kind::Statement && script.starts_with(Script::BUILTIN_PREFIX);
    let remedy = if is_builtin { "; --initialize makes its tables" } else { "" };
    Error { message: format!("{script}:{}: {}{remedy}", command.line, error.message), ..error.clone() }
}

/// The statements of `script` in `session`, at the places of its commands; none for those that the session has a call for.
fn bound_statements(
    script: &CompiledScript,
    query_mode: QueryMode,
    dialect: &Dialect,
    session: &mut dyn Session,
) -> Result<Vec<Option<Bound>>> {
    let has_pipeline = script.commands.iter().any(|command| command.action == Action::StartPipeline);
    let begin = dialect.begin_writing.filter(|_| script.writes() && !has_pipeline);
    let mode = if has_pipeline { QueryMode::Prepared } else { query_mode };
    let mut bound = |command: &Command| match (&command.action, begin) {
        (Action::Sql(SqlStatement { control: Control::Begin { is_plain: true }, .. }), Some(begin)) => {
            session.prepare(begin).map(|statement| Some(Bound::prepared(statement)))
        }
        (Action::Sql(sql), _) if query_mode != QueryMode::Prepared || !is_by_session(sql, has_pipeline) => {
            let bound = Bound::new(sql, mode, dialect, session);
            bound.map(Some).map_err(|error| at(&script.name, command, &error))
        }
        _ => Ok(None),
    };
    script.commands.iter().map(&mut bound).collect()
}

/// Whether the session itself has a call for the statement, which is outside of pipelines then.
fn is_by_session(sql: &SqlStatement, has_pipeline: bool) -> bool {
    let is_plain = match sql.control {
        Control::None => false,
        Control::Begin { is_plain } | Control::Commit { is_plain } | Control::Rollback { is_plain } => is_plain,
    };
    is_plain && !has_pipeline
}

impl Bound {
    fn new(sql: &SqlStatement, mode: QueryMode, dialect: &Dialect, session: &mut dyn Session) -> Result<Bound> {
        let is_dropped = sql.answer == Answer::Dropped;
        let form = match mode {
            _ if sql.is_text => Form::Text,
            QueryMode::Simple if is_dropped => Form::Text,
            QueryMode::Extended if is_dropped => Form::unnamed(sql, dialect),
            _ => Form::new(sql, dialect, session)?,
        };
        if matches!(form, Form::Text) && sql.answer != Answer::Dropped {
            let message = "the statement cannot be prepared with its variables, and its answer is kept";
            let hint = "write variables outside of quotes, and say their types, such as :x::int";
            return Err(Error::new(Kind::Usage, message).hint(hint));
        }
        Ok(Bound { form, columns: None })
    }

    fn prepared(statement: Statement) -> Bound {
        Bound { form: Form::Prepared { statement, slots: Vec::new(), values: Vec::new() }, columns: None }
    }

    /// Executes it; returns its rows.
    #[inline]
    fn execute(
        &mut self,
        sql: &SqlStatement,
        variables: &Variables,
        session: &mut dyn Session,
        text: &mut String,
    ) -> Outcome<u64> {
        if let Form::Text = self.form {
            text.clear();
            sql.write(variables, text);
            return Ok(session.execute_text(text)?);
        }
        if let Form::Unnamed { text, slots, values } = &mut self.form {
            bind(slots, values, variables)?;
            return Ok(session.execute_unnamed(text, values)?);
        }
        let (statement, values) = self.form.bound(sql, variables, session)?;
        Ok(session.execute(statement, values)?)
    }

    /// Adds it to the pipeline.
    fn queue(&mut self, sql: &SqlStatement, variables: &Variables, session: &mut dyn Session) -> Outcome<()> {
        if sql.answer != Answer::Dropped {
            return Err(Fault::new("\\gset and \\aset need an answer, and there is none in a pipeline").into());
        }
        if let Form::Text = self.form {
            return Err(
                Fault::new("the statement cannot be prepared with its variables, as a pipeline needs it").into()
            );
        }
        let (statement, values) = self.form.bound(sql, variables, session)?;
        Ok(session.queue(statement, values)?)
    }

    /// Executes it, and sets variables to its answer; returns its rows.
    fn query(
        &mut self,
        sql: &SqlStatement,
        (variables, scripts): (&mut Variables, &CompiledScripts),
        session: &mut dyn Session,
    ) -> Outcome<u64> {
        let (statement, values) = self.form.bound(sql, variables, session)?;
        let mut rows = session.query(statement, values)?;
        let count = rows.len();
        let prefix = match &sql.answer {
            Answer::Row(_) if count != 1 => {
                return Err(Fault::new(format!("\\gset is of one row, and the statement returned {count}")).into());
            }
            Answer::Row(prefix) | Answer::LastRow(prefix) => prefix,
            Answer::Dropped => return Ok(count as u64),
        };
        let Some(row) = rows.pop() else { return Ok(0) };
        let columns = match &mut self.columns {
            Some(columns) => columns,
            columns => columns.insert(kept(&session.column_names(statement)?, prefix, scripts)),
        };
        for (column, value) in row.into_iter().enumerate() {
            if let Some((_, slot)) = columns.iter().find(|(kept, _)| *kept == column) {
                variables.set_answer(*slot, value);
            }
        }
        Ok(count as u64)
    }
}

/// Which of the columns `names` become variables that a script uses: the index of the column, and the place of the variable.
fn kept(names: &[String], prefix: &str, scripts: &CompiledScripts) -> Vec<(usize, usize)> {
    let slot = |name: &String| scripts.names.known_slot(&format!("{prefix}{name}"));
    names.iter().enumerate().filter_map(|(column, name)| Some((column, slot(name)?))).collect()
}

impl Form {
    /// Prepares `sql` as far as that can be done now. With placeholders that the server does not take, it is text; without, its
    /// objects may not be there yet.
    fn new(sql: &SqlStatement, dialect: &Dialect, session: &mut dyn Session) -> Result<Form> {
        let (text, slots) = with_placeholders(sql, dialect);
        match session.prepare(&text) {
            Ok(statement) => Ok(Form::Prepared { statement, values: vec![Value::Null; slots.len()], slots }),
            Err(error) if error.kind != Kind::Statement => Err(error),
            Err(_) if sql.has_variables() => Ok(Form::Text),
            Err(_) => Ok(Form::Later),
        }
    }

    fn unnamed(sql: &SqlStatement, dialect: &Dialect) -> Form {
        let (text, slots) = with_placeholders(sql, dialect);
        Form::Unnamed { text, values: vec![Value::Null; slots.len()], slots }
    }

    /// The prepared statement with the values of its variables. Not for text.
    #[inline]
    fn bound(
        &mut self,
        sql: &SqlStatement,
        variables: &Variables,
        session: &mut dyn Session,
    ) -> Outcome<(Statement, &[Value<'static>])> {
        if !matches!(self, Form::Prepared { .. }) {
            let statement = session.prepare(&sql.text())?;
            *self = Form::Prepared { statement, slots: Vec::new(), values: Vec::new() };
        }
        match self {
            Form::Prepared { statement, slots, values } => {
                bind(slots, values, variables)?;
                Ok((*statement, values))
            }
            Form::Text | Form::Unnamed { .. } | Form::Later => Err(Fault::new("the statement is not prepared").into()),
        }
    }
}

/// The text of `sql` with placeholders, and the variable of each.
fn with_placeholders(sql: &SqlStatement, dialect: &Dialect) -> (String, Vec<usize>) {
    let (mut text, mut slots) = (String::new(), Vec::new());
    for part in &sql.parts {
        match part {
            Part::Text(part) => text.push_str(part),
            Part::Variable { slot, .. } => {
                slots.push(*slot);
                text.push_str(&dialect.placeholder.at(slots.len()));
            }
        }
    }
    (text, slots)
}

/// Binds the variables at `slots` to `values`, one for each.
#[inline]
fn bind(slots: &[usize], values: &mut [Value<'static>], variables: &Variables) -> Outcome<()> {
    for (slot, value) in slots.iter().zip(values) {
        variables.bind(*slot, value)?;
    }
    Ok(())
}

impl Work for ScriptWork<'_> {
    #[inline]
    fn step(&mut self, number: u64) -> std::result::Result<Done, Broken> {
        let index = self.choose(number);
        if let Some(queries) = &self.queries {
            queries.draw(index, &mut self.random, &mut self.variables);
        }
        self.open(index).map_err(|error| broken(&error))?;
        let outcome = self.execution(index);
        self.close();
        outcome
    }

    fn finish(&mut self) -> std::result::Result<(), Broken> {
        self.publish()
    }

    fn aborted(&mut self) {
        // The error that aborted it is the one that is told.
        let _ = self.publish();
    }

    fn logs(&self) -> bool {
        self.log.is_some()
    }

    fn log(&mut self, turn: &StepStart, ended: Nanos, done: &Done) {
        if let Some(log) = &mut self.log {
            log.add(turn, ended, done);
        }
    }

    fn streams(&self) -> Vec<usize> {
        (0..self.scripts.scripts.len()).collect()
    }

    fn stream_of_unfinished(&self, number: u64) -> usize {
        let role = &self.scripts.roles[self.place.role];
        role.at(number % role.weights)
    }

    fn own_pace(&self) -> Option<(Pace, (u32, u32))> {
        let pace = self.scripts.roles[self.place.role].pace()?;
        Some((pace, (self.place.number, self.place.jobs)))
    }

    /// A session that is opened keeps its thread.
    fn shares_threads(&self) -> bool {
        self.connects.is_none()
    }

    fn pass(&self) -> u64 {
        match &self.order {
            Order::Stream(order) => order.len() as u64,
            Order::Independent | Order::Deck(..) => 1,
        }
    }
}

#[cfg(test)]
mod tests;
