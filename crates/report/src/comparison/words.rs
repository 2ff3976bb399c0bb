//! The texts of a comparison, shared by its views.

use model::{
    ComparedPoint, ComparedTest, ComparisonOutcome, ComparisonVerdict, ControlProbe, Difference, Evidence, FactGroup,
    FactValue, GeometricMean, Interval, Origin, Paired, PointFigures, Quantile, RULES, System, TestComparison,
    Violation,
};
use record::{LoadBeside, Rate, Ratio, Sweep, Verdict};

use super::ComparisonView;
use super::sentence::{evidence_text, reason_text, verdict_reason_text, violation_text, warning_text};
use crate::fact::fact_text;
use crate::figure::{UNKNOWN, chance, duration, number, percent, three_digits};
use crate::load_beside::loads_text;
use crate::times;
use crate::verdict::word_of;
use crate::words::{dop, list, plural, preset, unit_per_second};

/// The letter of a system in tables: A for the base, B, C, ...
pub(super) fn letter(index: usize) -> String {
    match u8::try_from(index).ok().filter(|index| *index < 26) {
        Some(index) => char::from(b'A' + index).to_string(),
        None => format!("#{}", index + 1),
    }
}

/// The letters of `systems`: `A and C`.
pub(super) fn letters(systems: &[usize]) -> String {
    systems.iter().map(|index| letter(*index)).collect::<Vec<_>>().join(" and ")
}

/// Which system it is, and how it was measured.
pub(super) fn origin(system: &System) -> String {
    match &system.origin {
        Origin::Published { year, source } => format!("published {year}: {source}"),
        Origin::Measured { started_at, version, preset: size, .. } => {
            let start: String = started_at.0.chars().take("2026-01-31T12:00".len()).collect();
            format!(
                "record {}, measured {} UTC, preset {}, dbdyno {version}",
                system.name,
                start.replace('T', " "),
                preset(*size)
            )
        }
    }
}

/// A ratio as a change in percent, or as a factor where percent would be hard to read.
pub(crate) fn change(ratio: f64) -> String {
    match ratio {
        ratio if !ratio.is_finite() => UNKNOWN.to_owned(),
        ratio if is_small(ratio) => format!("{} %", signed(ratio)),
        ratio => format!("{} ×", factor(ratio)),
    }
}

/// The two ends of an interval, as [`change`] writes each.
pub(crate) fn ends(interval: Interval) -> String {
    let (low, high) = (interval.low, interval.high);
    match is_small(low) && is_small(high) {
        true => format!("{} to {} %", signed(low), signed(high)),
        false if high.is_finite() => format!("{} to {} ×", factor(low), factor(high)),
        false if low.is_finite() => format!("above {} ×", factor(low)),
        false => UNKNOWN.to_owned(),
    }
}

/// With three significant digits; below 0.01, where most of them would be zeros, with two.
fn factor(ratio: f64) -> String {
    match ratio {
        ratio if ratio >= 0.01 || ratio <= 0.0 || !ratio.is_finite() => three_digits(ratio),
        ratio if ratio < 1e-6 => format!("{ratio:.1e}"),
        ratio => format!("{ratio:.*}", 1 + (-ratio.log10()).ceil() as usize),
    }
}

fn is_small(ratio: f64) -> bool {
    (0.5..2.0).contains(&ratio)
}

fn signed(ratio: f64) -> String {
    let text = format!("{:+.1}", (ratio - 1.0) * 100.0);
    // A rounded zero has no sign.
    if text == "-0.0" || text == "+0.0" { "0.0".to_owned() } else { text }
}

/// The degree of parallelism of a point.
pub(super) fn at(point: &PointFigures, sweep: Sweep) -> String {
    match point.degree.in_flight {
        Some(in_flight) => format!("{in_flight} I/O"),
        None => dop(point.degree.dop, sweep),
    }
}

/// What the test varies on the system at `index`.
pub(super) fn sweep(view: &ComparisonView<'_>, index: usize, code: &str) -> Sweep {
    view.test(index, code).map_or(Sweep::Jobs, |test| test.sweep)
}

