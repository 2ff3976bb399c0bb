//! Conditions under which a CI pipeline fails.

use std::fmt;
use std::str::FromStr;

use super::{ComparedTest, Comparison, ComparisonOutcome, Evidence, Reason, VerdictReason};
use crate::decision::ComparisonVerdict;
use crate::statistics::Interval;

/// Conditions under which a comparison fails: `slower>2%,T611:slower>5%,inconclusive,incomparable`.
///
/// - `slower>X%`: the verdict is SLOWER, and the estimate lies more than X % below the base. `slower` is `slower>0%`.
///   Inconclusive results pass, unless `inconclusive` is given too.
/// - `inconclusive`: the verdict is INCONCLUSIVE, or there is none because a figure is published.
/// - `incomparable`: the two are not comparable, or one of them is not valid.
///
/// A condition after `CODE:` applies to that test only and overrides the same one without a code. A named test that was
/// not compared fails, and so does each system that lacks it. Every gate fails where no test has a verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug, PartialEq)]
struct Rule {
    /// The code of its test; absent where it applies to all.
    test: Option<String>,
    condition: Condition,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Condition {
    /// By more than this share, in [0, 1).
    Slower(f64),
    Inconclusive,
    Incomparable,
}

/// A gate that cannot be parsed: the text, and a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateError(String);

impl GateError {
    fn unknown(text: &str) -> GateError {
        GateError(format!(
            "{text:?} is not a condition to fail on\nhint: use slower>2%, inconclusive or incomparable, for one test \
             T611:slower>5%, separated by commas"
        ))
    }

    fn share(text: &str) -> GateError {
        let hint = "hint: use a number from 0 to below 100 and the sign, as in slower>2%";
        GateError(format!("{text:?} is not a share of a rate\n{hint}"))
    }

    fn twice(text: &str) -> GateError {
        GateError(format!("{text} is given more than once\nhint: keep one of them"))
    }
}

impl fmt::Display for GateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for GateError {}

/// A condition that was met.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// The code of the test; absent where it applies to all.
    pub test: Option<String>,
    /// The index of the compared system; absent where the test was not compared at all.
    pub system: Option<usize>,
    /// The condition, as [`Gate`] writes it.
    pub rule: String,
    /// The finding.
    pub found: ViolationFound,
}

/// A finding of a gate.
#[derive(Clone, Debug, PartialEq)]
pub enum ViolationFound {
    /// No test has a verdict.
    NoVerdict,
    /// The test was not compared: not every system has it.
    NotShared,
    /// The test was not compared: the system lacks it.
    Lacking,
    /// Slower than the limit.
    Slower {
        /// The ratio of the rates.
        ratio: f64,
        /// Its 95 % interval.
        interval: Interval,
        /// How the two were measured.
        evidence: Evidence,
    },
    /// The verdict is INCONCLUSIVE.
    Inconclusive(VerdictReason),
    /// A figure is published: there is no verdict.
    Published,
    /// The systems cannot be compared.
    Incomparable(Vec<Reason>),
}

impl Gate {
    /// The codes of the named tests.
    pub fn tests(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().filter_map(|rule| rule.test.as_deref())
    }

    /// The conditions that `comparison` meets, by test and system.
    pub fn violations(&self, comparison: &Comparison) -> Vec<Violation> {
        let mut violations = Vec::new();
        for test in &comparison.tests {
            for (compared_test, system) in test.compared_tests.iter().zip(0..) {
                let Some(compared_test) = compared_test else { continue };
                violations.extend(self.rules_of(&test.code).filter_map(|rule| {
                    let found = rule.condition.met(compared_test)?;
                    Some(Violation {
                        test: Some(test.code.clone()),
                        system: Some(system),
                        rule: rule.to_string(),
                        found,
                    })
                }));
            }
        }
        violations.extend(self.rules.iter().flat_map(|rule| rule.missing(comparison)));
        violations.extend(self.without_verdict(comparison));
        violations
    }

