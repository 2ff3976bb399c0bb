//! The third rung: the kernel hands the events of the block layer over one by one, through rings of memory that both
//! share (`perf_event_open`). No instance of its tracer is needed.

mod kernel;
mod records;

use std::ffi::CString;
use std::io;
use std::sync::Arc;

use record::Rung;

use crate::collector::{Collector, Rings};
use crate::counting::{Counted, Counting};
use crate::event::{Decoder, Event};
use crate::processors;
use crate::refusal::Refused;
use crate::request;
use crate::tracefs::Tracefs;
use kernel::{CpuEvent, Ring};

pub(crate) use records::events;

/// Bytes of the ring of a processor, largest first: the kernel limits what who is not root may have. An event takes about
/// 100 of them.
const RING_BYTES: [usize; 4] = [2 << 20, 512 << 10, 128 << 10, 32 << 10];

/// Tracepoints that are listened to on all processors.
pub(crate) struct PerfEvents {
    /// Of all processors.
    events: Arc<Vec<CpuEvent>>,
    collector: Collector,
}

/// The rings of all processors.
struct PerfRings {
    rings: Vec<Ring>,
    events: Arc<Vec<CpuEvent>>,
    decoder: Decoder,
    /// Bytes of a ring that were just taken out of it.
    bytes: Vec<u8>,
    /// Samples that were in them so far.
    samples: u64,
}

impl Rings for PerfRings {
    fn drain(&mut self, into: &mut Vec<Event>) -> io::Result<()> {
        for ring in &mut self.rings {
            self.bytes.clear();
            ring.take(&mut self.bytes);
            self.samples += records::events(&self.bytes, &self.decoder, into);
        }
        Ok(())
    }

    fn lost_count(&mut self) -> Option<u64> {
        // Not only what a full ring had no room for: there are kernels that count events and hand no sample over, without
        // a word (see the ladder in `tracer`).
        let counted: u64 = self.events.iter().map(CpuEvent::count_so_far).sum::<Option<u64>>()?;
        Some(counted.saturating_sub(self.samples))
    }
}

impl PerfEvents {
    /// Listens to the requests of `device`.
    ///
    /// # Errors
    /// Where the kernel does not permit it, or has no such events.
    pub(crate) fn start(tracefs: &Tracefs, device: u32) -> Result<PerfEvents, Refused> {
        let decoder = Decoder::of(tracefs.path(), device)?;
        let condition = CString::new(decoder.filter()).unwrap_or_default();
        let mut rings = Vec::new();
        let mut events: Vec<CpuEvent> = Vec::new();
        for cpu in processors::online() {
            let first = events.len();
            for id in decoder.ids() {
                let event = CpuEvent::open(id, cpu).map_err(|error| refused(&error))?;
                event.filter(&condition).map_err(|error| refused(&error))?;
                match events.get(first) {
                    None => rings.push(ring(&event).map_err(|error| refused(&error))?),
                    Some(first) => event.write_to(first).map_err(|error| refused(&error))?,
                }
                events.push(event);
            }
        }
        let events = Arc::new(events);
        let read = PerfRings { rings, events: Arc::clone(&events), decoder, bytes: Vec::new(), samples: 0 };
        let collector = Collector::start(read).map_err(|error| refused(&error))?;
        Ok(PerfEvents { events, collector })
    }

    fn count(&self, on: bool) {
        // An event that cannot be switched on or off was opened a moment ago by this process: there is nothing to be done,
        // and what it did not see is seen by nobody.
        self.events.iter().for_each(|event| drop(event.switch(on)));
    }
}

/// A ring as large as may be.
fn ring(event: &CpuEvent) -> io::Result<Ring> {
    let mut last = io::Error::other("no ring was tried");
    for bytes in RING_BYTES {
        match Ring::of(event, bytes) {
            Ok(ring) => return Ok(ring),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn refused(error: &io::Error) -> Refused {
    match error.kind() {
        io::ErrorKind::PermissionDenied => Refused::new(
            "listening to tracepoints takes the capability CAP_PERFMON",
            "run as root, or write -1 to /proc/sys/kernel/perf_event_paranoid",
        ),
        _ => Refused::new(
            format!("perf_event_open does not give the events of the block layer: {error}"),
            "use a kernel that is built with CONFIG_PERF_EVENTS and CONFIG_BLOCK's tracepoints",
        ),
    }
}

impl Counting for PerfEvents {
    fn rung(&self) -> Rung {
        Rung::Perf
    }

    fn begin(&self) {
        self.collector.begin();
        self.count(true);
    }

    fn end(&self) {
        self.collector.end();
        self.count(false);
    }

    fn finish(self: Box<Self>) -> Result<Counted, Refused> {
        self.end();
        request::counted(self.collector.finish().map_err(|error| refused(&error))?)
    }
}
