//! Requests of the block layer: from their histograms to rows.

use record::{Bytes, LayerLatency, MeasuringPoint, MissingLayer, OperationClass};

use crate::layout::{OPERATIONS, Words};
use crate::refusal::Unavailable;
use crate::tally;

/// Operations of the block layer, by their numbers.
const REQUESTS: [(OperationClass, &str); OPERATIONS as usize] = [
    (OperationClass::Read, "READ"),
    (OperationClass::Write, "WRITE"),
    (OperationClass::Flush, "FLUSH"),
    (OperationClass::Discard, "DISCARD"),
];

/// The rows of the block layer and of the device. `words` returns the histograms of all processors by index: first
/// those from the queue, then those from the driver.
pub(crate) fn rows<E>(words: impl Fn(u32) -> Result<Vec<Words>, E>) -> Result<Vec<LayerLatency>, E> {
    let mut rows = Vec::new();
    for (point, first) in [(MeasuringPoint::Block, 0), (MeasuringPoint::Device, OPERATIONS)] {
        for (operation, (class, name)) in (0..OPERATIONS).zip(REQUESTS) {
            let words = words(first + operation)?;
            if let Some((latency, bytes)) = tally::latency(words.iter()) {
                let bytes = (class != OperationClass::Flush).then_some(Bytes(bytes));
                rows.push(LayerLatency { point, class, name: name.to_owned(), bytes, latency });
            }
        }
    }
    Ok(rows)
}

/// The block layer, if requests have no start time: there are latencies of the device only.
pub(crate) fn unstamped(latencies: &[LayerLatency]) -> Option<MissingLayer> {
    let at = |point| latencies.iter().any(|latency| latency.point == point);
    let unavailable = Unavailable::new(
        "the kernel does not record start times of requests of this disk",
        "write 1 to queue/iostats of the disk, below /sys/block",
    );
    (at(MeasuringPoint::Device) && !at(MeasuringPoint::Block)).then(|| unavailable.missing(MeasuringPoint::Block))
}
