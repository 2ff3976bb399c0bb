//! What a self-check found, in words: one sentence of one finding, lower case, without a full stop. No other module
//! makes these sentences.

mod cache;

use std::fmt::Write as _;

use record::evidence::{
    AgentRates, AgentStarts, Answers, Backlog, Bound, ClientShare, CommitCount, Compressible, Confirmation, Content,
    CountedTwice, DeviceIo, Durable, Failures, FileCount, Flush, FlushCounter, FlushSharing, ForeignCpuShare,
    ForeignIoShare, GapExplanation, GeneratorBound, IoDirection, LittlesLaw, LostNode, NodeLoss, PageCache,
    RateInterval, SearchAnswer, SearchEnding, Steady, Steal, Unwritten, WindowLength,
};
use record::{Bytes, Check, DataReads, Evidence, FailureKind, Finding, Nanos, Rate, Ratio, Verdict};

use crate::figure::{duration, percent};
use crate::steadiness;
use crate::storage::loop_text;
use crate::words::{list, plural};

/// The sentence of `finding`.
pub fn finding_text(finding: &Finding) -> String {
    let text = sentence(finding.verdict, &finding.evidence);
    let text = match &finding.agent {
        Some(agent) => format!("agent {agent}: {text}"),
        None => text,
    };
    match finding.others {
        0 => text,
        others => format!("{text} (and {others} more like it)"),
    }
}

/// What to do about a finding of `check`.
pub(crate) fn remedy(check: Check) -> &'static str {
    match check {
        Check::Answers => "do not use these figures; the engine gave a wrong result, report it",
        Check::LittlesLaw => "repeat; if it stays, report it with the record",
        Check::CommitCount => "let no other session commit in the database meanwhile",
        Check::ClientShare => "use the figures as those of client and engine together, or measure larger statements",
        Check::Steal => "repeat when the other guests of the host are idle, or on a dedicated host",
        Check::ForeignCpu => "stop the other programs, and repeat",
        Check::ForeignIo => "stop what uses the device, and repeat",
        Check::Throttling => {
            "raise the CPU limit of the container or service, or take the figures as those of the limit"
        }
        Check::Swapping => "free memory, or choose a smaller cache, and repeat",
        Check::PageCache => "use direct I/O, or more data than memory",
        Check::CacheFit => "choose --large-rows for data of at least twice the cache",
        Check::CacheMisses => "choose a longer --warm-up, and another --seed where an earlier run had the same keys",
        Check::Durability => "make commits durable in the settings of the engine, or compare only with equal settings",
        Check::RateLevels => "choose longer windows (--seconds) and look at what changes meanwhile",
        Check::Failures => "look up the errors in the record, and repeat",
        Check::Backlog => "choose a lower --rate",
        Check::WindowLength => "choose longer windows: --seconds, or --preset standard",
        Check::OtherSessions => "end the other sessions of the database, and repeat",
        Check::DeviceIo => "compare with other runs of this record only, or give a --dir on a device that can be seen",
        Check::Unwritten => "write the whole device or file first (io --precondition)",
        Check::Compressible => "do not compare with storage that compresses nothing",
        Check::Flush => "look at the write cache of the device, and at the mount options",
        Check::StepDown | Check::Steady => "measure longer, and after preconditioning",
        Check::Stall | Check::GeneratorBound => "use fewer jobs per processor, or a machine with more processors",
        Check::Content => "do not use this device; it returned other data than were written",
        Check::Bound => "choose another bound, or a lower rate",
        Check::NodeLoss => "bring the node back, and repeat",
        Check::AgentStarts => "use a network with less delay between the hosts, or longer windows (--seconds)",
        Check::AgentRates => "choose longer windows (--seconds), and look for the agent that started or ended apart",
        Check::SlowAgent => "look at that host: its processors, its way to the server, its other programs",
        Check::UnseenAnswers => "use more client threads (--client-threads) where latencies matter",
    }
}

/// The sentences of `findings`, one after the other.
pub(crate) fn finding_texts<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> String {
    findings.into_iter().map(finding_text).collect::<Vec<_>>().join("; ")
}

