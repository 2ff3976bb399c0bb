//! The loads beside the tests of a request: which tests they are, and whether they can work at the same time.

use engine::Engine;
use record::{LoadBeside, Variation};
use workload::{Sizes, Test};

use super::plan::{Ability, is_file, unknown};
use super::test_file::test_files;
use crate::bench::LoadBesideTest;
use crate::item::{Item, catalogue};
use crate::request::LoadBesideRequest;
use crate::{Error, Request, Result};

/// Sessions of `jobs` measured jobs, 0 for the default, and of the loads of `requests`.
pub(crate) fn sessions_of(jobs: u32, requests: &[LoadBesideRequest]) -> u32 {
    if requests.is_empty() {
        return jobs;
    }
    let measured = jobs.max(host::cpus_allowed().len() as u32 * 2);
    requests.iter().map(|request| request.jobs).fold(measured, u32::saturating_add)
}

/// The test files among `requests`.
pub(crate) fn files_beside(requests: &[LoadBesideRequest]) -> Result<Vec<Test>> {
    let words: Vec<String> = requests.iter().map(|request| request.test.clone()).collect();
    test_files(&words)
}

/// The loads of `requests` beside `items`; `own` are those of its test files.
pub(crate) fn loads_beside<'a>(
    requests: &[LoadBesideRequest],
    own: &'a [Test],
    items: &[Item<'_>],
) -> Result<Vec<LoadBesideTest<'a>>> {
    let mut files = own.iter();
    let mut loads: Vec<LoadBesideTest<'a>> = Vec::new();
    for request in requests {
        let is_own = is_file(&request.test);
        let test = if is_own { files.next() } else { None };
        let test = test.map_or_else(|| of_catalogue(&request.test), Ok)?;
        check(request, test)?;
        let measured = items.iter().filter_map(|item| if let Item::Test(test) = item { Some(*test) } else { None });
        for other in measured.chain(loads.iter().map(|load| load.test)) {
            check_tables(test, other)?;
        }
        let test_file = is_own.then(|| request.test.clone());
        let load = LoadBeside { test: test.code.clone(), test_file, jobs: request.jobs, rate: request.rate };
        loads.push(LoadBesideTest { test, load });
    }
    match items.iter().any(|item| matches!(item, Item::Test(_))) {
        false if !loads.is_empty() => Err(Error::user("a load beside is given, and no test of an engine")
            .hint("give --tests of an engine, such as C100; probes are measured alone")),
        _ => Ok(loads),
    }
}

fn of_catalogue(word: &str) -> Result<&'static Test> {
    let mut tests = workload::catalogue().iter();
    if let Some(test) = tests.find(|test| test.code.eq_ignore_ascii_case(word)) {
        return Ok(test);
    }
    let items: Vec<Item<'_>> = catalogue().collect();
    Err(match items.iter().find(|item| item.code().eq_ignore_ascii_case(word)) {
        Some(probe) => Error::user(format!("{} is a probe and cannot be a load beside tests", probe.code()))
            .hint("name one test of an engine, such as H100"),
        None => unknown(word, &items),
    })
}

/// Whether `test` can be what `request` says.
fn check(request: &LoadBesideRequest, test: &Test) -> Result<()> {
    let (code, jobs) = (&test.code, request.jobs);
    if jobs < test.jobs_min() {
        let least = test.jobs_min();
        return Err(Error::user(format!("{jobs} jobs of the load {code} are too few for its roles: {least}"))
            .hint(format!("give {code}:jobs={least} or more")));
    }
    match test.has_rates() && request.rate.is_some() {
        true => Err(Error::user(format!("the roles of the load {code} have rates of their own"))
            .hint(format!("leave out the rate: {code}:jobs={jobs}"))),
        false => Ok(()),
    }
}

fn check_tables(load: &Test, other: &Test) -> Result<()> {
    match workload::common_tables(load, other) {
        None => Ok(()),
        Some(tables) => {
            let (one, other) = (&load.code, &other.code);
            Err(Error::user(format!("{one} cannot be a load beside {other}: both make {tables}"))
                .hint("give a load with other tables, such as H100 beside C100"))
        }
    }
}

