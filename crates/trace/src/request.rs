//! Requests of the block layer: their kinds, and how their histograms become rows.

use record::{Bytes, LayerLatency, MeasuringPoint, MissingLayer, OperationClass};

use crate::counting::Counted;
use crate::layout::{OPERATIONS, WORDS, Words};
use crate::pairing::Pairing;
use crate::refusal::{Refused, Unseen};
use crate::tally;

/// Operations of the block layer, in the order of their numbers.
const REQUESTS: [(OperationClass, &str); OPERATIONS as usize] = [
    (OperationClass::Read, "READ"),
    (OperationClass::Write, "WRITE"),
    (OperationClass::Flush, "FLUSH"),
    (OperationClass::Discard, "DISCARD"),
];

/// The number of a flush among [`REQUESTS`].
pub(crate) const FLUSH: u32 = 2;

/// The operation of a request by the letters that the kernel's tracepoints have for it (`rwbs`): `WS`, `FF`, `RA`. None
/// for those that are not counted.
pub(crate) fn operation(letters: &[u8]) -> Option<u32> {
    // A first F says that the cache is flushed before; what is done then follows it (blk_fill_rwbs).
    let done = match letters {
        [b'F', rest @ ..] if rest.first().is_some_and(u8::is_ascii_uppercase) && !rest.starts_with(b"S") => rest,
        all => all,
    };
    match done {
        [b'R', ..] => Some(0),
        [b'W', ..] => Some(1),
        [b'F', ..] => Some(FLUSH),
        [b'D', b'E', ..] => None,
        [b'D', ..] => Some(3),
        _ => None,
    }
}

/// The rows of the block layer and of the device. `words` gives the histograms of a place of all processors: first those
/// from the queue, then those from the driver.
///
/// # Errors
/// What `words` says.
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

/// What events that were handed over one by one say when they are paired.
///
/// # Errors
/// None: as [`crate::counting::Counting::finish`] wants it.
pub(crate) fn counted(pairing: Pairing) -> Result<Counted, Refused> {
    let of = |place: u32| Ok(vec![pairing.histogram(place).unwrap_or([0; WORDS])]);
    Ok(Counted { latencies: rows(of)?, missing: Vec::new(), lost_count: pairing.lost_count() })
}

/// That requests bear no time of their beginning, where those that the driver got show that there were some.
pub(crate) fn unstamped(latencies: &[LayerLatency]) -> Option<MissingLayer> {
    let at = |point| latencies.iter().any(|latency| latency.point == point);
    let unseen = Unseen::new(
        "the kernel notes no times of the requests of this disk",
        "write 1 to queue/iostats of the disk, below /sys/block",
    );
    (at(MeasuringPoint::Device) && !at(MeasuringPoint::Block)).then(|| unseen.missing(MeasuringPoint::Block))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn letters_of_the_kernel_are_understood() {
        let of = |letters: &str| operation(letters.as_bytes()).map(|number| REQUESTS[number as usize].1);
        for (letters, name) in [
            ("R", "READ"),
            ("RA", "READ"),
            ("RSM", "READ"),
            ("WS", "WRITE"),
            ("WFSM", "WRITE"),
            ("FWFSM", "WRITE"),
            ("FWS", "WRITE"),
            ("F", "FLUSH"),
            ("FF", "FLUSH"),
            ("FFS", "FLUSH"),
            ("FS", "FLUSH"),
            ("D", "DISCARD"),
            ("DS", "DISCARD"),
        ] {
            assert_eq!(of(letters), Some(name), "{letters}");
        }
        for letters in ["", "N", "DE", "DES", "FN", "ZA", "\0R"] {
            assert_eq!(of(letters), None, "{letters}");
        }
    }

    proptest! {
        #[test]
        fn no_letters_are_too_strange(letters in prop::collection::vec(any::<u8>(), 0..12)) {
            prop_assert!(operation(&letters).is_none_or(|operation| operation < OPERATIONS));
        }
    }
}
