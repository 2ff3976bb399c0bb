//! What makes a load doubtful, and what its sources do not tell.

use std::collections::BTreeMap;

use record::load_profile::{Doubt, DoubtKind, Elsewhere, LoadQuantity, Weight};

use super::SizingView;
use super::amount::quantity;
use crate::document::Block;
use crate::figure::{nanos, three_digits};
use crate::layout::clean;
use crate::words::{capital, plural};

/// Doubts in sentences, refusals first; equal ones of several instances once.
pub(super) fn warnings(view: &SizingView<'_>) -> Vec<String> {
    let mut all: Vec<&Doubt> = view.history.doubts.iter().collect();
    all.sort_by_key(|doubt| std::cmp::Reverse(doubt.weight));
    let mut counted: Vec<(String, u64, Weight)> = Vec::new();
    for doubt in all {
        let words = words(&doubt.kind);
        match counted.iter_mut().find(|(known, ..)| *known == words) {
            Some((_, count, _)) => *count += doubt.count,
            None => counted.push((words, doubt.count, doubt.weight)),
        }
    }
    counted.into_iter().map(|(words, count, weight)| sentence(&words, count, weight)).collect()
}

fn sentence(words: &str, count: u64, weight: Weight) -> String {
    let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
    match weight {
        Weight::Warning => format!("{}{times}.", capital(words)),
        Weight::Refusal => format!("Left out{times}: {words}."),
    }
}

fn span(seconds: f64) -> String {
    nanos(seconds * 1e9)
}

fn words(kind: &DoubtKind) -> String {
    match kind {
        DoubtKind::LongInterval { seconds, seconds_max } => format!(
            "intervals of up to {} hide the peak in their average; give some of at most {}, best of an hour or less",
            span(*seconds),
            span(*seconds_max)
        ),
        DoubtKind::Idle { active_sessions, statements_per_second } => {
            let sessions = active_sessions.map(|sessions| format!("{} active sessions", three_digits(sessions)));
            let rate =
                statements_per_second.map(|rate| format!("{} statements or commits per second", three_digits(rate)));
            let most: Vec<String> = [sessions, rate].into_iter().flatten().collect();
            format!("a source was idle (at most {}): it says nothing of a production load", most.join(", "))
        }
        DoubtKind::AveragesOnly => {
            "the sources have averages of intervals and no maxima within them: true peaks are higher".to_owned()
        }
        DoubtKind::Incomplete { seconds } => {
            format!("{} in which some instances tell their figures and others do not", span(*seconds))
        }
        DoubtKind::InstancesMissing { read, expected } => format!(
            "{} of {} were read: the load of the cluster is higher",
            plural(u64::from(*read), "instance"),
            expected
        ),
        DoubtKind::ClusterTwice => "reports of instances and of the whole cluster of the same time".to_owned(),
        DoubtKind::SingleDump => {
            "one dump of counters: its rates are means since they were reset; make a second one for rates of now"
                .to_owned()
        }
        DoubtKind::NoResetTime => "one dump of counters without the time since which they count".to_owned(),
        DoubtKind::Reset => "counters were reset between two dumps".to_owned(),
        DoubtKind::Restart => "the server was restarted, or was not reached, between two readings".to_owned(),
        DoubtKind::Decreased { counter } => {
            format!("counter {} is less than before, and nothing says that it was reset", clean(counter))
        }
        DoubtKind::Wrapped { counter, bits } => {
            format!("counter {} of {bits} bits passed its largest value, which is allowed for", clean(counter))
        }
        DoubtKind::StatementsDeallocated { count } => {
            format!("{} were dropped from the statistics: their work is missing", plural(*count, "statement"))
        }
        DoubtKind::CommitStatements => {
            "commits are counted by their statements: those of single statements outside of \
                                        transactions are missing"
                .to_owned()
        }
        DoubtKind::PageCacheReads => {
            "physical reads of the engine include those that the page cache of the host served; \
                                      statistics of the host tell what reaches the device"
                .to_owned()
        }
        DoubtKind::WholeHost => "figures of a host include those of other programs on it".to_owned(),
        DoubtKind::ClockStep { seconds } => format!("the clock of a source stepped by {}", span(seconds.abs())),
        DoubtKind::Overlap => "intervals that overlap ones of the same instance".to_owned(),
        DoubtKind::Truncated => "a file ends within a section or a line".to_owned(),
        DoubtKind::SectionMissing { heading } => format!("section {:?} is missing", clean(heading)),
        DoubtKind::AmbiguousNumber { text } => {
            format!("{:?} may be read in two notations of numbers", clean(text))
        }
        DoubtKind::Impossible { field, text } => format!("{} cannot be {:?}", clean(field), clean(text)),
        DoubtKind::Encoding => "bytes that are no text in the encoding of a file were replaced".to_owned(),
    }
}

/// What the sources do not tell, by where it is found.
pub(super) fn absent(view: &SizingView<'_>) -> Vec<Block> {
    // What another source tells is not missed.
    let told = |of: LoadQuantity| view.history.figures.iter().any(|figures| figures.quantity == of);
    let mut by_place: BTreeMap<&Elsewhere, Vec<LoadQuantity>> = BTreeMap::new();
    for absent in view.profile.absent.iter().filter(|absent| !told(absent.quantity)) {
        let known = by_place.entry(&absent.elsewhere).or_default();
        if !known.contains(&absent.quantity) {
            known.push(absent.quantity);
        }
    }
    let sentence = |(place, quantities): (&Elsewhere, Vec<LoadQuantity>)| {
        let names: Vec<&str> = quantities.into_iter().map(quantity).collect();
        format!("{}: {}.", capital(&names.join(", ")), elsewhere(place))
    };
    vec![Block::list(by_place.into_iter().map(sentence))]
}

fn elsewhere(place: &Elsewhere) -> String {
    match place {
        Elsewhere::Section { heading } => format!("they stand in section {:?}, which is missing", clean(heading)),
        Elsewhere::View { name } => format!("dump {}, too", clean(name)),
        Elsewhere::HostStatistics => "statistics of the host tell them (sar, sadf -j, iostat)".to_owned(),
        Elsewhere::NewerVersion { version } => format!("version {} of the engine counts them", clean(version)),
        Elsewhere::Setting { name } => format!("set {} on the server", clean(name)),
        Elsewhere::Watching => "`dbdyno size watch` tells them".to_owned(),
        Elsewhere::WatchingOnHost => "`dbdyno size watch` on the host of the server tells them".to_owned(),
        Elsewhere::Nowhere => "nothing counts them".to_owned(),
    }
}
