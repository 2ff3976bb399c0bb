//! The caches below an engine: what a block costs from each of them, and whether the two-level model holds.
//!
//! t = t1 + m1 * ((1 - m2) * t2 + m2 * t3), with the time of a block in the buffer cache t1, the time that the page cache
//! adds t2 and that the device adds t3, the misses of the buffer cache per visited block m1, and of these those of the page
//! cache m2. Three of the four points of each round give the times; the fourth, with another size and another share in the
//! page cache, is predicted from them: blocks are visited uniformly, so that a cache hits in proportion to the share of
//! the blocks that it holds.
//!
//! t3 is what the block layer measures of a read of the device, d, and what lies above it. Virtual and shared disks take half
//! as long again from one second to the next: where the block layer counts, the predicted point takes d of its own run, and
//! of the model only what lies above it. Beside that stands what the model says with d of the point that gave t3.

use record::{Bytes, Nanos, PageCached, ProofLoad, ProofPlace, Ratio, Run, name};

use super::{OverRounds, Parts, compared, time_ns};
use crate::decision::ComparisonVerdict;
use crate::delta::{delta, share};
use crate::foreign::own_read_bytes;
use crate::rules::RULES;
use crate::statistics::{mean, median};

/// What the caches below an engine give.
#[derive(Clone, Debug, PartialEq)]
pub struct TiersProof {
    /// The points, by size and by what the page cache holds.
    pub points: Vec<TierPoint>,
    /// Time of a block in the buffer cache, nanoseconds.
    pub buffer_ns: OverRounds,
    /// What it takes longer from the page cache, nanoseconds.
    pub page_cache_adds_ns: OverRounds,
    /// What it takes longer from the device, nanoseconds.
    pub device_adds_ns: OverRounds,
    /// Measured times of the predicted point over those that the model predicts, with the device's own time of the
    /// predicted point where that is known.
    pub measured_over_predicted: OverRounds,
    /// What the block layer measures of the device, where it counts.
    pub device: Option<TierDevice>,
    /// Whether the rate of the predicted point is that of the model, within the margin.
    pub verdict: ComparisonVerdict,
}

/// What the block layer measures of the device below an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TierDevice {
    /// Mean time of a read in the predicted point over that in the point that gave the time of the device.
    pub drift: OverRounds,
    /// Measured times of the predicted point over those of the model with the time of the device in that other point.
    pub without_drift: OverRounds,
    /// Bytes of a read, in blocks of the engine, where the page cache holds nothing; absent where the engine has no block
    /// size.
    pub request_blocks: Option<f64>,
}

impl TierDevice {
    /// None where no round has a time of the device.
    fn of(rounds: &[Round]) -> Option<TierDevice> {
        let each = |value: fn(&Round) -> Option<f64>| rounds.iter().filter_map(value).collect::<Vec<f64>>();
        Some(TierDevice {
            drift: OverRounds::of_ratios(&each(Round::drift))?,
            without_drift: OverRounds::of_ratios(&each(|round| Some(round.other.block_ns / round.predicted_ns(0.0)?)))?,
            request_blocks: median(&each(|round| round.uncached.request_blocks)),
        })
    }

    /// Whether reads are larger than the blocks that the engine asks for.
    pub fn reads_ahead(&self) -> bool {
        self.request_blocks.is_some_and(|blocks| blocks > RULES.tiers_request_blocks_max)
    }
}

/// One point, over its rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TierPoint {
    /// Size of the blocks that are visited.
    pub size_bytes: Bytes,
    /// What the page cache holds.
    pub page_cache: PageCached,
    /// Of the visited blocks, those that the buffer cache had.
    pub buffer_hits: Ratio,
    /// Of the others, those that the page cache had; absent where there are next to none.
    pub page_cache_hits: Option<Ratio>,
    /// Mean time of a read of the device, by the block layer; absent where there are too few, or many of other programs.
    pub device_ns: Option<Nanos>,
    /// Mean time of a block.
    pub block_ns: Nanos,
    /// The same by the model, where the point is not one that it was made from.
    pub predicted_ns: Option<Nanos>,
}

