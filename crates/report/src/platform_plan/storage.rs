//! Storage, second-level cache and endurance in words.

use model::platform::CachedVolume;
use model::platform_plan::{PlatformPlan, SecondLevelTimes, Storage};
use record::Ratio;

use super::amount::{rate, redundancy, seconds};
use crate::figure::{memory, percent, three_digits};

/// Redundancy: what is left, what a write costs, what a failed drive costs, what the write cache hides.
pub(super) fn volume_sentences(plan: &PlatformPlan, storage: &Storage) -> Vec<String> {
    let mut found = vec![format!(
        "{} drives with {}, {} of them full of data.",
        storage.count,
        redundancy(storage.redundancy),
        storage.data_count
    )];
    let stripe = storage.stripe.map(|stripe| format!(" of {}", memory(stripe)));
    found.push(format!(
        "A small write costs {} I/Os of drives (I/Os above are with {} writes), a full stripe{} {} bytes per byte.",
        storage.write_penalty,
        percent(Ratio(plan.required.write_share)),
        stripe.unwrap_or_default(),
        three_digits(storage.stripe_amplification)
    ));
    found.extend(storage.degraded_reads.map(|reads| {
        format!("With one drive failed, a read costs {} reads of drives in the mean.", three_digits(reads))
    }));
    found.extend(storage.write_cache.map(|cache| match cache.seconds {
        Some(full) => format!("The write cache is full after {}: measure for twice as long.", seconds(full)),
        None => "The drives keep up with what is written: the write cache is never full.".to_owned(),
    }));
    found
}

/// Wear.
pub(super) fn wear_sentences(storage: &Storage) -> Vec<String> {
    let Some(wear) = storage.wear else { return Vec::new() };
    let within = wear.amplification.map(|amplification| {
        format!(", each byte {} times within the drive (random writes)", three_digits(amplification))
    });
    vec![
        format!(
            "Each drive is written at {}{}: worn out after {} years at the latest.",
            rate(wear.written),
            within.unwrap_or_default(),
            three_digits(wear.years)
        ),
        format!(
            "That is {} drive writes per day; it survives {} over five years.",
            three_digits(wear.writes_per_day * 5.0 / wear.years),
            three_digits(wear.writes_per_day)
        ),
    ]
}

/// What stands for a cache device.
pub(super) fn cached_sentences(plan: &PlatformPlan) -> Vec<String> {
    let of = |volume: &CachedVolume| {
        let (name, caches, origins) = (&volume.name, names(&volume.caches), names(&volume.origins));
        match plan.drives.iter().any(|drive| drive.name == volume.name) {
            true => format!(
                "{name} is one drive with the rates that it was measured with, and with the hits that its cache {caches} had \
                 then: what misses gets what the origin {origins} gives."
            ),
            false => format!(
                "Of {name} the origin {origins} is counted, which serves all that misses; what its cache {caches} adds is \
                 not in the figures."
            ),
        }
    };
    plan.cached.iter().map(of).collect()
}

fn names(names: &[String]) -> String {
    names.join(" ")
}

/// A second level of the buffer cache.
pub(super) fn second_level_sentences(level: &SecondLevelTimes) -> Vec<String> {
    let whole = if level.directory.0 >= level.buffer.0 { ", more than there is" } else { "" };
    let mut found = vec![
        format!(
            "A read takes {} in the mean with {} of flash, {} without: it {}.",
            seconds(level.seconds),
            memory(level.flash),
            seconds(level.seconds_without),
            if level.pays { "pays" } else { "does not pay" }
        ),
        format!(
            "Its directory takes {} of the {} of buffer cache{whole}.",
            memory(level.directory),
            memory(level.buffer)
        ),
    ];
    found.extend(level.warm_up.map(|(written, warm)| {
        format!("It is written at {} and warm after {} at the earliest.", rate(written), seconds(warm))
    }));
    found
}
