//! The scalability of a test, in words: notes on its fit, the judgement of a claim, reasons against an extrapolation.

use model::RULES;
use model::scalability::{
    ClaimVerdict, Judgement, Misfit, Noise, NoiseBasis, Note, Reason, Side, UnknownLimit, Varied,
};
use record::Ratio;

use crate::figure::{chance, percent};
use crate::words::plural;

/// The varied quantity, in the plural.
pub(crate) fn varied_noun(varied: Varied) -> &'static str {
    match varied {
        Varied::Nodes => "nodes",
        Varied::InFlight => "I/Os in flight",
        Varied::Jobs => "jobs",
        Varied::Threads => "threads",
        Varied::Agents => "agents",
    }
}

/// A limitation of a fit, lower case, without a full stop.
pub(crate) fn note_text(note: &Note) -> String {
    match note {
        Note::Ignored { ignored, points } => {
            format!("{ignored} of {points} points are not a rate at an N of at least 1 and were ignored")
        }
        Note::Superlinear(superlinear) => {
            let significance = if superlinear.significant == Some(true) { "" } else { ", not significant" };
            format!(
                "super-linear: unconstrained contention {:.4}{significance}; the working set may have moved to another \
                 cache level, or the first point was slowed down",
                superlinear.contention
            )
        }
        Note::Misfit(misfit) => misfit_text(misfit),
        Note::InsignificantContention => "contention is not significantly above 0".to_owned(),
        Note::InsignificantCoherency => "coherency is not significantly above 0".to_owned(),
        Note::UnmeasuredPeak { n, n_max } => {
            format!("the peak at N = {n:.0} is beyond the measured range (N = {n_max}): no decline was measured")
        }
        Note::NoFreedom => "three different N fit any such law: no band".to_owned(),
        Note::Linear => "linear within the measured range; its limit is unknown".to_owned(),
    }
}

fn misfit_text(misfit: &Misfit) -> String {
    format!("the law does not fit: {}", misfit_reason(misfit))
}

/// How the points miss the law, in a clause.
pub(crate) fn misfit_reason(misfit: &Misfit) -> String {
    match misfit {
        Misfit::Outlier { n, residual } => format!("the rate at N = {n} is off by {:.1} %", residual * 100.0),
        Misfit::LackOfFit { quotient } => {
            format!("lack of fit is {:.1} times the noise between repeats", quotient.sqrt())
        }
        Misfit::Runs { p_value } => format!("residuals of one sign are grouped (p {})", chance("=", *p_value)),
        Misfit::Curved => "the linearised plot is curved".to_owned(),
        Misfit::Beside(sides) => format!("rates are {}", beside_text(sides)),
    }
}

/// `below the curve up to 12, above the curve from 48 on`.
pub(crate) fn beside_text(sides: &[Side]) -> String {
    let side = |side: &Side| {
        let place = match (side.from, side.to) {
            (None, None) => String::new(),
            (None, Some(to)) => format!(" up to {to}"),
            (Some(from), None) => format!(" from {from} on"),
            (Some(from), Some(to)) if from == to => format!(" at {from}"),
            (Some(from), Some(to)) => format!(" from {from} to {to}"),
        };
        format!("{} the curve{place}", if side.is_above { "above" } else { "below" })
    };
    sides.iter().map(side).collect::<Vec<String>>().join(", ")
}

/// Why a limit is not known, in a clause.
pub(crate) fn unknown_limit_text(why: UnknownLimit) -> &'static str {
    match why {
        UnknownLimit::FewDegrees => "a fit with an interval needs runs at four degrees or more",
        UnknownLimit::Misfit => "the law does not fit",
        UnknownLimit::Insignificant => "neither contention nor coherency is significantly above 0",
    }
}

/// A coefficient with four significant digits.
pub(crate) fn coefficient(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size < 0.001 => format!("{value:.3e}"),
        size => format!("{value:.*}", (3.0 - size.log10().floor()).clamp(0.0, 6.0) as usize),
    }
}

/// Why an estimate is refused, or cannot support a claim: lower case, without a full stop.
pub(crate) fn reason_text(reason: &Reason) -> String {
    match reason {
        Reason::FewPoints { distinct, repeats } => format!(
            "{distinct} different N with at least {} each: {} and {} are required",
            plural(*repeats as u64, "repeat"),
            RULES.scale_distinct_min,
            RULES.scale_repeats_min
        ),
        Reason::Far { n_max, factor } => {
            format!("the target is {factor:.3} times the largest measured N of {n_max}; limit {}", RULES.scale_horizon)
        }
        Reason::Wide { factor } => format!(
            "the interval extends to {factor:.2} times the estimate, up or down; limit {}",
            RULES.scale_interval_factor_max
        ),
        Reason::Misfit(misfit) => misfit_text(misfit),
        Reason::OpenCoherency { coherency_high, adds } => format!(
            "coherency is not significantly above 0, but its upper limit ({coherency_high:.2e}) would add {adds:.2} to \
             the divisor at the target; limit {}",
            RULES.scale_open_coherency_max
        ),
        Reason::UnverifiedCeilings(names) => format!("shared resources of unknown capacity: {}", names.join(", ")),
        Reason::Differs(what) => format!("different setup at the target: {}", what.join(", ")),
        Reason::Uninformative => format!(
            "every rate is above {:.0} % of linear: contention and coherency are unknown",
            RULES.scale_uninformative_efficiency * 100.0
        ),
    }
}

