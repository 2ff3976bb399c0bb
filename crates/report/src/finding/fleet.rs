//! What is said of several nodes, and of the agents of a fleet.

use record::evidence::{AgentRates, AgentStarts, LostNode, NodeLoss, SlowAgent};
use record::{Rate, Verdict};

use super::{CheckWords, Worded};
use crate::figure::{duration, percent};
use crate::words::plural;

impl Worded for NodeLoss {
    const WORDS: CheckWords = CheckWords {
        name: "node loss",
        limits: ["a node was lost", ""],
        meaning: "A node was lost during the run: the figures cover the time with it and without it.",
        remedy: "bring the node back, and repeat",
    };

    fn sentence(&self, _: Verdict) -> String {
        match self {
            NodeLoss::None { nodes } => format!("all {nodes} nodes answered"),
            NodeLoss::Lost { nodes } => nodes.iter().map(lost_node_text).collect::<Vec<_>>().join("; "),
        }
    }
}

/// The loss of a node, in a clause: which one, when, how many jobs ended with it, and the rates around it.
pub(crate) fn lost_node_text(lost: &LostNode) -> String {
    let node = match lost.name.as_str() {
        "" => format!("node {}", lost.node),
        name => format!("node {} ({name})", lost.node),
    };
    let Some(loss) = lost.loss else { return format!("{node} was unavailable before the run started") };
    let jobs = if loss.jobs == 0 { String::new() } else { format!(" with {}", plural(u64::from(loss.jobs), "job")) };
    let per_second = |rate: Option<Rate>| rate.map_or("not known".to_owned(), |rate| format!("{:.0}/s", rate.0));
    let (before, after) = (per_second(loss.before), per_second(loss.after));
    let still = loss.standstill_seconds.map(|seconds| format!(", no operations for {seconds} s")).unwrap_or_default();
    let at = loss.at_ns.seconds();
    format!("{node} was lost after {at:.1} s{jobs}: {before} before, {after} after{still}")
}

impl Worded for AgentStarts {
    const WORDS: CheckWords = CheckWords {
        name: "agent starts",
        limits: ["above 100 ms, or 1 % of the window", ""],
        meaning: "The agents did not start together: for a part of the window not all of them worked.",
        remedy: "use a network with less delay between the hosts, or longer windows (--seconds)",
    };

    fn sentence(&self, _: Verdict) -> String {
        let AgentStarts { agents, spread_ns, clock_error_ns, limit_ns } = *self;
        let [spread, error, limit] = [spread_ns, clock_error_ns, limit_ns].map(duration);
        format!(
            "{} started within {spread}, by clocks known to {error}; limit of both {limit}",
            plural(agents.into(), "agent")
        )
    }
}

impl Worded for AgentRates {
    const WORDS: CheckWords = CheckWords {
        name: "agent rates",
        limits: ["1 % apart", ""],
        meaning: "The rate depends on which window is meant: those of the agents, or the time that they have in \
                  common.",
        remedy: "choose longer windows (--seconds), and look for the agent that started or ended apart",
    };

    fn sentence(&self, _: Verdict) -> String {
        let own = format!("{:.0}/s over the windows of the agents", self.own_windows.0);
        let common = match (self.common_seconds, self.gap) {
            (Some(common), Some(gap)) => format!(
                "{:.0}/s in the whole seconds of all, {} apart; limit {}",
                common.0,
                percent(gap),
                percent(self.limit)
            ),
            _ => "they have no whole second in common".to_owned(),
        };
        let (first, last) = (self.first_done_ns.seconds(), self.last_done_ns.seconds());
        format!("{own}, {common}; the first agent was done after {first:.3} s, the last after {last:.3} s")
    }
}

impl Worded for SlowAgent {
    const WORDS: CheckWords = CheckWords {
        name: "agent speed",
        limits: ["90 %", ""],
        meaning: "An agent did less than the others: the total is lower than equal hosts would reach.",
        remedy: "look at that host: its processors, its way to the server, its other programs",
    };

    fn sentence(&self, _: Verdict) -> String {
        let (share, limit) = (percent(self.share), percent(self.limit));
        format!("the slowest, with {share} of the rate per job of the others; limit {limit}")
    }
}
