//! The parts of all files, joined to a load profile.

use std::collections::BTreeMap;

use record::load_profile::{
    Absent, Doubt, DoubtKind, Elsewhere, Instance, Interval, LoadQuantity, Scope, Source, SourceMoment, Zone,
};
use record::{Bytes, LoadProfile};

use crate::cumulative::{self, Tracks};
use crate::error::{Error, Result};
use crate::form::Form;
use crate::found::{Found, add};
use crate::judge;
use crate::limit::{INSTANCES_MAX, INTERVALS_MAX, SOURCES_MAX};
use crate::moment::DAY_MS;
use crate::part::{Part, Span};
use crate::{awr_miner, badger, report, statistics_views, status, sysstat};

/// What becomes of the names of databases, instances and hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// They are left out.
    Hidden,
    /// They are kept.
    Kept,
}

/// What tells one source from another: form, engine, database or host.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SourceKey(&'static str, Option<&'static str>, Option<String>);

/// What tells one instance or host from another. Instances of a database without an identifier are those of their form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct InstanceKey(Scope, String, u32);

/// A source with what its files told.
#[derive(Debug)]
struct Told {
    form: Form,
    engine: Option<&'static str>,
    version: Option<String>,
    database_id: Option<String>,
    database_name: Option<String>,
    zone: Zone,
    instances_expected: Option<u32>,
    file_count: u32,
    sizes: Vec<(i64, u64)>,
    doubts: Vec<Found>,
    /// Dumps, by instance.
    tracks: BTreeMap<InstanceKey, Tracks>,
    /// In the order of the files.
    spans: Vec<(InstanceKey, Span)>,
}

/// The parts of all files.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    sources: Vec<(SourceKey, Told)>,
    instances: BTreeMap<InstanceKey, Instance>,
    span_count: usize,
}

impl Gathered {
    /// Takes the parts of one file.
    ///
    /// # Errors
    /// Where there are too many of anything; nothing is taken then.
    pub(crate) fn take(&mut self, parts: Vec<Part>) -> Result<()> {
        let keys: Vec<(SourceKey, InstanceKey)> = parts.iter().map(keys).collect();
        let count = self.span_count + parts.iter().map(|part| part.spans.len() + part.tracks.len()).sum::<usize>();
        let new_instances: std::collections::BTreeSet<&InstanceKey> =
            keys.iter().map(|(_, key)| key).filter(|key| !self.instances.contains_key(*key)).collect();
        let limits = [
            (count, INTERVALS_MAX, "intervals"),
            (self.instances.len() + new_instances.len(), INSTANCES_MAX, "instances and hosts"),
            (self.sources.len() + parts.len().min(new_instances.len()), SOURCES_MAX, "sources"),
        ];
        if let Some((count, count_max, what)) = limits.iter().find(|(count, count_max, _)| count > count_max) {
            let message = format!("the history has {count} {what}, of at most {count_max}");
            return Err(Error::new(message, "give fewer files, or intervals that are longer"));
        }
        self.span_count = count;
        let mut counted: Vec<usize> = Vec::new();
        for (part, (source, instance)) in parts.into_iter().zip(keys) {
            let index = self.source(source, &part);
            merge_instance(self.instances.entry(instance.clone()).or_default(), &part.instance);
            let told = &mut self.sources[index].1;
            if !counted.contains(&index) {
                told.file_count += 1;
                counted.push(index);
            }
            told.take(part, instance);
        }
        Ok(())
    }

    fn source(&mut self, key: SourceKey, part: &Part) -> usize {
        if let Some(index) = self.sources.iter().position(|(known, _)| *known == key) {
            return index;
        }
        self.sources.push((key, Told::new(part)));
        self.sources.len() - 1
    }