/// One run.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sample {
    size_bytes: f64,
    block_ns: f64,
    /// m1, per visited block.
    buffer_misses: f64,
    /// m2, of the misses of the buffer cache.
    page_cache_misses: f64,
    /// d, by the block layer; absent where it counted next to nothing, or much of other programs.
    device_ns: Option<f64>,
    /// Bytes of a read of the device, in blocks of the engine.
    request_blocks: Option<f64>,
}

impl Sample {
    /// Absent where the engine or the block layer does not count.
    fn of(size_bytes: Bytes, run: &Run) -> Option<Sample> {
        let blocks = run.blocks.as_deref()?;
        let visited = run.totals.operations.checked_mul(blocks.operations_per_step * blocks.work_unit)? as f64;
        let misses = delta(run, name::PHYSICAL_READ_COUNT)? as f64;
        let requests = delta(run, name::DEVICE_READ_COUNT)?;
        let counted = requests >= RULES.member_requests_min;
        let of_request = |name| delta(run, name).filter(|_| counted).map(|sum| sum as f64 / requests as f64);
        let is_ours = |own: f64| requests as f64 <= own * (1.0 + RULES.tiers_foreign_max);
        let block = blocks.block_bytes.map(|block| block.0 as f64);
        // Requests also of other programs; bytes of the engine alone, but with those that were read ahead. Both are at least
        // the blocks that the engine missed.
        let own = own_read_bytes(run).zip(block).map_or(f64::INFINITY, |(bytes, block)| bytes / block);
        Some(Sample {
            size_bytes: size_bytes.0 as f64,
            block_ns: time_ns(run)? / (blocks.operations_per_step * blocks.work_unit) as f64,
            buffer_misses: share(misses, visited)?,
            page_cache_misses: share(own.min(requests as f64), misses).unwrap_or(0.0).min(1.0),
            device_ns: of_request(name::DEVICE_READ_NS).filter(|ns| *ns > 0.0 && is_ours(own)),
            request_blocks: of_request(name::DEVICE_READ_BYTES)
                .zip(block)
                .and_then(|(bytes, block)| share(bytes, block)),
        })
    }

    fn factors(&self) -> [f64; 3] {
        let Sample { buffer_misses, page_cache_misses, .. } = self;
        [1.0, buffer_misses * (1.0 - page_cache_misses), buffer_misses * page_cache_misses]
    }
}

/// One round: the points that the model is made from, and the one that it predicts.
struct Round {
    fits: Sample,
    cached: Sample,
    uncached: Sample,
    other: Sample,
}

impl Round {
    /// t1, t2 and t3.
    fn times(&self) -> Option<[f64; 3]> {
        let samples = [self.fits, self.cached, self.uncached];
        solved(samples.map(|sample| sample.factors()), samples.map(|sample| sample.block_ns))
    }

    /// The time of the other point, from the times and from what the caches hold, where a read of the device takes
    /// `slower_ns` longer than in the point that gave its time.
    fn predicted_ns(&self, slower_ns: f64) -> Option<f64> {
        let full = [self.cached, self.uncached];
        let held = mean(&full.map(|sample| sample.size_bytes * (1.0 - sample.buffer_misses)))?;
        let page_cache_misses = mean(&full.map(|sample| sample.page_cache_misses))?;
        let buffer_misses = (1.0 - held / self.other.size_bytes).max(0.0);
        let factors = Sample { buffer_misses, page_cache_misses, ..self.other }.factors();
        let [buffer, page_cache, device] = self.times()?;
        Some(factors.iter().zip([buffer, page_cache, device + slower_ns]).map(|(factor, time)| factor * time).sum())
    }

    /// How much longer a read of the device takes in the other point than in the one that gave its time; 0 where the block
    /// layer does not tell.
    fn slower_ns(&self) -> f64 {
        self.other.device_ns.zip(self.uncached.device_ns).map_or(0.0, |(here, there)| here - there)
    }

    /// The same as a ratio.
    fn drift(&self) -> Option<f64> {
        Some(self.other.device_ns? / self.uncached.device_ns?)
    }
}

