//! The load: clients that commit until their connection is lost.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use engine::{Durability, Node, Session};
use model::durability::{WitnessKind, WitnessObject};

use super::super::ledger::{self, ANSWER_MAX, CLIENTS, Client};
use super::super::witness_file::WitnessFile;
use super::start::server_start;
use super::{ByHandRequest, workspace};
use crate::platform::Context;
use crate::{Error, Event, Result};

/// A client waits after each commit, the longer the more it has committed, so that its rows grow with the root of time.
const PAUSE_OF_THOUSAND: Duration = Duration::from_millis(10);

/// How often the clients are looked at.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// How a load ended.
pub(super) enum Ended {
    /// A commit has no answer.
    Lost(engine::Error),
    /// The user has ended it.
    Interrupted,
}

/// How long a client waits after its commit `number`: 10 ms at the beginning, 100 ms after 10,000.
fn pause(number: u64) -> Duration {
    PAUSE_OF_THOUSAND.max(PAUSE_OF_THOUSAND * u32::try_from(number / 1_000).unwrap_or(u32::MAX / 64))
}

/// Makes the tables anew, and has the clients commit until a commit has no answer. What was acknowledged is in `witness` then.
pub(super) fn load(
    request: &ByHandRequest,
    context: &Context<'_>,
    durability: &Durability,
    witness: &WitnessFile,
    seed: u64,
) -> Result<Ended> {
    // Closed, it removes its tables; once something was acknowledged, it is dropped instead.
    let node = context.engine.open(context.target, &workspace(request, request.setup.keep))?;
    let clients = match prepared(node.as_ref(), context) {
        Ok(clients) => clients,
        Err(error) => {
            // The first error is the one that is reported.
            let _ = node.close();
            return Err(error);
        }
    };
    let server = server_start(node.as_ref(), durability)?;
    witness.say(WitnessKind::Begin, WitnessObject::Row, 0, seed)?;
    witness.append(|_| server.record())?;
    let ended = commit(context, witness, clients, seed);
    if !matches!(ended, Ok(Ended::Interrupted)) {
        witness.say(WitnessKind::Fault, WitnessObject::Row, 0, 0)?;
    }
    witness.end_part()?;
    let told = match &ended {
        Ok(Ended::Lost(error)) => format!("the connection to the server was lost: {}", error.message),
        Ok(Ended::Interrupted) => {
            "the load was ended; the same command holds the rows of the server against the witness".to_owned()
        }
        Err(_) => return ended,
    };
    context.listener.on_event(&Event::Note(&told));
    ended
}

type Prepared = (Box<dyn Session>, Vec<engine::Statement>);

/// Claims the schema, makes the tables, and opens the sessions of the clients.
fn prepared(node: &dyn Node, context: &Context<'_>) -> Result<Vec<Prepared>> {
    let dialect = context.engine.dialect();
    node.claim()?;
    ledger::reset(node.connect()?.as_mut(), dialect)?;
    let client = |_| {
        let mut session = node.connect()?;
        session.limit_waits(Some(ANSWER_MAX));
        let statements = ledger::prepare(session.as_mut(), dialect)?;
        Ok((session, statements))
    };
    (0..CLIENTS).map(client).collect()
}

fn commit(context: &Context<'_>, witness: &WitnessFile, prepared: Vec<Prepared>, seed: u64) -> Result<Ended> {
    let (stop, dialect) = (AtomicBool::new(false), context.engine.dialect());
    let clients = prepared.into_iter().zip(0..).map(|((session, statements), client)| Client {
        session,
        statements,
        dialect,
        client,
        seed,
        witness,
        pause,
        stop: &stop,
    });
    thread::scope(|scope| {
        let works: Vec<_> = clients.map(|client| scope.spawn(move || client.commit_rows())).collect();
        let note = format!(
            "{CLIENTS} clients commit: the power of the server may be cut now (Ctrl-C ends the load without that)"
        );
        context.listener.on_event(&Event::Note(&note));
        while !context.interrupt.is_raised() && !works.iter().any(thread::ScopedJoinHandle::is_finished) {
            thread::sleep(LOOK_INTERVAL);
        }
        stop.store(true, Ordering::Relaxed);
        let mut ended = Ended::Interrupted;
        for work in works {
            let done = work.join().unwrap_or_else(|_| Err(Error::environment("a client has ended too early")))?;
            if let (Some(error), Ended::Interrupted) = (done, &ended) {
                ended = Ended::Lost(error);
            }
        }
        Ok(ended)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_with_what_was_committed() {
        let milliseconds = [1, 999, 2_000, 10_000].map(|number| pause(number).as_millis());
        assert_eq!(milliseconds, [10, 10, 20, 100]);
        assert!(pause(u64::MAX) > Duration::from_secs(3_600));
    }
}