    /// The load profile of all.
    pub(crate) fn profile(self, names: Names) -> LoadProfile {
        let mut profile = LoadProfile::default();
        let indices: BTreeMap<InstanceKey, u32> = self.instances.keys().cloned().zip(0..).collect();
        profile.instances = self.instances.into_values().map(|instance| named(instance, names)).collect();
        let mut accepted: BTreeMap<u32, BTreeMap<i64, i64>> = BTreeMap::new();
        let clusters = cluster_times(&self.sources);
        for (index, (_, mut told)) in (0u32..).zip(self.sources) {
            let spans = told.all_spans();
            let mut doubts = std::mem::take(&mut told.doubts);
            let mut kept: Vec<(u32, Span)> = Vec::new();
            let mut is_of_cluster = false;
            for (key, span) in spans {
                if is_told_by_instances(&key, &span, &clusters) {
                    add(&mut doubts, Found::refusal(DoubtKind::ClusterTwice).at(span.started_at_ms));
                    continue;
                }
                let instance = indices.get(&key).copied().unwrap_or_default();
                match fitted(span, accepted.entry(instance).or_default()) {
                    Ok(span) => {
                        is_of_cluster |= key.2 == 0;
                        kept.push((instance, span));
                    }
                    Err(at_ms) => add(&mut doubts, Found::refusal(DoubtKind::Overlap).at(at_ms)),
                }
            }
            judge::source(&told.subject(is_of_cluster), &kept, &mut doubts);
            profile.absent.extend(told.absent(index, &kept));
            profile.doubts.extend(doubts.into_iter().map(|found| doubt(index, found)));
            profile.intervals.extend(kept.into_iter().map(|(instance, span)| interval(index, instance, span)));
            profile.sources.push(told.source(names));
        }
        profile.intervals.sort_by_key(|interval| (interval.instance, interval.started_at_ms));
        profile
    }
}

fn keys(part: &Part) -> (SourceKey, InstanceKey) {
    let name = part.form.name();
    let scope = part.form.scope();
    // One host is one source of each form.
    let identity = match scope {
        Scope::Host => part.instance.host_name.clone(),
        Scope::Database => part.database_id.clone(),
    };
    let of_instance = match (scope, &identity) {
        // Figures of one host by two programs are of the same time: none of them overlaps the other.
        (Scope::Host, Some(identity)) => format!("{name}\u{1f}{identity}"),
        (Scope::Database, Some(identity)) => format!("{}\u{1f}{identity}", part.engine.unwrap_or_default()),
        (_, None) => name.to_owned(),
    };
    (SourceKey(name, part.engine, identity), InstanceKey(scope, of_instance, part.instance.number))
}

/// Fills what is not known of an instance; of what is, the later value counts.
fn merge_instance(known: &mut Instance, told: &Instance) {
    known.number = told.number;
    let texts = [
        (&mut known.name, &told.name),
        (&mut known.host_name, &told.host_name),
        (&mut known.processor, &told.processor),
    ];
    for (known, told) in texts {
        *known = told.clone().or(known.take());
    }
    known.hardware_threads = told.hardware_threads.or(known.hardware_threads);
    known.cores = told.cores.or(known.cores);
    known.sockets = told.sockets.or(known.sockets);
    known.memory_bytes = told.memory_bytes.or(known.memory_bytes);
    known.buffer_cache_bytes = told.buffer_cache_bytes.or(known.buffer_cache_bytes);
    known.shared_memory_bytes = told.shared_memory_bytes.or(known.shared_memory_bytes);
    known.session_memory_bytes = told.session_memory_bytes.or(known.session_memory_bytes);
}

fn named(instance: Instance, names: Names) -> Instance {
    match names {
        Names::Kept => instance,
        Names::Hidden => Instance { name: None, host_name: None, ..instance },
    }
}

