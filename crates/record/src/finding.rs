//! Findings of self-checks: a verdict with its evidence. Stored with the run; reports make the sentences.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::evidence::{
    AgentRates, AgentStarts, Answers, Backlog, Bound, CacheFill, CacheMisses, ClientShare, CommitCount, Compressible,
    Content, DeviceIo, Durable, Failures, Flush, ForeignCpuShare, ForeignIoShare, GeneratorBound, LittlesLaw, NodeLoss,
    OtherSessions, PageCache, RateLevels, SlowAgent, Stall, Steady, Steal, StepDown, Swapping, Throttling,
    UnseenAnswers, Unwritten, WindowLength,
};

/// What was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// Answers of statements in the warm-up against the expected ones.
    Answers,
    /// Jobs in flight against throughput times response time.
    LittlesLaw,
    /// Commits counted by dbdyno against commits counted by the engine.
    CommitCount,
    /// CPU time of dbdyno.
    ClientShare,
    /// CPU steal.
    Steal,
    /// CPU time of other programs.
    ForeignCpu,
    /// I/O of other programs on the measured device.
    ForeignIo,
    /// Throttling by the CPU quota of the control group.
    Throttling,
    /// Swapping during the run.
    Swapping,
    /// Share of reads that came from the device and not from the page cache.
    PageCache,
    /// Whether the table fits the buffer cache or not, as the test requires.
    CacheFit,
    /// Whether reads of random rows missed the buffer cache as often as uniform access does, from the first to the last.
    CacheMisses,
    /// Whether commits were flushed to stable storage.
    Durability,
    /// A rate that jumps between two levels.
    RateLevels,
    /// Steps that failed.
    Failures,
    /// Scheduled steps that were not done when the run ended.
    Backlog,
    /// A window that is too short.
    WindowLength,
    /// Other sessions in the same engine.
    OtherSessions,
    /// Requested I/O against I/O of the block layer.
    DeviceIo,
    /// Reads of blocks that were never written: holes, reserved extents, trimmed ranges.
    Unwritten,
    /// Data that a device can compress or deduplicate.
    Compressible,
    /// Flushes against syncs, and the time of a sync.
    Flush,
    /// A drop of the rate during the run: throttling, exhausted burst credits, heat.
    StepDown,
    /// Whether the rate was steady (over rounds: the SNIA rule).
    Steady,
    /// Scheduling delay of the generator.
    Stall,
    /// Load of the generator in relation to its ceiling.
    GeneratorBound,
    /// Data read or verified against data written.
    Content,
    /// A service level.
    Bound,
    /// Nodes lost during the run.
    NodeLoss,
    /// Starts of the agents of a fleet.
    AgentStarts,
    /// Rates of the agents of a fleet.
    AgentRates,
    /// The slowest agent of a fleet against the others.
    SlowAgent,
    /// Answers that lay unseen on shared threads.
    UnseenAnswers,
}

impl Check {
    /// All checks.
    pub const ALL: [Check; 33] = [
        Check::Answers,
        Check::LittlesLaw,
        Check::CommitCount,
        Check::ClientShare,
        Check::Steal,
        Check::ForeignCpu,
        Check::ForeignIo,
        Check::Throttling,
        Check::Swapping,
        Check::PageCache,
        Check::CacheFit,
        Check::CacheMisses,
        Check::Durability,
        Check::RateLevels,
        Check::Failures,
        Check::Backlog,
        Check::WindowLength,
        Check::OtherSessions,
        Check::DeviceIo,
        Check::Unwritten,
        Check::Compressible,
        Check::Flush,
        Check::StepDown,
        Check::Steady,
        Check::Stall,
        Check::GeneratorBound,
        Check::Content,
        Check::Bound,
        Check::NodeLoss,
        Check::AgentStarts,
        Check::AgentRates,
        Check::SlowAgent,
        Check::UnseenAnswers,
    ];
}

