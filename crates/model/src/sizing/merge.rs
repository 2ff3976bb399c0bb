//! One profile of several.

use std::collections::BTreeMap;

use record::LoadProfile;
use record::load_profile::{Doubt, DoubtKind, Instance, Interval, Scope, Source, Weight};

/// Overlap of two intervals that is a difference of rounding, seconds.
const OVERLAP_SECONDS: f64 = 1.0;

/// What tells an instance from others: intervals of one form alone are made one after the other.
type Key = (String, Scope, Option<String>, Option<String>, u32);

/// One profile of `profiles`. Instances of the same database and number are one. Where a source does not tell its database, two
/// instances of one number are one unless they did something else at the same time. An interval that overlaps one before
/// it is left out, and said.
pub fn merged(profiles: Vec<LoadProfile>) -> LoadProfile {
    let mut all = LoadProfile::default();
    let mut known: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
    let mut lanes: Vec<Vec<Interval>> = Vec::new();
    for profile in profiles {
        let first_source = all.sources.len() as u32;
        let mut of_instance: Vec<Vec<Interval>> = vec![Vec::new(); profile.instances.len()];
        for mut interval in profile.intervals {
            let Some(lane) = of_instance.get_mut(interval.instance as usize) else { continue };
            interval.source += first_source;
            lane.push(interval);
        }
        let mut places = Vec::with_capacity(profile.instances.len());
        for (instance, mut intervals) in profile.instances.into_iter().zip(of_instance) {
            intervals.sort_by_key(|interval| interval.started_at_ms);
            let source = intervals.first().and_then(|one| profile.sources.get((one.source - first_source) as usize));
            let place = place(&mut all.instances, &mut lanes, &mut known, (source, instance), &intervals);
            places.push(place as u32);
            intervals.iter_mut().for_each(|interval| interval.instance = place as u32);
            lanes[place].extend(intervals);
            lanes[place].sort_by_key(|interval| interval.started_at_ms);
        }
        all.sources.extend(profile.sources);
        all.absent.extend(profile.absent.into_iter().map(|mut absent| {
            absent.source += first_source;
            absent
        }));
        all.doubts.extend(profile.doubts.into_iter().map(|mut doubt| {
            doubt.source = doubt.source.map(|source| source + first_source);
            doubt.instance = doubt.instance.and_then(|instance| places.get(instance as usize).copied());
            doubt
        }));
    }
    for (index, lane) in lanes.into_iter().enumerate() {
        let (kept, overlap) = without_overlap(lane, index as u32);
        all.intervals.extend(kept);
        all.doubts.extend(overlap);
    }
    all
}

/// The index of `instance` among those that are `known`; it is added where it is a new one.
fn place(
    instances: &mut Vec<Instance>,
    lanes: &mut Vec<Vec<Interval>>,
    known: &mut BTreeMap<Key, Vec<usize>>,
    (source, instance): (Option<&Source>, Instance),
    intervals: &[Interval],
) -> usize {
    let key = source.map(|source| {
        (source.form.clone(), source.scope, source.engine.clone(), source.database_id.clone(), instance.number)
    });
    if let Some(key) = &key {
        let is_named = key.3.is_some();
        let same = known.get(key).into_iter().flatten().copied();
        let found = same.into_iter().find(|index| {
            let other = &instances[*index];
            let agree = |one: &Option<String>, two: &Option<String>| one.is_none() || two.is_none() || one == two;
            let names_agree = agree(&other.name, &instance.name) && agree(&other.host_name, &instance.host_name);
            names_agree && (is_named || !does_something_else(&lanes[*index], intervals))
        });
        if let Some(index) = found {
            return index;
        }
        known.entry(key.clone()).or_default().push(instances.len());
    }
    instances.push(instance);
    lanes.push(Vec::new());
    instances.len() - 1
}

/// Whether the two have different figures at the same time.
fn does_something_else(one: &[Interval], other: &[Interval]) -> bool {
    // Both are in order; those of `one` may overlap each other where files of a database were given twice.
    let mut first = 0;
    other.iter().any(|interval| {
        let (start, end) = (interval.started_at_ms.0 as f64, end_ms(interval));
        while one.get(first).is_some_and(|known| end_ms(known) <= start) {
            first += 1;
        }
        one[first..].iter().take_while(|known| (known.started_at_ms.0 as f64) < end).any(|known| {
            let overlap = end_ms(known).min(end) - start.max(known.started_at_ms.0 as f64);
            overlap > OVERLAP_SECONDS * 1e3 && known.amounts != interval.amounts
        })
    })
}

fn end_ms(interval: &Interval) -> f64 {
    interval.started_at_ms.0 as f64 + interval.seconds * 1e3
}

/// The intervals of an instance in order, without those that overlap one before them.
fn without_overlap(mut lane: Vec<Interval>, instance: u32) -> (Vec<Interval>, Option<Doubt>) {
    lane.sort_by_key(|interval| interval.started_at_ms);
    let mut kept: Vec<Interval> = Vec::with_capacity(lane.len());
    let mut overlap: Option<Doubt> = None;
    for interval in lane {
        let is_free =
            kept.last().is_none_or(|last| end_ms(last) <= interval.started_at_ms.0 as f64 + OVERLAP_SECONDS * 1e3);
        if is_free {
            kept.push(interval);
            continue;
        }
        let doubt = overlap.get_or_insert(Doubt {
            source: Some(interval.source),
            instance: Some(instance),
            started_at_ms: Some(interval.started_at_ms),
            count: 0,
            weight: Weight::Refusal,
            kind: DoubtKind::Overlap,
        });
        doubt.count += 1;
    }
    (kept, overlap)
}
