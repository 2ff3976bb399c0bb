//! The pages of `trace_pipe_raw`: a header, then events, each with the time since the previous one.
//!
//! The kernel describes the header in `events/header_page`; the layout of events is a stable interface
//! (`include/linux/ring_buffer.h`, and `events/header_event`).

use crate::event::{Decoder, Event};
use crate::format::{Field, Format, number};

/// Flag in the length word: events before this page were lost.
const LOST: u64 = 1 << 31;
/// Flag in the length word: their number follows the last event.
const LOST_STORED: u64 = 1 << 30;
/// The length in the length word.
const LENGTH: u64 = (1 << 27) - 1;

/// Kinds of entries (`enum ring_buffer_type`); lower values are events with this number of words.
const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;
/// Bits of the time in the first word of an entry, after those of the kind.
const DELTA_BITS: u32 = 27;
/// Bits of an absolute time in its entry; the higher ones are those of the previous time.
const STAMP_BITS: u32 = 59;

/// The parts of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageLayout {
    stamp: Field,
    commit: Field,
    data: Field,
}

impl PageLayout {
    /// The layout of `events/header_page`; none if it is not valid.
    pub(crate) fn of(format: &Format) -> Option<PageLayout> {
        let [stamp, commit, data] = ["timestamp", "commit", "data"].map(|name| format.field(name));
        let (stamp, commit, data) = (stamp?, commit?, data?);
        let end = |field: Field| field.offset.checked_add(field.size);
        let page_bytes = end(data).filter(|bytes| (512..=1 << 20).contains(bytes));
        let is_within = |field: Field| end(field).zip(page_bytes).is_some_and(|(end, page_bytes)| end <= page_bytes);
        let is_page = is_within(stamp) && is_within(commit) && stamp.size == 8 && matches!(commit.size, 4 | 8);
        is_page.then_some(PageLayout { stamp, commit, data })
    }

    /// Size of a page.
    pub(crate) fn page_bytes(&self) -> usize {
        self.data.offset + self.data.size
    }

    /// Appends the events of `page`. Truncated ones are skipped.
    pub(crate) fn events(&self, page: &[u8], decoder: &Decoder, into: &mut Vec<Event>) {
        let field = |field: Field| number(page.get(field.offset..field.offset + field.size)?);
        let (Some(mut at_ns), Some(commit)) = (field(self.stamp), field(self.commit)) else { return };
        let data = page.get(self.data.offset..).unwrap_or_default();
        let length = (commit & LENGTH) as usize;
        if commit & LOST != 0 {
            let stored =
                data.get(length..).and_then(|rest| number(rest.get(..8)?)).filter(|_| commit & LOST_STORED != 0);
            into.push(Event::Lost { at_ns, count: stored.unwrap_or(1) });
        }
        let mut rest = data.get(..length).unwrap_or(data);
        while let Some((entry, following)) = next(rest) {
            rest = following;
            match entry {
                Entry::Event { delta_ns, raw } => {
                    at_ns = at_ns.wrapping_add(delta_ns);
                    into.extend(decoder.decode(at_ns, raw).map(Event::Block));
                }
                Entry::Later { delta_ns } => at_ns = at_ns.wrapping_add(delta_ns),
                Entry::At { low } => at_ns = (at_ns >> STAMP_BITS << STAMP_BITS) | low,
            }
        }
    }
}

/// One entry of a page.
enum Entry<'p> {
    /// An event, and the time since the previous entry.
    Event { delta_ns: u64, raw: &'p [u8] },
    /// Only time (padding, time extend).
    Later { delta_ns: u64 },
    /// The lower bits of an absolute time.
    At { low: u64 },
}