    /// The violation where no test has a verdict.
    fn without_verdict(&self, comparison: &Comparison) -> Option<Violation> {
        let mut compared_tests = comparison.tests.iter().flat_map(|test| test.compared_tests.iter().flatten());
        let has_verdict =
            compared_tests.any(|compared_test| matches!(compared_test.outcome, ComparisonOutcome::Judged { .. }));
        let found = ViolationFound::NoVerdict;
        (!has_verdict).then(|| Violation { test: None, system: None, rule: self.to_string(), found })
    }

    /// The rules about the test `code`.
    fn rules_of<'a>(&'a self, code: &'a str) -> impl Iterator<Item = &'a Rule> {
        let is_own = move |rule: &&Rule| rule.test.as_deref() == Some(code);
        let kept = move |rule: &&Rule| {
            let mut own = self.rules.iter().filter(is_own);
            rule.test.is_none() && !own.any(|own| own.condition.word() == rule.condition.word())
        };
        self.rules.iter().filter(move |rule| is_own(rule) || kept(rule))
    }
}

impl Rule {
    /// Violations of a named test: that it was not compared, or each system that lacks it.
    fn missing(&self, comparison: &Comparison) -> Vec<Violation> {
        let Some(code) = &self.test else { return Vec::new() };
        let violation = |system, found| Violation { test: Some(code.clone()), system, rule: self.to_string(), found };
        let Some(test) = comparison.tests.iter().find(|test| test.code == *code) else {
            return vec![violation(None, ViolationFound::NotShared)];
        };
        let lacking = (1..test.compared_tests.len()).filter(|at| test.compared_tests[*at].is_none());
        lacking.map(|at| violation(Some(at), ViolationFound::Lacking)).collect()
    }
}

