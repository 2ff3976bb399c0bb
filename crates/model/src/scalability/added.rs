//! The quantity that varies between the points of a test: the abscissa of its curve.

use std::collections::BTreeSet;

use record::{Dop, Sweep};

use crate::degree::Degree;
use crate::system::SystemTest;

/// A quantity that may vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Varied {
    /// Nodes.
    Nodes,
    /// I/Os in flight of a storage probe.
    InFlight,
    /// Jobs.
    Jobs,
    /// Threads.
    Threads,
    /// Agents of a fleet, with as many jobs each.
    Agents,
}

/// The varied quantity of a test, and which of its degrees of parallelism are points of one curve.
///
/// Nodes where only their number varies; otherwise agents, I/Os in flight of a storage probe, or the jobs or threads that
/// the test sweeps. Where nodes and something else vary, the curve is that at the largest number of nodes or, where that
/// has fewer points, that over nodes at the highest degree: a curve never mixes two quantities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Added {
    /// The quantity on the abscissa.
    pub varied: Varied,
    /// The highest degree.
    most: Degree,
    /// Jobs of an agent, where agents vary.
    jobs_each: u32,
}

impl Added {
    /// The varied quantity of `degrees`, those with a rate; `sweep` decides unless nodes or storage do. A single degree
    /// on several nodes counts as nodes.
    pub fn of(degrees: impl IntoIterator<Item = Degree>, sweep: Sweep) -> Added {
        let degrees: BTreeSet<Degree> = degrees.into_iter().collect();
        let most = degrees.last().copied().unwrap_or_default();
        let is_alike = |degree: &Degree| with_nodes(*degree, most.dop.nodes) == most;
        let alike = degrees.iter().filter(|degree| is_alike(degree)).count();
        let on_most = degrees.iter().filter(|degree| degree.dop.nodes == most.dop.nodes).count();
        let by_nodes = most.dop.nodes > 1 && (alike == degrees.len() || alike > on_most);
        let varied = match (by_nodes, most.in_flight, sweep) {
            (true, _, _) => Varied::Nodes,
            (false, _, Sweep::Agents { .. }) => Varied::Agents,
            (false, Some(_), _) => Varied::InFlight,
            (false, None, Sweep::Jobs) => Varied::Jobs,
            (false, None, Sweep::Threads) => Varied::Threads,
        };
        let jobs_each = if let Sweep::Agents { jobs_each } = sweep { jobs_each.max(1) } else { 1 };
        Added { varied, most, jobs_each }
    }

    /// The varied quantity of the points of `test` with rates.
    pub fn of_test(test: &SystemTest) -> Added {
        let rated = test.points.iter().filter(|point| !point.rates.is_empty());
        Added::of(rated.map(|point| point.degree), test.sweep)
    }

    /// N of `degree`; None where it is not a point of the curve: on another number of nodes or, where nodes vary, with
    /// other jobs or threads.
    pub fn n(&self, degree: Degree) -> Option<u32> {
        let is_on_most = degree.dop.nodes == self.most.dop.nodes;
        match self.varied {
            Varied::Nodes => (with_nodes(degree, self.most.dop.nodes) == self.most).then_some(degree.dop.nodes),
            Varied::InFlight => degree.in_flight.filter(|_| is_on_most),
            Varied::Jobs => is_on_most.then_some(degree.dop.jobs),
            Varied::Threads => is_on_most.then_some(degree.dop.threads),
            // An agent with fewer jobs than the others is no point.
            Varied::Agents => {
                degree.dop.jobs.is_multiple_of(self.jobs_each).then_some(degree.dop.jobs / self.jobs_each)
            }
        }
    }

    /// The number of nodes of all points; None for one node, and where nodes vary.
    pub fn on_nodes(&self) -> Option<u32> {
        Some(self.most.dop.nodes).filter(|nodes| *nodes > 1 && self.varied != Varied::Nodes)
    }
}

/// `degree` on `nodes` nodes.
fn with_nodes(degree: Degree, nodes: u32) -> Degree {
    Degree { dop: Dop { nodes, ..degree.dop }, ..degree }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn degree(nodes: u32, jobs: u32) -> Degree {
        Degree { dop: Dop { nodes, ..Dop::jobs(jobs) }, in_flight: None }
    }

    fn ns(added: &Added, degrees: &[Degree]) -> Vec<Option<u32>> {
        degrees.iter().map(|degree| added.n(*degree)).collect()
    }

    #[test]
    fn nodes_are_the_quantity_where_only_they_vary() {
        let added = Added::of([degree(3, 8), degree(1, 8)], Sweep::Jobs);
        assert_eq!((added.varied, added.on_nodes()), (Varied::Nodes, None));
        assert_eq!(ns(&added, &[degree(1, 8), degree(2, 8), degree(2, 4)]), [Some(1), Some(2), None]);
        assert_eq!(Added::of([degree(3, 8)], Sweep::Jobs).varied, Varied::Nodes, "one of as many nodes");
    }

    #[test]
    fn of_a_mixture_the_curve_is_at_the_most_nodes() {
        let added = Added::of([degree(1, 8), degree(3, 4), degree(3, 8)], Sweep::Jobs);
        assert_eq!((added.varied, added.on_nodes()), (Varied::Jobs, Some(3)));
        assert_eq!(ns(&added, &[degree(3, 4), degree(1, 8)]), [Some(4), None]);
        let alone = Added::of([degree(1, 1), degree(1, 8)], Sweep::Threads);
        assert_eq!((alone.varied, alone.on_nodes(), alone.n(degree(1, 8))), (Varied::Threads, None, Some(1)));
    }

    #[test]
    fn of_a_mixture_the_curve_is_over_nodes_where_that_has_more_points() {
        // As many nodes as have a job, and the most jobs on fewer nodes.
        let swept = [degree(1, 1), degree(2, 2), degree(3, 4), degree(1, 4), degree(2, 4)];
        let added = Added::of(swept, Sweep::Jobs);
        assert_eq!((added.varied, added.on_nodes()), (Varied::Nodes, None));
        assert_eq!(ns(&added, &swept), [None, None, Some(3), Some(1), Some(2)]);
    }

    #[test]
    fn agents_are_added_with_all_their_jobs() {
        let swept = [degree(1, 4), degree(1, 8), degree(1, 12), degree(1, 14)];
        let added = Added::of(swept, Sweep::Agents { jobs_each: 4 });
        assert_eq!((added.varied, ns(&added, &swept)), (Varied::Agents, vec![Some(1), Some(2), Some(3), None]));
    }

    #[test]
    fn storage_varies_ios_in_flight() {
        let probe = |in_flight| Degree { in_flight: Some(in_flight), ..degree(1, 1) };
        let added = Added::of([probe(1), probe(32)], Sweep::Jobs);
        assert_eq!((added.varied, added.n(probe(4)), added.n(degree(1, 4))), (Varied::InFlight, Some(4), None));
    }
}