fn sentence(verdict: Verdict, evidence: &Evidence) -> String {
    match evidence {
        Evidence::Answers(answers) => self::answers(verdict, answers),
        Evidence::LittlesLaw(law) => littles_law(verdict, law),
        Evidence::CommitCount(count) => commit_count(verdict, count),
        Evidence::ClientShare(share) => client_share(share),
        Evidence::Steal(None) => "CPU steal is not known".to_owned(),
        Evidence::Steal(Some(steal)) => self::steal(verdict, steal),
        Evidence::ForeignCpu(None) => {
            "the CPU use of other programs is not known: not read, or the window is too short for clock ticks"
                .to_owned()
        }
        Evidence::ForeignCpu(Some(share)) => foreign_cpu(verdict, share),
        Evidence::ForeignIo(None) => "the I/O of other programs on the device is not known".to_owned(),
        Evidence::ForeignIo(Some(share)) => foreign_io(verdict, share),
        Evidence::Throttling(throttling) => match throttling.share {
            Ratio(0.0) => "no throttling by the CPU quota".to_owned(),
            share if share <= throttling.limit => {
                format!("throttled by the CPU quota for {} of the time", percent(share))
            }
            share => format!("limited by the CPU quota: throttled for {} of the time", percent(share)),
        },
        Evidence::Swapping(None) => "whether the host swapped is not known".to_owned(),
        Evidence::Swapping(Some(swapping)) => match swapping.pages {
            0 => "nothing was swapped in".to_owned(),
            pages => {
                let were = if pages == 1 { "was" } else { "were" };
                let pages = plural(pages, "page");
                format!("{pages} {were} swapped in; limit {} per second", swapping.pages_per_second_max)
            }
        },
        Evidence::PageCache(cache) => page_cache(verdict, cache),
        Evidence::CacheFit(fill) => cache::cache_fit(verdict, fill),
        Evidence::CacheMisses(misses) => cache::cache_misses(misses),
        Evidence::Durability(durable) => durability(verdict, durable),
        Evidence::RateLevels(None) => "the rate of the seconds has one level".to_owned(),
        Evidence::RateLevels(Some(levels)) => format!(
            "the rate jumps between two levels: {:.0} steps/s in {} s and {:.0} steps/s in {} s",
            levels.lower.0, levels.lower_seconds, levels.upper.0, levels.upper_seconds
        ),
        Evidence::Failures(None) => "no step failed".to_owned(),
        Evidence::Failures(Some(failures)) => self::failures(failures),
        Evidence::Backlog(backlog) => self::backlog(backlog),
        Evidence::WindowLength(length) => window_length(length),
        Evidence::OtherSessions(others) => format!(
            "other sessions made {} commits in {} during the run, {} of its own",
            others.commits,
            others.engine,
            percent(others.share)
        ),
        Evidence::DeviceIo(io) => device_io(verdict, io),
        Evidence::Unwritten(unwritten) => self::unwritten(verdict, unwritten),
        Evidence::Compressible(compressible) => self::compressible(compressible),
        Evidence::Flush(flush) => self::flush(verdict, flush),
        Evidence::StepDown(None) => "no lasting drop of the rate during the run".to_owned(),
        Evidence::StepDown(Some(fall)) => format!(
            "the rate of {} dropped from {:.0} to {:.0} I/Os per second after {} s and did not recover: throttling, \
             exhausted burst credits or heat; use the later rate",
            fall.job, fall.before.0, fall.after.0, fall.at_second
        ),
        Evidence::Steady(Steady::Window { verdict, reason, counted }) => {
            steadiness::window_text(*verdict, reason, counted.as_ref())
        }
        Evidence::Steady(Steady::Rounds { rounds, rounds_needed, rule }) => {
            steadiness::rounds_text(verdict, *rounds, *rounds_needed, rule.as_ref())
        }
        Evidence::Stall(None) => "whether the load generator stalled is not known".to_owned(),
        Evidence::Stall(Some(stall)) => {
            let rest = match (verdict, stall.is_open_loop) {
                (Verdict::Pass, _) => "",
                (_, true) => ": the response times include it, and it is not latency of the device",
                (_, false) => ": no I/O was submitted meanwhile",
            };
            let (most, limit) = (stall.scheduling_delay_ns_max.0 as f64 / 1e6, stall.limit_ns.0 / 1_000_000);
            format!("max stall of the load generator {most:.1} ms, limit {limit} ms{rest}")
        }
        Evidence::GeneratorBound(None) => "the generator's own ceiling is not known".to_owned(),
        Evidence::GeneratorBound(Some(bound)) => generator_bound(verdict, bound),
        Evidence::Content(content) => blocks(content),
        Evidence::Bound(bound) => self::bound(verdict, bound),
        Evidence::NodeLoss(NodeLoss::None { nodes }) => format!("all {nodes} nodes answered"),
        Evidence::NodeLoss(NodeLoss::Lost { nodes }) => nodes.iter().map(lost_node_text).collect::<Vec<_>>().join("; "),
        Evidence::AgentStarts(starts) => agent_starts(starts),
        Evidence::AgentRates(rates) => agent_rates(rates),
        Evidence::SlowAgent(slow) => {
            let (share, limit) = (percent(slow.share), percent(slow.limit));
            format!("the slowest, with {share} of the rate per job of the others; limit {limit}")
        }
        Evidence::UnseenAnswers(unseen) => format!(
            "half of the answers may have waited for their client thread for longer than {}, {} of the median; limit {}",
            duration(unseen.unseen_ns),
            percent(unseen.share),
            percent(unseen.limit)
        ),
    }
}

