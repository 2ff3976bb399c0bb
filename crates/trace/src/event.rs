//! Events of the block layer.

use std::path::Path;

use crate::format::Format;
use crate::refusal::Refused;

/// The kernel counts in these sectors, regardless of the block size of the device.
const SECTOR_BYTES: u64 = 512;

/// Kind of an event of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventKind {
    /// Inserted into the queue; does not occur for requests that are issued directly.
    Inserted,
    /// Issued to the driver.
    Issued,
    /// Returned by the driver to the queue.
    Requeued,
    /// Completed, or partly.
    Completed,
}

/// The tracepoints of the block layer.
pub(crate) const TRACEPOINTS: [(EventKind, &str); 4] = [
    (EventKind::Completed, "block_rq_complete"),
    (EventKind::Requeued, "block_rq_requeue"),
    (EventKind::Issued, "block_rq_issue"),
    (EventKind::Inserted, "block_rq_insert"),
];

/// One event of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockEvent {
    pub kind: EventKind,
    /// Time by the monotonic clock.
    pub at_ns: u64,
    /// READ, WRITE, FLUSH, DISCARD by number.
    pub operation: u32,
    /// First sector; undefined for a flush.
    pub sector: u64,
    /// Length in sectors of 512 bytes.
    pub sectors: u64,
}

/// The operation number of a flush.
pub(crate) const FLUSH: u32 = 2;

/// The operation number of a request by its `rwbs` letters: `WS`, `FF`, `RA`. None for operations that are not counted.
fn operation(letters: &[u8]) -> Option<u32> {
    // A leading F is a preflush; the operation follows it (blk_fill_rwbs).
    let operation = match letters {
        [b'F', rest @ ..] if rest.first().is_some_and(u8::is_ascii_uppercase) && !rest.starts_with(b"S") => rest,
        all => all,
    };
    match operation {
        [b'R', ..] => Some(0),
        [b'W', ..] => Some(1),
        [b'F', ..] => Some(FLUSH),
        [b'D', b'E', ..] => None,
        [b'D', ..] => Some(3),
        _ => None,
    }
}

impl BlockEvent {
    /// Bytes of the request.
    pub(crate) fn bytes(&self) -> u64 {
        self.sectors.saturating_mul(SECTOR_BYTES)
    }
}

/// An entry of a ring buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// An event of a request.
    Block(BlockEvent),
    /// Events before this time were lost.
    Lost {
        /// Time of the report.
        at_ns: u64,
        /// Number of lost events.
        count: u64,
    },
}

impl Event {
    /// Time, nanoseconds by the monotonic clock.
    pub(crate) fn at_ns(&self) -> u64 {
        match self {
            Event::Block(event) => event.at_ns,
            Event::Lost { at_ns, .. } => *at_ns,
        }
    }
}

/// Decodes events of one device by the formats of this kernel.
#[derive(Clone, Debug)]
pub(crate) struct Decoder {
    device: u32,
    formats: Vec<(EventKind, Format)>,
}

impl Decoder {
    /// The decoder for `device`, by the formats below `tracefs`.
    pub(crate) fn of(tracefs: &Path, device: u32) -> Result<Decoder, Refused> {
        let format = |(kind, name): (EventKind, &str)| {
            let path = tracefs.join("events/block").join(name).join("format");
            let text = std::fs::read_to_string(&path).map_err(|error| {
                Refused::new(format!("cannot read tracepoint block:{name}: {error}"), "use a kernel that has it")
            })?;
            known(&text).map(|format| (kind, format)).ok_or_else(|| {
                Refused::new(
                    format!("tracepoint block:{name} has an unknown format"),
                    "report the kernel version to the developers of dbdyno",
                )
            })
        };
        Ok(Decoder { device, formats: TRACEPOINTS.into_iter().map(format).collect::<Result<_, Refused>>()? })
    }

    /// The decoder for `device`, by the formats in the order of [`TRACEPOINTS`]; none if one is unknown.
    pub(crate) fn from_formats(device: u32, texts: [&str; TRACEPOINTS.len()]) -> Option<Decoder> {
        let formats = TRACEPOINTS.iter().zip(texts).map(|((kind, _), text)| Some((*kind, known(text)?)));
        Some(Decoder { device, formats: formats.collect::<Option<_>>()? })
    }

    /// The event filter for the device.
    pub(crate) fn filter(&self) -> String {
        format!("dev == {}", self.device)
    }