/// None without a round of which all four points are valid.
pub(super) fn tiers_proof(parts: &Parts<'_>) -> Option<TiersProof> {
    let places = places(parts);
    let (smallest, largest) = (*places.first()?, places.last()?.0);
    let half = *places.iter().find(|place| place.1 == PageCached::Half)?;
    let [fits, cached, uncached, other] =
        [smallest, (largest, PageCached::All), (largest, PageCached::Nothing), half].map(|place| samples(parts, place));
    let round = |index: usize| {
        let of = |samples: &[Option<Sample>]| samples.get(index).copied().flatten();
        Some(Round { fits: of(&fits)?, cached: of(&cached)?, uncached: of(&uncached)?, other: of(&other)? })
    };
    let rounds: Vec<Round> = (0..fits.len()).filter_map(round).collect();
    let times: Vec<[f64; 3]> = rounds.iter().filter_map(Round::times).collect();
    let time = |index: usize| OverRounds::of(&times.iter().map(|times| times[index]).collect::<Vec<f64>>());
    let predicted: Vec<(f64, f64)> = rounds
        .iter()
        .filter_map(|round| Some((round.other.block_ns, round.predicted_ns(round.slower_ns())?)))
        .collect();
    let ratios: Vec<f64> = predicted.iter().map(|(measured, predicted)| measured / predicted).collect();
    let predicted_ns = median(&predicted.iter().map(|(_, predicted)| *predicted).collect::<Vec<f64>>());
    let point = |place: &(Bytes, PageCached)| {
        TierPoint::of(*place, &samples(parts, *place), predicted_ns.filter(|_| *place == half))
    };
    Some(TiersProof {
        points: places.iter().filter_map(point).collect(),
        buffer_ns: time(0)?,
        page_cache_adds_ns: time(1)?,
        device_adds_ns: time(2)?,
        measured_over_predicted: OverRounds::of_ratios(&ratios)?,
        device: TierDevice::of(&rounds),
        // A rate is the inverse of a time.
        verdict: compared(&ratios.iter().map(|ratio| 1.0 / ratio).collect::<Vec<f64>>(), RULES.tiers_margin),
    })
}

/// Sizes and what the page cache holds, in order.
fn places(parts: &Parts<'_>) -> Vec<(Bytes, PageCached)> {
    let mut places: Vec<(Bytes, PageCached)> = parts.0.iter().filter_map(|(part, _)| point(&part.place)).collect();
    places.sort_unstable();
    places.dedup();
    places
}

fn point(place: &ProofPlace) -> Option<(Bytes, PageCached)> {
    match place {
        ProofPlace::WorkingSet { size_bytes, page_cache } => Some((*size_bytes, *page_cache)),
        _ => None,
    }
}

fn samples(parts: &Parts<'_>, (size_bytes, page_cache): (Bytes, PageCached)) -> Vec<Option<Sample>> {
    let runs = parts.runs(&ProofPlace::WorkingSet { size_bytes, page_cache }, ProofLoad::BlockReads);
    runs.into_iter().map(|run| run.and_then(|run| Sample::of(size_bytes, run))).collect()
}

impl TierPoint {
    fn of(place: (Bytes, PageCached), samples: &[Option<Sample>], predicted_ns: Option<f64>) -> Option<TierPoint> {
        let of = |value: fn(&Sample) -> f64| median(&samples.iter().flatten().map(value).collect::<Vec<f64>>());
        let buffer_misses = of(|sample| sample.buffer_misses)?;
        let page_cache_misses = of(|sample| sample.page_cache_misses)?;
        let device: Vec<f64> = samples.iter().flatten().filter_map(|sample| sample.device_ns).collect();
        Some(TierPoint {
            size_bytes: place.0,
            page_cache: place.1,
            buffer_hits: Ratio((1.0 - buffer_misses).max(0.0)),
            page_cache_hits: (buffer_misses >= RULES.tiers_misses_min).then_some(Ratio(1.0 - page_cache_misses)),
            device_ns: median(&device).map(|ns| Nanos(ns as u64)),
            block_ns: Nanos(of(|sample| sample.block_ns)? as u64),
            predicted_ns: predicted_ns.map(|predicted| Nanos(predicted as u64)),
        })
    }
}

