//! How many jobs a test can have: as many at least as its roles need, and no more than its data have room for.

use record::{Pace, Variation};
use workload::{IN_KIND_CODE, Sizes};

use crate::bench::LoadBesideTest;
use crate::item::Item;
use crate::{Error, Request, Result};

/// Those of `degrees` that `item` can have; where all are too few for its roles, as many as they need.
pub(super) fn allowed(item: Item<'_>, degrees: &[u32], sizes: &Sizes) -> Vec<u32> {
    let (least, most) = (jobs_min(item), jobs_max(item, sizes).map_or(u32::MAX, |(most, _)| most));
    let allowed: Vec<u32> = degrees.iter().copied().filter(|jobs| (least..=most).contains(jobs)).collect();
    match degrees.iter().all(|jobs| *jobs < least) {
        true => vec![least],
        false => allowed,
    }
}

/// The fewest jobs of `item`.
fn jobs_min(item: Item<'_>) -> u32 {
    match item {
        Item::Test(test) => test.jobs_min(),
        Item::Probe(_) => 1,
    }
}

/// The most jobs of `item`, and the name of what limits them.
fn jobs_max(item: Item<'_>, sizes: &Sizes) -> Option<(u32, String)> {
    match item {
        Item::Test(test) => test.jobs_max(sizes),
        Item::Probe(_) => None,
    }
}

/// Checks the requested numbers of jobs, and the requested rates, against the roles of `items`.
pub(crate) fn check_roles(request: &Request, items: &[Item<'_>]) -> Result<()> {
    let fewest = request.degrees.iter().flatten().copied().min();
    // The degrees of parallelism are those of the others: a load in kind has its sessions.
    let is_of_degrees = |item: &&Item<'_>| item.code() != IN_KIND_CODE || request.in_kind.is_none();
    let too_few = |jobs: u32| items.iter().filter(is_of_degrees).find(|item| jobs_min(**item) > jobs);
    if let Some((jobs, item)) = fewest.and_then(|jobs| Some((jobs, too_few(jobs)?))) {
        let least = jobs_min(*item);
        return Err(Error::user(format!("{jobs} jobs are too few for the roles of test {}", item.code()))
            .hint(format!("give --jobs {least} or more: those that its roles say, and one for the rest")));
    }
    let is_varied =
        |variation: &Variation| matches!(variation, Variation::Paced { .. } | Variation::ShareOfCapacity { .. });
    let is_paced =
        request.pace != Pace::Unthrottled || request.until.is_some() || request.variations.iter().any(is_varied);
    let has_rates = |item: &&Item<'_>| matches!(item, Item::Test(test) if test.has_rates());
    match items.iter().find(has_rates).filter(|_| is_paced) {
        Some(item) => Err(Error::user(format!("the roles of test {} have rates of their own", item.code()))
            .hint("leave out the rate or the bound of all jobs, or the rates of the roles")),
        None => Ok(()),
    }
}

/// Refuses more jobs than a test may have, where they were asked for; degrees of parallelism that nobody asked for are left out.
pub(crate) fn check_jobs(
    request: &Request,
    items: &[Item<'_>],
    beside: &[LoadBesideTest<'_>],
    sizes: &Sizes,
) -> Result<()> {
    let has_warehouses = |item: &Item<'_>| matches!(item, Item::Test(test) if test.has_warehouses());
    let is_of_load = beside.iter().any(|load| load.test.has_warehouses());
    if request.warehouses.is_some() && !is_of_load && !items.iter().any(has_warehouses) {
        let error = Error::user("warehouses are given, and no test that is measured has any");
        return Err(error.hint("give --tests C100, or leave out --warehouses"));
    }
    let asked = request.degrees.iter().flatten().copied().max().unwrap_or(0);
    let limits = items.iter().filter_map(|item| Some((item, jobs_max(*item, sizes)?)));
    match limits.into_iter().find(|(_, (most, _))| *most < asked) {
        Some((item, (most, name))) => {
            Err(Error::user(format!("{asked} jobs of {} are more than its {name}: {most}", item.code()))
                .hint(format!("give --{name} {asked} or more, or fewer --jobs")))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use record::Preset;

    use super::*;
    use crate::item::catalogue;

    #[test]
    fn more_jobs_than_warehouses_are_refused_if_somebody_asked_for_them() {
        let items: Vec<Item<'_>> = catalogue().filter(|item| ["C110", "T611"].contains(&item.code())).collect();
        let request = |jobs: Option<u32>, warehouses: Option<u64>| Request {
            setup: crate::Setup::smoke(),
            degrees: jobs.map(|jobs| vec![1, jobs]),
            warehouses,
            ..Request::default()
        };
        let checked = |request: &Request, items: &[Item<'_>]| {
            let sizes = Sizes::derive(Preset::Smoke, None, 1).with_warehouses(request.warehouses);
            check_jobs(request, items, &[], &sizes)
        };
        for (jobs, warehouses) in [(Some(10), None), (Some(11), Some(11)), (None, Some(1))] {
            assert_eq!(checked(&request(jobs, warehouses), &items), Ok(()), "{jobs:?} {warehouses:?}");
        }
        let error = checked(&request(Some(11), None), &items).unwrap_err();
        assert_eq!(error.message, "11 jobs of C110 are more than its warehouses: 10");
        assert_eq!(error.hint.as_deref(), Some("give --warehouses 11 or more, or fewer --jobs"));
        let others: Vec<Item<'_>> = items.iter().copied().filter(|item| item.code() == "T611").collect();
        assert_eq!(checked(&request(Some(11), None), &others), Ok(()));
        assert!(checked(&request(None, Some(7)), &others).unwrap_err().message.contains("no test that is measured"));
    }
}
