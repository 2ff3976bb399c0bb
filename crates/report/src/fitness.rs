//! What a record is good for, in words: the first sentence of every view, and the class of its result.

use model::{Doubt, Fitness, Obstacle, REPEATS_MIN, Undisclosed};
use record::{
    JudgedWarning, Judgement, Nanos, Preset, Ratio, Record, ResultClass, RunVerdict, TestVerdict, WarningSubject,
};

use crate::document::{Block, Section};
use crate::figure::duration;
use crate::finding::finding_text;
use crate::warning::{instance_text, subject};
use crate::words::{few, list, plural, status};

/// Obstacles that are named in a sentence; more are counted.
const NAMED_MAX: usize = 6;

/// Obstacles that are named in the first sentence of a view.
const REASONS_MAX: usize = 2;

/// Fields that are named for one reason.
const FIELDS_NAMED_MAX: usize = 4;

/// What a record is good for, with the reasons.
pub(crate) fn good_for(found: &Fitness) -> String {
    let what = match found.class {
        ResultClass::Meaningless => "nothing",
        ResultClass::FirstLook => "a first look, not a basis to buy by",
        ResultClass::Indicative if found.is_basis() => "a basis to buy by, not to publish",
        ResultClass::Indicative => "an indication, not a basis to buy by",
        ResultClass::Publishable => "a basis to buy by, and to publish",
    };
    // A doubt is a reason against a first look, too.
    let is_reason = |obstacle: &&Obstacle| {
        obstacle.allows() == found.class && (found.is_basis() || !matches!(obstacle, Obstacle::Undisclosed(_)))
            || found.class == ResultClass::FirstLook && matches!(obstacle, Obstacle::Doubt(_))
    };
    let reasons: Vec<String> = found.obstacles.iter().filter(is_reason).map(short_text).collect();
    let more = reasons.len().saturating_sub(REASONS_MAX);
    let more = (more > 0).then(|| format!("and {more} more"));
    let reasons = list(reasons.into_iter().take(REASONS_MAX).chain(more));
    match reasons.is_empty() {
        true => format!("{what}: repeated, and no main result is in doubt"),
        false => format!("{what}: {reasons}"),
    }
}

/// Which of the main results are in doubt.
pub(crate) fn in_doubt(found: &Fitness) -> Option<String> {
    let tests = found.doubtful_tests();
    match tests.is_empty() {
        true if found.class > ResultClass::Meaningless => Some("no warning is about the main results".to_owned()),
        true => None,
        false => Some(format!("main results with a warning: {}", few(&tests))),
    }
}

/// How to measure a better record, and how long that takes.
pub(crate) fn better(record: &Record, found: &Fitness) -> Option<String> {
    let plan = &record.plan;
    let is_repeatable = plan.subject().properties().has_spec_sheet && plan.until.is_none() && plan.paired.is_none();
    if !is_repeatable || found.is_basis() || record.runs.is_empty() {
        return None;
    }
    if found.class == ResultClass::Indicative && !found.lacks_repeats() {
        return Some("to make it one: remove what the warnings name, and repeat".to_owned());
    }
    let (warm_up, window) = Preset::Standard.windows();
    let each = plan.runs.iter().filter(|run| run.variation.is_none() && run.repeat == 1).count() as u64;
    let whole = Nanos((warm_up + window).0.saturating_mul(REPEATS_MIN as u64).saturating_mul(each));
    Some(format!("for a basis to buy by: --preset standard --repeats {REPEATS_MIN}, about {}", duration(whole)))
}

/// The class in one word.
pub(crate) fn class_word(class: ResultClass) -> &'static str {
    match class {
        ResultClass::Meaningless => "MEANINGLESS",
        ResultClass::FirstLook => "FIRST LOOK",
        ResultClass::Indicative => "INDICATIVE",
        ResultClass::Publishable => "PUBLISHABLE",
    }
}

/// The class of a result that is good for `found`, in a sentence.
pub(crate) fn class(found: &Fitness) -> Section {
    Section::new("class", "Result class", vec![Block::text(class_sentence(found))])
}

/// The class in a sentence, with the obstacles.
pub(crate) fn class_sentence(found: &Fitness) -> String {
    let word = match found.class {
        ResultClass::Publishable => {
            return "This result is PUBLISHABLE: all fields of dbdyno are disclosed, and nothing disturbed the measurement; \
                    the publisher has to state the other fields."
                .to_owned();
        }
        ResultClass::FirstLook => "a FIRST LOOK",
        other => class_word(other),
    };
    let texts: Vec<String> = found.obstacles.iter().map(text).collect();
    let more = texts.len().saturating_sub(NAMED_MAX);
    let more = if more > 0 { format!("; and {more} more, see the disclosure") } else { String::new() };
    let named = texts.into_iter().take(NAMED_MAX).collect::<Vec<_>>().join("; ");
    format!("This result is {word} and not PUBLISHABLE, because {named}{more}.")
}