/// Evidence, by check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// The answers of the statements.
    Answers(Answers),
    /// Jobs or I/Os in flight, and counts that must agree.
    LittlesLaw(LittlesLaw),
    /// Commits here and in the engine.
    CommitCount(CommitCount),
    /// CPU time of dbdyno.
    ClientShare(ClientShare),
    /// CPU steal.
    Steal(Option<Steal>),
    /// CPU time of other programs.
    ForeignCpu(Option<Box<ForeignCpuShare>>),
    /// I/O of other programs on the device.
    ForeignIo(Option<Box<ForeignIoShare>>),
    /// Throttling by the CPU quota.
    Throttling(Throttling),
    /// Pages swapped in.
    Swapping(Option<Swapping>),
    /// Origin of the bytes read.
    PageCache(PageCache),
    /// The tables against the engine's cache.
    CacheFit(CacheFill),
    /// Reads of random rows that missed the engine's cache.
    CacheMisses(CacheMisses),
    /// Commits against flushes of the device.
    Durability(Durable),
    /// The two levels of the rate; `None` if it has one.
    RateLevels(Option<RateLevels>),
    /// Failed steps; `None` without any.
    Failures(Option<Box<Failures>>),
    /// Scheduled steps that were not done.
    Backlog(Backlog),
    /// Length of the window.
    WindowLength(WindowLength),
    /// Commits of others.
    OtherSessions(OtherSessions),
    /// Requested I/O against I/O of the block layer.
    DeviceIo(DeviceIo),
    /// Blocks that were never written.
    Unwritten(Unwritten),
    /// Compression and deduplication by the device.
    Compressible(Compressible),
    /// Syncs against flushes, or commits against the probe of commits.
    Flush(Flush),
    /// A drop of the rate; `None` without one.
    StepDown(Option<StepDown>),
    /// Whether the rate was steady.
    Steady(Steady),
    /// Maximum scheduling delay of the generator.
    Stall(Option<Stall>),
    /// The busiest job against the ceiling of the generator.
    GeneratorBound(Option<Box<GeneratorBound>>),
    /// Blocks whose content was checked.
    Content(Content),
    /// The response times against a service level.
    Bound(Bound),
    /// Availability of the nodes.
    NodeLoss(NodeLoss),
    /// How far apart the agents of a fleet started.
    AgentStarts(AgentStarts),
    /// The two rates of a fleet.
    AgentRates(AgentRates),
    /// The slowest agent of a fleet.
    SlowAgent(SlowAgent),
    /// How long answers lay unseen on threads that several jobs shared.
    UnseenAnswers(UnseenAnswers),
}

impl Evidence {
    /// What was checked.
    pub fn check(&self) -> Check {
        match self {
            Evidence::Answers(_) => Check::Answers,
            Evidence::LittlesLaw(_) => Check::LittlesLaw,
            Evidence::CommitCount(_) => Check::CommitCount,
            Evidence::ClientShare(_) => Check::ClientShare,
            Evidence::Steal(_) => Check::Steal,
            Evidence::ForeignCpu(_) => Check::ForeignCpu,
            Evidence::ForeignIo(_) => Check::ForeignIo,
            Evidence::Throttling(_) => Check::Throttling,
            Evidence::Swapping(_) => Check::Swapping,
            Evidence::PageCache(_) => Check::PageCache,
            Evidence::CacheFit(_) => Check::CacheFit,
            Evidence::CacheMisses(_) => Check::CacheMisses,
            Evidence::Durability(_) => Check::Durability,
            Evidence::RateLevels(_) => Check::RateLevels,
            Evidence::Failures(_) => Check::Failures,
            Evidence::Backlog(_) => Check::Backlog,
            Evidence::WindowLength(_) => Check::WindowLength,
            Evidence::OtherSessions(_) => Check::OtherSessions,
            Evidence::DeviceIo(_) => Check::DeviceIo,
            Evidence::Unwritten(_) => Check::Unwritten,
            Evidence::Compressible(_) => Check::Compressible,
            Evidence::Flush(_) => Check::Flush,
            Evidence::StepDown(_) => Check::StepDown,
            Evidence::Steady(_) => Check::Steady,
            Evidence::Stall(_) => Check::Stall,
            Evidence::GeneratorBound(_) => Check::GeneratorBound,
            Evidence::Content(_) => Check::Content,
            Evidence::Bound(_) => Check::Bound,
            Evidence::NodeLoss(_) => Check::NodeLoss,
            Evidence::AgentStarts(_) => Check::AgentStarts,
            Evidence::AgentRates(_) => Check::AgentRates,
            Evidence::SlowAgent(_) => Check::SlowAgent,
            Evidence::UnseenAnswers(_) => Check::UnseenAnswers,
        }
    }
}

/// Verdict of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Passed.
    Pass,
    /// Not checked: a source is missing.
    Unknown,
    /// A caveat of the result.
    Warn,
    /// The result is invalid.
    Fail,
}

/// One check of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// What the check says.
    pub verdict: Verdict,
    /// Its evidence.
    pub evidence: Evidence,
    /// Number of other parts of the run (files, jobs, queues) with the same finding and other figures.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub others: u32,
    /// The agent whose host it is about, in a run of a fleet; absent for a finding of the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

impl Finding {
    /// A finding of the whole run, or of one part of it.
    pub fn new(verdict: Verdict, evidence: Evidence) -> Finding {
        Finding { verdict, evidence, others: 0, agent: None }
    }

    /// What was checked.
    pub fn check(&self) -> Check {
        self.evidence.check()
    }
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_checks_are_listed() {
        let schema = serde_json::to_string(&schemars::schema_for!(Check)).unwrap();
        let names = Check::ALL.map(|check| serde_json::to_value(check).unwrap());
        assert_eq!(schema.matches("\"const\"").count(), names.len());
        for name in names {
            assert!(schema.contains(&format!("\"const\":{name}")), "{name} in {schema}");
        }
    }
}
