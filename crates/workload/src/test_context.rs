//! What tests run on, and the errors of its engine.

use engine::{Engine, Error, Kind, Node, Result, Session};
use measure::{Broken, Done};

use crate::data::Sizes;
use crate::test::Test;

/// The engine and data that tests run on.
#[derive(Clone, Copy)]
pub struct TestContext<'a> {
    /// The engine, for its dialect and statements.
    pub engine: &'a dyn Engine,
    /// The node that takes writes, on which set-up is done.
    pub node: &'a dyn Node,
    /// Other nodes of the same database that jobs are spread over as well.
    pub others: &'a [&'a dyn Node],
    /// Sizes of the tables.
    pub sizes: &'a Sizes,
}

/// `error`, with the name of its node, if it has one.
pub(crate) fn of_node(error: Error, node: &dyn Node) -> Error {
    match node.name() {
        name if name.is_empty() => error,
        name => Error { message: format!("node {name}: {}", error.message), ..error },
    }
}

/// `error`, with the name of its statement.
pub(crate) fn named(error: Error, test: &Test, statement: &str) -> Error {
    let message = format!("statement {statement} of test {}: {}", test.code, error.message);
    Error { message, ..error }
}

/// Whether a table `name` exists.
pub(crate) fn exists(session: &mut dyn Session, name: &str) -> Result<bool> {
    match session.prepare(&format!("select 1 from {name} where 1 = 0")) {
        Ok(_) => Ok(true),
        Err(error) if error.kind == Kind::Statement => Ok(false),
        Err(error) => Err(error),
    }
}

/// Handles an error of a started step: counted if the session is still usable, otherwise the end of the job. `open`
/// tells whether a transaction has to be rolled back.
#[cold]
pub(crate) fn failed(session: &mut dyn Session, error: &Error, open: bool) -> std::result::Result<Done, Broken> {
    let Some(kind) = error.failure() else {
        if open {
            // Its locks must not outlive the step; a lost session has none.
            let _ = session.rollback();
        }
        return Err(broken(error));
    };
    if open {
        session.rollback().map_err(|error| broken(&error))?;
    }
    Ok(Done::failed(kind))
}

/// `error` as one text, with its hint.
pub(crate) fn broken(error: &Error) -> Broken {
    match &error.hint {
        Some(hint) => Broken { message: format!("{}; hint: {hint}", error.message) },
        None => Broken { message: error.message.clone() },
    }
}
