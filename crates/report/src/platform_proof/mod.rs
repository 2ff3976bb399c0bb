//! Proofs of the platform in words and tables.

mod cache_device;
mod durability;
mod fabric;
mod nfs;
mod numa;
mod tiers;
mod volume;

use model::{Interval, OverRounds, PlatformProof, platform_proof};
use record::{Blocks, ProofLoad, ProofSubject, Ratio, Record};

pub(crate) use self::durability::cluster_words;
use crate::document::Block;
use crate::fact::size_text;
use crate::figure::{nanos, percent, percent_digits};
use crate::words::plural;

/// The heading of the parts.
pub(crate) const TITLE: &str = "Parts side by side";

/// What is proved, for a title.
pub(crate) fn subject(subject: ProofSubject) -> &'static str {
    match subject {
        ProofSubject::Volume => "volume",
        ProofSubject::Fabric => "fabric",
        ProofSubject::Numa => "NUMA nodes",
        ProofSubject::Tiers => "caches and device",
        ProofSubject::Nfs => "network file system",
        ProofSubject::Durability => "durability",
    }
}

/// The result, the most important sentence first.
pub(crate) fn sentences(record: &Record, found: &PlatformProof) -> Vec<String> {
    let words = LoadWords::of(record);
    match found {
        PlatformProof::Volume(proof) => volume::sentences(proof, &words),
        PlatformProof::CacheDevice(proof) => cache_device::sentences(proof, &words),
        PlatformProof::Fabric(proof) => fabric::sentences(proof, &words),
        PlatformProof::Numa(proof) => numa::sentences(proof),
        PlatformProof::Tiers(proof) => tiers::sentences(proof),
        PlatformProof::Nfs(proof) => nfs::sentences(proof, &words),
        PlatformProof::Durability(proof) => durability::sentences(proof),
    }
}

/// The parts of the proof in `record` side by side, with what the columns are; a page has the sentences of the result above
/// them. Nothing where nothing is valid.
pub(crate) fn blocks(record: &Record) -> Vec<Block> {
    let Some(found) = platform_proof(record) else { return Vec::new() };
    let words = LoadWords::of(record);
    let (table, note) = match &found {
        PlatformProof::Volume(proof) => volume::comparison(proof, &words),
        PlatformProof::CacheDevice(proof) => cache_device::comparison(proof, &words),
        PlatformProof::Fabric(proof) => fabric::comparison(proof, &words),
        PlatformProof::Numa(proof) => numa::comparison(proof),
        PlatformProof::Tiers(proof) => tiers::comparison(proof),
        PlatformProof::Nfs(proof) => nfs::comparison(proof, &words),
        PlatformProof::Durability(proof) => durability::comparison(proof),
    };
    let details = match &found {
        PlatformProof::Durability(proof) => durability::details(proof),
        _ => Vec::new(),
    };
    let mut blocks = vec![Block::whole(vec![Block::list(sentences(record, &found))]), table.into(), Block::aside(note)];
    blocks.extend(details);
    blocks
}

/// The loads in words, with the block sizes of the record.
struct LoadWords {
    small: String,
    large: String,
}

impl LoadWords {
    fn of(record: &Record) -> LoadWords {
        let size = |is_wanted: fn(ProofLoad) -> bool| {
            let part = record.plan.runs.iter().find(|run| run.kind.proof().is_some_and(|part| is_wanted(part.load)));
            let phases = record.plan.io.iter().flat_map(|io| &io.phases);
            let job =
                phases.filter(|phase| Some(&phase.name) == part.map(|run| &run.test)).flat_map(|phase| &phase.jobs);
            match job.map(|job| &job.read_blocks).next() {
                Some(Blocks::Split(split)) => split.first().map(|block| size_text(block.size_bytes)),
                _ => None,
            }
        };
        let is_small = |load| matches!(load, ProofLoad::SmallReads | ProofLoad::SmallWrites | ProofLoad::SingleReads);
        let is_large = |load| matches!(load, ProofLoad::LargeReads | ProofLoad::LargeWrites);
        let word = |size: Option<String>, other: &str| size.unwrap_or_else(|| other.to_owned());
        LoadWords { small: word(size(is_small), "small blocks"), large: word(size(is_large), "large blocks") }
    }

