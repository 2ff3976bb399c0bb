//! `dbdyno model`: what the models say of figures.

mod load;
mod load_prediction;
mod load_rates;
mod load_source;
mod load_study;

use std::fs;
use std::path::Path;

use model::scalability::SharedCeiling;
use model::{System, SystemTest};
use record::Pace;
use report::{LoadCurve, ScaleQuestion, ScaleView};
use run::{Error, Result};

use super::report::write_page;
use super::subject;
use crate::arguments::model::{ModelArguments, ModelCommand, ScaleArguments};
use crate::load_points::load_curve;
use crate::output::{print, style, width};

/// Different degrees of parallelism that the law of a curve needs.
const DEGREES_MIN: usize = 3;

/// Carries out `dbdyno model`.
///
/// # Errors
/// The user's mistakes: figures that cannot be read, or that make no curve.
pub fn model(arguments: &ModelArguments) -> Result<()> {
    match &arguments.model {
        ModelCommand::Scale(arguments) => scale(arguments),
        ModelCommand::Load(arguments) => load::load(arguments),
    }
}

fn scale(arguments: &ScaleArguments) -> Result<()> {
    let mut question = question(arguments);
    let mut curve = match is_csv(&arguments.curve) {
        true => of_file(arguments)?,
        false => {
            let system = subject::system(&arguments.curve)?;
            let test = test(&system, arguments.test.as_deref())?;
            claimed(&system, test, &mut question);
            let curve = LoadCurve::of_test(&system, test);
            if curve.points.is_empty() {
                return Err(no_curve(&system, test));
            }
            curve
        }
    };
    let degrees = curve.degrees();
    if degrees.is_empty() {
        return Err(Error::user(format!("{} has no rate", arguments.curve))
            .hint("a point is how many and the rate, as in `8,1200`"));
    }
    if degrees.len() < DEGREES_MIN && question.claim.is_none() {
        let names: Vec<String> = degrees.iter().map(f64::to_string).collect();
        let message = format!(
            "a curve needs at least {DEGREES_MIN} degrees of parallelism; {} has {} ({})",
            curve.title,
            degrees.len(),
            names.join(", ")
        );
        return Err(Error::user(message)
            .hint("measure 1, 2, 4, 8, ... of them; --at N --claim RATE judges a claim by any figures"));
    }
    heed_ceilings(&mut curve, &question)?;
    let view = ScaleView::new(curve, question);
    match &arguments.html {
        Some(file) => write_page(file, &report::scale_html(&view)),
        None => print(&report::scale_text(&view, style(), width())),
    }
}

/// Refuses a ceiling below a rate that was measured; says where none is used.
fn heed_ceilings(curve: &mut LoadCurve, question: &ScaleQuestion) -> Result<()> {
    let highest = curve.points.iter().max_by(|one, other| one.rate.total_cmp(&other.rate));
    for SharedCeiling { name, capacity } in &question.ceilings {
        if let Some((point, capacity)) = highest.zip(*capacity).filter(|(point, capacity)| *capacity < point.rate) {
            let message =
                format!("ceiling {name} {capacity} is below {}, which was measured at N = {}", point.rate, point.n);
            return Err(
                Error::user(message).hint("give the rate at which it ends in the unit of the curve, or =unknown")
            );
        }
    }
    if question.at.is_none() && !question.ceilings.is_empty() {
        curve.remarks.push("ceilings are not used without --at: the fit is made of what was measured".to_owned());
    }
    Ok(())
}