/// The evidence of a ratio: `paired, 10 pairs`.
pub(crate) fn evidence(evidence: Evidence) -> String {
    let words = evidence_text(evidence);
    match evidence {
        Evidence::Paired { pairs } => format!("{words}, {}", plural(pairs as u64, "pair")),
        Evidence::Unpaired { base, other } => format!("{words}, {base} and {}", plural(other as u64, "run")),
        Evidence::Single | Evidence::Published => words.to_owned(),
    }
}

/// The definition of the change: it is not the ratio of the two rates shown.
pub(super) const CHANGE: &str = "change: of pairs, the median of the mean changes of every two pairs; else the median of the \
     ratios of every two runs, one of each system (Hodges-Lehmann). The rates shown are medians of each system, and their \
     ratio may differ";

/// The tests whose rates are shown although the record that they are from has a warning of them, or left them unchecked; nothing where
/// there are none.
pub(super) fn own_verdicts(view: &ComparisonView<'_>) -> Option<String> {
    let of_system = |index: usize| {
        let codes = |verdict: Verdict| {
            let tests = view.comparison.tests.iter().map(|test| test.code.clone());
            list(tests.filter(|code| view.test(index, code).and_then(|test| test.verdict) == Some(verdict)))
        };
        let shown = [Verdict::Warn, Verdict::Unknown].map(|verdict| (word_of(verdict), codes(verdict)));
        let texts =
            list(shown.iter().filter(|(_, codes)| !codes.is_empty()).map(|(word, codes)| format!("{word} {codes}")));
        (!texts.is_empty()).then(|| format!("{}: {texts}", letter(index)))
    };
    let texts: Vec<String> = (0..view.systems.len()).filter_map(of_system).collect();
    (!texts.is_empty()).then(|| format!("verdicts on tests in their own records: {}", texts.join("; ")))
}

/// Whether the verdict is from unpaired repeats, so that it may include drift.
pub(super) fn is_unpaired(compared_test: &ComparedTest) -> bool {
    let evidence = compared_test.headline.as_ref().map(|headline| headline.shift.evidence);
    compared_test.outcome.verdict().is_some() && matches!(evidence, Some(Evidence::Unpaired { .. }))
}

/// Whether the verdict has a warning.
pub(super) fn has_warning(compared_test: &ComparedTest) -> bool {
    !matches!(compared_test.outcome, ComparisonOutcome::Incomparable { .. }) && compared_test.warning.is_some()
}

/// In place of a verdict on a published figure.
const UNJUDGED: &str = "no verdict: a published figure";

/// Whether the ratio is that of single runs.
pub(super) fn is_estimate(compared_test: &ComparedTest) -> bool {
    let evidence = compared_test.headline.as_ref().map(|headline| headline.shift.evidence);
    compared_test.outcome.verdict().is_some() && evidence == Some(Evidence::Single)
}

/// The verdict on `compared_test` with its qualification: `FASTER, unpaired`, `INCONCLUSIVE, estimate`.
pub(crate) fn verdict(compared_test: &ComparedTest) -> String {
    if compared_test.outcome == ComparisonOutcome::Unjudged {
        return UNJUDGED.to_owned();
    }
    let mark = match () {
        () if is_unpaired(compared_test) => ", unpaired".to_owned(),
        () if is_estimate(compared_test) => format!(", {}", Evidence::Single.word()),
        () if has_warning(compared_test) => ", warning".to_owned(),
        () => String::new(),
    };
    format!("{}{mark}", compared_test.outcome.word())
}

/// The pairings of the systems at 0 and `index`, where they are the sides of a pair.
fn sides<'a>(view: &ComparisonView<'a>, index: usize) -> Option<(&'a Paired, &'a Paired)> {
    let (base, other) = view.systems.first().zip(view.systems.get(index))?;
    let (ours, theirs) = base.paired().zip(other.paired())?;
    (ours.with == other.name && theirs.with == base.name).then_some((ours, theirs))
}

/// The common hash of the plan of a pair.
fn plan_hash<'a>((ours, theirs): (&'a Paired, &Paired)) -> Option<&'a String> {
    ours.plan_hash.as_ref().filter(|hash| theirs.plan_hash.as_ref() == Some(hash))
}