    fn load(&self, load: ProofLoad) -> String {
        let LoadWords { small, large } = self;
        match load {
            ProofLoad::SingleReads => format!("single random reads of {small}"),
            ProofLoad::SmallReads => format!("random reads of {small}"),
            ProofLoad::LargeReads => format!("sequential reads of {large}"),
            ProofLoad::SmallWrites => format!("random writes of {small}"),
            ProofLoad::LargeWrites => format!("sequential writes of {large}"),
            ProofLoad::MemoryReads => "reads of memory".to_owned(),
            ProofLoad::MemoryLatency => "dependent reads of memory".to_owned(),
            ProofLoad::BlockReads => "random blocks".to_owned(),
            ProofLoad::Ledger => "commits".to_owned(),
        }
    }
}

/// A share with its interval: `97 % [95, 99]`.
fn share(found: &OverRounds) -> String {
    let digits = |value: f64| percent_digits(Ratio(value));
    let shown = percent(Ratio(found.mean));
    match telling(found) {
        Some(interval) => format!("{shown} [{}, {}]", digits(interval.low), digits(interval.high)),
        None => shown,
    }
}

/// Rounds whose interval extends over more than this factor tell nothing by it.
const INTERVAL_FACTOR_MAX: f64 = 3.0;

/// The interval of a ratio, where it tells something.
fn telling(found: &OverRounds) -> Option<Interval> {
    found.interval.filter(|interval| interval.high <= interval.low * INTERVAL_FACTOR_MAX)
}

/// `1.62 [1.58, 1.66]`.
fn times(found: &OverRounds) -> String {
    match telling(found) {
        Some(interval) => format!("{:.2} [{:.2}, {:.2}]", found.mean, interval.low, interval.high),
        None => format!("{:.2}", found.mean),
    }
}

/// A difference of times with its interval, nanoseconds: `+412 µs [380 µs, 440 µs]`.
fn added(found: &OverRounds) -> String {
    let of = |value: f64| if value < 0.0 { format!("-{}", nanos(-value)) } else { nanos(value) };
    let sign = if found.mean > 0.0 { "+" } else { "" };
    match found.interval {
        Some(interval) => format!("{sign}{} [{}, {}]", of(found.mean), of(interval.low), of(interval.high)),
        None => format!("{sign}{}", of(found.mean)),
    }
}

/// A difference of times without its interval.
fn mean_added(found: &OverRounds) -> String {
    added(&OverRounds { interval: None, ..*found })
}

/// Why nothing is decided: too few rounds, rounds that differ, or an interval that includes the limit.
fn undecided(found: &OverRounds) -> String {
    match (found.interval, telling(found)) {
        (None, _) => {
            let rounds = plural(found.rounds as u64, "round");
            format!("no interval from {rounds}: three or more --rounds give one")
        }
        (_, None) => format!("the {} rounds differ too much: longer --seconds, on a quiet machine", found.rounds),
        _ => format!("more than {} --rounds may decide it", found.rounds),
    }
}

/// The verdict for a tile of the page: what is proved, the figure, and the verdict.
pub(crate) fn tile(found: &PlatformProof) -> (String, String, String) {
    match found {
        PlatformProof::Volume(proof) => volume::tile(proof),
        PlatformProof::CacheDevice(proof) => cache_device::tile(proof),
        PlatformProof::Fabric(proof) => fabric::tile(proof),
        PlatformProof::Numa(proof) => numa::tile(proof),
        PlatformProof::Tiers(proof) => tiers::tile(proof),
        PlatformProof::Nfs(proof) => nfs::tile(proof),
        PlatformProof::Durability(proof) => durability::tile(proof),
    }
}