/// Begins and ends of what single instances tell, by database.
fn cluster_times(sources: &[(SourceKey, Told)]) -> BTreeMap<String, Vec<(i64, i64)>> {
    let mut times: BTreeMap<String, Vec<(i64, i64)>> = BTreeMap::new();
    let spans = sources.iter().flat_map(|(_, told)| &told.spans);
    for (InstanceKey(_, database, number), span) in spans {
        if *number > 0 {
            times.entry(database.clone()).or_default().push((span.started_at_ms, span.ended_at_ms()));
        }
    }
    times.values_mut().for_each(|times| times.sort_unstable());
    times
}

/// Whether `span` is of a whole cluster whose instances tell of the same time.
fn is_told_by_instances(key: &InstanceKey, span: &Span, times: &BTreeMap<String, Vec<(i64, i64)>>) -> bool {
    let InstanceKey(scope, database, number) = key;
    let Some(times) = times.get(database).filter(|_| *scope == Scope::Database && *number == 0) else { return false };
    times.iter().any(|(begin, end)| *begin < span.ended_at_ms() && *end > span.started_at_ms)
}

/// `span` as it fits between those that were accepted; where it does not, the moment of its start. Ends that are rounded may
/// reach into the next interval by a little, which is cut off.
fn fitted(mut span: Span, accepted: &mut BTreeMap<i64, i64>) -> std::result::Result<Span, i64> {
    let (begin, end) = (span.started_at_ms, span.ended_at_ms());
    let tolerance_ms = ((span.seconds * 100.0) as i64).min(60_000);
    let before = accepted.range(..=begin).next_back().map_or(begin, |(_, end)| (*end).max(begin));
    let after = accepted.range(begin + 1..).next().map_or(end, |(begin, _)| (*begin).min(end));
    if before - begin > tolerance_ms || end - after > tolerance_ms || after <= before {
        return Err(begin);
    }
    if (before, after) != (begin, end) {
        span.started_at_ms = before;
        span.seconds = (after - before) as f64 / 1e3;
    }
    accepted.insert(before, after);
    Ok(span)
}

fn interval(source: u32, instance: u32, span: Span) -> Interval {
    Interval {
        source,
        instance,
        started_at_ms: SourceMoment(span.started_at_ms),
        seconds: span.seconds,
        amounts: span.amounts,
    }
}

fn doubt(source: u32, found: Found) -> Doubt {
    Doubt {
        source: Some(source),
        instance: None,
        started_at_ms: found.at_ms.map(SourceMoment),
        count: found.count,
        weight: found.weight,
        kind: found.kind,
    }
}

impl Told {
    fn new(part: &Part) -> Told {
        Told {
            form: part.form,
            engine: part.engine,
            version: None,
            database_id: part.database_id.clone(),
            database_name: None,
            zone: part.zone,
            instances_expected: None,
            file_count: 0,
            sizes: Vec::new(),
            doubts: Vec::new(),
            tracks: BTreeMap::new(),
            spans: Vec::new(),
        }
    }

    fn take(&mut self, part: Part, instance: InstanceKey) {
        self.version = part.version.or(self.version.take());
        self.database_name = part.database_name.or(self.database_name.take());
        self.instances_expected = part.instances_expected.max(self.instances_expected);
        if self.zone == Zone::Unknown {
            self.zone = part.zone;
        }
        self.sizes.extend(part.sizes);
        part.doubts.into_iter().for_each(|found| add(&mut self.doubts, found));
        self.spans.extend(part.spans.into_iter().map(|span| (instance.clone(), span)));
        self.tracks.entry(instance).or_default().join(part.tracks);
    }

    /// The first number of the version.
    fn major(&self) -> Option<u32> {
        self.version.as_deref()?.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
    }

