//! The meaning of each check where it does not pass.

use record::{Check, WarningSubject};

use crate::finding::remedy;

/// The name of a check, what it means where it does not pass, and what to do then.
pub fn check_texts(check: Check) -> [&'static str; 3] {
    [crate::words::check(check), meaning(check), remedy(check)]
}

/// The meaning of an aborted run.
const ABORTED: &str = "The run was aborted. Its counts are kept and are no result.";

/// The meaning of a gain beyond the added workers.
const GAIN: &str = "Several jobs did more than as many times what one did: the single job paid for something that \
                               several do not, and the gain is not that of the platform. Remedy: that of the finding, or else \
                               repeat, or measure longer.";

/// The meaning of repeats that drift.
const DRIFT: &str = "The rates of the repeats of a row change in the order in which they were measured, by more than \
                                chance among all rows: the repeats did not measure the same thing. Remedy: a longer warm-up, \
                                more repeats, or a comparison in pairs, in which the drift is on both sides.";

/// The meaning of runs in another state of the database.
const STATE: &str = "The runs of a row are of different states of the database: of another size of the tables, another \
                                filling of the cache, or another part of the log. Remedy: a longer warm-up, a new database, \
                                or settings under which the state stays.";

/// The meaning of a warning about `subject`, and what to do.
pub(super) fn meaning_of(subject: WarningSubject) -> String {
    match subject {
        WarningSubject::Abort => ABORTED.to_owned(),
        WarningSubject::Gain => GAIN.to_owned(),
        WarningSubject::Drift => DRIFT.to_owned(),
        WarningSubject::State => STATE.to_owned(),
        WarningSubject::Check(check) => format!("{} Remedy: {}.", meaning(check), remedy(check)),
    }
}

/// The meaning of `check` where it does not pass.
pub(super) fn meaning(check: Check) -> &'static str {
    match check {
        Check::Answers => "Statements returned wrong results for the data: the workload is not the intended one.",
        Check::LittlesLaw => {
            "Throughput, response time and jobs are inconsistent (Little 1961): one of them is measured incorrectly."
        }
        Check::CommitCount => {
            "The engine and the jobs counted different numbers of commits: the counted work is not the executed work."
        }
        Check::ClientShare => {
            "dbdyno used a large share of the CPU: with a separate client machine the engine could be faster."
        }
        Check::Steal => "The hypervisor gave CPU time to other guests: the machine can be faster than measured.",
        Check::ForeignCpu => "Other programs used CPU during the run: the machine can be faster than measured.",
        Check::ForeignIo => {
            "Other programs did I/O on the measured device during the run: the device can be faster than measured."
        }
        Check::Throttling => "The CPU quota of the control group throttled the run: the result shows the quota.",
        Check::Swapping => "Memory was short: the result includes swap I/O.",
        Check::PageCache => "Reads were served by the page cache: the result is not the speed of the device.",
        Check::CacheFit => "The table is not inside or outside the engine's cache as the test requires.",
        Check::CacheMisses => {
            "The cache of the engine was not in the state that it has in the long run: repeats and other degrees of \
             parallelism may find it in another one."
        }
        Check::Durability => {
            "Commits may not reach stable storage: the result is not comparable with that of a durable engine."
        }
        Check::RateLevels => "The rate jumped between two levels: the mean is between two states of the machine.",
        Check::Failures => "Steps failed; those are not counted as operations.",
        Check::Backlog => "The platform did not achieve the arrival rate: response times grow with the window.",
        Check::WindowLength => "The window is too short for the conclusion: repeat with a longer preset.",
        Check::OtherSessions => "Other sessions were active in the same engine and used part of its capacity.",
        Check::DeviceIo => {
            "The block layer saw other I/O than was requested: a cache in between, or I/O of other programs."
        }
        Check::Unwritten => {
            "Blocks that were never written were read: a device serves such reads without accessing its medium."
        }
        Check::Compressible => {
            "The data can be compressed or deduplicated: a device that does so appears faster than it is."
        }
        Check::Flush => {
            "Syncs were not followed by flushes, or returned too fast: data may not have been on the medium. Where the \
             counters show the syncs, the probe may have been delayed instead."
        }
        Check::StepDown => {
            "The rate dropped during the run: burst credits, a cache or heat. The later rate is the lasting one."
        }
        Check::Steady => {
            "The rate was not steady: the mean is of no steady state (SNIA, Performance Test Specification)."
        }
        Check::Stall => "The load generator stalled: some latencies are its own.",
        Check::GeneratorBound => {
            "The load generator was near its own limit, or that is not known: the device may be faster."
        }
        Check::Content => {
            "What was read is not what was written last: corrupted data, a write that was lost, or writes of other programs."
        }
        Check::Bound => "The service level was missed at this load.",
        Check::NodeLoss => "A node was lost during the run: the figures cover the time with it and without it.",
        Check::AgentStarts => "The agents did not start together: for a part of the window not all of them worked.",
        Check::AgentRates => {
            "The rate depends on which window is meant: those of the agents, or the time that they have in common."
        }
        Check::SlowAgent => "An agent did less than the others: the total is lower than equal hosts would reach.",
        Check::UnseenAnswers => {
            "Sessions shared a thread, and answers waited for it: latencies may be too long by that time."
        }
    }
}