fn answers(verdict: Verdict, answers: &Answers) -> String {
    match answers {
        Answers::Right => "the results are correct".to_owned(),
        Answers::NotGiven => "the engine returns no results to check".to_owned(),
        Answers::Wrong { message } => message.clone(),
        Answers::RowsPerOperation => {
            "every operation visits exactly as many rows as the work unit has blocks".to_owned()
        }
        Answers::Loaded { compared } => format!("the table holds what was loaded: {}", list(compared.iter().cloned())),
        Answers::LoadDiffers { what, found, expected } => {
            let found = found.as_deref().unwrap_or("nothing");
            format!("{what}: the table has {found}, and {expected} was loaded")
        }
        Answers::NotQueried => "the table could not be queried".to_owned(),
        Answers::Scanned { sums_known: true } => "every scan found the rows and sums that were loaded".to_owned(),
        Answers::Scanned { sums_known: false } => {
            "every scan found as many rows as were loaded; the sums of lines sent as-is are not known".to_owned()
        }
        Answers::FilesWritten { written: FileCount { files, size_bytes: Bytes(bytes) }, counted } => match counted {
            None => format!("{files} files of {bytes} bytes in total were written and synced"),
            Some(_) if verdict == Verdict::Pass => {
                format!("{files} files of {bytes} bytes in total, and the engine counts as many")
            }
            Some(FileCount { files: counted_files, size_bytes }) => {
                format!("{files} files of {bytes} bytes, and the engine counts {counted_files} of {}", size_bytes.0)
            }
        },
        Answers::FilesRead { compared: FileCount { files, size_bytes } } => {
            format!("all {} bytes of {files} files match what was written", size_bytes.0)
        }
        Answers::FilesDiffer { differing_files, files, stream, read_crc32c, written_crc32c } => format!(
            "{differing_files} of {files} files differ from what was written, such as that of stream {stream}: CRC-32C \
             {read_crc32c:08x} instead of {written_crc32c:08x}"
        ),
        Answers::MisplacedRequests { requests } => format!("{requests} requests returned pages of another offset"),
    }
}