/// Whether both sides of a pair had the same work, and the machine stayed as it was, in a sentence.
pub(super) fn steadiness(view: &ComparisonView<'_>, index: usize) -> Option<String> {
    let pairing = sides(view, index)?;
    let same = plan_hash(pairing).map(|_| identical(view, index));
    let steady = pairing.0.control_probe.as_ref().and_then(|probe| {
        let (limit, share) = (percent(Ratio(RULES.control_probe_change_max)), probe.change()?);
        let found = if probe.drift().is_some() { "was not steady" } else { "was steady" };
        let drift = change(1.0 + share);
        Some(format!("the machine {found} (probe {}: {drift} from begin to end, limit {limit})", probe.probe))
    });
    let text = list(same.into_iter().chain(steady));
    (!text.is_empty()).then_some(text)
}

/// That the sides at 0 and `index` had the same work, but for their loads beside.
fn identical(view: &ComparisonView<'_>, index: usize) -> String {
    let apart = loads_apart(view, index).map(|_| ", but for the load beside").unwrap_or_default();
    format!("A and {} had an identical workload{apart}", letter(index))
}

/// The loads beside the sides at 0 and `index` of a pair, where they differ.
fn loads_apart<'a>(view: &ComparisonView<'a>, index: usize) -> Option<[&'a [LoadBeside]; 2]> {
    let (ours, theirs) = sides(view, index)?;
    (ours.loads_beside != theirs.loads_beside).then_some([ours.loads_beside.as_slice(), theirs.loads_beside.as_slice()])
}

/// What the change of a pair is where the loads beside differ: the loss by that of the one side, if the base has none.
pub(super) fn loss(view: &ComparisonView<'_>, index: usize) -> Option<String> {
    let [ours, theirs] = loads_apart(view, index)?;
    let (other, load) = (letter(index), loads_text(theirs));
    Some(match (ours.is_empty(), theirs.is_empty()) {
        (true, _) => format!("the change is what each test loses to the load beside {other}, {load}: A had none"),
        (false, true) => format!("A had a load beside, {}, and {other} had none", loads_text(ours)),
        (false, false) => format!("the loads beside differ: {} on A, {load} on {other}", loads_text(ours)),
    })
}

/// The common facts of a pair, where the systems at 0 and `index` are its sides: the hash of the plan, and the control
/// probe.
pub(super) fn pairing(view: &ComparisonView<'_>, index: usize) -> Vec<String> {
    let Some((ours, theirs)) = sides(view, index) else { return Vec::new() };
    let plan = plan_hash((ours, theirs));
    let plan = plan.map(|hash| format!("{}, plan {hash}", identical(view, index)));
    plan.into_iter().chain(ours.control_probe.as_ref().map(control_probe)).collect()
}

/// The control probe before and after the pairs.
fn control_probe(control_probe: &ControlProbe) -> String {
    let rate = |rate: Option<Rate>| rate.map_or_else(|| "unknown".to_owned(), |rate| number(rate.0));
    let (before, after) = (rate(control_probe.before), rate(control_probe.after));
    let changed = control_probe.change().map(|share| format!(": {}", change(1.0 + share))).unwrap_or_default();
    let warning = if control_probe.drift().is_some() { "; warning: the pairs may include this drift" } else { "" };
    let (probe, unit) = (&control_probe.probe, unit_per_second(control_probe.unit));
    format!("control drift ({probe}): {before} {unit} before the first pair, {after} after the last{changed}{warning}")
}

/// The common degree of parallelism of the change, where the best rate of a system is at another one: `at J4 on both`.
pub(super) fn at_both(
    view: &ComparisonView<'_>,
    test: &TestComparison,
    index: usize,
    compared_test: &ComparedTest,
) -> Option<String> {
    let headline = compared_test.headline.as_ref().filter(|_| super::shift(compared_test).is_some())?;
    let degree = headline.base.degree;
    let is_elsewhere = |index: usize| {
        let best = test.sides.get(index).and_then(|side| side.as_ref()?.best);
        best.is_some_and(|best| best.degree != degree)
    };
    let is_common = headline.other.degree == degree;
    (is_common && (is_elsewhere(0) || is_elsewhere(index)))
        .then(|| format!("at {} on both", at(&headline.base, sweep(view, 0, &test.code))))
}

