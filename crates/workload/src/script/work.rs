//! A job that runs scripts: a step is one execution of one of them, chosen by weight.

use std::sync::Arc;

use engine::{Canceller, Dialect, Error, Kind, Result, Session, Statement, Value};
use measure::{Broken, Done, Work};
use record::{Nanos, Script};

use super::compile::{Action, Command, CompiledScripts, SleepLength};
use super::number::{Fault, Number};
use super::random::Random;
use super::statement::{Answer, Control, Part, SqlStatement};
use super::variables::Variables;
use crate::pause::{Pause, Waker};
use crate::test_context::{broken, failed};

/// The job of one session.
pub(crate) struct ScriptWork {
    pub(crate) session: Box<dyn Session>,
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

impl ScriptWork {
    /// Job `job` of `scripts`; statements are prepared as far as they can be. Random numbers are drawn from `seed`.
    pub(crate) fn new(
        scripts: Arc<CompiledScripts>,
        job: u32,
        dialect: &Dialect,
        mut session: Box<dyn Session>,
        seed: u64,
    ) -> Result<ScriptWork> {
        dialect.user_tables.iter().try_for_each(|statement| session.batch(statement))?;
        let mut statements = Vec::new();
        for script in &scripts.scripts {
            let has_pipeline = script.commands.iter().any(|command| command.action == Action::StartPipeline);
            let mut of_script = Vec::new();
            for command in &script.commands {
                let bound = match &command.action {
                    Action::Sql(sql) if !is_by_session(sql, has_pipeline) => {
                        let bound = Bound::new(sql, dialect, session.as_mut());
                        Some(bound.map_err(|error| at(&script.name, command, &error))?)
                    }
                    _ => None,
                };
                of_script.push(bound);
            }
            statements.push(of_script);
        }
        Ok(ScriptWork {
            session,
            statements,
            variables: Variables::new(&scripts.names, job),
            scripts,
            random: Random::new(seed),
            stack: Vec::new(),
            sql: String::new(),
            pause: Arc::default(),
            transaction: Transaction::None,
            pipeline: Pipeline::None,
        })
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
                Action::Sql(sql) => self.execute(sql, (index, *reached), done)?,
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
                Action::SyncPipeline => done.rows += self.session.execute_queued()?,
                Action::EndPipeline => {
                    self.pipeline = Pipeline::None;
                    done.rows += self.session.execute_queued()?;
                }
            }
        }
        self.check_end()
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

    /// What a step is that was stopped in script `index` at command `reached`.
    #[cold]
    fn stopped(&mut self, stop: Stop, index: usize, reached: usize) -> std::result::Result<Done, Broken> {
        self.pipeline = Pipeline::None;
        let open = std::mem::replace(&mut self.transaction, Transaction::None) == Transaction::Open;
        let script = &self.scripts.scripts[index];
        let command = &script.commands[reached];
        match stop {
            Stop::Engine(error) => failed(self.session.as_mut(), &at(&script.name, command, &error), open),
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

/// Whether the session itself has a call for the statement, which is outside of pipelines then.
fn is_by_session(sql: &SqlStatement, has_pipeline: bool) -> bool {
    let is_plain = match sql.control {
        Control::None => false,
        Control::Begin { is_plain } | Control::Commit { is_plain } | Control::Rollback { is_plain } => is_plain,
    };
    is_plain && !has_pipeline
}

impl Bound {
    fn new(sql: &SqlStatement, dialect: &Dialect, session: &mut dyn Session) -> Result<Bound> {
        let form = match sql.is_text {
            true => Form::Text,
            false => Form::new(sql, dialect, session)?,
        };
        if matches!(form, Form::Text) && sql.answer != Answer::Dropped {
            let message = "the statement cannot be prepared with its variables, and its answer is kept";
            let hint = "write variables outside of quotes, and say their types, such as :x::int";
            return Err(Error::new(Kind::Usage, message).hint(hint));
        }
        Ok(Bound { form, columns: None })
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
            sql.parts.iter().for_each(|part| write_part(part, variables, text));
            session.batch(text)?;
            return Ok(0);
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
        let mut slots = Vec::new();
        let mut text = String::new();
        for part in &sql.parts {
            match part {
                Part::Text(part) => text.push_str(part),
                Part::Variable { slot, .. } => {
                    slots.push(*slot);
                    text.push_str(&dialect.placeholder.at(slots.len()));
                }
            }
        }
        match session.prepare(&text) {
            Ok(statement) => Ok(Form::Prepared { statement, values: vec![Value::Null; slots.len()], slots }),
            Err(error) if error.kind != Kind::Statement => Err(error),
            Err(_) if sql.has_variables() => Ok(Form::Text),
            Err(_) => Ok(Form::Later),
        }
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
                for (slot, value) in slots.iter().zip(values.iter_mut()) {
                    variables.bind(*slot, value)?;
                }
                Ok((*statement, values))
            }
            Form::Text | Form::Later => Err(Fault::new("the statement is not prepared").into()),
        }
    }
}

/// Writes a part of a statement; a variable without a value stays as it is in the script.
fn write_part(part: &Part, variables: &Variables, sql: &mut String) {
    match part {
        Part::Text(text) => sql.push_str(text),
        Part::Variable { slot, name } => {
            if !variables.write(*slot, sql) {
                sql.push(':');
                sql.push_str(name);
            }
        }
    }
}

impl Work for ScriptWork {
    #[inline]
    fn step(&mut self, _number: u64) -> std::result::Result<Done, Broken> {
        let index = match self.scripts.scripts.len() {
            1 => 0,
            _ => self.scripts.at(self.random.below(self.scripts.weights)),
        };
        let (mut done, mut reached) = (Done { operations: 1, ..Done::default() }, 0);
        match self.run(index, &mut reached, &mut done) {
            Ok(()) => Ok(done),
            Err(stop) => self.stopped(stop, index, reached),
        }
    }

    fn shares_threads(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
