//! What is said of the self-checks: the words of each check, and the sentence of one finding. All that is said of a check is
//! in one place, the implementation of [`Worded`] for its evidence; no other module makes these sentences.

mod cache;
mod client;
mod commit;
mod device;
mod fleet;
mod host;
mod rate;
mod work;

use record::{Check, Evidence, Finding, Verdict};

pub(crate) use self::fleet::lost_node_text;

/// The words of a check.
#[derive(Clone, Copy, Debug)]
pub struct CheckWords {
    /// Its name: what it looks for, without saying whether it is there.
    pub name: &'static str,
    /// From where on there is a warning, and from where on the run is invalid; empty where there is no such limit.
    pub limits: [&'static str; 2],
    /// The meaning where it does not pass, in a sentence.
    pub meaning: &'static str,
    /// What to do where it does not pass.
    pub remedy: &'static str,
}

/// Evidence of a check, in words.
trait Worded {
    /// The words of the check.
    const WORDS: CheckWords;

    /// What was found with this verdict: a clause, lower case, without a full stop.
    fn sentence(&self, verdict: Verdict) -> String;
}

macro_rules! worded {
    ($($check:ident $evidence:tt, $($rest:tt),+;)+) => {
        /// The words of `check`.
        pub fn check_words(check: Check) -> &'static CheckWords {
            match check { $(Check::$check => words_of(Evidence::$check),)+ }
        }

        fn sentence(verdict: Verdict, evidence: &Evidence) -> String {
            match evidence { $(Evidence::$check(found) => found.sentence(verdict),)+ }
        }
    };
}

record::checks!(worded);

/// The words of the check whose evidence is made by `_evidence`.
fn words_of<Found: Worded>(_evidence: fn(Found) -> Evidence) -> &'static CheckWords {
    &Found::WORDS
}

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

/// The sentences of `findings`, one after the other.
pub(crate) fn finding_texts<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> String {
    findings.into_iter().map(finding_text).collect::<Vec<_>>().join("; ")
}
