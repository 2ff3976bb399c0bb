//! Events of the block layer, as the kernel hands them over one by one.

use std::path::Path;

use crate::format::Format;
use crate::refusal::Refused;
use crate::request::operation;

/// Bytes of a sector, whatever the device has.
const SECTOR_BYTES: u64 = 512;

/// What happened to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// It was put into the queue. One that goes to the driver at once never is.
    Inserted,
    /// The driver got it.
    Issued,
    /// The driver gave it back.
    Requeued,
    /// It was done, or a part of it.
    Completed,
}

/// The tracepoints of the block layer that are listened to.
pub(crate) const TRACEPOINTS: [(What, &str); 4] = [
    (What::Completed, "block_rq_complete"),
    (What::Requeued, "block_rq_requeue"),
    (What::Issued, "block_rq_issue"),
    (What::Inserted, "block_rq_insert"),
];

/// One event of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockEvent {
    pub what: What,
    /// When, by the monotonic clock.
    pub at_ns: u64,
    /// READ, WRITE, FLUSH, DISCARD by number.
    pub operation: u32,
    /// Where the request begins. That of a flush means nothing.
    pub sector: u64,
    /// Length of the request in sectors of 512 bytes.
    pub sectors: u64,
}

impl BlockEvent {
    /// Bytes of the request.
    pub(crate) fn bytes(&self) -> u64 {
        self.sectors.saturating_mul(SECTOR_BYTES)
    }
}

/// What a reader finds in a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Something happened to a request.
    Block(BlockEvent),
    /// So many events before this moment were lost.
    Lost {
        /// When that was noticed.
        at_ns: u64,
        /// How many events were lost.
        count: u64,
    },
}

impl Event {
    /// When it happened, nanoseconds by the monotonic clock.
    pub(crate) fn at_ns(&self) -> u64 {
        match self {
            Event::Block(event) => event.at_ns,
            Event::Lost { at_ns, .. } => *at_ns,
        }
    }
}

/// Reads events of the requests of one device out of bytes, by the formats of this kernel.
#[derive(Clone, Debug)]
pub(crate) struct Decoder {
    device: u32,
    formats: Vec<(What, Format)>,
}

impl Decoder {
    /// For `device`, by the formats below `tracefs`.
    ///
    /// # Errors
    /// Where the kernel has not these tracepoints, or describes them in another way.
    pub(crate) fn of(tracefs: &Path, device: u32) -> Result<Decoder, Refused> {
        let format = |(what, name): (What, &str)| {
            let path = tracefs.join("events/block").join(name).join("format");
            let text = std::fs::read_to_string(&path).map_err(|error| {
                Refused::new(format!("tracepoint block:{name} cannot be read: {error}"), "use a kernel that has it")
            })?;
            known(&text).map(|format| (what, format)).ok_or_else(|| {
                Refused::new(
                    format!("tracepoint block:{name} is described in a way that dbdyno does not know"),
                    "tell the makers of dbdyno which kernel it is",
                )
            })
        };
        Ok(Decoder { device, formats: TRACEPOINTS.into_iter().map(format).collect::<Result<_, Refused>>()? })
    }

    /// For `device`, by the texts of the formats in the order of [`TRACEPOINTS`]; none where one is not known.
    pub(crate) fn described(device: u32, texts: [&str; TRACEPOINTS.len()]) -> Option<Decoder> {
        let formats = TRACEPOINTS.iter().zip(texts).map(|((what, _), text)| Some((*what, known(text)?)));
        Some(Decoder { device, formats: formats.collect::<Option<_>>()? })
    }

    /// The condition by which the kernel leaves out what other devices do.
    pub(crate) fn filter(&self) -> String {
        format!("dev == {}", self.device)
    }

    /// The event at `at_ns` whose bytes, from its type on, are `raw`. None where it is another event, of another device,
    /// or of an operation that is not counted.
    pub(crate) fn decode(&self, at_ns: u64, raw: &[u8]) -> Option<BlockEvent> {
        let (what, format) = self
            .formats
            .iter()
            .find(|(_, format)| format.id.is_some() && format.number("common_type", raw) == format.id)?;
        let number = |name: &str| format.number(name, raw);
        (number("dev")? == u64::from(self.device)).then_some(())?;
        let operation = operation(format.letters("rwbs", raw)?)?;
        Some(BlockEvent { what: *what, at_ns, operation, sector: number("sector")?, sectors: number("nr_sector")? })
    }
}

/// The format in `text`, where it says everything that is needed.
fn known(text: &str) -> Option<Format> {
    const NEEDED: [&str; 5] = ["common_type", "dev", "sector", "nr_sector", "rwbs"];
    let format = Format::parse(text);
    let is_numbered = format.id.is_some_and(|id| u16::try_from(id).is_ok());
    (is_numbered && NEEDED.iter().all(|name| format.field(name).is_some())).then_some(format)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The decoder of the kernel and of the disk from which the recorded bytes are: Linux 6.18, 254:0.
    pub(crate) fn recorded() -> Decoder {
        let tree = tempfile::tempdir().unwrap();
        for (_, name) in TRACEPOINTS {
            let place = tree.path().join("events/block").join(name);
            std::fs::create_dir_all(&place).unwrap();
            let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixture").join(format!("{name}.format"));
            std::fs::copy(fixture, place.join("format")).unwrap();
        }
        Decoder::of(tree.path(), 254 << 20).unwrap()
    }

    #[test]
    fn a_kernel_without_the_tracepoints_is_told() {
        let tree = tempfile::tempdir().unwrap();
        let refused = || Decoder::of(tree.path(), 1).unwrap_err().reason;
        assert!(refused().starts_with("tracepoint block:block_rq_complete cannot be read: "), "{}", refused());
        let place = tree.path().join("events/block/block_rq_complete");
        std::fs::create_dir_all(&place).unwrap();
        std::fs::write(place.join("format"), "ID: 7\n").unwrap();
        assert!(refused().contains("described in a way"), "{}", refused());
    }

    #[test]
    fn what_is_of_another_device_or_another_event_is_passed_over() {
        let decoder = recorded();
        let mut raw = [0; 64];
        raw[..2].copy_from_slice(&2_104_u16.to_ne_bytes());
        raw[8..12].copy_from_slice(&(254_u32 << 20).to_ne_bytes());
        raw[16..24].copy_from_slice(&4_096_u64.to_ne_bytes());
        raw[24..28].copy_from_slice(&8_u32.to_ne_bytes());
        raw[34..36].copy_from_slice(b"RS");
        let event = decoder.decode(5, &raw).unwrap();
        let expected = BlockEvent { what: What::Issued, at_ns: 5, operation: 0, sector: 4_096, sectors: 8 };
        assert_eq!((event, event.bytes()), (expected, 4_096));
        let changed = |at: usize, value: u8| {
            let mut raw = raw;
            raw[at] = value;
            decoder.decode(5, &raw)
        };
        assert_eq!((changed(8, 16), changed(0, 1), changed(34, b'N')), (None, None, None));
        assert_eq!(decoder.decode(5, &raw[..40]), None, "cut off");
        assert_eq!(decoder.filter(), "dev == 266338304");
    }
}
