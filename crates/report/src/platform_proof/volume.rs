//! A volume and its members.

use model::{Amplification, MemberShare, ProofVerdict, RULES, VolumeLoad, VolumeProof};
use record::{ProofLoad, Ratio};

use super::{Comparison, LoadWords, share, undecided};
use crate::figure::{UNKNOWN, megabytes, nanos, number, percent};
use crate::layout::{Align, clean};

pub(super) fn sentences(proof: &VolumeProof, words: &LoadWords) -> Vec<String> {
    let mut sentences: Vec<String> = proof.reads.iter().map(|load| read_sentence(proof, load, words)).collect();
    sentences.extend(proof.members.iter().filter_map(slow_sentence));
    sentences.extend(proof.writes.iter().map(|load| write_sentence(load, words)));
    sentences.extend(proof.reads.first().and_then(processor_sentence));
    if proof.reads.is_empty() {
        sentences.push(
            "what the members give alone is not known: they and the volume could not all be read as devices".to_owned(),
        );
    }
    sentences
}

/// `md0 (raid1 of 2, 1 missing)`.
fn name(proof: &VolumeProof) -> String {
    let name = proof.name.as_deref().map_or_else(|| "the volume".to_owned(), clean);
    let Some(array) = &proof.array else { return name };
    let missing = if array.missing_count > 0 { format!(", {} missing", array.missing_count) } else { String::new() };
    format!("{name} ({} of {}{missing})", clean(&array.level), array.member_count)
}

fn read_sentence(proof: &VolumeProof, found: &VolumeLoad, words: &LoadWords) -> String {
    let (load, reached) = (words.load(found.load), share(&found.share));
    let together = found.members_together.map(|together| together.0 / found.members_alone.0);
    let shared = together.filter(|together| *together < RULES.volume_share_min).map_or_else(String::new, |together| {
        format!(
            "; all members at once, without the volume, reach {}: they share a limit, such as a link or the processors",
            percent(Ratio(together))
        )
    });
    if found.load != ProofLoad::SmallReads {
        return format!("{load}: {reached} of the sum of the members alone{shared}");
    }
    format!("{}{shared}", verdict_text(proof, found, &load, &reached))
}

fn verdict_text(proof: &VolumeProof, found: &VolumeLoad, load: &str, reached: &str) -> String {
    let limit = percent(Ratio(RULES.volume_share_min));
    let what = format!("{}: {load} reach {reached} of the sum of its members alone", name(proof));
    match proof.verdict {
        ProofVerdict::Undecided => {
            let why = undecided(&found.share);
            format!("{what}, {limit} required: {} ({why})", proof.verdict.word())
        }
        verdict => format!("{what}, {limit} required: {}", verdict.word()),
    }
}

fn slow_sentence(member: &MemberShare) -> Option<String> {
    let times = format!("{:.1}", member.slower_by?);
    let reads = member.read_ns.map(|time| format!(" ({} per read in the volume)", nanos(time))).unwrap_or_default();
    Some(format!("{} is slow: its I/O takes {times} times as long as that of the others{reads}", clean(&member.name)))
}

fn write_sentence(found: &Amplification, words: &LoadWords) -> String {
    let read = if found.read >= 0.01 { format!(" and {:.2} read", found.read) } else { String::new() };
    let what = format!("{}: {:.2} bytes written to members per byte{read}", words.load(found.load), found.written.mean);
    let Some(expected) = found.expected else { return what };
    let gap = (found.written.mean - expected).abs() / expected;
    let stripes = if found.load == ProofLoad::LargeWrites { " for whole stripes" } else { "" };
    match gap <= RULES.amplification_gap_max {
        true => format!("{what}, as the level predicts ({expected:.2}{stripes})"),
        false => format!("{what}, where the level predicts {expected:.2}{stripes}"),
    }
}

fn processor_sentence(found: &VolumeLoad) -> Option<String> {
    let (volume, member) = found.cpu_ns_per_io?;
    Some(format!(
        "processor time per read, with the kernel's: {} of the volume, {} of a member alone",
        nanos(volume),
        nanos(member)
    ))
}

pub(super) fn comparison(proof: &VolumeProof, words: &LoadWords) -> Comparison {
    let of = |load: ProofLoad| proof.reads.iter().find(|found| found.load == load);
    let (small, large) = (of(ProofLoad::SmallReads), of(ProofLoad::LargeReads));
    let rate = |rate: Option<f64>| rate.map_or_else(|| UNKNOWN.to_owned(), number);
    let bytes = |rate: Option<f64>| rate.map_or_else(|| UNKNOWN.to_owned(), |rate| megabytes(Some(rate)));
    let time = |time: Option<f64>| time.map_or_else(|| UNKNOWN.to_owned(), nanos);
    let nothing = || UNKNOWN.to_owned();
    let mut rows: Vec<Vec<String>> = proof
        .members
        .iter()
        .map(|member| {
            let share = member.share.map_or_else(nothing, percent);
            vec![
                clean(&member.name),
                rate(member.alone.map(|rate| rate.0)),
                bytes(member.alone_large.map(|rate| rate.0)),
                share,
                time(member.read_ns),
                time(member.write_ns),
            ]
        })
        .collect();
    let mut whole = |name: &str, value: fn(&VolumeLoad) -> Option<f64>| {
        let cells = [rate(small.and_then(value)), bytes(large.and_then(value))];
        if small.or(large).is_some() {
            rows.push([vec![name.to_owned()], cells.to_vec(), vec![nothing(); 3]].concat());
        }
    };
    whole("sum of the members alone", |found| Some(found.members_alone.0));
    whole("all members at once", |found| found.members_together.map(|rate| rate.0));
    whole("volume", |found| Some(found.volume.0));
    Comparison {
        title: "MEMBERS AND VOLUME",
        heads: vec![
            (&["", "part"], Align::Left),
            (&["reads", "IOPS"], Align::Right),
            (&["large reads", "MB/s"], Align::Right),
            (&["in the volume", "share"], Align::Right),
            (&["", "mean read"], Align::Right),
            (&["", "mean write"], Align::Right),
        ],
        rows,
        note: format!(
            "Reads: {} alone with the same load per device; in the volume: what the block layer counted of each member \
             while the volume was used.",
            words.load(ProofLoad::SmallReads)
        ),
    }
}

pub(super) fn tile(proof: &VolumeProof) -> (String, String, String) {
    let what = format!("{} over the sum of its members", name(proof));
    match proof.reads.first() {
        Some(found) => (what, percent(Ratio(found.share.mean)), proof.verdict.word().to_owned()),
        None => (what, "not known".to_owned(), String::new()),
    }
}