/// Why `test` of `system` makes no curve.
fn no_curve(system: &System, test: &SystemTest) -> Error {
    let what = format!("{} of {}", test.code, system.name);
    if test.points.iter().all(|point| point.rates.is_empty()) {
        let why: Vec<String> =
            test.points.iter().flat_map(|point| &point.invalid).map(report::invalid_run_text).collect();
        let message = match why.as_slice() {
            [] => format!("{what} has no rate"),
            [first, ..] => format!("{what} has no rate: all {} runs are invalid, {first}", why.len()),
        };
        return Error::user(message).hint("`dbdyno report` says of each run why it is invalid; measure the test again");
    }
    if matches!(test.pace, Pace::Rate { .. } | Pace::Poisson { .. }) {
        return Error::user(format!("{what} was run at a rate that was asked for: that is no curve"))
            .hint("run it as fast as possible");
    }
    Error::user(format!("{what} has no rate on the largest number of nodes"))
        .hint("measure it there at several degrees of parallelism")
}

fn is_csv(words: &str) -> bool {
    let ending = Path::new(words).extension().unwrap_or_default().to_ascii_lowercase();
    ["csv", "tsv", "txt"].iter().any(|known| ending == *known)
}

fn of_file(arguments: &ScaleArguments) -> Result<LoadCurve> {
    let place = &arguments.curve;
    if let Some(test) = &arguments.test {
        return Err(Error::user(format!("{place} has no tests, --test {test} cannot be looked up there"))
            .hint("leave --test out"));
    }
    let text = fs::read_to_string(place).map_err(|error| {
        Error::user(format!("{place} cannot be read: {error}"))
            .hint("give a file of two columns, how many and the rate")
    })?;
    load_curve(&text, place)
}

/// The test `code` of `system`, or the one that can be meant: the one that something is claimed of, or the only one.
fn test<'a>(system: &'a System, code: Option<&str>) -> Result<&'a SystemTest> {
    let find = |code: &str| system.tests.iter().find(|test| test.code == code);
    let measured = |test: &SystemTest| test.points.iter().filter(|point| !point.rates.is_empty()).count();
    let has_curve = |test: &&SystemTest| measured(test) >= DEGREES_MIN;
    let curves: Vec<&SystemTest> = system.tests.iter().filter(has_curve).collect();
    let codes = |tests: &[&SystemTest]| tests.iter().map(|test| test.code.as_str()).collect::<Vec<_>>().join(", ");
    let all: Vec<&SystemTest> = system.tests.iter().collect();
    let (offered, kind) = match curves.is_empty() {
        true => (&all, "tests"),
        false => (&curves, "tests with a curve"),
    };
    let hint = match (curves.is_empty(), all.is_empty()) {
        (_, true) => "a curve is made of tests".to_owned(),
        (true, _) => format!(
            "--test is one of {}; none was measured at {DEGREES_MIN} degrees of parallelism, so that only a claim about \
             one can be judged: --at N --claim RATE",
            codes(offered)
        ),
        (false, _) => format!("--test is one of {}", codes(offered)),
    };
    if let Some(code) = code {
        return find(code).ok_or_else(|| Error::user(format!("{} has no test {code}", system.name)).hint(hint));
    }
    if let Some(test) = system.claims.first().and_then(|claim| find(&claim.test)) {
        return Ok(test);
    }
    match (curves.as_slice(), system.tests.as_slice()) {
        ([one], _) => Ok(one),
        ([], [one]) => Ok(one),
        _ => {
            let message = format!("{} has {} {kind}, which one is meant?", system.name, offered.len());
            Err(Error::user(message).hint(hint))
        }
    }
}

/// What was claimed where the figures were published, unless something else is asked.
fn claimed(system: &System, test: &SystemTest, question: &mut ScaleQuestion) {
    let claim = system.claims.iter().find(|claim| claim.test == test.code);
    let is_asked = |n: f64| question.at.is_none_or(|at| at == n) && question.claim.is_none();
    if let Some(claim) = claim.filter(|claim| is_asked(f64::from(claim.n))) {
        question.at = Some(f64::from(claim.n));
        question.claim = Some(claim.rate.0);
        question.said = Some(claim.text.clone());
    }
}

fn question(arguments: &ScaleArguments) -> ScaleQuestion {
    ScaleQuestion { at: arguments.at, claim: arguments.claim, said: None, ceilings: arguments.ceiling.clone() }
}