impl Condition {
    fn word(self) -> &'static str {
        match self {
            Condition::Slower(_) => "slower",
            Condition::Inconclusive => "inconclusive",
            Condition::Incomparable => "incomparable",
        }
    }

    /// The finding, if the condition is met.
    fn met(self, compared_test: &ComparedTest) -> Option<ViolationFound> {
        match (self, &compared_test.outcome) {
            (Condition::Slower(limit), ComparisonOutcome::Judged { verdict: ComparisonVerdict::Slower, .. }) => {
                let shift = &compared_test.headline.as_ref()?.shift;
                let (ratio, interval, evidence) = (shift.ratio, shift.interval?, shift.evidence);
                (ratio < 1.0 - limit).then_some(ViolationFound::Slower { ratio, interval, evidence })
            }
            (
                Condition::Inconclusive,
                ComparisonOutcome::Judged { verdict: ComparisonVerdict::Inconclusive, reason, .. },
            ) => Some(ViolationFound::Inconclusive(*reason)),
            (Condition::Inconclusive, ComparisonOutcome::Unjudged) => Some(ViolationFound::Published),
            (Condition::Incomparable, ComparisonOutcome::Incomparable { reasons }) => {
                Some(ViolationFound::Incomparable(reasons.clone()))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(test) = &self.test {
            write!(formatter, "{test}:")?;
        }
        formatter.write_str(self.condition.word())?;
        match self.condition {
            // Rounds off the error of the conversion from percent.
            Condition::Slower(share) => write!(formatter, ">{}%", (share * 1e10).round() / 1e8),
            Condition::Inconclusive | Condition::Incomparable => Ok(()),
        }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules: Vec<String> = self.rules.iter().map(Rule::to_string).collect();
        formatter.write_str(&rules.join(","))
    }
}

impl FromStr for Gate {
    type Err = GateError;

    fn from_str(text: &str) -> Result<Gate, GateError> {
        let mut rules: Vec<Rule> = Vec::new();
        for part in text.split(',') {
            let rule: Rule = part.trim().parse()?;
            let same = |other: &Rule| other.test == rule.test && other.condition.word() == rule.condition.word();
            if rules.iter().any(same) {
                let test = rule.test.map(|test| test + ":").unwrap_or_default();
                return Err(GateError::twice(&format!("{test}{}", rule.condition.word())));
            }
            rules.push(rule);
        }
        Ok(Gate { rules })
    }
}

impl FromStr for Rule {
    type Err = GateError;

    fn from_str(text: &str) -> Result<Rule, GateError> {
        let unknown = || GateError::unknown(text);
        let (test, condition) = match text.split_once(':') {
            Some((test, condition)) => (Some(test.trim()), condition.trim()),
            None => (None, text),
        };
        let is_code = |code: &str| {
            let letters = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
            !code.is_empty() && code.chars().all(letters)
        };
        if test.is_some_and(|test| !is_code(test)) {
            return Err(unknown());
        }
        let condition = match condition.split_once('>') {
            Some((word, share)) if word.trim() == "slower" => Condition::Slower(self::share(share.trim())?),
            None if condition == "slower" => Condition::Slower(0.0),
            None if condition == "inconclusive" => Condition::Inconclusive,
            None if condition == "incomparable" => Condition::Incomparable,
            _ => return Err(unknown()),
        };
        Ok(Rule { test: test.map(str::to_owned), condition })
    }
}

fn share(text: &str) -> Result<f64, GateError> {
    let number = text.strip_suffix('%').and_then(|digits| digits.trim().parse::<f64>().ok());
    let percent = number.filter(|percent| (0.0..100.0).contains(percent));
    percent.map(|percent| percent / 100.0).ok_or_else(|| GateError::share(text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn gate(text: &str) -> Result<Gate, GateError> {
        text.parse()
    }

    #[test]
    fn a_gate_prints_as_it_was_parsed() {
        for text in ["slower>2%", "slower>2%,T611:slower>5%", "inconclusive,incomparable", "S11:slower>0.5%"] {
            assert_eq!(gate(text).unwrap().to_string(), text);
        }
        assert_eq!(gate(" slower > 2 % , T611 : slower").unwrap().to_string(), "slower>2%,T611:slower>0%");
    }

    #[test]
    fn malformed_gates_are_refused_with_a_hint() {
        let message = |text: &str| gate(text).unwrap_err().to_string();
        for text in ["", "faster", "slower<2%", "T611:", ":slower", "slower>2%,", "equivalent>2%", "T 1:slower"] {
            assert!(message(text).contains("is not a condition"), "{text}");
        }
        for text in ["slower>2", "slower>", "slower>-1%", "slower>100%", "slower>NaN%", "slower>a%"] {
            assert!(message(text).contains("is not a share"), "{text}");
        }
        assert_eq!(message("slower>2%,slower>3%"), "slower is given more than once\nhint: keep one of them");
        assert!(gate("slower>2%,T611:slower").is_ok());
    }

    #[test]
    fn a_rule_for_one_test_overrides_the_general_one() {
        let gate = gate("slower>2%,inconclusive,T611:slower>5%").unwrap();
        let rules = |code| gate.rules_of(code).map(Rule::to_string).collect::<Vec<_>>();
        assert_eq!(rules("T611"), ["inconclusive", "T611:slower>5%"]);
        assert_eq!(rules("T616"), ["slower>2%", "inconclusive"]);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,40}") {
            let _ = gate(&text);
        }

        #[test]
        fn a_printed_gate_parses_again(
            rules in prop::collection::vec((prop::option::of("[TP][0-9]{3}"), 0u8..3, 0u32..10_000), 1..6),
        ) {
            let written = rules.iter().map(|(test, kind, hundredths)| {
                let test = test.as_ref().map(|test| format!("{test}:")).unwrap_or_default();
                match kind {
                    0 => format!("{test}slower>{}%", f64::from(*hundredths) / 100.0),
                    1 => format!("{test}inconclusive"),
                    _ => format!("{test}incomparable"),
                }
            });
            let text = written.collect::<Vec<_>>().join(",");
            match gate(&text) {
                Ok(gate) => {
                    prop_assert_eq!(&gate.to_string(), &text);
                    prop_assert_eq!(text.parse::<Gate>().unwrap(), gate);
                }
                Err(error) => prop_assert!(error.0.contains("more than once"), "{}", error),
            }
        }
    }
}
