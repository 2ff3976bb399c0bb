//! Lost nodes: the others continue, as a different platform from then on.

use std::ops::Range;

use record::evidence::{Loss, LostNode, NodeLoss};
use record::{Evidence, Finding, NodeEvent, NodeEventKind, Rate, Run, Verdict};

use super::finding;

pub(super) fn check(run: &Run) -> Option<Finding> {
    if run.nodes.is_empty() && run.events.is_empty() {
        return None;
    }
    if run.events.is_empty() {
        let nodes = u32::try_from(run.nodes.len()).unwrap_or(u32::MAX);
        return finding(Verdict::Pass, Evidence::NodeLoss(NodeLoss::None { nodes }));
    }
    let nodes = run.events.iter().map(|event| lost_node(run, event)).collect();
    finding(Verdict::Warn, Evidence::NodeLoss(NodeLoss::Lost { nodes }))
}

/// The loss of a node in `run`: node, time, its jobs, and the rates around it.
pub fn lost_node(run: &Run, event: &NodeEvent) -> LostNode {
    let (node, name) = (event.node, event.name.trim().to_owned());
    if event.kind == NodeEventKind::Gone {
        return LostNode { node, name, loss: None };
    }
    let (before, after) = rates_around(run, event);
    let standstill_seconds = standstill(run, event);
    let loss = Loss { at_ns: event.at_ns, jobs: event.jobs, before, after, standstill_seconds };
    LostNode { node, name, loss: Some(loss) }
}

/// Whole seconds without operations after `event`; None where there is none.
fn standstill(run: &Run, event: &NodeEvent) -> Option<u64> {
    let from = event.at_ns.seconds() as usize + 1;
    let still = run.seconds.get(from..)?.iter().take_while(|second| second.operations == 0).count();
    (still > 0).then_some(still as u64)
}

/// Operations per second in the whole seconds before and after `event`, up to those of the neighbouring events; None
/// without such a second. Events of the same second have the same rates.
fn rates_around(run: &Run, event: &NodeEvent) -> (Option<Rate>, Option<Rate>) {
    let second = |event: &NodeEvent| event.at_ns.seconds() as usize;
    let at = second(event);
    let whole = (run.window_ns.seconds() as usize).min(run.seconds.len());
    let begin = run.events.iter().map(second).filter(|other| *other < at).max().map_or(0, |other| other + 1);
    let end = run.events.iter().map(second).filter(|other| *other > at).min().unwrap_or(whole).min(whole);
    let mean = |range: Range<usize>| {
        let seconds = run.seconds.get(range).filter(|seconds| !seconds.is_empty())?;
        let operations: u64 = seconds.iter().map(|second| second.operations).sum();
        Some(Rate(operations as f64 / seconds.len() as f64))
    };
    (mean(begin..at.min(whole)), mean(at + 1..end))
}

#[cfg(test)]
mod tests {
    use record::{Nanos, NodeRun, Second};

    use super::*;
    use crate::fixture::run;

    fn spread(per_second: &[u64]) -> Run {
        let node = |node: u32| NodeRun {
            node,
            jobs: 2,
            totals: Default::default(),
            service: Default::default(),
            response: Default::default(),
            seconds: Vec::new(),
            readings: Vec::new(),
        };
        let second = |operations: &u64| Second { operations: *operations, ..Second::default() };
        Run {
            nodes: vec![node(1), node(2), node(3)],
            seconds: per_second.iter().map(second).collect(),
            window_ns: Nanos(per_second.len() as u64 * 1_000_000_000 + 500_000_000),
            ..run("T611", 6)
        }
    }

    fn lost(node: u32, at_ms: u64) -> NodeEvent {
        NodeEvent {
            at_ns: Nanos(at_ms * 1_000_000),
            node,
            name: format!("h{node}:5432"),
            kind: NodeEventKind::Lost,
            jobs: 2,
            message: "the server closed the connection".to_owned(),
        }
    }

    #[test]
    fn a_lost_node_has_the_rates_around_it() {
        let mut run = spread(&[300, 300, 100, 0, 200, 200]);
        assert_eq!(check(&run).unwrap().verdict, Verdict::Pass);
        run.events.push(lost(3, 2_300));
        let found = check(&run).unwrap();
        assert_eq!(found.verdict, Verdict::Warn);
        let Evidence::NodeLoss(NodeLoss::Lost { nodes }) = found.evidence else { panic!("{found:?}") };
        let [LostNode { node: 3, name, loss: Some(loss) }] = nodes.as_slice() else { panic!("{nodes:?}") };
        assert_eq!((name.as_str(), loss.at_ns, loss.jobs), ("h3:5432", Nanos(2_300_000_000), 2));
        assert_eq!((loss.before, loss.after.map(|rate| rate.0.round())), (Some(Rate(300.0)), Some(133.0)));
        assert_eq!(loss.standstill_seconds, Some(1));
        run.events[0].at_ns = Nanos(100);
        assert_eq!(rates_around(&run, &run.events[0]).0, None, "there was nothing before it");
        run.events[0].at_ns = Nanos(60_000_000_000);
        assert_eq!(rates_around(&run, &run.events[0]).1, None, "nor anything after it");
    }

    #[test]
    fn the_rates_around_a_loss_end_where_another_node_is_lost() {
        let mut run = spread(&[300, 300, 250, 200, 220, 150, 100, 110]);
        run.events = vec![lost(3, 2_300), lost(2, 5_100)];
        let around = |run: &Run, at: usize| rates_around(run, &run.events[at]);
        assert_eq!(around(&run, 0), (Some(Rate(300.0)), Some(Rate(210.0))), "no second after the other loss");
        assert_eq!(around(&run, 1), (Some(Rate(210.0)), Some(Rate(105.0))), "no second before the other loss");
        run.events[1].at_ns = Nanos(3_900_000_000);
        assert_eq!(around(&run, 0).1, None, "no whole second lies between them");
        assert_eq!(around(&run, 1), (None, Some(Rate(145.0))));
        run.events[1].at_ns = Nanos(2_900_000_000);
        assert_eq!(around(&run, 0), around(&run, 1), "in the same second");
        assert_eq!(around(&run, 0), (Some(Rate(300.0)), Some(Rate(156.0))));
    }

    #[test]
    fn a_run_on_one_node_has_no_nodes_to_lose() {
        assert_eq!(check(&run("T611", 1)), None);
    }
}