fn littles_law(verdict: Verdict, law: &LittlesLaw) -> String {
    match law {
        LittlesLaw::NothingDone => "no step completed: nothing to compare".to_owned(),
        LittlesLaw::CountsDiffer { job, counted, value, expected } => {
            let (of, step) = match job {
                Some(job) => (format!(" of {job}"), "I/Os"),
                None => (String::new(), "steps"),
            };
            let (what, all) = match counted {
                CountedTwice::Steps => ("steps by second".to_owned(), "steps in total".to_owned()),
                CountedTwice::Failures => ("failures by second".to_owned(), "failures in total".to_owned()),
                CountedTwice::Operations if job.is_some() => ("I/Os by second".to_owned(), "I/Os in total".to_owned()),
                CountedTwice::Operations => ("operations by second".to_owned(), "operations in total".to_owned()),
                CountedTwice::Rows => ("rows by second".to_owned(), "rows in total".to_owned()),
                CountedTwice::ServiceTimes => ("service times".to_owned(), format!("{step} that succeeded")),
                CountedTwice::ResponseTimes => ("response times".to_owned(), format!("intended {step}")),
                CountedTwice::Streams => ("I/Os of all jobs".to_owned(), "operations in total".to_owned()),
            };
            format!("counts{of} disagree: {value} {what}, {expected} {all}")
        }
        LittlesLaw::SumsDiffer { difference, limit } => format!(
            "service times by second and by histogram differ by {}, limit {}",
            percent(*difference),
            percent(*limit)
        ),
        LittlesLaw::OpenLoop { busy, jobs } if verdict == Verdict::Pass => {
            format!("{busy:.2} of {jobs} jobs were busy on average")
        }
        LittlesLaw::OpenLoop { busy, jobs } => format!("{busy:.2} jobs were busy on average, and there are {jobs}"),
        LittlesLaw::ClosedLoop { jobs, in_flight, gap, limit, explanation } => {
            let jobs = if jobs.fract() == 0.0 { jobs.to_string() } else { format!("{jobs:.3}") };
            let summary = format!("{jobs} jobs, {in_flight:.3} in flight by throughput times response time");
            match explanation {
                _ if verdict == Verdict::Pass => summary,
                Some(GapExplanation::FailedSteps { count }) => {
                    format!("{summary}: the time of {count} failed steps is not known")
                }
                Some(GapExplanation::JobsEndedSeparately) => {
                    format!("{summary}: jobs may have ended at different times")
                }
                None => format!("{summary}: {} apart, limit {}", percent(Ratio(gap.abs())), percent(*limit)),
            }
        }
        LittlesLaw::Queue { job, in_flight, slots, limit } => {
            let summary = format!("{in_flight:.2} of {slots} I/Os of {job} in flight by throughput times service time");
            match verdict {
                Verdict::Fail => {
                    let above = Ratio(in_flight / *slots as f64 - 1.0);
                    format!("{summary}: {} too many, limit {}", percent(above), percent(*limit))
                }
                Verdict::Warn => {
                    format!("{summary}: the queue was not kept full, limit {}", percent(Ratio(1.0 - limit.0)))
                }
                Verdict::Pass | Verdict::Unknown => summary,
            }
        }
    }
}

fn commit_count(verdict: Verdict, count: &CommitCount) -> String {
    let (ours, surplus, difference, limit) = match count {
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
        Verdict::Pass if difference > limit => format!("{summary}: background work of the engine may account for them"),
        _ => {
            let others = if verdict == Verdict::Warn { "; other sessions commit there" } else { "" };
            format!("{summary}: {}, limit {}{others}", percent(difference), percent(limit))
        }
    }
}

fn client_share(share: &ClientShare) -> String {
    match share {
        ClientShare::Processors { share: None, .. } => "the processor time of dbdyno is not known".to_owned(),
        ClientShare::Processors { share: Some(share), of_storage, of_both, limit, polls, is_coarse } => {
            let owner = if *of_storage { "threads" } else { "jobs" };
            let mut text = format!("dbdyno used {} of the CPU that its {owner} can use", percent(*share));
            if *polls {
                return text + ": polling, as requested";
            }
            if let Some(of_both) = of_both {
                let _ = write!(text, ", and {} of what client and server used", percent(*of_both));
            }
            let _ = write!(text, "; limit {}", percent(*limit));
            if *is_coarse {
                text += "; not judged: CPU time is too coarse for so short a window";
            }
            text
        }
        ClientShare::PerStep { share, with_interpreter, limit } => {
            let what = if *with_interpreter { "the loop and the interpreter" } else { "the loop" };
            match share {
                None => format!("the cost per step of {what} is not known"),
                Some(share) => {
                    format!("{what} cost {} of the service time; limit {}", percent(*share), percent(*limit))
                }
            }
        }
    }
}

