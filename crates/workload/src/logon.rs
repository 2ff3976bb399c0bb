//! Log on, run the statements, log off: a step has a session of its own.

use engine::{Node, Result, Session};
use measure::{Broken, Done, Work};

use crate::bind::Draw;
use crate::data::Generator;
use crate::sql_work::Prepared;
use crate::test::Test;
use crate::test_context::{TestContext, broken, failed};

/// A step opens a session of its node, as all sessions are opened, prepares and runs the statements of the test, and closes the
/// session. Between two steps the job has none.
pub(crate) struct LogonWork<'a> {
    node: &'a dyn Node,
    statements: Vec<Prepared>,
    draw: Draw,
    operations: u64,
    code: String,
    generators: Vec<Generator>,
    /// Of all its sessions, the log-on included, where they count them.
    round_trips: Option<u64>,
}

impl<'a> LogonWork<'a> {
    /// The work of job `job` of `test`, on `node`.
    pub(crate) fn new(
        test: &Test,
        job: u32,
        context: &TestContext<'_>,
        node: &'a dyn Node,
        draw: Draw,
        generators: &[Generator],
    ) -> Result<LogonWork<'a>> {
        let mut session = node.connect()?;
        let prepare = |entry| Prepared::new(test, entry, job, context, session.as_mut());
        Ok(LogonWork {
            statements: test.statement.iter().map(prepare).collect::<Result<Vec<Prepared>>>()?,
            node,
            draw,
            operations: u64::try_from(test.scope(context.sizes).amount(&test.operations)).unwrap_or(0),
            code: test.code.clone(),
            generators: generators.to_vec(),
            round_trips: None,
        })
    }

    /// Round trips of its sessions so far, where they count them.
    pub(crate) fn round_trip_count(&self) -> Option<u64> {
        self.round_trips
    }

    fn run(&mut self, session: &mut dyn Session) -> Result<Done> {
        let mut done = Done { operations: self.operations, ..Done::default() };
        for prepared in &mut self.statements {
            prepared.prepare_again(session)?;
            for _ in 0..prepared.repeat() {
                done.rows += prepared.execute(session, &mut self.draw)?;
                done.transactions += 1;
            }
        }
        Ok(done)
    }

    /// One step, with every answer compared.
    pub(crate) fn check(&mut self) -> std::result::Result<(), Broken> {
        match self.try_check().map_err(|error| broken(&error))? {
            Some(wrong) => Err(Broken { message: format!("test {}: {wrong}", self.code) }),
            None => Ok(()),
        }
    }

    fn try_check(&mut self) -> Result<Option<String>> {
        let mut session = self.node.connect()?;
        let mut wrong = None;
        for prepared in &mut self.statements {
            prepared.prepare_again(session.as_mut())?;
            let difference = prepared.compare_new(session.as_mut(), &mut self.draw, &self.generators)?;
            wrong = wrong.or(difference);
        }
        Ok(wrong)
    }
}

impl Work for LogonWork<'_> {
    fn step(&mut self, _number: u64) -> std::result::Result<Done, Broken> {
        let mut session = self.node.connect().map_err(|error| broken(&error))?;
        let outcome = self.run(session.as_mut());
        if let Some(count) = session.round_trip_count() {
            self.round_trips = Some(self.round_trips.unwrap_or(0) + count);
        }
        // Its drop is the log-off, which is part of the step.
        match outcome {
            Ok(done) => Ok(done),
            Err(error) => failed(session.as_mut(), &error, false),
        }
    }
}