/// An obstacle as a clause.
pub(crate) fn text(obstacle: &Obstacle) -> String {
    match obstacle {
        Obstacle::NotOptimised => "dbdyno was built without optimisation".to_owned(),
        Obstacle::Emulated { program, machine } => format!("dbdyno for {program} was emulated on {machine}"),
        Obstacle::Smoke => "preset smoke only proves that everything works".to_owned(),
        Obstacle::NoRun => "there is no run".to_owned(),
        Obstacle::NoResult => "there is no result".to_owned(),
        Obstacle::OneRun { tests } if tests.is_empty() => "one run each: how well they repeat is not known".to_owned(),
        Obstacle::OneRun { tests } => format!("one run of {}: how well it repeats is not known", few(tests)),
        Obstacle::FewRepeats { tests, repeats } => {
            format!("{repeats} runs of {}: an interval needs {REPEATS_MIN}", few(tests))
        }
        Obstacle::ShortWindows { window_ns } => {
            format!("windows of {} are too short to tell whether the rate is steady", duration(*window_ns))
        }
        Obstacle::NotConfirmed => "the rate that was found is not confirmed".to_owned(),
        Obstacle::Doubt(doubt) => format!("{} ({})", what(doubt), few(&doubt.tests)),
        Obstacle::NotFinished(of) => format!("the measurement is not finished but {}", status(*of)),
        Obstacle::InvalidRuns { invalid, runs } => {
            format!("{invalid} of {} are invalid", plural(*runs as u64, "run"))
        }
        Obstacle::HardwareFaults(count) => format!("the kernel reported {}", plural(*count, "hardware fault")),
        Obstacle::Throttled(count) => format!("thermal throttling occurred {}", plural(*count, "time")),
        Obstacle::Slowed(Ratio(slowing)) => {
            format!("the CPU probe took {:.2} times as long after the measurement as before", 1.0 + slowing)
        }
        Obstacle::Undisclosed(fields) => undisclosed_text(fields),
    }
}

/// The same, short enough for one sentence of several.
fn short_text(obstacle: &Obstacle) -> String {
    match obstacle {
        Obstacle::OneRun { tests } if tests.is_empty() => "one run each".to_owned(),
        Obstacle::OneRun { tests } => format!("one run of {}", few(tests)),
        Obstacle::FewRepeats { repeats, .. } => format!("{repeats} runs each, and {REPEATS_MIN} give an interval"),
        Obstacle::ShortWindows { window_ns } => format!("windows of {}", duration(*window_ns)),
        Obstacle::Undisclosed(fields) => format!("{} not disclosed", names(fields)),
        // The tests are named once for all of them.
        Obstacle::Doubt(doubt) => what(doubt),
        other => text(other),
    }
}

/// The first finding of a doubt without what explains it.
fn what(doubt: &Doubt) -> String {
    match (&doubt.finding, doubt.subject) {
        (Some(finding), _) => {
            let text = finding_text(finding);
            text.split([';', '(']).next().unwrap_or_default().trim().to_owned()
        }
        (None, WarningSubject::Gain) => "more jobs gained more than they can give".to_owned(),
        (None, WarningSubject::Drift) => "the rates of repeats drift".to_owned(),
        (None, WarningSubject::State) => "runs begin in different states of the database".to_owned(),
        (None, of) => subject(of).to_owned(),
    }
}

fn names(fields: &Undisclosed) -> String {
    let more = fields.fields.len().saturating_sub(FIELDS_NAMED_MAX);
    let more = if more > 0 { format!(" and {}", plural(more as u64, "other field")) } else { String::new() };
    let names = fields.fields.iter().take(FIELDS_NAMED_MAX).copied().collect::<Vec<_>>().join(", ");
    format!("{names}{more}")
}

fn undisclosed_text(fields: &Undisclosed) -> String {
    format!("{} not disclosed ({})", names(fields), fields.reason)
}

/// The verdicts on `record`, which is good for `found`, as every view shows them.
pub(crate) fn judgement(record: &Record, found: &Fitness) -> Judgement {
    let warnings = model::warnings(record);
    let warnings = warnings.iter().map(|warning| {
        let mut runs: Vec<u32> = warning.instances.iter().map(|instance| instance.run.number).collect();
        runs.dedup();
        JudgedWarning {
            verdict: warning.verdict,
            subject: warning.subject,
            text: warning
                .instances
                .first()
                .map(|first| instance_text(record, warning.subject, first).into_owned())
                .unwrap_or_default(),
            tests: warning.tests().into_iter().map(str::to_owned).collect(),
            runs,
        }
    });
    Judgement {
        result_class: found.class,
        good_for: good_for(found),
        is_basis: found.is_basis(),
        obstacles: found.obstacles.iter().map(text).collect(),
        doubtful_results: found.doubtful_tests(),
        counts: model::run_counts(record),
        runs: record.runs.iter().map(|run| RunVerdict { run: run.number, verdict: model::run_verdict(run) }).collect(),
        tests: model::sheet(record)
            .lines
            .iter()
            .map(|line| TestVerdict { test: line.test.clone(), verdict: line.verdict })
            .collect(),
        warnings: warnings.collect(),
    }
}
