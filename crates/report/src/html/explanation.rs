//! What each check is for, in plain words: what a reader may conclude where it does not pass.

use record::Check;

/// What it means that a run broke off.
pub(super) const ABORTED: &str = "The run ended before its time. What it counted is kept and is no result.";

/// What it means where `check` does not pass.
pub(super) fn meaning(check: Check) -> &'static str {
    match check {
        Check::Answers => "Statements gave other answers than the data must give: something else was measured.",
        Check::LittlesLaw => {
            "Throughput, response time and jobs do not fit each other (Little 1961): one of them is measured wrongly."
        }
        Check::CommitCount => "The engine counted other commits than the jobs: not what was counted was carried out.",
        Check::ClientShare => {
            "dbdyno itself needed much of the processors: on a machine of its own the engine could do more."
        }
        Check::Steal => "The hypervisor gave processor time to others: the machine can do more than was measured.",
        Check::ForeignCpu => {
            "Other programs used the processors meanwhile: part of what the machine gives went to them."
        }
        Check::ForeignIo => {
            "Other programs read or wrote the measured device meanwhile: part of what it gives went to them."
        }
        Check::Throttling => "The processor quota of the control group held the run back: the quota was measured.",
        Check::Swapping => "Memory was short: the swap device was measured as well.",
        Check::PageCache => {
            "Reads were served from the memory of the operating system: this is not the speed of the device."
        }
        Check::CacheFit => "The table does not lie where the test wants it, inside or outside the engine's cache.",
        Check::Durability => {
            "Commits need not reach stable storage: the figure must not be held against one of a durable engine."
        }
        Check::RateLevels => "The rate jumped between two levels: the mean lies between two states of the machine.",
        Check::Failures => "Steps failed; those are not counted as operations.",
        Check::Backlog => "The platform did not keep up with the arrival rate: response times grow with the window.",
        Check::WindowLength => "The window is too short for what is said of it: repeat with a longer preset.",
        Check::OtherSessions => "Others were at work in the same engine: they took part of what it gives.",
        Check::DeviceIo => {
            "The block layer saw other I/O than was asked for: something lies in between, or others do I/O."
        }
        Check::Unwritten => "Blocks that were never written were read: a device answers such reads without its medium.",
        Check::Compressible => {
            "The data can be compressed or stored once: a device that does so looks faster than it is."
        }
        Check::Flush => {
            "Syncs were not followed by flushes, or came back too soon: data may not have been on the medium. Where the \
             counters show the syncs, the probe may have been held up instead."
        }
        Check::StepDown => {
            "The rate fell in mid-run: burst credits, a cache or heat. What is left is the lasting rate."
        }
        Check::Steady => {
            "The rate was not steady: the mean belongs to no lasting state (SNIA, Performance Test Specification)."
        }
        Check::Stall => "The generator of load was held up: some latencies are its own.",
        Check::GeneratorBound => "The generator was near its own limit, or that is not known: the device may do more.",
        Check::Content => "What was read is not what was written: data were corrupted, or others write there.",
        Check::Bound => "The service level that was asked for was not kept at this load.",
        Check::NodeLoss => {
            "A node was lost in mid-run: the figures are a mixture of the time with it and of the time without it."
        }
    }
}
