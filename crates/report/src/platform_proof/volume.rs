//! A volume and its members.

use model::{Amplification, MemberShare, ProofVerdict, RULES, VolumeLoad, VolumeProof};
use record::{ProofLoad, Ratio};

use super::{LoadWords, share, undecided};
use crate::document::{Cell, Column, Row, Table};
use crate::figure::{megabytes, nanos, number, percent};
use crate::layout::clean;

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
    let name = clean(proof.name.as_deref().unwrap_or("the volume"));
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

pub(super) fn comparison(proof: &VolumeProof, words: &LoadWords) -> (Table, String) {
    let columns = vec![
        Column::text("part"),
        Column::figure("reads\nIOPS"),
        Column::figure("large reads\nMB/s"),
        Column::figure("in the volume\nshare"),
        Column::figure("mean read"),
        Column::figure("mean write"),
    ];
    let of = |load: ProofLoad| proof.reads.iter().find(|found| found.load == load);
    let (small, large) = (of(ProofLoad::SmallReads), of(ProofLoad::LargeReads));
    let bytes = |rate: Option<f64>| Cell::figure(rate, |rate| megabytes(Some(rate)));
    let nothing = || Cell::figure(None, number);
    let member = |member: &MemberShare| {
        Row::new(vec![
            Cell::text(member.name.as_str()),
            Cell::figure(member.alone.map(|rate| rate.0), number),
            bytes(member.alone_large.map(|rate| rate.0)),
            Cell::figure(member.share.map(|share| share.0), |share| percent(Ratio(share))),
            Cell::figure(member.read_ns, nanos),
            Cell::figure(member.write_ns, nanos),
        ])
    };
    let whole = |name: &str, value: fn(&VolumeLoad) -> Option<f64>| {
        let figures = [Cell::figure(small.and_then(value), number), bytes(large.and_then(value))];
        let cells = [Cell::text(name)].into_iter().chain(figures).chain([nothing(), nothing(), nothing()]);
        small.or(large).map(|_| Row::new(cells.collect()))
    };
    let wholes = [
        whole("sum of the members alone", |found| Some(found.members_alone.0)),
        whole("all members at once", |found| found.members_together.map(|rate| rate.0)),
        whole("volume", |found| Some(found.volume.0)),
    ];
    let rows = proof.members.iter().map(member).chain(wholes.into_iter().flatten());
    let note = format!(
        "Reads: {} alone with the same load per device; in the volume: what the block layer counted of each member \
         while the volume was used.",
        words.load(ProofLoad::SmallReads)
    );
    (Table::new("proof-table", "Members and volume", columns).with(rows), note)
}

pub(super) fn tile(proof: &VolumeProof) -> (String, String, String) {
    let what = format!("{} over the sum of its members", name(proof));
    match proof.reads.first() {
        Some(found) => (what, percent(Ratio(found.share.mean)), proof.verdict.word().to_owned()),
        None => (what, "not known".to_owned(), String::new()),
    }
}
