//! What is said of dbdyno itself as the client and generator of load.

use std::fmt::Write as _;

use record::Verdict;
use record::evidence::{ClientShare, GeneratorBound, Stall, UnseenAnswers};

use super::{CheckWords, Worded};
use crate::figure::{duration, percent};

impl Worded for ClientShare {
    const WORDS: CheckWords = CheckWords {
        name: "client CPU share",
        limits: ["60 % of what its jobs can use; 5 % of the service time", "80 %; 50 %"],
        meaning: "dbdyno used a large share of the CPU: with a separate client machine the engine could be faster.",
        remedy: "use the figures as those of client and engine together, or measure larger statements",
    };

    fn sentence(&self, _: Verdict) -> String {
        match self {
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
}

impl Worded for Option<Stall> {
    const WORDS: CheckWords = CheckWords {
        name: "generator stalls",
        limits: ["20 ms", ""],
        meaning: "The load generator stalled: some latencies are its own.",
        remedy: "use fewer jobs per processor, or a machine with more processors",
    };

    fn sentence(&self, verdict: Verdict) -> String {
        let Some(stall) = self else { return "whether the load generator stalled is not known".to_owned() };
        let rest = match (verdict, stall.is_open_loop) {
            (Verdict::Pass, _) => "",
            (_, true) => ": the response times include it, and it is not latency of the device",
            (_, false) => ": no I/O was submitted meanwhile",
        };
        let (most, limit) = (stall.scheduling_delay_ns_max.0 as f64 / 1e6, stall.limit_ns.0 / 1_000_000);
        format!("max stall of the load generator {most:.1} ms, limit {limit} ms{rest}")
    }
}

impl Worded for Option<Box<GeneratorBound>> {
    const WORDS: CheckWords = CheckWords {
        name: "generator limit",
        limits: ["50 %", ""],
        meaning: "The load generator was near its own limit, or that is not known: the device may be faster.",
        remedy: "use fewer jobs per processor, or a machine with more processors",
    };

    fn sentence(&self, verdict: Verdict) -> String {
        let Some(bound) = self else { return "the generator's own ceiling is not known".to_owned() };
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
}

impl Worded for UnseenAnswers {
    const WORDS: CheckWords = CheckWords {
        name: "delayed answers",
        limits: ["1 %", ""],
        meaning: "Sessions shared a thread, and answers waited for it: latencies may be too long by that time.",
        remedy: "use more client threads (--client-threads) where latencies matter",
    };

    fn sentence(&self, _: Verdict) -> String {
        format!(
            "half of the answers may have waited for their client thread for longer than {}, {} of the median; limit {}",
            duration(self.unseen_ns),
            percent(self.share),
            percent(self.limit)
        )
    }
}