    /// All spans, those between dumps included.
    fn all_spans(&mut self) -> Vec<(InstanceKey, Span)> {
        let mut spans = std::mem::take(&mut self.spans);
        for (key, tracks) in std::mem::take(&mut self.tracks) {
            let mut rate_spans = cumulative::merge(tracks.finish(&mut self.doubts));
            let has_deallocations = rate_spans.iter().any(|span| span.rates.contains_key("deallocated"));
            for span in &mut rate_spans {
                // Where the statistics of statements were reset, their differences are none.
                if has_deallocations && !span.rates.contains_key("deallocated") {
                    span.rates.remove("statements");
                }
                let amounts = match self.form {
                    Form::GlobalStatus => status::amounts(span, self.version.as_deref(), self.engine, &mut self.doubts),
                    _ => statistics_views::amounts(span, self.major(), &mut self.doubts),
                };
                if !amounts.is_empty() {
                    let (started_at_ms, seconds) = (span.started_at_ms, span.seconds);
                    spans.push((key.clone(), Span { started_at_ms, seconds, amounts }));
                }
            }
        }
        spans
    }

    /// `is_of_cluster`: it tells of all instances as one.
    fn subject(&self, is_of_cluster: bool) -> judge::Subject {
        let instances_expected = self.instances_expected.filter(|_| !is_of_cluster);
        judge::Subject { scope: self.form.scope(), instances_expected }
    }

    /// What the source does not tell of any interval.
    fn absent(&self, index: u32, spans: &[(u32, Span)]) -> Vec<Absent> {
        let is_told = |quantity: &LoadQuantity| spans.iter().any(|(_, span)| span.amounts.contains_key(quantity));
        LoadQuantity::ALL
            .into_iter()
            .filter(|quantity| self.form.concerns(*quantity) && !is_told(quantity))
            .map(|quantity| Absent { source: index, quantity, elsewhere: self.elsewhere(quantity) })
            .collect()
    }

    fn elsewhere(&self, quantity: LoadQuantity) -> Elsewhere {
        match self.form {
            Form::AwrText | Form::AwrHtml | Form::Statspack => report::elsewhere(quantity),
            Form::AwrMiner => awr_miner::elsewhere(quantity),
            Form::StatisticsViews => statistics_views::elsewhere(quantity, self.major()),
            Form::GlobalStatus => status::elsewhere(quantity, self.engine),
            Form::Sadf | Form::Sar | Form::Iostat | Form::IostatJson => sysstat::elsewhere(quantity),
            Form::Badger => badger::elsewhere(quantity),
        }
    }

    fn source(mut self, names: Names) -> Source {
        self.sizes.sort_unstable();
        let size_bytes = self.sizes.last().map(|(_, size)| Bytes(*size));
        let growth = self.sizes.first().zip(self.sizes.last()).filter(|(first, last)| last.0 - first.0 >= DAY_MS);
        let growth_bytes_per_day = growth.map(|(first, last)| {
            let days = (last.0 - first.0) as f64 / DAY_MS as f64;
            (last.1 as f64 - first.1 as f64) / days
        });
        Source {
            form: self.form.name().to_owned(),
            scope: self.form.scope(),
            engine: self.engine.map(str::to_owned),
            version: self.version,
            database_id: self.database_id,
            database_name: self.database_name.filter(|_| names == Names::Kept),
            zone: self.zone,
            files: self.file_count,
            instances_expected: self.instances_expected,
            size_bytes,
            growth_bytes_per_day,
            watching_seconds_per_second: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(second: i64, seconds: f64) -> Span {
        Span { started_at_ms: second * 1000, seconds, amounts: BTreeMap::new() }
    }

    #[test]
    fn intervals_of_an_instance_do_not_overlap() {
        let mut accepted = BTreeMap::new();
        assert!(fitted(span(0, 600.0), &mut accepted).is_ok());
        assert!(fitted(span(600, 600.0), &mut accepted).is_ok());
        assert_eq!(fitted(span(300, 600.0), &mut accepted), Err(300_000));
        assert_eq!(fitted(span(600, 600.0), &mut accepted), Err(600_000));
        // What is rounded to minutes is cut off.
        let cut = fitted(span(1170, 630.0), &mut accepted).unwrap();
        assert_eq!((cut.started_at_ms, cut.seconds), (1_200_000, 600.0));
        assert_eq!(accepted.len(), 3);
    }
}
