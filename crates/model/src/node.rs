//! Figures of one node of a run that used several.

use record::{NodeEventKind, NodeRun, Rate, Run, name};

use crate::delta::rise;

/// Operations per second of `node` over the window of `run`, or over the time until it was lost. None where that is
/// empty.
pub fn node_rate(run: &Run, node: &NodeRun) -> Option<Rate> {
    let lost = run.events.iter().find(|event| event.kind == NodeEventKind::Lost && event.node == node.node);
    let time = lost.map_or(run.window_ns, |event| event.at_ns.min(run.window_ns));
    (time.0 > 0).then(|| Rate(node.totals.operations as f64 / time.seconds()))
}

/// Commits counted by `node`, less dbdyno's bookkeeping. None where a reading is missing or the counter was reset.
pub fn node_commits(node: &NodeRun) -> Option<u64> {
    let own = rise(&node.readings, name::BOOKKEEPING_COMMIT_COUNT).unwrap_or(0);
    Some(rise(&node.readings, name::COMMIT_COUNT)?.saturating_sub(own))
}

#[cfg(test)]
mod tests {
    use record::{Nanos, NodeEvent, Totals};

    use super::*;
    use crate::fixture::{reading, run};

    fn node(operations: u64) -> NodeRun {
        NodeRun {
            node: 2,
            jobs: 1,
            totals: Totals { operations, ..Totals::default() },
            service: Default::default(),
            response: Default::default(),
            seconds: Vec::new(),
            readings: Vec::new(),
        }
    }

    #[test]
    fn the_rate_of_a_lost_node_is_until_its_loss() {
        let mut run = run("T611", 2);
        run.window_ns = Nanos(10_000_000_000);
        assert_eq!(node_rate(&run, &node(1_000)), Some(Rate(100.0)));
        run.events.push(NodeEvent {
            at_ns: Nanos(4_000_000_000),
            node: 2,
            name: "h2".to_owned(),
            kind: NodeEventKind::Lost,
            jobs: 1,
            message: String::new(),
        });
        assert_eq!(node_rate(&run, &node(1_000)), Some(Rate(250.0)));
        run.events[0].node = 1;
        assert_eq!(node_rate(&run, &node(1_000)), Some(Rate(100.0)), "another one");
        run.window_ns = Nanos(0);
        assert_eq!(node_rate(&run, &node(1_000)), None);
    }

    #[test]
    fn commits_are_the_nodes_own_count_less_bookkeeping() {
        let counters = |commits: u64, own: u64| [(name::COMMIT_COUNT, commits), (name::BOOKKEEPING_COMMIT_COUNT, own)];
        let mut node = node(23);
        assert_eq!(node_commits(&node), None);
        node.readings = vec![reading(1, &counters(100, 2)), reading(2, &counters(127, 6))];
        assert_eq!(node_commits(&node), Some(23));
        node.readings.reverse();
        assert_eq!(node_commits(&node), Some(23), "the order in which readings are stored does not matter");
        node.readings[0].values.remove(name::COMMIT_COUNT);
        assert_eq!(node_commits(&node), None);
    }
}