    /// Decodes the event at `at_ns` with the bytes `raw`, from its type on. None for other events, devices, and
    /// operations that are not counted.
    pub(crate) fn decode(&self, at_ns: u64, raw: &[u8]) -> Option<BlockEvent> {
        let (kind, format) = self
            .formats
            .iter()
            .find(|(_, format)| format.id.is_some() && format.number("common_type", raw) == format.id)?;
        let number = |name: &str| format.number(name, raw);
        (number("dev")? == u64::from(self.device)).then_some(())?;
        let operation = operation(format.letters("rwbs", raw)?)?;
        Some(BlockEvent { kind: *kind, at_ns, operation, sector: number("sector")?, sectors: number("nr_sector")? })
    }
}

/// The format in `text`, if it has all required fields.
fn known(text: &str) -> Option<Format> {
    const REQUIRED: [&str; 5] = ["common_type", "dev", "sector", "nr_sector", "rwbs"];
    let format = Format::parse(text);
    let is_numbered = format.id.is_some_and(|id| u16::try_from(id).is_ok());
    (is_numbered && REQUIRED.iter().all(|name| format.field(name).is_some())).then_some(format)
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::OPERATIONS;

    /// The decoder of the recorded events: Linux 6.18, disk 254:0.
    pub(crate) fn recorded() -> Decoder {
        let tree = tempfile::tempdir().unwrap();
        for (_, name) in TRACEPOINTS {
            let directory = tree.path().join("events/block").join(name);
            std::fs::create_dir_all(&directory).unwrap();
            let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixture").join(format!("{name}.format"));
            std::fs::copy(fixture, directory.join("format")).unwrap();
        }
        Decoder::of(tree.path(), 254 << 20).unwrap()
    }

    #[test]
    fn a_kernel_without_the_tracepoints_is_an_error() {
        let tree = tempfile::tempdir().unwrap();
        let refused = || Decoder::of(tree.path(), 1).unwrap_err().reason;
        assert!(refused().starts_with("cannot read tracepoint block:block_rq_complete: "), "{}", refused());
        let directory = tree.path().join("events/block/block_rq_complete");
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("format"), "ID: 7\n").unwrap();
        assert!(refused().contains("has an unknown format"), "{}", refused());
    }

    #[test]
    fn other_devices_and_other_events_are_skipped() {
        let decoder = recorded();
        let mut raw = [0; 64];
        raw[..2].copy_from_slice(&2_104_u16.to_ne_bytes());
        raw[8..12].copy_from_slice(&(254_u32 << 20).to_ne_bytes());
        raw[16..24].copy_from_slice(&4_096_u64.to_ne_bytes());
        raw[24..28].copy_from_slice(&8_u32.to_ne_bytes());
        raw[34..36].copy_from_slice(b"RS");
        let event = decoder.decode(5, &raw).unwrap();
        let expected = BlockEvent { kind: EventKind::Issued, at_ns: 5, operation: 0, sector: 4_096, sectors: 8 };
        assert_eq!((event, event.bytes()), (expected, 4_096));
        let changed = |at: usize, value: u8| {
            let mut raw = raw;
            raw[at] = value;
            decoder.decode(5, &raw)
        };
        assert_eq!((changed(8, 16), changed(0, 1), changed(34, b'N')), (None, None, None));
        assert_eq!(decoder.decode(5, &raw[..40]), None, "truncated");
        assert_eq!(decoder.filter(), "dev == 266338304");
    }

    #[test]
    fn letters_of_the_kernel_are_parsed() {
        let of = |letters: &str| operation(letters.as_bytes());
        let (read, write, discard) = (0, 1, 3);
        for (letters, number) in [
            ("R", read),
            ("RA", read),
            ("RSM", read),
            ("WS", write),
            ("WFSM", write),
            ("FWFSM", write),
            ("FWS", write),
            ("F", FLUSH),
            ("FF", FLUSH),
            ("FFS", FLUSH),
            ("FS", FLUSH),
            ("D", discard),
            ("DS", discard),
        ] {
            assert_eq!(of(letters), Some(number), "{letters}");
        }
        for letters in ["", "N", "DE", "DES", "FN", "ZA", "\0R"] {
            assert_eq!(of(letters), None, "{letters}");
        }
    }

    proptest! {
        #[test]
        fn no_letters_panic(letters in prop::collection::vec(any::<u8>(), 0..12)) {
            prop_assert!(operation(&letters).is_none_or(|operation| operation < OPERATIONS));
        }
    }
}
