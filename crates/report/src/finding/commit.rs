//! What is said of commits: how many there were, and whether they and syncs reached stable storage.

use record::evidence::{CommitCount, Durable, Flush, FlushCounter, FlushSharing};
use record::{Nanos, Verdict};

use super::device::SEVERAL_DEVICES;
use super::{CheckWords, Worded};
use crate::figure::percent;
use crate::words::plural;

impl Worded for CommitCount {
    const WORDS: CheckWords = CheckWords {
        name: "commit count",
        limits: ["the engine counts more, by more than 0.5 %", "it counts fewer, by more than 0.5 %"],
        meaning: "The engine and the jobs counted different numbers of commits: the counted work is not the executed \
                  work.",
        remedy: "let no other session commit in the database meanwhile",
    };

    fn sentence(&self, verdict: Verdict) -> String {
        let (ours, surplus, difference, limit) = match self {
            CommitCount::NotCounted => return "the engine's count of commits is not known".to_owned(),
            CommitCount::NotRead { message } => return format!("the engine's counters could not be read: {message}"),
            CommitCount::Counted { ours, surplus, difference, limit } => (*ours, *surplus, *difference, *limit),
        };
        let ours = plural(ours, "commit");
        let summary = match surplus {
            0 => return format!("{ours}, and the engine counts as many"),
            1.. => format!("{ours}, and the engine counts {surplus} more"),
            _ => format!("{ours}, and the engine counts {} less", surplus.unsigned_abs()),
        };
        match verdict {
            Verdict::Pass if difference > limit => {
                format!("{summary}: background work of the engine may account for them")
            }
            _ => {
                let others = if verdict == Verdict::Warn { "; other sessions commit there" } else { "" };
                format!("{summary}: {}, limit {}{others}", percent(difference), percent(limit))
            }
        }
    }
}

impl Worded for Durable {
    const WORDS: CheckWords = CheckWords {
        name: "durability",
        limits: ["commits do not wait, or too few flushes", ""],
        meaning: "Commits may not reach stable storage: the result is not comparable with that of a durable engine.",
        remedy: "make commits durable in the settings of the engine, or compare only with equal settings",
    };

    fn sentence(&self, verdict: Verdict) -> String {
        match self {
            Durable::NotKnown { settings } => {
                format!("whether a commit waits for stable storage is not known: {settings}")
            }
            Durable::DoesNotWait { settings } => format!("a commit does not wait for stable storage: {settings}"),
            Durable::Remote => {
                "the settings say that commits are durable; flushes on another host are not visible".to_owned()
            }
            Durable::WriteThrough => {
                "commits wait for the log, and the device reports that it needs no flush".to_owned()
            }
            Durable::NotCounted => "commits wait for the log; flushes are not counted here".to_owned(),
            Durable::Counted { flushes, counted_by, commits, jobs } => {
                let by = match counted_by {
                    FlushCounter::Device => "the device completed",
                    FlushCounter::Engine => "the engine asked for",
                };
                let summary = format!("{by} {} for {}", self::flushes(*flushes), plural(*commits, "commit"));
                match (verdict, flushes) {
                    (Verdict::Pass, _) => summary,
                    (Verdict::Unknown, _) => format!("{summary}; whether it needs any is not known"),
                    (_, 0) => {
                        format!(
                            "{summary}: they were not forced to stable media, or another device counted the flushes"
                        )
                    }
                    _ => {
                        let jobs = plural(u64::from(*jobs), "job");
                        format!("{summary}: more commits per flush than {jobs} can share")
                    }
                }
            }
        }
    }
}

impl Worded for Flush {
    const WORDS: CheckWords = CheckWords {
        name: "device flushes",
        limits: ["a median sync below 20 µs, or too few flushes", "no flush at all behind a volatile cache"],
        meaning: "Syncs were not followed by flushes, or returned too fast: data may not have been on the medium. \
                  Where the counters show the syncs, the probe may have been delayed instead.",
        remedy: "look at the write cache of the device, and at the mount options",
    };

    fn sentence(&self, verdict: Verdict) -> String {
        match self {
            Flush::SeveralDevices => SEVERAL_DEVICES.to_owned(),
            Flush::AtServer { syncs, commits } => {
                let commits = commits.map(|count| format!(", {count} COMMIT requests of NFS")).unwrap_or_default();
                format!(
                    "{syncs} syncs{commits}: whether the server forces data to stable storage is not visible from here; \
                     hint: look for sync among the options of its export"
                )
            }
            Flush::WriteThrough => {
                "the device reports write-through: acknowledged writes need no flush, as with a cache protected against \
                 power loss"
                    .to_owned()
            }
            Flush::Syncs { syncs, flushes, sharing, slots, fastest_ns } => {
                let counted = shared_flushes(*syncs, *flushes, *sharing, *slots);
                match fastest_ns {
                    None => counted,
                    Some(fastest) => format!(
                        "a sync was acknowledged in {:.1} µs: power-loss protection or a cache of the host, which look the \
                         same from inside a guest; {counted}",
                        fastest.0 as f64 / 1e3
                    ),
                }
            }
            Flush::CommitTime { transaction_ns, probe_ns, commits, log_syncs, flushes } => {
                let microseconds = |span: &Nanos| span.0 as f64 / 1e3;
                let summary = format!(
                    "a transaction took {:.0} µs, a write and its sync on the same device {:.0} µs",
                    microseconds(transaction_ns),
                    microseconds(probe_ns)
                );
                let syncs = log_syncs.map(|count| plural(count, "sync") + " of the log");
                let flushes = flushes.map(|count| self::flushes(count) + " of the device");
                let shown: Vec<String> = [syncs, flushes].into_iter().flatten().collect();
                match verdict {
                    Verdict::Pass => summary,
                    Verdict::Unknown => format!(
                        "{summary}: the probe and the engine disagree, and the counters show {} for {}; repeat both",
                        shown.join(" and "),
                        plural(*commits, "commit")
                    ),
                    _ => format!("{summary}: the engine did not wait for the flush"),
                }
            }
        }
    }
}

fn shared_flushes(syncs: u64, flushes: Option<u64>, sharing: FlushSharing, slots: u64) -> String {
    let ours = plural(syncs, "sync");
    let summary = format!("the device completed {} for {ours}", self::flushes(flushes.unwrap_or(0)));
    match sharing {
        FlushSharing::NotCounted => format!("{ours}; flushes of the device are not counted here"),
        FlushSharing::NeedNotKnown => format!("{summary}; whether it needs any is not known"),
        FlushSharing::PastCache => {
            format!("{summary}: they were not forced to stable storage, unless each write bypassed its cache (FUA)")
        }
        FlushSharing::NotForced => format!("{summary}: syncs were not forced to stable storage"),
        FlushSharing::TooFew => {
            format!("{summary}: more syncs per flush than {} in flight can share", plural(slots, "I/O"))
        }
        FlushSharing::Enough => summary,
    }
}

/// `1 flush`, `2 flushes`.
fn flushes(count: u64) -> String {
    format!("{count} {}", if count == 1 { "flush" } else { "flushes" })
}