/// The grounds of `compared_test` of the system at `index`, a clause each: evidence, reason, pairs needed to decide,
/// service time, degree of parallelism.
pub(super) fn grounds(
    view: &ComparisonView<'_>,
    test: &TestComparison,
    index: usize,
    compared_test: &ComparedTest,
) -> Vec<String> {
    let headline = compared_test.headline.as_ref();
    let basis = headline.map(|headline| evidence(headline.shift.evidence));
    let mut grounds: Vec<String> = match &compared_test.outcome {
        ComparisonOutcome::Incomparable { reasons } => reasons.iter().map(reason_text).collect(),
        ComparisonOutcome::Unjudged => {
            basis.iter().map(|basis| format!("{basis}: a ratio without a verdict")).collect()
        }
        ComparisonOutcome::Judged { p_adjusted, reason, .. } => {
            let adjusted = p_adjusted.map(|p_adjusted| format!("p (Holm) {}", chance("=", p_adjusted)));
            let reason = verdict_reason_text(reason);
            let basis = basis.filter(|basis| *basis != reason);
            basis.into_iter().chain(adjusted).chain([reason]).collect()
        }
    };
    grounds.extend(
        compared_test
            .warning
            .iter()
            .filter(|_| has_warning(compared_test))
            .map(|warning| format!("warning: {}", warning_text(warning))),
    );
    grounds.extend(decide(compared_test));
    if let Some(headline) =
        headline.filter(|_| !matches!(compared_test.outcome, ComparisonOutcome::Incomparable { .. }))
    {
        grounds.extend(choice(headline));
        grounds.extend(service(headline));
        if headline.base.degree != headline.other.degree {
            grounds.push("each at its own best degree of parallelism".to_owned());
        }
    }
    grounds.extend(at_both(view, test, index, compared_test).map(|at| format!("change {at}")));
    grounds
}

/// The pairs needed to decide an inconclusive test.
pub(super) fn decide(compared_test: &ComparedTest) -> Option<String> {
    let pairs = more_pairs(compared_test)?;
    let paired = compared_test.headline.as_ref().is_some_and(|headline| headline.shift.evidence.is_strong());
    Some(match paired {
        true => format!("about {} more would probably decide it", plural(pairs, "pair")),
        false => {
            format!("about {} (dbdyno pair) would probably decide it", plural(pairs, "pair"))
        }
    })
}

/// How many more pairs would probably decide an inconclusive test.
pub(super) fn more_pairs(compared_test: &ComparedTest) -> Option<u64> {
    let ComparisonOutcome::Judged { verdict, more_pairs, .. } = &compared_test.outcome else { return None };
    (*more_pairs).filter(|_| *verdict == ComparisonVerdict::Inconclusive)
}

/// That the degree of parallelism may be the best one by chance.
fn choice(headline: &ComparedPoint) -> Option<String> {
    let which = match headline.shift.choices {
        [1, 1] => return None,
        [base, other] if headline.base.degree == headline.other.degree && base == other => {
            format!("best of {base} degrees of parallelism")
        }
        [base, other] => format!("best of {base} and of {other} degrees of parallelism"),
    };
    Some(format!("{which} that the runs do not tell apart, for which interval and p allow"))
}

/// The service times side by side: figures without a verdict.
fn service(headline: &ComparedPoint) -> Option<String> {
    let (base, other) = (&headline.base, &headline.other);
    let quantile = |quantile: &'static Quantile| {
        let of = |side: &PointFigures| side.service.as_ref().and_then(quantile.of);
        Some((quantile.name, of(base)?, of(other)?, headline.service_ratio(quantile)?))
    };
    let mean = || Some(("mean", base.service_mean_ns?, other.service_mean_ns?, headline.service_mean_ratio()?));
    let known = times::tail().rev().find_map(quantile).or_else(mean);
    known.map(|(name, base, other, ratio)| {
        format!("service time {name} {} and {}, {}", duration(base), duration(other), change(ratio))
    })
}