/// The first entry and the bytes after it; none at the end, which is padding.
fn next(bytes: &[u8]) -> Option<(Entry<'_>, &[u8])> {
    let word = |at: usize| number(bytes.get(at..at + 4)?);
    let first = word(0)?;
    // The kind is in the lowest bits of the word on little endian machines, otherwise in the highest.
    let (kind, delta_ns) = match cfg!(target_endian = "little") {
        true => ((first & 31) as u32, first >> 5),
        false => ((first >> DELTA_BITS) as u32, first & ((1 << DELTA_BITS) - 1)),
    };
    let event = |from: usize, to: usize| Some((Entry::Event { delta_ns, raw: bytes.get(from..to)? }, bytes.get(to..)?));
    let long = || Some((word(4)? << DELTA_BITS) + delta_ns);
    match kind {
        // The length is in a separate word, includes that word, and is rounded up to whole words.
        0 => event(8, 4 + usize::try_from(word(4)?).ok()?.checked_next_multiple_of(4)?),
        // Without time the end; otherwise a discarded event, with its length.
        PADDING if delta_ns == 0 => None,
        PADDING => {
            let end = 4_usize.checked_add(usize::try_from(word(4)?).ok()?)?;
            Some((Entry::Later { delta_ns }, bytes.get(end..)?))
        }
        TIME_EXTEND => Some((Entry::Later { delta_ns: long()? }, bytes.get(8..)?)),
        TIME_STAMP => Some((Entry::At { low: long()? }, bytes.get(8..)?)),
        words => event(4, 4 + 4 * words as usize),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::event::tests::recorded;

    const HEADER: &str = include_str!("../../tests/fixture/header_page.format");

    fn layout() -> PageLayout {
        PageLayout::of(&Format::parse(HEADER)).unwrap()
    }

    fn read(page: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        layout().events(page, &recorded(), &mut events);
        events
    }

    /// The first word of an entry.
    fn head(kind: u32, delta_ns: u32) -> [u8; 4] {
        match cfg!(target_endian = "little") {
            true => (kind | delta_ns << 5).to_ne_bytes(),
            false => (kind << DELTA_BITS | delta_ns).to_ne_bytes(),
        }
    }

    /// An issued read of sector `sector`: 64 bytes.
    fn issue(sector: u64) -> Vec<u8> {
        let mut raw = vec![0; 64];
        raw[..2].copy_from_slice(&2_104_u16.to_ne_bytes());
        raw[8..12].copy_from_slice(&(254_u32 << 20).to_ne_bytes());
        raw[16..24].copy_from_slice(&sector.to_ne_bytes());
        raw[24..28].copy_from_slice(&8_u32.to_ne_bytes());
        raw[34] = b'R';
        raw
    }

    fn page(stamp: u64, flags: u64, data: &[u8], suffix: &[u8]) -> Vec<u8> {
        let commit = data.len() as u64 | flags;
        [&stamp.to_ne_bytes()[..], &commit.to_ne_bytes(), data, suffix].concat()
    }

    fn at(event: &Event) -> (u64, u64) {
        match event {
            Event::Block(block) => (block.at_ns, block.sector),
            Event::Lost { at_ns, count } => (*at_ns, *count),
        }
    }

    #[test]
    fn the_layout_of_a_page_is_parsed() {
        assert_eq!((layout().page_bytes(), layout().data.offset), (4_096, 16));
        assert_eq!(PageLayout::of(&Format::parse("")), None);
        assert_eq!(PageLayout::of(&Format::parse(&HEADER.replace("4080", "99999999999999"))), None);
        for field in ["timestamp", "commit"] {
            let beyond = format!("\tfield: u64 {field};\toffset:{};\tsize:8;\tsigned:0;\n{HEADER}", usize::MAX);
            assert_eq!(PageLayout::of(&Format::parse(&beyond)), None, "{field}");
        }
    }

    #[test]
    fn times_add_up_from_entry_to_entry() {
        let data = [
            &head(16, 5)[..],
            &issue(8),
            &head(TIME_EXTEND, 1),
            &2_u32.to_ne_bytes(),
            &head(0, 3),
            &68_u32.to_ne_bytes(),
            &issue(16),
            &head(PADDING, 4),
            &8_u32.to_ne_bytes(),
            &[0; 4],
            &head(16, 2),
            &issue(24),
            &head(PADDING, 0),
            &head(16, 2),
            &issue(32),
        ]
        .concat();
        let extended = (2 << 27) + 1;
        let expected = [(1_005, 8), (1_008 + extended, 16), (1_014 + extended, 24)];
        let events: Vec<(u64, u64)> = read(&page(1_000, 0, &data, &[])).iter().map(at).collect();
        assert_eq!(events, expected, "entries after the final padding are ignored");
    }

    #[test]
    fn an_absolute_time_keeps_the_highest_bits_of_the_previous_one() {
        let data = [&head(TIME_STAMP, 7)[..], &1_u32.to_ne_bytes(), &head(16, 3), &issue(8)].concat();
        let high = 3_u64 << STAMP_BITS;
        assert_eq!(at(&read(&page(high | 99, 0, &data, &[]))[0]), (high + (1 << 27) + 10, 8));
    }

    #[test]
    fn losses_have_their_number_if_the_page_has_it() {
        let data = [&head(16, 5)[..], &issue(8)].concat();
        let events =
            |flags: u64, suffix: &[u8]| read(&page(1_000, flags, &data, suffix)).iter().map(at).collect::<Vec<_>>();
        assert_eq!(events(LOST | LOST_STORED, &77_u64.to_ne_bytes()), [(1_000, 77), (1_005, 8)]);
        assert_eq!(events(LOST, &[]), [(1_000, 1), (1_005, 8)]);
    }

    proptest! {
        #[test]
        fn no_page_panics(
            stamp: u64, commit: u64, entries in prop::collection::vec((0u32..32, 0u32..1 << 27, any::<u32>()), 0..60),
            noise in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let words = entries.iter().flat_map(|(kind, delta, word)| [head(*kind, *delta), word.to_ne_bytes()].concat());
            let data: Vec<u8> = words.collect();
            let _ = read(&[&stamp.to_ne_bytes()[..], &commit.to_ne_bytes(), &data, &noise].concat());
            let _ = read(&page(stamp, commit & !LENGTH, &noise, &data));
            let _ = read(&noise);
        }
    }
}
