//! What is said of the host and its other users: the hypervisor, other programs, the quota, memory, other sessions.

use record::evidence::{ForeignCpuShare, ForeignIoShare, OtherSessions, Steal, Swapping, Throttling};
use record::{Rate, Ratio, Verdict};

use super::{CheckWords, Worded};
use crate::figure::percent;
use crate::words::{list, plural};

impl Worded for Option<Steal> {
    const WORDS: CheckWords = CheckWords {
        name: "CPU steal",
        limits: ["0.5 %", "2 %"],
        meaning: "The hypervisor gave CPU time to other guests: the machine can be faster than measured.",
        remedy: "repeat when the other guests of the host are idle, or on a dedicated host",
    };

    fn sentence(&self, verdict: Verdict) -> String {
        let Some(steal) = self else { return "CPU steal is not known".to_owned() };
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
}

impl Worded for Option<Box<ForeignCpuShare>> {
    const WORDS: CheckWords = CheckWords {
        name: "CPU of other programs",
        limits: ["5 %; 2 % where a run uses all processors", "25 %; 10 %"],
        meaning: "Other programs used CPU during the run: the machine can be faster than measured.",
        remedy: "stop the other programs, and repeat",
    };

    fn sentence(&self, verdict: Verdict) -> String {
        let Some(share) = self else {
            return "the CPU use of other programs is not known: not read, or the window is too short for clock ticks"
                .to_owned();
        };
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
}

impl Worded for Option<Box<ForeignIoShare>> {
    const WORDS: CheckWords = CheckWords {
        name: "I/O of other programs",
        limits: ["5 %", "20 %"],
        meaning: "Other programs did I/O on the measured device during the run: the device can be faster than \
                  measured.",
        remedy: "stop what uses the device, and repeat",
    };

    fn sentence(&self, verdict: Verdict) -> String {
        let Some(io) = self else { return "the I/O of other programs on the device is not known".to_owned() };
        let summary = format!("{} of the device's I/O came from outside this run", percent(io.share));
        if verdict == Verdict::Pass {
            return summary;
        }
        let megabytes = |rate: Rate| format!("{:.1} MB/s", rate.0 / 1e6);
        let seen =
            io.programs.iter().map(|program| format!("{} {}", program.name, megabytes(program.bytes_per_second)));
        let unseen = io
            .unseen_bytes_per_second
            .map(|rate| format!("{} of programs that are not visible or have ended", megabytes(rate)));
        format!("{summary}: {}; limit {}", list(seen.chain(unseen)), percent(io.limit))
    }
}

impl Worded for Throttling {
    const WORDS: CheckWords = CheckWords {
        name: "CPU throttling",
        limits: ["any; above 1 % it is called the limit", ""],
        meaning: "The CPU quota of the control group throttled the run: the result shows the quota.",
        remedy: "raise the CPU limit of the container or service, or take the figures as those of the limit",
    };

    fn sentence(&self, _: Verdict) -> String {
        match self.share {
            Ratio(0.0) => "no throttling by the CPU quota".to_owned(),
            share if share <= self.limit => format!("throttled by the CPU quota for {} of the time", percent(share)),
            share => format!("limited by the CPU quota: throttled for {} of the time", percent(share)),
        }
    }
}

impl Worded for Option<Swapping> {
    const WORDS: CheckWords = CheckWords {
        name: "swapping",
        limits: ["any", "100 per second"],
        meaning: "Memory was short: the result includes swap I/O.",
        remedy: "free memory, or choose a smaller cache, and repeat",
    };

    fn sentence(&self, _: Verdict) -> String {
        let Some(swapping) = self else { return "whether the host swapped is not known".to_owned() };
        match swapping.pages {
            0 => "nothing was swapped in".to_owned(),
            pages => {
                let were = if pages == 1 { "was" } else { "were" };
                let pages = plural(pages, "page");
                format!("{pages} {were} swapped in; limit {} per second", swapping.pages_per_second_max)
            }
        }
    }
}

impl Worded for OtherSessions {
    const WORDS: CheckWords = CheckWords {
        name: "other sessions",
        limits: ["always there where it finds any", ""],
        meaning: "Other sessions were active in the same engine and used part of its capacity.",
        remedy: "end the other sessions of the database, and repeat",
    };

    fn sentence(&self, _: Verdict) -> String {
        format!(
            "other sessions made {} commits in {} during the run, {} of its own",
            self.commits,
            self.engine,
            percent(self.share)
        )
    }
}
