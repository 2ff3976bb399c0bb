//! `dbdyno model`: scalability of a curve, plans of bulk loads, and platforms on paper.

mod load;
mod load_prediction;
mod load_rates;
mod load_source;
mod load_study;
mod platform;

use std::fs;
use std::path::Path;

use model::scalability::SharedCeiling;
use model::{System, SystemTest};
use record::Pace;
use report::{LoadCurve, ScaleQuery, ScaleView};
use run::{Error, Result};

use crate::arguments::model::{ModelArguments, ModelCommand, ScaleArguments};
use crate::load_points::load_curve;
use crate::output::{print, style, width};
use crate::page::write_page;
use crate::subject;

/// Minimum number of degrees of parallelism for a fit.
const DEGREES_MIN: usize = 3;

/// Carries out `dbdyno model`.
///
/// # Errors
/// The user's mistakes: figures that cannot be read or are too few for a curve.
pub fn model(arguments: &ModelArguments) -> Result<()> {
    match &arguments.model {
        ModelCommand::Scale(arguments) => scale(arguments),
        ModelCommand::Load(arguments) => load::load(arguments),
        ModelCommand::Platform(arguments) => platform::platform(arguments),
    }
}

fn scale(arguments: &ScaleArguments) -> Result<()> {
    let mut query = query(arguments);
    let mut curve = match is_csv(&arguments.curve) {
        true => of_file(arguments)?,
        false => {
            let system = subject::system(&arguments.curve)?;
            let test = test(&system, arguments.test.as_deref())?;
            claimed(&system, test, &mut query);
            let curve = LoadCurve::of_test(&system, test);
            if curve.points.is_empty() {
                return Err(no_curve(&system, test));
            }
            curve
        }
    };
    let degrees = curve.degrees();
    if degrees.is_empty() {
        return Err(
            Error::user(format!("{} has no rate", arguments.curve)).hint("a line has N and the rate, as in `8,1200`")
        );
    }
    if degrees.len() < DEGREES_MIN && query.claim.is_none() {
        let names: Vec<String> = degrees.iter().map(f64::to_string).collect();
        let message = format!(
            "a curve needs at least {DEGREES_MIN} degrees of parallelism; {} has {} ({})",
            curve.title,
            degrees.len(),
            names.join(", ")
        );
        return Err(Error::user(message)
            .hint("measure at 1, 2, 4, 8, ...; a claim (--at N --claim RATE) can be judged with fewer"));
    }
    check_ceilings(&mut curve, &query)?;
    let view = ScaleView::new(curve, query);
    match &arguments.html {
        Some(file) => write_page(file, &report::scale(&view).html()),
        None => print(&report::scale(&view).text(style(), width())),
    }
}

/// Refuses a ceiling below a measured rate; notes unused ceilings.
fn check_ceilings(curve: &mut LoadCurve, query: &ScaleQuery) -> Result<()> {
    let highest = curve.points.iter().max_by(|one, other| one.rate.total_cmp(&other.rate));
    for SharedCeiling { name, capacity } in &query.ceilings {
        if let Some((point, capacity)) = highest.zip(*capacity).filter(|(point, capacity)| *capacity < point.rate) {
            let message =
                format!("ceiling {name} {capacity} is below the rate {} measured at N = {}", point.rate, point.n);
            return Err(Error::user(message).hint("give its capacity in the unit of the curve, or =unknown"));
        }
    }
    if query.at.is_none() && !query.ceilings.is_empty() {
        curve.remarks.push("ceilings are not used without --at: the fit uses measured points only".to_owned());
    }
    Ok(())
}

/// The reason why `test` of `system` has no curve.
fn no_curve(system: &System, test: &SystemTest) -> Error {
    let what = format!("{} of {}", test.code, system.name);
    if test.points.iter().all(|point| point.rates.is_empty()) {
        let why: Vec<String> =
            test.points.iter().flat_map(|point| &point.invalid).map(report::invalid_run_text).collect();
        let message = match why.as_slice() {
            [] => format!("{what} has no rate"),
            [first, ..] => format!("{what} has no rate: all {} runs are invalid, {first}", why.len()),
        };
        return Error::user(message).hint("`dbdyno report` shows why each run is invalid; measure the test again");
    }
    if matches!(test.pace, Pace::Rate { .. } | Pace::Poisson { .. }) {
        return Error::user(format!("{what} was run at a fixed arrival rate, which gives no curve"))
            .hint("run it in a closed loop, without --rate");
    }
    Error::user(format!("{what} has no rate at the largest number of nodes"))
        .hint("measure it there at several degrees of parallelism")
}

fn is_csv(words: &str) -> bool {
    let ending = Path::new(words).extension().unwrap_or_default().to_ascii_lowercase();
    ["csv", "tsv", "txt"].iter().any(|known| ending == *known)
}

fn of_file(arguments: &ScaleArguments) -> Result<LoadCurve> {
    let path = &arguments.curve;
    if let Some(test) = &arguments.test {
        return Err(Error::user(format!("{path} is a CSV file and has no test {test}")).hint("leave --test out"));
    }
    let text = fs::read_to_string(path).map_err(|error| {
        Error::user(format!("{path} cannot be read: {error}")).hint("give a file of two columns, N and the rate")
    })?;
    load_curve(&text, path)
}

/// The test `code` of `system`; without a code the test that has a claim, or the only one.
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
        (_, true) => "it has no tests".to_owned(),
        (true, _) => format!(
            "--test is one of {}; none was measured at {DEGREES_MIN} degrees of parallelism, so that only a claim can be \
             judged: --at N --claim RATE",
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
            let message = format!("{} has {} {kind}; select one", system.name, offered.len());
            Err(Error::user(message).hint(hint))
        }
    }
}

/// Takes the published claim unless the user gave one.
fn claimed(system: &System, test: &SystemTest, query: &mut ScaleQuery) {
    let claim = system.claims.iter().find(|claim| claim.test == test.code);
    let applies = |n: f64| query.at.is_none_or(|at| at == n) && query.claim.is_none();
    if let Some(claim) = claim.filter(|claim| applies(f64::from(claim.n))) {
        query.at = Some(f64::from(claim.n));
        query.claim = Some(claim.rate.0);
        query.claim_text = Some(claim.text.clone());
    }
}

fn query(arguments: &ScaleArguments) -> ScaleQuery {
    ScaleQuery {
        at: arguments.at,
        claim: arguments.claim,
        claim_text: None,
        ceilings: arguments.ceiling.clone(),
        weights: arguments.weights,
    }
}