fn steal(verdict: Verdict, steal: &Steal) -> String {
    let summary = format!("CPU steal {}", percent(steal.share));
    let limit = percent(steal.limit);
    if steal.stolen_ns < steal.judged_ns_min {
        let [few, enough] = [steal.stolen_ns, steal.judged_ns_min].map(|span| span.0 / 1_000_000);
        return match verdict {
            Verdict::Pass => summary,
            _ => format!(
                "{summary}, {few} ms in total; limit {limit}, not judged below {enough} ms: below timer resolution"
            ),
        };
    }
    let worst = steal.worst_interval.map(|share| format!(", {} in the worst second", percent(share)));
    format!("{summary}{}; limit {limit}", worst.unwrap_or_default())
}

fn foreign_cpu(verdict: Verdict, share: &ForeignCpuShare) -> String {
    let summary = format!("other programs used {} of the CPU", percent(share.share));
    if verdict == Verdict::Pass {
        return summary;
    }
    let seen = share.programs.iter().map(|program| format!("{} {:.2}", program.name, program.processors));
    let unseen = (share.unseen_processors > 0.0)
        .then(|| format!("programs that are not visible here {:.2}", share.unseen_processors));
    let named = match list(seen.chain(unseen)) {
        names if names.is_empty() => String::new(),
        names => format!(" ({names}; of {} processors)", share.processors),
    };
    let all = if share.needs_all { " for a run that uses all of them" } else { "" };
    let engine = if share.may_be_engine { "; the engine's own processes may be among them" } else { "" };
    format!("{summary}{named}; limit {}{all}{engine}", percent(share.limit))
}

fn foreign_io(verdict: Verdict, io: &ForeignIoShare) -> String {
    let summary = format!("{} of the device's I/O came from outside this run", percent(io.share));
    if verdict == Verdict::Pass {
        return summary;
    }
    let megabytes = |rate: Rate| format!("{:.1} MB/s", rate.0 / 1e6);
    let seen = io.programs.iter().map(|program| format!("{} {}", program.name, megabytes(program.bytes_per_second)));
    let unseen = io
        .unseen_bytes_per_second
        .map(|rate| format!("{} of programs that are not visible or have ended", megabytes(rate)));
    format!("{summary}: {}; limit {}", list(seen.chain(unseen)), percent(io.limit))
}

fn page_cache(verdict: Verdict, cache: &PageCache) -> String {
    match cache {
        PageCache::EngineReads { device_share: None, .. } => {
            "the share of reads served by the page cache is not known".to_owned()
        }
        PageCache::EngineReads { device_share: Some(share), data_reads } => {
            let how = match data_reads {
                Some(DataReads::Direct) => " with O_DIRECT",
                Some(DataReads::Dropped) => " while its files were dropped from the page cache",
                Some(DataReads::PageCache { .. }) | None => "",
            };
            let seen = format!("the block layer saw {} of what the engine read{how}", percent(*share));
            match (verdict, data_reads) {
                (Verdict::Pass, _) => seen,
                (Verdict::Unknown, _) => {
                    format!("{seen}, log and temporary files included: the share of the data files is not known")
                }
                (_, Some(DataReads::PageCache { reason })) => {
                    format!("{seen}: the page cache served the rest ({reason})")
                }
                _ => format!("{seen}: the page cache served the rest"),
            }
        }
        PageCache::Files { cached: None, .. } => "the share of the files in the page cache is not known".to_owned(),
        PageCache::Files { cached: Some(cached), limit } => {
            let summary =
                format!("{} of the data to be read was in the page cache at the start of the window", percent(*cached));
            if verdict == Verdict::Pass { summary } else { format!("{summary}; limit {}", percent(*limit)) }
        }
        PageCache::Cold { cached: None, .. } => {
            "whether the engine's files were in the page cache is not known".to_owned()
        }
        PageCache::Cold { cached: Some(cached), limit, device_share } => {
            let summary =
                format!("{} of the engine's files were in the page cache at the start of the window", percent(*cached));
            let seen = |share: &Ratio| format!("the block layer saw {} of what the engine read", percent(*share));
            match (verdict, device_share) {
                (Verdict::Fail, _) => format!("{summary}; limit {} for a cold run", percent(*limit)),
                (_, None) => summary,
                (Verdict::Warn, Some(share)) => format!("{summary}, and {}", seen(share)),
                (_, Some(share)) => format!("{summary}; {}", seen(share)),
            }
        }
    }
}

