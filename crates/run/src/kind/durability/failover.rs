//! The primary is lost: it is cut off from its replicas or not, and one of them takes its place.

use std::time::Duration;

use base::process::Trees;
use engine::{Failover, Node, Processes, Session, Value};
use measure::clock;
use rustix::process::Signal;

use super::stand::{Running, RunningNode, signal};
use crate::Result;

/// How long a promotion may take.
const PROMOTION_MAX: Duration = Duration::from_secs(60);

/// Processes of a primary that send its log to replicas.
pub(super) struct Senders(Vec<u32>);

impl Senders {
    /// Those of `primary`.
    pub(super) fn of(primary: &dyn Node, failover: &Failover) -> Result<Senders> {
        let Processes::Local(roots) = primary.processes() else { return Ok(Senders(Vec::new())) };
        let mut session = primary.connect()?;
        let told = numbers(session.as_mut(), failover.senders)?;
        // Those alone that belong to the server that was started.
        let own = Trees::new("/proc", &roots).processes();
        let is_told = |pid: u32| told.contains(&i64::from(pid));
        Ok(Senders(own.iter().map(|process| process.pid).filter(|pid| is_told(*pid)).collect()))
    }

    /// Stops them: from now on nothing reaches a replica, as if the network between were gone. What the primary acknowledges meanwhile
    /// is on no other node.
    pub(super) fn stop(&self) {
        self.0.iter().for_each(|pid| signal(*pid, Signal::STOP));
    }
}

/// Promotes the replica among `replicas` that has most of the log, as an administrator does; it comes first afterwards. Why none takes
/// writes is the inner error.
pub(super) fn promote(
    replicas: Vec<RunningNode>,
    failover: &Failover,
) -> Result<std::result::Result<Running, engine::Error>> {
    let start = clock::now();
    let mut running = Running::of_survivors(replicas, start);
    match promote_best(&mut running.nodes, failover) {
        Ok(()) => {
            running.ready_ns = clock::now().since(start);
            Ok(Ok(running))
        }
        Err(error) => {
            let at = running.fault();
            running.end(at)?;
            Ok(Err(error))
        }
    }
}

fn promote_best(nodes: &mut [RunningNode], failover: &Failover) -> engine::Result<()> {
    let mut best: Option<(i64, usize, Box<dyn Session>)> = None;
    for (index, node) in nodes.iter().enumerate() {
        let mut session = node.node.connect()?;
        session.limit_waits(Some(PROMOTION_MAX));
        let position = numbers(session.as_mut(), failover.position)?.first().copied().unwrap_or(0);
        if best.as_ref().is_none_or(|(most, ..)| position > *most) {
            best = Some((position, index, session));
        }
    }
    let refused = |message: &str| engine::Error::new(engine::Kind::Unreachable, message);
    let Some((_, index, mut session)) = best else { return Err(refused("no replica is left")) };
    if numbers(session.as_mut(), failover.promote)? != [1] {
        return Err(refused("the replica was not promoted in time"));
    }
    nodes[..=index].rotate_right(1);
    Ok(())
}

/// The numbers in the first column of the answer to `query`.
fn numbers(session: &mut dyn Session, query: &str) -> engine::Result<Vec<i64>> {
    let statement = session.prepare(query)?;
    let rows = session.query(statement, &[])?;
    let number = |row: &Vec<Value<'_>>| match row.first() {
        Some(Value::Int(number)) => Some(*number),
        _ => None,
    };
    Ok(rows.iter().filter_map(number).collect())
}