/// The solution of three linear equations by Cramer's rule; none where they have no single one.
fn solved(rows: [[f64; 3]; 3], values: [f64; 3]) -> Option<[f64; 3]> {
    let determinant = |rows: [[f64; 3]; 3]| {
        let [a, b, c] = rows;
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    let whole = determinant(rows);
    let with = |column: usize| {
        let mut replaced = rows;
        replaced.iter_mut().zip(values).for_each(|(row, value)| row[column] = value);
        determinant(replaced) / whole
    };
    let found = [with(0), with(1), with(2)];
    found.iter().all(|value| value.is_finite()).then_some(found)
}

#[cfg(test)]
mod tests {
    use record::{CacheState, PlannedRun, ProofPart, ProofSubject, Record, RunKind};

    use super::*;
    use crate::fixture::{blocks_run, counted, record};
    use crate::platform_proof::{PlatformProof, platform_proof};

    const SIZE: u64 = 32 << 20;

    /// A round with a buffer cache of 32 MiB and times of 2, 3 and 100 us, of which the block layer sees 70; the point that is
    /// predicted takes `factor` times what the model says of a device that takes `slower_us` longer there.
    fn slowed_round(factor: f64, slower_us: f64) -> Vec<Run> {
        let run =
            |size: u64, page_cache, buffer_misses: f64, page_cache_misses: f64, (factor, slower_us): (f64, f64)| {
                let mut run = blocks_run(CacheState::Warm);
                let blocks = run.totals.operations * 64;
                let misses = (blocks as f64 * buffer_misses) as u64;
                let below_us = (1.0 - page_cache_misses) * 3.0 + page_cache_misses * (100.0 + slower_us);
                run.service.mean_ns = Nanos(((2.0 + buffer_misses * below_us) * factor * 64e3) as u64);
                let place = ProofPlace::WorkingSet { size_bytes: Bytes(size), page_cache };
                let part = ProofPart { subject: ProofSubject::Tiers, place, load: ProofLoad::BlockReads };
                run.kind = RunKind::Proof(part);
                let of_device = (misses as f64 * page_cache_misses) as u64;
                let device_ns = of_device * ((70.0 + slower_us) * 1e3) as u64;
                let counters = [
                    (name::PHYSICAL_READ_COUNT, misses),
                    (name::DEVICE_READ_COUNT, of_device),
                    (name::DEVICE_READ_BYTES, of_device * 8_192),
                    (name::DEVICE_READ_NS, device_ns),
                ];
                counted(run, &counters)
            };
        vec![
            run(SIZE / 2, PageCached::All, 0.0, 0.0, (1.0, 0.0)),
            run(SIZE * 4, PageCached::All, 0.75, 0.0, (1.0, 0.0)),
            run(SIZE * 4, PageCached::Nothing, 0.75, 1.0, (1.0, 0.0)),
            run(SIZE * 2, PageCached::Half, 0.5, 0.5, (factor, slower_us)),
        ]
    }

    fn proof(factors: &[f64]) -> TiersProof {
        proof_of(factors.iter().flat_map(|factor| slowed_round(*factor, 0.0)).collect())
    }

    fn proof_of(runs: Vec<Run>) -> TiersProof {
        let mut record: Record = record(runs);
        record.plan.runs = record.runs.iter().map(|run| PlannedRun::new("B100", run.kind.clone(), run.dop)).collect();
        let Some(PlatformProof::Tiers(proof)) = platform_proof(&record) else { panic!("no proof") };
        proof
    }

    #[test]
    fn a_device_that_is_slower_in_the_predicted_point_is_no_fault_of_the_model() {
        let found = proof_of([34.0, 36.0, 35.0].iter().flat_map(|slower| slowed_round(1.0, *slower)).collect());
        let device = found.device.unwrap();
        assert!((device.drift.mean - 1.5).abs() < 0.01, "{device:?}");
        assert_eq!(found.verdict, ComparisonVerdict::Equivalent, "{found:?}");
        assert!(device.without_drift.mean > 1.25, "{device:?}");
        assert!(!device.reads_ahead());
        // What is slow above the block layer is one.
        let found = proof_of([34.0, 36.0, 35.0].iter().flat_map(|slower| slowed_round(1.4, *slower)).collect());
        assert_eq!(found.verdict, ComparisonVerdict::Slower, "{found:?}");
    }

    #[test]
    fn without_counters_of_time_the_device_takes_the_same_in_all_points() {
        let mut runs: Vec<Run> = (0..3).flat_map(|_| slowed_round(1.0, 35.0)).collect();
        for reading in runs.iter_mut().flat_map(|run| &mut run.readings) {
            reading.values.remove(name::DEVICE_READ_NS);
        }
        let found = proof_of(runs);
        assert_eq!((found.device, found.verdict), (None, ComparisonVerdict::Slower));
    }

    #[test]
    fn reads_of_other_programs_are_no_misses_and_read_ahead_is_told() {
        let mut runs: Vec<Run> = (0..3).flat_map(|_| slowed_round(1.0, 0.0)).collect();
        for run in &mut runs {
            let requests = delta(run, name::DEVICE_READ_COUNT).unwrap();
            let last = run.readings.len() - 1;
            for (name, value) in [
                (name::CLIENT_READ_BYTES, requests * 8_192),
                // As many again by others, four times as large.
                (name::DEVICE_READ_COUNT, requests * 2),
                (name::DEVICE_READ_BYTES, requests * 8_192 * 5),
                (name::DEVICE_READ_NS, requests * 140_000),
            ] {
                run.readings[0].values.insert(name.to_owned(), 0);
                run.readings[last].values.insert(name.to_owned(), value);
            }
        }
        let found = proof_of(runs.clone());
        assert!((found.points[1].page_cache_hits.unwrap().0 - 0.5).abs() < 0.01, "{found:?}");
        assert_eq!(found.device, None, "its time is that of the reads of others, too");
        // All of it by the engine.
        for run in &mut runs {
            let bytes = delta(run, name::DEVICE_READ_BYTES).unwrap();
            let last = run.readings.len() - 1;
            run.readings[last].values.insert(name::CLIENT_READ_BYTES.to_owned(), bytes);
        }
        let device = proof_of(runs).device.unwrap();
        assert!((device.request_blocks.unwrap() - 2.5).abs() < 0.01 && device.reads_ahead(), "{device:?}");
    }

    #[test]
    fn times_and_a_point_that_they_were_not_made_from() {
        let proof = proof(&[1.0, 1.02, 0.99]);
        let near = |found: &OverRounds, ns: f64| (found.mean / ns - 1.0).abs() < 0.01;
        assert!(near(&proof.buffer_ns, 2e3) && near(&proof.page_cache_adds_ns, 3e3), "{proof:?}");
        assert!(near(&proof.device_adds_ns, 100e3), "{proof:?}");
        assert_eq!(proof.verdict, ComparisonVerdict::Equivalent);
        let predicted = proof.points[1];
        assert_eq!((predicted.size_bytes, predicted.page_cache), (Bytes(SIZE * 2), PageCached::Half));
        // 2 us and half of the blocks: half of them 3 us more, half of them 100 us.
        assert!((predicted.predicted_ns.unwrap().0 as f64 / 27_750.0 - 1.0).abs() < 0.01, "{predicted:?}");
        assert!((predicted.buffer_hits.0 - 0.5).abs() < 0.01);
        assert_eq!(proof.points[0].page_cache_hits, None, "no block was missed");
    }

    #[test]
    fn a_point_far_from_the_model_is_slower() {
        assert_eq!(proof(&[1.4, 1.42, 1.38]).verdict, ComparisonVerdict::Slower);
        assert_eq!(proof(&[1.14, 1.16, 1.18]).verdict, ComparisonVerdict::Inconclusive);
        assert_eq!(proof(&[1.0, 1.0]).verdict, ComparisonVerdict::Inconclusive, "two rounds have no interval");
    }

    #[test]
    fn equations_without_a_single_solution_have_none() {
        assert_eq!(solved([[1.0, 0.0, 0.0], [1.0, 0.5, 0.0], [1.0, 0.5, 0.0]], [1.0, 2.0, 2.0]), None);
        let solution = solved([[1.0, 0.0, 0.0], [1.0, 0.5, 0.0], [1.0, 0.0, 0.5]], [1.0, 2.0, 3.0]).unwrap();
        assert_eq!(solution, [1.0, 2.0, 4.0]);
    }
}