fn durability(verdict: Verdict, durable: &Durable) -> String {
    match durable {
        Durable::NotKnown { settings } => {
            format!("whether a commit waits for stable storage is not known: {settings}")
        }
        Durable::DoesNotWait { settings } => format!("a commit does not wait for stable storage: {settings}"),
        Durable::Remote => {
            "the settings say that commits are durable; flushes on another host are not visible".to_owned()
        }
        Durable::WriteThrough => "commits wait for the log, and the device reports that it needs no flush".to_owned(),
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
                    format!("{summary}: they were not forced to stable media, or another device counted the flushes")
                }
                _ => {
                    let jobs = plural(u64::from(*jobs), "job");
                    format!("{summary}: more commits per flush than {jobs} can share")
                }
            }
        }
    }
}

fn failures(failures: &Failures) -> String {
    let kinds = failures.kinds.iter().map(|(kind, count)| format!("{count} {}", failure_word(*kind)));
    let first = failures.first.as_ref();
    let first = first.map(|first| format!(", the first of {}: {}", first.job, first.message)).unwrap_or_default();
    let (share, limit) = (percent(failures.share), percent(failures.limit));
    format!("{share} of the steps failed ({}{first}); limit {limit}", list(kinds))
}

fn failure_word(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Deadlock => "by deadlock",
        FailureKind::Serialization => "by serialization",
        FailureKind::LockTimeout => "by lock timeout",
        FailureKind::Constraint => "by constraint",
        FailureKind::Cancelled => "cancelled",
        FailureKind::Other => "other",
    }
}

fn backlog(backlog: &Backlog) -> String {
    let (Backlog::Kept { job } | Backlog::NotStarted { job, .. } | Backlog::Slower { job, .. }) = backlog;
    let (of, noun) = match job {
        Some(job) => (format!("{job}: "), "I/O"),
        None => (String::new(), "step"),
    };
    let text = match backlog {
        Backlog::Kept { .. } => format!("every intended {noun} completed: the target rate was achieved"),
        Backlog::NotStarted { count, share, limit, .. } => format!(
            "{} not started, {} of all; limit {}: the target rate was missed",
            plural(*count, noun),
            percent(*share),
            percent(*limit)
        ),
        Backlog::Slower { done, due, .. } => {
            format!("{:.1} {noun}s per second achieved, target {:.1}: the target rate was missed", done.0, due.0)
        }
    };
    format!("{of}{text}")
}

fn window_length(length: &WindowLength) -> String {
    match length {
        WindowLength::Enough { window_ns } => format!("the window is {:.0} s long", window_ns.seconds()),
        WindowLength::Short { window_ns_min } => {
            let seconds = window_ns_min.seconds();
            format!("the window is shorter than {seconds} s: no claim that the rate is steady")
        }
        WindowLength::FewSteps { steps, steps_min } => {
            format!(
                "{} in the window; below {steps_min}, quantiles of their times are unreliable",
                plural(*steps, "step")
            )
        }
        WindowLength::CommittedLater { late_bytes, committed_bytes } => format!(
            "{:.1} of {:.1} MB were committed after the window: the rate excludes that commit; hint: --commit-every, \
             or no --seconds",
            late_bytes.0 as f64 / 1e6,
            committed_bytes.0 as f64 / 1e6
        ),
    }
}

/// Why counters and settings of a device are not judged.
const SEVERAL_DEVICES: &str = "the counters are those of one device; the run uses several";