/// Whether the engine can run `loads` on tables of `sizes`, and `request` leaves room for them.
pub(crate) fn check_loads(
    request: &Request,
    loads: &[LoadBesideTest<'_>],
    ability: Option<&Ability<'_>>,
    sizes: &Sizes,
) -> Result<()> {
    if loads.is_empty() {
        return Ok(());
    }
    let is_narrowed = |variation: &Variation| matches!(variation, Variation::Paced { one_thread_per_core: true, .. });
    if request.one_thread_per_core || request.variations.iter().any(is_narrowed) {
        return Err(Error::user("the threads of a load beside use all hardware threads")
            .hint("leave out the restriction to one hardware thread of each core, or the load"));
    }
    for LoadBesideTest { test, load } in loads {
        let missing = ability.and_then(|ability| Some((ability.engine.title(), missing(test, ability)?)));
        if let Some((engine, missing)) = missing {
            return Err(Error::user(format!("{} cannot be a load beside: {engine} has {missing}", test.code))
                .hint("give another load, or another target"));
        }
        if let Some((most, name)) = test.jobs_max(sizes).filter(|(most, _)| *most < load.jobs) {
            let (code, jobs) = (&test.code, load.jobs);
            return Err(Error::user(format!("{jobs} jobs of the load {code} are more than its {name}: {most}"))
                .hint(format!("give --{name} {jobs} or more, or fewer jobs")));
        }
    }
    Ok(())
}

fn missing(test: &Test, ability: &Ability<'_>) -> Option<String> {
    let engine: &dyn Engine = ability.engine;
    test.missing(&ability.caps, engine)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loads(tests: &[&str], beside: &[(&str, u32)]) -> std::result::Result<Vec<LoadBeside>, (String, String)> {
        let items: Vec<Item<'_>> = catalogue().filter(|item| tests.contains(&item.code())).collect();
        let request =
            |(test, jobs): &(&str, u32)| LoadBesideRequest { test: (*test).to_owned(), jobs: *jobs, rate: None };
        let requests: Vec<LoadBesideRequest> = beside.iter().map(request).collect();
        let found = loads_beside(&requests, &[], &items);
        let found = found.map(|loads| loads.into_iter().map(|load| load.load).collect());
        found.map_err(|error| (error.message, error.hint.unwrap_or_default()))
    }

    #[test]
    fn a_load_has_the_code_of_its_test_and_the_jobs_that_were_asked_for() {
        let load = |test: &str, jobs| LoadBeside { test: test.to_owned(), test_file: None, jobs, rate: None };
        let both = vec![load("H100", 2), load("T611", 3)];
        assert_eq!(loads(&["C100", "S31"], &[("h100", 2), ("T611", 3)]), Ok(both));
        assert_eq!(loads(&["C100"], &[]), Ok(Vec::new()));
    }

    #[test]
    fn what_cannot_work_at_the_same_time_is_refused() {
        let refused = |tests: &[&str], beside: &[(&str, u32)]| loads(tests, beside).unwrap_err().0;
        assert_eq!(refused(&["T611"], &[("T611", 1)]), "T611 cannot be a load beside T611: both make the same tables");
        assert!(refused(&["C100"], &[("C110", 1)]).contains("both make the tables of an order mix"));
        assert!(refused(&["T611"], &[("C100", 1), ("C110", 1)]).starts_with("C110 cannot be a load beside C100"));
        assert!(refused(&["T611"], &[("S31", 1)]).contains("S31 is a probe"));
        assert_eq!(refused(&["S31"], &[("T611", 1)]), "a load beside is given, and no test of an engine");
        assert_eq!(refused(&["T611"], &[("H999", 1)]), "test H999 is not known");
    }

    #[test]
    fn no_load_has_more_jobs_than_its_tables_have_room_for() {
        let items: Vec<Item<'_>> = catalogue().filter(|item| item.code() == "T611").collect();
        let request = LoadBesideRequest { test: "C110".to_owned(), jobs: 11, rate: None };
        let beside = loads_beside(&[request], &[], &items).unwrap();
        let sizes = Sizes::derive(record::Preset::Smoke, None, 1);
        let error = check_loads(&Request::default(), &beside, None, &sizes).unwrap_err();
        assert_eq!(error.message, "11 jobs of the load C110 are more than its warehouses: 10");
        let narrowed = Request { one_thread_per_core: true, ..Request::default() };
        assert!(check_loads(&narrowed, &beside, None, &sizes).unwrap_err().message.contains("all hardware threads"));
    }
}
