//! The one interpreter of test files.

use engine::{Error, Kind, Result, Session, Statement, Value};
use measure::{Broken, Done, Work};

use crate::bind::{Draw, Origin, fill};
use crate::bulk::Truncation;
use crate::check::{Expected, ExpectedValue, first_difference};
use crate::data::Generator;
use crate::sql;
use crate::test::{Amount, StatementEntry, Test};
use crate::test_context::{TestContext, broken, failed, named};

/// The steps of a job, from its test file. A step neither allocates nor formats.
pub(crate) struct SqlWork {
    pub(crate) session: Box<dyn Session>,
    statements: Vec<Prepared>,
    draw: Draw,
    pipeline: Option<Pipeline>,
    /// Whether a step is one transaction, and whether one is open.
    transaction: bool,
    open: bool,
    operations: Count,
    rows: Count,
    row_bytes: u64,
    truncation: Option<Truncation>,
    code: String,
    generators: Vec<Generator>,
}

/// Statements that are sent together.
#[derive(Clone, Copy)]
struct Pipeline {
    /// Their number.
    statements: u32,
    /// Steps of the test in one of the pipeline.
    steps: u32,
}

impl Pipeline {
    /// Of `statements` for `test`: as many steps as have so many statements.
    fn new(test: &Test, statements: u32) -> Pipeline {
        let each: u32 = test.statement.iter().map(|entry| entry.repeat).sum();
        Pipeline { statements, steps: statements.div_ceil(each.max(1)) }
    }
}

/// A fixed number, or the rows of the step.
#[derive(Clone, Copy)]
enum Count {
    Fixed(u64),
    Rows,
}

impl Count {
    /// Of `steps` steps with `rows` rows.
    fn of(self, rows: u64, steps: u64) -> u64 {
        match self {
            Count::Fixed(number) => number * steps,
            Count::Rows => rows,
        }
    }
}

pub(crate) struct Prepared {
    name: String,
    /// With the placeholders of the engine.
    sql: String,
    statement: Statement,
    repeat: u32,
    /// One for each placeholder, in order.
    names: Vec<String>,
    origins: Vec<Origin>,
    values: Vec<Value<'static>>,
    /// The placeholder with ascending values, and a buffer for those of one step.
    ascending: Option<(usize, Vec<i64>)>,
    expected: Expected,
}

impl SqlWork {
    pub(crate) fn new(
        test: &Test,
        job: u32,
        context: &TestContext<'_>,
        mut session: Box<dyn Session>,
        draw: Draw,
        generators: &[Generator],
        pipeline: Option<u32>,
    ) -> Result<SqlWork> {
        let scope = test.scope(context.sizes);
        let count = |amount: &Amount| match amount {
            Amount::Named(name) if name == "rows" => Count::Rows,
            amount => Count::Fixed(u64::try_from(scope.amount(amount)).unwrap_or(0)),
        };
        let prepare = |entry: &StatementEntry| Prepared::new(test, entry, job, context, session.as_mut());
        Ok(SqlWork {
            statements: test.statement.iter().map(prepare).collect::<Result<Vec<Prepared>>>()?,
            session,
            draw,
            pipeline: pipeline.map(|statements| Pipeline::new(test, statements)),
            transaction: test.transaction,
            open: false,
            operations: count(&test.operations),
            rows: test.rows.as_ref().map_or(Count::Rows, count),
            row_bytes: test.row_bytes.unwrap_or(0),
            truncation: Truncation::new(test, job, context),
            code: test.code.clone(),
            generators: generators.to_vec(),
        })
    }

    #[inline]
    fn try_step(&mut self) -> Result<Done> {
        let mut done = Done::default();
        let truncated = match &mut self.truncation {
            Some(truncation) => truncation.truncate_if_full(self.session.as_mut())?,
            None => 0,
        };
        if let Some(pipeline) = self.pipeline {
            self.execute_together(pipeline, &mut done)?;
            return Ok(self.counted(done, truncated));
        }
        if self.transaction {
            self.session.begin()?;
            self.open = true;
        }
        for prepared in &mut self.statements {
            prepared.begin_step(&mut self.draw);
            for repetition in 0..prepared.repeat {
                prepared.fill(repetition, &mut self.draw);
                done.rows += self.session.execute(prepared.statement, &prepared.values)?;
                done.transactions += 1;
            }
        }
        if self.transaction {
            self.session.commit()?;
            self.open = false;
            done.transactions = 1;
        }
        Ok(self.counted(done, truncated))
    }

