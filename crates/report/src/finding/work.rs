//! What is said of the work of the jobs: right answers, counts that agree, failed steps, content of blocks.

use record::evidence::{Answers, Content, CountedTwice, Failures, FileCount, GapExplanation, LittlesLaw};
use record::{Bytes, FailureKind, Ratio, Verdict};

use super::{CheckWords, Worded};
use crate::figure::percent;
use crate::words::{list, plural};

impl Worded for Answers {
    const WORDS: CheckWords = CheckWords {
        name: "answers",
        limits: ["", "any wrong answer"],
        meaning: "Statements returned wrong results for the data: the workload is not the intended one.",
        remedy: "do not use these figures; the engine gave a wrong result, report it",
    };

    fn sentence(&self, verdict: Verdict) -> String {
        match self {
            Answers::Right => "the results are correct".to_owned(),
            Answers::NotGiven => "the engine returns no results to check".to_owned(),
            Answers::Wrong { message } => message.clone(),
            Answers::RowsPerOperation => {
                "every operation visits exactly as many rows as the work unit has blocks".to_owned()
            }
            Answers::Loaded { compared } => {
                format!("the table holds what was loaded: {}", list(compared.iter().cloned()))
            }
            Answers::LoadDiffers { what, found, expected } => {
                let found = found.as_deref().unwrap_or("nothing");
                format!("{what}: the table has {found}, and {expected} was loaded")
            }
            Answers::NotQueried => "the table could not be queried".to_owned(),
            Answers::Scanned { sums_known: true } => "every scan found the rows and sums that were loaded".to_owned(),
            Answers::Scanned { sums_known: false } => {
                "every scan found as many rows as were loaded; the sums of lines sent as-is are not known".to_owned()
            }
            Answers::FilesWritten { written: FileCount { files, size_bytes: Bytes(bytes) }, counted } => {
                match counted {
                    None => format!("{files} files of {bytes} bytes in total were written and synced"),
                    Some(_) if verdict == Verdict::Pass => {
                        format!("{files} files of {bytes} bytes in total, and the engine counts as many")
                    }
                    Some(FileCount { files: counted_files, size_bytes }) => {
                        format!(
                            "{files} files of {bytes} bytes, and the engine counts {counted_files} of {}",
                            size_bytes.0
                        )
                    }
                }
            }
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
}

impl Worded for LittlesLaw {
    const WORDS: CheckWords = CheckWords {
        name: "Little's law",
        limits: ["gap above 1 % that the edges of the window do not explain", "above 5 %, or counts that disagree"],
        meaning: "Throughput, response time and jobs are inconsistent (Little 1961): one of them is measured \
                  incorrectly.",
        remedy: "repeat; if it stays, report it with the record",
    };

    fn sentence(&self, verdict: Verdict) -> String {
        match self {
            LittlesLaw::NothingDone => "no step completed: nothing to compare".to_owned(),
            LittlesLaw::CountsDiffer { job, counted, value, expected } => {
                let (of, step) = match job {
                    Some(job) => (format!(" of {job}"), "I/Os"),
                    None => (String::new(), "steps"),
                };
                let (what, all) = match counted {
                    CountedTwice::Steps => ("steps by second".to_owned(), "steps in total".to_owned()),
                    CountedTwice::Failures => ("failures by second".to_owned(), "failures in total".to_owned()),
                    CountedTwice::Operations if job.is_some() => {
                        ("I/Os by second".to_owned(), "I/Os in total".to_owned())
                    }
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
                let summary =
                    format!("{in_flight:.2} of {slots} I/Os of {job} in flight by throughput times service time");
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
}

impl Worded for Option<Box<Failures>> {
    const WORDS: CheckWords = CheckWords {
        name: "failures",
        limits: ["some", "10 %"],
        meaning: "Steps failed; those are not counted as operations.",
        remedy: "look up the errors in the record, and repeat",
    };

    fn sentence(&self, _: Verdict) -> String {
        let Some(failures) = self else { return "no step failed".to_owned() };
        let kinds = failures.kinds.iter().map(|(kind, count)| format!("{count} {}", failure_word(*kind)));
        let first = failures.first.as_ref();
        let first = first.map(|first| format!(", the first of {}: {}", first.job, first.message)).unwrap_or_default();
        let (share, limit) = (percent(failures.share), percent(failures.limit));
        format!("{share} of the steps failed ({}{first}); limit {limit}", list(kinds))
    }
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

impl Worded for Content {
    const WORDS: CheckWords = CheckWords {
        name: "verification",
        limits: ["", "any corrupt block; any stale one, whose write was lost"],
        meaning: "What was read is not what was written last: corrupted data, a write that was lost, or writes of \
                  other programs.",
        remedy: "do not use this device; it returned other data than were written",
    };

    fn sentence(&self, _: Verdict) -> String {
        let Content { verified, corrupt, stale, unverified } = *self;
        let read = plural(verified + corrupt + stale + unverified, "block");
        let unknown = match unverified {
            0 => String::new(),
            count => format!("; {count} not verified: which write they have to hold is not known"),
        };
        match (corrupt, stale) {
            (0, 0) => format!("{} verified, none corrupt or stale{unknown}", plural(verified, "block")),
            (corrupt, 0) => format!("{corrupt} of {read} corrupt: not what was written{unknown}"),
            (0, stale) => {
                format!("{stale} of {read} stale: a write was lost, they hold what was there before it{unknown}")
            }
            (corrupt, stale) => {
                format!("{corrupt} of {read} corrupt and {stale} stale (a write of them was lost){unknown}")
            }
        }
    }
}