/// The geometric mean of all tests.
pub(super) fn mean(mean: &GeometricMean) -> String {
    let of = plural(mean.tests as u64, "test");
    let over = |how: &str| format!("{} over {of} (geometric mean{how})", change(mean.ratio));
    match (mean.interval, mean.pairs) {
        (Some(interval), pairs) => {
            format!("{}; 95 % interval {}", over(&format!(" of {}", plural(pairs as u64, "pair"))), ends(interval))
        }
        (None, 0) => over("; no interval without pairs"),
        (None, _) => over("; too few pairs for an interval"),
    }
}

/// A violation of a gate.
pub(super) fn violated(violation: &Violation) -> String {
    let who = violation.system.map(|index| format!(" on {}", letter(index))).unwrap_or_default();
    let test = violation.test.as_deref().unwrap_or("all tests");
    format!("{test}{who}: {} ({})", violation_text(&violation.found), violation.rule)
}

/// The group of a fact.
pub(super) fn group(group: FactGroup) -> &'static str {
    match group {
        FactGroup::Machine => "machine",
        FactGroup::Storage => "storage",
        FactGroup::Kernel => "kernel",
        FactGroup::Engine => "engine",
        FactGroup::Setting => "setting",
        FactGroup::Measurement => "measured",
    }
}

/// The differences, each with the value of the fact on each system. A publication states in words what a record has as a
/// figure: where both read alike, they do not differ.
pub(super) fn differences<'a>(view: &ComparisonView<'a>) -> Vec<(&'a Difference, Vec<String>)> {
    let reads_alike = |difference: &Difference, words: &[String]| {
        let stated: Vec<(&Vec<FactValue>, &String)> =
            difference.values.iter().zip(words).filter(|(values, _)| !values.is_empty()).collect();
        let differs = stated.windows(2).any(|pair| pair[0].0 != pair[1].0);
        differs && stated.windows(2).all(|pair| pair[0].1 == pair[1].1)
    };
    let all = view.comparison.differences.iter().map(|difference| (difference, values(view, difference)));
    all.filter(|(difference, words)| !reads_alike(difference, words)).collect()
}

/// The value of a fact on each system. A setting that a record does not name has its default there, if the engine has
/// it; publications do not state most settings.
fn values(view: &ComparisonView<'_>, difference: &Difference) -> Vec<String> {
    let has_it = |system: &System| {
        let mut stating = difference.values.iter().zip(view.systems).filter(|(value, _)| !value.is_empty());
        stating.any(|(_, stating)| stating.engine() == system.engine())
    };
    let value = |(values, system): (&Vec<FactValue>, &System)| match (difference.group, &system.origin) {
        _ if !values.is_empty() => values.iter().map(fact_text).collect::<Vec<_>>().join("; "),
        (FactGroup::Setting, Origin::Measured { .. }) if has_it(system) => "default".to_owned(),
        (FactGroup::Setting, Origin::Measured { .. }) => "-".to_owned(),
        _ => "not stated".to_owned(),
    };
    difference.values.iter().zip(view.systems).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_a_change_as_long_as_that_can_be_read() {
        let ends = |low: f64, high: f64| ends(Interval { estimate: 1.0, low, high });
        assert_eq!((change(1.0812), change(0.9), change(1.000_1)), ("+8.1 %".into(), "-10.0 %".into(), "0.0 %".into()));
        assert_eq!((change(12.345), change(0.1), change(f64::NAN)), ("12.3 ×".into(), "0.10 ×".into(), "-".into()));
        assert_eq!(
            (change(0.001_74), change(0.01), change(2e-9)),
            ("0.0017 ×".into(), "0.01 ×".into(), "2.0e-9 ×".into())
        );
        assert_eq!((ends(0.99, 1.031), ends(0.4, 1.2)), ("-1.0 to +3.1 %".into(), "0.40 to 1.20 ×".into()));
    }

    #[test]
    fn systems_have_letters() {
        assert_eq!((letter(0), letter(25), letter(26)), ("A".to_owned(), "Z".to_owned(), "#27".to_owned()));
        assert_eq!(letters(&[0, 2]), "A and C");
    }
}