    /// The statements of a step of the pipeline: no more of them are unanswered than it has.
    fn execute_together(&mut self, pipeline: Pipeline, done: &mut Done) -> Result<()> {
        let mut queued = 0;
        for _ in 0..pipeline.steps {
            for prepared in &mut self.statements {
                prepared.begin_step(&mut self.draw);
                for repetition in 0..prepared.repeat {
                    prepared.fill(repetition, &mut self.draw);
                    self.session.queue(prepared.statement, &prepared.values)?;
                    queued += 1;
                    done.transactions += 1;
                    if queued == pipeline.statements {
                        done.rows += self.session.execute_queued()?;
                        queued = 0;
                    }
                }
            }
        }
        if queued > 0 {
            done.rows += self.session.execute_queued()?;
        }
        Ok(())
    }

    /// `done`, whose rows are counted, with the amounts of the test.
    #[inline]
    fn counted(&mut self, mut done: Done, truncated: u64) -> Done {
        if let Some(truncation) = &mut self.truncation {
            truncation.add(done.rows);
        }
        let steps = self.pipeline.map_or(1, |pipeline| u64::from(pipeline.steps));
        done.transactions += truncated;
        done.rows = self.rows.of(done.rows, steps);
        done.operations = self.operations.of(done.rows, steps);
        done.bytes = done.rows * self.row_bytes;
        done
    }

    /// One step, with every answer compared.
    pub(crate) fn check(&mut self) -> std::result::Result<(), Broken> {
        let checked = self.try_check();
        if checked.is_err() && std::mem::take(&mut self.open) {
            // The first error is the one that is reported.
            let _ = self.session.rollback();
        }
        match checked.map_err(|error| broken(&error))? {
            Some(wrong) => Err(Broken { message: format!("test {}: {wrong}", self.code) }),
            None => Ok(()),
        }
    }

    fn try_check(&mut self) -> Result<Option<String>> {
        if self.transaction {
            self.session.begin()?;
            self.open = true;
        }
        let mut wrong = None;
        for prepared in &mut self.statements {
            prepared.begin_step(&mut self.draw);
            for repetition in 0..prepared.repeat {
                prepared.fill(repetition, &mut self.draw);
                let difference = prepared.compare(self.session.as_mut(), &self.generators)?;
                wrong = wrong.or(difference.map(|clause| format!("statement {} {clause}", prepared.name)));
            }
        }
        if self.transaction {
            self.session.commit()?;
            self.open = false;
        }
        Ok(wrong)
    }
}

impl Work for SqlWork {
    #[inline]
    fn step(&mut self, _number: u64) -> std::result::Result<Done, Broken> {
        match self.try_step() {
            Ok(done) => Ok(done),
            Err(error) => failed(self.session.as_mut(), &error, std::mem::take(&mut self.open)),
        }
    }
}

impl Prepared {
    /// Prepares it in another session, for which it is used from then on.
    pub(crate) fn prepare_again(&mut self, session: &mut dyn Session) -> Result<()> {
        self.statement = session.prepare(&self.sql)?;
        Ok(())
    }

    /// Executions in a step.
    pub(crate) fn repeat(&self) -> u32 {
        self.repeat
    }

    /// Executes it with new values; returns what is wrong with the answer, as a clause.
    pub(crate) fn compare_new(
        &mut self,
        session: &mut dyn Session,
        draw: &mut Draw,
        generators: &[Generator],
    ) -> Result<Option<String>> {
        fill(&mut self.values, &self.origins, draw);
        let difference = self.compare(session, generators)?;
        Ok(difference.map(|clause| format!("statement {} {clause}", self.name)))
    }

    /// Executes it with new values.
    pub(crate) fn execute(&mut self, session: &mut dyn Session, draw: &mut Draw) -> Result<u64> {
        fill(&mut self.values, &self.origins, draw);
        session.execute(self.statement, &self.values)
    }