fn device_io(verdict: Verdict, io: &DeviceIo) -> String {
    let (direction, share, limit, is_forced, is_counted_by_mount) = match io {
        DeviceIo::SeveralDevices => return SEVERAL_DEVICES.to_owned(),
        DeviceIo::NoDevice { path, memory_device: Some(device), .. } => {
            return format!("{path} is in memory: {device} keeps its blocks there, no storage device was measured");
        }
        DeviceIo::NoDevice { path, file_system, .. } => {
            let system = file_system.as_ref().map(|system| format!(" ({system})")).unwrap_or_default();
            return format!("{path} is in memory or on the network{system}: no block device was measured");
        }
        DeviceIo::Counted { direction, share, limit, is_forced, is_counted_by_mount, .. } => {
            (direction, share, limit, *is_forced, *is_counted_by_mount)
        }
    };
    let counter = if is_counted_by_mount { "the NFS mount" } else { "the block layer" };
    let (does, done) = match direction {
        IoDirection::Read => ("read", "read"),
        IoDirection::Write => ("wrote", "written"),
        IoDirection::Trim => ("discarded", "trimmed"),
    };
    let Some(share) = share else { return format!("what {counter} {does} is not known") };
    let through = match io {
        DeviceIo::Counted { loop_file: Some(file), .. } => format!(" ({} {})", file.device, loop_text(file)),
        _ => String::new(),
    };
    let summary = format!("{counter} saw {} of what was {done}{through}", percent(*share));
    let limit = percent(*limit);
    match (verdict, direction) {
        (Verdict::Pass | Verdict::Unknown, _) => summary,
        (_, IoDirection::Read) => format!("{summary}, limit {limit}: the rest came from memory"),
        (_, IoDirection::Trim) => format!("{summary}, limit {limit}: the device received no discard for the rest"),
        (Verdict::Warn, IoDirection::Write) => {
            format!("{summary}: the rest is still in the page cache, or was overwritten there")
        }
        (_, IoDirection::Write) if is_forced => {
            format!("{summary}, limit {limit}, although the writes bypassed the page cache or were synced")
        }
        (_, IoDirection::Write) => format!("{summary}, limit {limit}: the page cache absorbed the rest"),
    }
}

fn unwritten(verdict: Verdict, unwritten: &Unwritten) -> String {
    match unwritten {
        Unwritten::None => "every block of the regions had been written".to_owned(),
        Unwritten::DeviceNotKnown { path } => {
            format!("whether the blocks of {path} were ever written is not known; hint: precondition it")
        }
        Unwritten::FileNotKnown { path } => {
            format!("whether all of {path} was written is not known: its file system does not report it")
        }
        Unwritten::Some { path, share, are_holes, are_read, limit } => {
            let what = if *are_holes { "holes" } else { "reserved and never written" };
            let summary = format!("{} of the region that the jobs use of {path} is {what}", percent(*share));
            match verdict {
                _ if !are_read => {
                    format!("{summary}: a first write also changes metadata and does not perform as an overwrite")
                }
                Verdict::Fail => format!("{summary}: reads of it never reach the device; limit {}", percent(*limit)),
                _ => format!("{summary}: reads of it never reach the device"),
            }
        }
    }
}

fn compressible(compressible: &Compressible) -> String {
    let flattered = "a device that compresses or deduplicates appears faster than it is";
    match compressible {
        Compressible::None => "the data neither compresses nor repeats itself".to_owned(),
        Compressible::NotKnown { path } => format!("whether {path} can be compressed is not known"),
        Compressible::Compresses { path, size } => {
            format!("{path} compresses to {} of its size: {flattered}", percent(*size))
        }
        Compressible::Repeats { path, share } => {
            format!("{} of the blocks of {path} can be stored once: {flattered}", percent(*share))
        }
    }
}

