//! Whether preconditioning came to a steady state: the rule of SNIA over its last five rounds.

use record::{Check, Finding, Run, Verdict};

use super::{finding, percent, plural};
use crate::rules::RULES;
use crate::snia::snia;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let rounds = &run.storage.as_ref()?.rounds;
    let rates: Vec<f64> = rounds.iter().map(|round| round.operations_per_second.0).collect();
    if rates.is_empty() {
        return None;
    }
    let count = plural(rates.len() as u64, "round");
    let Some(found) = snia(&rates) else {
        return finding(
            Check::Steady,
            Verdict::Warn,
            format!("{count} of preconditioning; a steady state needs {} with I/O in them", RULES.steady_rounds),
        );
    };
    let figures = format!(
        "the last {} of {count} differ by {}, limit {}, and their trend changes by {}, limit {}",
        RULES.steady_rounds,
        percent(found.range),
        percent(RULES.steady_range_max),
        percent(found.rise),
        percent(RULES.steady_rise_max)
    );
    match found.steady {
        true => finding(Check::Steady, Verdict::Pass, figures),
        false => finding(Check::Steady, Verdict::Warn, format!("not steady: {figures}")),
    }
}

#[cfg(test)]
mod tests {
    use record::{IoKind, Nanos, Rate, Round};

    use super::*;
    use crate::fixture::{io_run, run, storage};

    fn says(rates: &[f64]) -> Option<(Verdict, String)> {
        let mut run = io_run("io", IoKind::Write, 1);
        let round = |rate: &f64| Round { length_ns: Nanos::SECOND, operations_per_second: Rate(*rate) };
        storage(&mut run).rounds = rates.iter().map(round).collect();
        check(&run).map(|finding| (finding.verdict, finding.detail))
    }

    #[test]
    fn the_last_five_rounds_speak() {
        assert_eq!(
            says(&[900.0, 100.0, 98.0, 100.0, 104.0, 102.0]),
            Some((
                Verdict::Pass,
                "the last 5 of 6 rounds differ by 6.0 %, limit 20 %, and their trend changes by 4.0 %, limit 10 %"
                    .to_owned()
            ))
        );
        let (verdict, detail) = says(&[900.0, 100.0, 98.0, 100.0, 104.0]).unwrap();
        assert_eq!(verdict, Verdict::Warn);
        assert!(detail.starts_with("not steady: "), "{detail}");
        assert_eq!(says(&[100.0; 4]).unwrap().0, Verdict::Warn);
        assert_eq!((says(&[]), check(&run("T211", 1))), (None, None));
    }
}