    pub(crate) fn new(
        test: &Test,
        entry: &StatementEntry,
        job: u32,
        context: &TestContext<'_>,
        session: &mut dyn Session,
    ) -> Result<Prepared> {
        let scope = test.scope(context.sizes);
        let text = sql::text(context.engine, &test.code, &entry.name, entry.sql.as_deref());
        // Only an engine without answers can have no text.
        let text = sql::of_job(text.unwrap_or_default(), job);
        let bound = sql::bound(&text, context.engine.dialect());
        let origin = |(index, name): (usize, &String)| {
            if let Some(earlier) = bound.names[..index].iter().position(|known| known == name) {
                return Ok(Origin::Same(earlier));
            }
            let rule = entry.bind.get(name).ok_or_else(|| {
                let message =
                    format!("the statement of {} uses :{name}, which the test does not bind", context.engine.name());
                named(Error::new(Kind::Statement, message), test, &entry.name)
            })?;
            match rule.derived() {
                None => Ok(Origin::new(rule, scope)),
                Some((key, content)) => match bound.names.iter().position(|known| known == key) {
                    Some(from) => Ok(Origin::Derived { from, content }),
                    None => {
                        let message = format!("the statement of {} does not use :{key}", context.engine.name());
                        Err(named(Error::new(Kind::Statement, message), test, &entry.name))
                    }
                },
            }
        };
        let origins = bound.names.iter().enumerate().map(origin).collect::<Result<Vec<Origin>>>()?;
        let slot = |name: &String| bound.names.iter().position(|known| known == name);
        let ascending = entry.ascending.as_ref().and_then(slot);
        let value = |origin: &Origin| match origin {
            Origin::Same(earlier) => origins[*earlier].initial_value(),
            origin => origin.initial_value(),
        };
        Ok(Prepared {
            name: entry.name.clone(),
            statement: session.prepare(&bound.sql).map_err(|error| named(error, test, &entry.name))?,
            sql: bound.sql,
            repeat: entry.repeat,
            values: origins.iter().map(value).collect(),
            ascending: ascending.map(|slot| (slot, Vec::with_capacity(entry.repeat as usize))),
            expected: Expected::new(&entry.expect, scope),
            names: bound.names,
            origins,
        })
    }

    /// Draws the values that are sorted over the repetitions of the step.
    #[inline]
    fn begin_step(&mut self, draw: &mut Draw) {
        let Some((slot, keys)) = &mut self.ascending else { return };
        keys.clear();
        let origin = &self.origins[*slot..=*slot];
        for _ in 0..self.repeat {
            fill(&mut self.values[*slot..=*slot], origin, draw);
            if let Value::Int(key) = self.values[*slot] {
                keys.push(key);
            }
        }
        keys.sort_unstable();
    }

    #[inline]
    fn fill(&mut self, repetition: u32, draw: &mut Draw) {
        fill(&mut self.values, &self.origins, draw);
        if let Some((slot, keys)) = &self.ascending {
            self.values[*slot] = Value::Int(keys[repetition as usize]);
        }
    }

    /// Executes with the current values; returns the difference of the answer.
    fn compare(&mut self, session: &mut dyn Session, generators: &[Generator]) -> Result<Option<String>> {
        let counted = |verb: &str, found: u64, expected: u64| {
            (found != expected).then(|| format!("{verb} {found} rows, expected {expected}"))
        };
        if let Expected::Changed(expected) = self.expected {
            return Ok(counted("changed", session.execute(self.statement, &self.values)?, expected));
        }
        let found = session.query(self.statement, &self.values)?;
        Ok(match &self.expected {
            Expected::Changed(expected) | Expected::Rows(expected) => {
                counted("returned", found.len() as u64, *expected)
            }
            Expected::Values(expected) => {
                let value = |expected: &ExpectedValue| match expected {
                    ExpectedValue::Fixed(value) => value.clone(),
                    ExpectedValue::Derived(key, content) => {
                        self.value_of(key).map_or(Value::Null, |key| Value::Text(content.of(key).into()))
                    }
                };
                first_difference(vec![expected.iter().map(value).collect()], found)
            }
            Expected::Data(query) => {
                let key = query.by.and_then(|by| self.value_of(by.name())).unwrap_or(0);
                let generator = generators.iter().find(|generator| generator.table() == query.table);
                let right = generator.map(|generator| query.answer(generator, key)).unwrap_or_default();
                let of_key = query.by.map(|by| format!(" for {} {key}", by.name())).unwrap_or_default();
                first_difference(right, found).map(|clause| format!("{clause}{of_key}"))
            }
        })
    }

    /// The value of the bind `name`, if it is an integer.
    fn value_of(&self, name: &str) -> Option<i64> {
        let slot = self.names.iter().position(|known| known == name)?;
        match self.values[slot] {
            Value::Int(number) => Some(number),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