fn flush(verdict: Verdict, flush: &Flush) -> String {
    match flush {
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

fn blocks(content: &Content) -> String {
    let Content { verified, corrupt, stale, unverified } = *content;
    let read = plural(verified + corrupt + stale + unverified, "block");
    let unknown = match unverified {
        0 => String::new(),
        count => format!("; {count} not verified: which write they have to hold is not known"),
    };
    match (corrupt, stale) {
        (0, 0) => format!("{} verified, none corrupt or stale{unknown}", plural(verified, "block")),
        (corrupt, 0) => format!("{corrupt} of {read} corrupt: not what was written{unknown}"),
        (0, stale) => format!("{stale} of {read} stale: a write was lost, they hold what was there before it{unknown}"),
        (corrupt, stale) => {
            format!("{corrupt} of {read} corrupt and {stale} stale (a write of them was lost){unknown}")
        }
    }
}

fn generator_bound(verdict: Verdict, bound: &GeneratorBound) -> String {
    let summary = format!(
        "a thread of {} reached {} of the {:.0} I/Os per second that it can generate without I/O",
        bound.job,
        percent(bound.share),
        bound.ceiling.0
    );
    match verdict {
        Verdict::Pass => summary,
        Verdict::Unknown => format!("{summary}: that ceiling was measured too low to judge by"),
        _ => format!("{summary}, limit {}: the load generator is the limit, not the device", percent(bound.limit)),
    }
}

fn bound(verdict: Verdict, bound: &Bound) -> String {
    match bound {
        Bound::Invalid { level } => format!("{level:?} is not a service level"),
        Bound::Level { level, value_ns: None, .. } => format!("whether {level} was met is not known"),
        Bound::Level { level, statistic, value_ns: Some(value), confirms } => {
            let value = match value.0 {
                0..1_000_000 => format!("{:.0} µs", value.0 as f64 / 1e3),
                _ => format!("{:.2} ms", value.0 as f64 / 1e6),
            };
            let outcome = if verdict == Verdict::Pass { "met" } else { "missed" };
            let confirms = match confirms {
                None => "",
                Some(Confirmation::AtLimit) => "; confirmation at the rate found",
                Some(Confirmation::AboveLimit) => "; confirmation 10 % above the rate found",
            };
            format!("{statistic} of the response times is {value}: {level} {outcome}{confirms}")
        }
        Bound::Search(answer) => search_text(answer),
    }
}

/// The answer of a search for a rate.
fn search_text(answer: &SearchAnswer) -> String {
    let unit = if answer.of_storage { "I/Os per second" } else { "steps/s" };
    let end = |rate: Rate, is_outermost: bool| {
        format!("{:.2}{}", rate.0, if is_outermost { " (the outermost rate tried)" } else { "" })
    };
    let rate = match answer.rate {
        None => "no limit was found".to_owned(),
        Some(RateInterval { estimate, low, low_is_outermost, high, high_is_outermost }) => format!(
            "{:.2} {unit}, 95 % interval for a repeat {} to {}",
            estimate.0,
            end(low, low_is_outermost),
            end(high, high_is_outermost)
        ),
    };
    let ending = match answer.ending {
        SearchEnding::Confirmed => "confirmed, missed at 10 % above",
        SearchEnding::NotConfirmed => "not confirmed, not missed at 10 % above",
        SearchEnding::OneSided => "not bounded on both sides",
    };
    format!("search for {}: {rate}; {ending}", answer.level)
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

fn agent_starts(starts: &AgentStarts) -> String {
    let AgentStarts { agents, spread_ns, clock_error_ns, limit_ns } = *starts;
    let [spread, error, limit] = [spread_ns, clock_error_ns, limit_ns].map(duration);
    format!(
        "{} started within {spread}, by clocks known to {error}; limit of both {limit}",
        plural(agents.into(), "agent")
    )
}

fn agent_rates(rates: &AgentRates) -> String {
    let own = format!("{:.0}/s over the windows of the agents", rates.own_windows.0);
    let common = match (rates.common_seconds, rates.gap) {
        (Some(common), Some(gap)) => format!(
            "{:.0}/s in the whole seconds of all, {} apart; limit {}",
            common.0,
            percent(gap),
            percent(rates.limit)
        ),
        _ => "they have no whole second in common".to_owned(),
    };
    let (first, last) = (rates.first_done_ns.seconds(), rates.last_done_ns.seconds());
    format!("{own}, {common}; the first agent was done after {first:.3} s, the last after {last:.3} s")
}