/// The basis of intervals with this noise.
pub(crate) fn noise_text(noise: Noise) -> String {
    match noise.basis {
        NoiseBasis::Stated => format!("if runs repeat within {:.1} % (assumed)", noise.of_run * 100.0),
        NoiseBasis::Residuals { .. } | NoiseBasis::Repeats { .. } => {
            format!("with 95 % confidence (noise {})", noise_source(noise))
        }
    }
}

/// The noise and its source: `5.7 % of a run, from the residuals`.
pub(crate) fn noise_source(noise: Noise) -> String {
    let of_run = percent(Ratio(noise.of_run));
    match noise.basis {
        NoiseBasis::Stated => {
            format!("{of_run} of a run (assumed: there are few repeats, and the residuals show no more)")
        }
        NoiseBasis::Residuals { .. } => format!("{of_run} of a run, from the residuals"),
        NoiseBasis::Repeats { .. } => format!("{of_run} of a run, from the repeats"),
    }
}

/// The printed name of a verdict.
pub(crate) fn verdict_word(verdict: ClaimVerdict) -> &'static str {
    match verdict {
        ClaimVerdict::Supported => "SUPPORTED",
        ClaimVerdict::Unsupported => "UNSUPPORTED",
        ClaimVerdict::Contradicted => "CONTRADICTED",
    }
}

/// The sentences of a judgement; `noun` is the varied quantity, in the plural.
pub(crate) fn judgement_text(judgement: &Judgement, noun: &str) -> String {
    let Judgement { extrapolation: found, n_max, nearest_n, nearest_rate, .. } = judgement;
    let (n, basis) = (found.n, noise_text(found.interval_noise()));
    let mut parts = Vec::new();
    if n > *n_max {
        parts.push("Linear extrapolation is an upper bound, not an estimate.".to_owned());
    }
    parts.push(format!("Measured: {} at N = {nearest_n}.", short(*nearest_rate)));
    for (n, interval) in found.at_horizon.into_iter().chain(found.interval().map(|interval| (n, interval))) {
        let (low, high) = (short(interval.low), short(interval.high));
        let what = if found.measured.is_some() { "the runs" } else { "the data" };
        parts.push(format!("At N = {n} {what} are compatible with {low} to {high}, {basis}."));
    }
    if found.interval().is_none() {
        parts.push(format!("The law does not fit the data and says nothing of N = {n}."));
    }
    if let Some(granted) = found.granted {
        let (low, high) = (short(granted.low), short(granted.high));
        parts.push(format!("Even with linear scaling measured at all N up to {n_max} it would be {low} to {high}."));
    }
    parts.push(format!(
        "The claim of {} at N = {n}, {:.0} % of linear: {}.",
        short(judgement.claim.rate),
        judgement.efficiency * 100.0,
        verdict_word(judgement.verdict)
    ));
    if judgement.is_open() {
        parts.push(test_text(judgement, noun));
    }
    parts.join(" ")
}

/// The measurements that would test the claim.
fn test_text(judgement: &Judgement, noun: &str) -> String {
    let needed = judgement.needed.coherency;
    let sweep: Vec<String> = judgement.sweep.iter().map(u64::to_string).collect();
    let ninety = judgement.needed_for_ninety.map(|ninety| ninety.coherency).filter(|ninety| *ninety < needed);
    let less = ninety.map(|ninety| format!(" (up to {ninety} suffices for 90 % of linear)")).unwrap_or_default();
    format!(
        "To test it: measure at least {} {noun} with {} repeats{less}, and verify shared resources: network, \
         controllers, metadata.",
        sweep.join(", "),
        RULES.scale_repeats_min
    )
}

/// `950`, `48.0K`, `7.04M`: three significant digits with a decimal prefix.
fn short(value: f64) -> String {
    let prefixes = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K")];
    // Chooses the prefix after rounding.
    let (scale, prefix) = prefixes.into_iter().find(|(scale, _)| value >= scale * 0.9995).unwrap_or((1.0, ""));
    let digits = match value / scale {
        scaled if scaled >= 99.95 => 0,
        scaled if scaled >= 9.995 => 1,
        _ => 2,
    };
    let text = format!("{:.digits$}", value / scale);
    let text = if digits > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{prefix}")
}

#[cfg(test)]
mod tests {
    use model::scalability::{Circumstances, Claim, LoadPoint, SharedCeiling, Superlinear, extrapolation, judge};

