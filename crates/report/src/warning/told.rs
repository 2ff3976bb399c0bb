//! The warnings that are told: those that a reader takes for one, merged.

use std::borrow::Cow;
use std::collections::BTreeMap;

use model::{MergedWarning, Warning, merged_warnings};
use record::{Record, Verdict, WarningSubject};

use super::instance_text;
use crate::words::{few, plural};

/// Warnings of one or more runs, with their sentence.
pub(crate) type Told<'a> = MergedWarning<'a, Cow<'a, str>>;

/// The warnings of `record`, merged by their sentences, by severity. Each gain beyond the workers has its own figures, and is told.
pub(crate) fn told(record: &Record) -> Vec<Told<'_>> {
    if record.plan.subject().properties().is_about_storage {
        return by_sentence(record);
    }
    let (gains, others): (Vec<_>, Vec<_>) =
        model::warnings(record).into_iter().partition(|warning| warning.subject == WarningSubject::Gain);
    let mut told = merged_warnings(others, |subject, instance| instance_text(record, subject, instance));
    let gains = gains.iter().flat_map(|gain| gain.instances.iter().map(move |instance| (gain, *instance)));
    told.extend(gains.map(|(gain, instance)| Told {
        verdict: gain.verdict,
        subject: gain.subject,
        detail: instance_text(record, gain.subject, &instance),
        tests: vec![(&*instance.run.test, vec![instance.run.dop])],
        others_differ: false,
    }));
    told.sort_by_key(|warning| std::cmp::Reverse(warning.verdict));
    told
}

/// The warnings of `record`, of which only those with the same sentence are merged, by severity.
fn by_sentence(record: &Record) -> Vec<Told<'_>> {
    let mut told: Vec<Told<'_>> = Vec::new();
    let mut places = BTreeMap::new();
    for Warning { verdict, subject, instances } in model::warnings(record) {
        for instance in instances {
            let detail = instance_text(record, subject, &instance);
            let place = *places.entry((verdict, subject, detail.clone())).or_insert(told.len());
            if place == told.len() {
                told.push(Told { verdict, subject, detail, tests: Vec::new(), others_differ: false });
            }
            let Some(one) = told.get_mut(place) else { continue };
            match one.tests.iter_mut().find(|(test, _)| *test == instance.run.test) {
                Some((_, dops)) => dops.push(instance.run.dop),
                None => one.tests.push((&instance.run.test, vec![instance.run.dop])),
            }
        }
    }
    told
}

/// The warnings and failures without the most serious one and what could not be checked, which the summary states, and without
/// gains.
pub(crate) fn main_warnings(record: &Record) -> Vec<Told<'_>> {
    let found = model::warnings(record);
    let most_serious = model::most_serious(&found).map(|one| (one.verdict, one.subject));
    let mut others = told(record);
    others.retain(|one| {
        let is_stated = one.verdict == Verdict::Unknown || Some((one.verdict, one.subject)) == most_serious;
        !is_stated && one.subject != WarningSubject::Gain
    });
    others
}

/// The sentence of a warning; with the test that it is of, where the others have other figures.
pub(crate) fn text(warning: &Told<'_>) -> String {
    match warning.tests.first() {
        Some((test, _)) if warning.others_differ => {
            format!("{} ({test}; the others have other figures)", warning.detail)
        }
        _ => warning.detail.to_string(),
    }
}

/// What stands before the sentence of a warning without the name of its check.
pub(crate) fn prefix(warning: &Told<'_>) -> &'static str {
    if warning.subject == WarningSubject::Abort { "aborted: " } else { "" }
}

/// The main warnings as sentences that begin with their tests, at most so many, and how many more there are.
pub(crate) fn main_sentences(record: &Record, most: usize) -> Vec<String> {
    let sentence = |warning: &Told<'_>| {
        let tests: Vec<String> = warning.tests.iter().map(|(test, _)| (*test).to_owned()).collect();
        format!("{}: {}{}", few(&tests), prefix(warning), warning.detail)
    };
    let warnings = main_warnings(record);
    let more = warnings.len().saturating_sub(most);
    let more = (more > 0).then(|| format!("and {} (--details)", plural(more as u64, "more warning")));
    warnings.iter().take(most).map(sentence).chain(more).collect()
}
