//! The records in a ring of `perf_event_open`.

use crate::event::{Decoder, Event};
use crate::format::number;

/// Kinds of records (`enum perf_event_type`).
const LOST: u64 = 2;
const SAMPLE: u64 = 9;

/// Bytes in front of every record: its kind, more about it, its length.
const HEADER: usize = 8;

/// Appends the events of `bytes`, whole records as the kernel wrote them; says how many samples there were. What is cut off
/// at the end is passed over, and so are records of other kinds.
pub(crate) fn events(mut bytes: &[u8], decoder: &Decoder, into: &mut Vec<Event>) -> u64 {
    let mut samples = 0;
    while let Some((kind, record, rest)) = next(bytes) {
        bytes = rest;
        samples += u64::from(kind == SAMPLE);
        into.extend(match kind {
            SAMPLE => sample(record, decoder),
            LOST => lost(record),
            _ => None,
        });
    }
    samples
}

/// The first record: its kind, what is in it, and what comes behind it.
fn next(bytes: &[u8]) -> Option<(u64, &[u8], &[u8])> {
    let (kind, length) = (number(bytes.get(..4)?)?, number(bytes.get(6..HEADER)?)? as usize);
    let record = bytes.get(HEADER..length)?;
    Some((kind, record, bytes.get(length..)?))
}

/// Time, processor, length, bytes of the tracepoint.
fn sample(record: &[u8], decoder: &Decoder) -> Option<Event> {
    let at_ns = number(record.get(..8)?)?;
    let length = number(record.get(16..20)?)? as usize;
    let raw = record.get(20..20_usize.checked_add(length)?)?;
    decoder.decode(at_ns, raw).map(Event::Block)
}

/// Which event, how many, time, processor.
fn lost(record: &[u8]) -> Option<Event> {
    let count = number(record.get(8..16)?)?;
    Some(Event::Lost { at_ns: number(record.get(16..24)?)?, count })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::event::tests::recorded;

    fn read(bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        super::events(bytes, &recorded(), &mut events);
        events
    }

    fn record(kind: u32, content: &[u8]) -> Vec<u8> {
        let length = (HEADER + content.len()) as u16;
        [&kind.to_ne_bytes()[..], &[0; 2], &length.to_ne_bytes(), content].concat()
    }

    #[test]
    fn losses_bear_their_number_and_their_time() {
        let content = [7_u64, 12, 99, 0].map(u64::to_ne_bytes).concat();
        let bytes = [record(3, &[0; 24]), record(LOST as u32, &content)].concat();
        assert_eq!(read(&bytes), [Event::Lost { at_ns: 99, count: 12 }]);
    }

    #[test]
    fn what_is_cut_off_is_passed_over_and_a_record_without_a_length_ends_it() {
        let content = [7_u64, 12, 99, 0].map(u64::to_ne_bytes).concat();
        let whole = record(LOST as u32, &content);
        let cut = [&whole[..], &whole[..20]].concat();
        assert_eq!(read(&cut).len(), 1);
        assert!(read(&[0; 64]).is_empty());
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_strange(
            records in prop::collection::vec((0u32..12, prop::collection::vec(any::<u8>(), 0..60)), 0..8),
            noise in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let whole: Vec<u8> = records.iter().flat_map(|(kind, content)| record(*kind, content)).collect();
            let _ = (read(&[&whole[..], &noise].concat()), read(&noise));
        }
    }
}