    use super::*;

    #[test]
    fn a_claim_on_one_published_point() {
        let claim = Claim { n: 128.0, rate: 7e6 };
        let judged = judge(&[LoadPoint::new(3.0, 165_000.0)], claim, &Circumstances::default()).unwrap();
        assert_eq!(
            judgement_text(&judged, "hosts"),
            "Linear extrapolation is an upper bound, not an estimate. Measured: 165K at N = 3. \
             At N = 6 the data are compatible with 63.4K to 330K, if runs repeat within 2.0 % (assumed). \
             At N = 128 the data are compatible with 2.5K to 7.04M, if runs repeat within 2.0 % (assumed). \
             Even with linear scaling measured at all N up to 3 it would be 47K to 7.04M. \
             The claim of 7M at N = 128, 99 % of linear: UNSUPPORTED. \
             To test it: measure at least 1, 2, 4, 8, 16, 32, 64, 128 hosts with 3 repeats (up to 39 suffices for 90 % \
             of linear), and verify shared resources: network, controllers, metadata."
        );
    }

    #[test]
    fn each_reason_has_words() {
        let points = [1.0, 2.0, 3.0].map(|n| LoadPoint::new(n, 55_000.0 * n));
        let array = SharedCeiling { name: "array".to_owned(), capacity: None };
        let shared = Circumstances { ceilings: vec![array], ..Circumstances::default() };
        let reasons = extrapolation(&points, 128.0, &shared).unwrap().reasons;
        let begins = [
            "3 different N with at least 1 repeat each: 6 and 3 are required",
            "the target is 42.667 times the largest measured N of 3; limit 2",
            "the interval extends to 149.",
            "coherency is not significantly above 0, but its upper limit (",
            "shared resources of unknown capacity: array",
            "every rate is above 97 % of linear: contention and coherency are unknown",
        ];
        assert_eq!(reasons.len(), begins.len(), "{reasons:#?}");
        for (reason, begins) in reasons.iter().map(reason_text).zip(begins) {
            assert!(reason.starts_with(begins), "{reason}");
        }
        let runs = reason_text(&Reason::Misfit(Misfit::Runs { p_value: 0.0286 }));
        assert_eq!(runs, "the law does not fit: residuals of one sign are grouped (p = 0.029)");
        let certain = reason_text(&Reason::Misfit(Misfit::Runs { p_value: 3e-5 }));
        assert_eq!(certain, "the law does not fit: residuals of one sign are grouped (p < 0.001)");
        let differs = Reason::Differs(vec!["network".to_owned(), "data per host".to_owned()]);
        assert_eq!(reason_text(&differs), "different setup at the target: network, data per host");
    }

    #[test]
    fn a_misfit_says_where() {
        let side = |is_above, from, to| Side { is_above, from, to };
        let sides = vec![side(false, None, Some(4.0)), side(true, Some(8.0), Some(8.0)), side(true, Some(48.0), None)];
        assert_eq!(
            note_text(&Note::Misfit(Misfit::Beside(sides))),
            "the law does not fit: rates are below the curve up to 4, above the curve at 8, above the curve from 48 on"
        );
    }

    #[test]
    fn a_coefficient_has_four_digits() {
        let shown = [0.02672, 0.0206281, 7.691e-4, 0.0, 1.0, -0.0137, 0.00102].map(coefficient);
        assert_eq!(shown, ["0.02672", "0.02063", "7.691e-4", "0", "1.000", "-0.01370", "0.001020"]);
    }

    #[test]
    fn the_noise_is_named_with_its_source() {
        let texts = [
            (NoiseBasis::Stated, "if runs repeat within 2.0 % (assumed)"),
            (NoiseBasis::Residuals { freedom: 4 }, "with 95 % confidence (noise 2.0 % of a run, from the residuals)"),
            (NoiseBasis::Repeats { freedom: 4 }, "with 95 % confidence (noise 2.0 % of a run, from the repeats)"),
        ];
        for (basis, text) in texts {
            assert_eq!(noise_text(Noise { of_run: 0.02, basis }), text);
        }
    }

    #[test]
    fn a_note_states_what_limits_the_fit() {
        assert_eq!(
            note_text(&Note::Ignored { ignored: 1, points: 5 }),
            "1 of 5 points are not a rate at an N of at least 1 and were ignored"
        );
        assert_eq!(
            note_text(&Note::UnmeasuredPeak { n: 22.14, n_max: 8.0 }),
            "the peak at N = 22 is beyond the measured range (N = 8): no decline was measured"
        );
        let superlinear = |significant| note_text(&Note::Superlinear(Superlinear { contention: -0.25, significant }));
        assert!(superlinear(Some(true)).starts_with("super-linear: unconstrained contention -0.2500; the working set"));
        assert!(superlinear(None).contains("-0.2500, not significant; "));
    }
}
