//! I/Os per second, their size and megabytes per second, held against each other.

use super::{TOLERANCE, UNIT_TOLERANCE, differ, worst};
use crate::figure::{apart, exact, rounded};
use crate::publication::{IoFigures, TestFigures};

const MIB: f64 = 1_048_576.0;

/// Where a table has I/Os of one size: I/Os per second times that size are the bytes per second.
pub(super) fn io_size(test: &TestFigures) -> Option<String> {
    let size = test.io_bytes?;
    let pairs = || test.degrees().into_iter().zip(&test.read_iops).zip(&test.read_mbps);
    let compared = |unit: f64| {
        let compared = pairs().map(move |((degree, iops), found)| ((degree, *iops), *found, iops * size / unit));
        worst(compared, UNIT_TOLERANCE)
    };
    let ((degree, iops), found, expected, beyond) = compared(1e6)?;
    let reason = match compared(MIB) {
        None => "; they agree if a MB is 2^20 bytes",
        Some(_) => "",
    };
    Some(format!(
        "{} at {degree}: {} MB/s are {} than {} reads/s x {} bytes = {} MB/s, and {beyond} of {} points differ by more \
         than {} %{reason}",
        test.code,
        exact(found),
        apart(found, expected),
        exact(iops),
        exact(size),
        rounded(expected),
        pairs().count(),
        exact(UNIT_TOLERANCE * 100.0)
    ))
}

/// Where a test only writes: whether its writes are of one size. If not, its IOPS and its MB/s are two measurements.
pub(super) fn sizes_vary(test: &TestFigures) -> Option<String> {
    // Rows and log are written in pieces of their own size; only a test that counts bytes is about writes alone.
    if test.unit != Some(record::Unit::Byte) {
        return None;
    }
    let sizes = || {
        let pairs = test.degrees().into_iter().zip(&test.write_iops).zip(&test.write_mbps);
        pairs.map(|((degree, iops), megabytes)| (degree, *iops, *megabytes, megabytes * 1e3 / iops))
    };
    let least = sizes().min_by(|one, other| one.3.total_cmp(&other.3))?;
    let greatest = sizes().max_by(|one, other| one.3.total_cmp(&other.3))?;
    if !differ(greatest.3, least.3, TOLERANCE) {
        return None;
    }
    Some(format!(
        "{}: {} MB/s at {} writes/s (#J {}) are {} KB a write, {} MB/s at {} writes/s (#J {}) are {} KB, {}: the \
         writes are not of one size, and IOPS do not follow from MB/s",
        test.code,
        exact(least.2),
        exact(least.1),
        least.0,
        rounded(least.3),
        exact(greatest.2),
        exact(greatest.1),
        greatest.0,
        rounded(greatest.3),
        apart(greatest.3, least.3)
    ))
}

/// Redo is written: its bytes are among those of the writes.
pub(super) fn redo_within_writes(test: &TestFigures) -> Option<String> {
    let pairs = test.degrees().into_iter().zip(&test.redo_mbps).zip(&test.write_mbps);
    let (degree, redo, writes) = pairs
        .map(|((degree, redo), writes)| (degree, *redo, *writes))
        .find(|(_, redo, writes)| *redo > writes * (1.0 + TOLERANCE))?;
    Some(format!("{} at {degree}: redo of {} MB/s within writes of {} MB/s", test.code, exact(redo), exact(writes)))
}

/// A generator's blocks are of one size.
pub(super) fn generator(figures: &IoFigures) -> Option<String> {
    let (found, expected) = (figures.bytes_per_second()?, figures.iops * figures.block_bytes()?);
    differ(found, expected, UNIT_TOLERANCE).then(|| {
        format!(
            "{}: {} MiB/s are {} than {} IOPS x {}iB = {} MiB/s",
            figures.code,
            rounded(found / MIB),
            apart(found, expected),
            exact(figures.iops),
            figures.block.replace('k', " K"),
            rounded(expected / MIB)
        )
    })
}
