//! What a database gets of its storage cannot be more than storage gives.

use super::TOLERANCE;
use crate::figure::{apart, exact, rounded};
use crate::publication::{Calibration, Publication};

/// The block for which databases are usually set up; the size is not among the published figures of a calibration.
const USUAL_BLOCK_BYTES: f64 = 8192.0;
const MIB: f64 = 1_048_576.0;

/// A calibration against itself: the most bytes per second are at least those of the most blocks per second.
pub(super) fn calibration(publication: &Publication) -> Vec<String> {
    publication.calibrate_io.iter().flat_map(|figures| [sizes(figures), unresolved(figures)]).flatten().collect()
}

fn sizes(figures: &Calibration) -> Option<String> {
    let blocks = figures.max_iops * USUAL_BLOCK_BYTES;
    // Whether its megabyte is one of 10^6 or of 2^20 bytes was not published: the larger one is granted.
    (blocks > figures.max_mbps * MIB * (1.0 + TOLERANCE)).then(|| {
        format!(
            "calibration: {} IOPS of the usual 8 KiB would be {} MB/s, {} than the {} MB/s that it calls the most ({} \
             even with MB of 2^20 bytes): the blocks were smaller, or one of the two is not the most",
            exact(figures.max_iops),
            rounded(blocks / 1e6),
            apart(blocks, figures.max_mbps * 1e6),
            exact(figures.max_mbps),
            apart(blocks, figures.max_mbps * MIB)
        )
    })
}

fn unresolved(figures: &Calibration) -> Option<String> {
    (figures.actual_latency_ms == 0.0).then(|| {
        format!(
            "calibration: {} IOPS at a latency of 0 ms would be nothing in flight by Little's law: the latency was below \
             what it resolves, and is not known",
            exact(figures.max_iops)
        )
    })
}

/// What was read through the database against what was read without it, on the same host.
pub(super) fn beyond(publication: &Publication) -> Vec<String> {
    let generator = |random: bool| {
        let mut profiles = publication.io.iter().filter(|figures| figures.is_ceiling() && figures.reads());
        profiles.find(|figures| figures.profile.starts_with("random") == random)
    };
    let mut remarks = Vec::new();
    if let (Some(calibration), Some(raw)) = (&publication.calibrate_io, generator(true))
        && calibration.max_iops > raw.iops * (1.0 + TOLERANCE)
    {
        remarks.push(format!(
            "the database's calibration reads {} blocks/s, {} than the {} that the generator reads of {}iB on the same \
             host: what the generator found is not the most that storage gives",
            exact(calibration.max_iops),
            apart(calibration.max_iops, raw.iops),
            exact(raw.iops),
            raw.block.replace('k', " K")
        ));
    }
    let Some(scan) = &publication.table_scan else { return remarks };
    let found = scan.bytes_per_second();
    let ceilings = [
        publication.calibrate_io.as_ref().map(|figures| ("the calibration", figures.max_mbps * 1e6)),
        generator(false).and_then(|figures| Some(("the generator", figures.bytes_per_second()?))),
    ];
    for (whose, ceiling) in ceilings.into_iter().flatten() {
        if found > ceiling * (1.0 + TOLERANCE) {
            remarks.push(format!(
                "the scan reads {} GB in {} s = {} GB/s, {} than the {} GB/s that {whose} calls the most",
                exact(scan.segment_gb),
                exact(scan.elapsed_s),
                rounded(found / 1e9),
                apart(found, ceiling),
                rounded(ceiling / 1e9)
            ));
        }
    }
    remarks
}
