//! The tracer tracefs: an instance of the kernel's tracer, whose ring buffers are read as files. It needs neither BPF
//! nor BTF, and does not trace system calls.

mod instance;
mod mount;
mod page;

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use record::TracerKind;

use crate::collector::{Collector, Rings};
use crate::counting::{Counted, Counting};
use crate::event::{Decoder, Event};
use crate::format::Format;
use crate::refusal::Refused;
use instance::Instance;

pub(crate) use instance::remove_left;
pub(crate) use mount::Tracefs;
pub(crate) use page::PageLayout;

/// An instance with the events of one device.
pub(crate) struct TracefsEvents {
    instance: Arc<Instance>,
    collector: Collector,
}

/// The ring buffers of all processors.
struct TracefsRings {
    files: Vec<File>,
    instance: Arc<Instance>,
    layout: PageLayout,
    decoder: Decoder,
    page: Vec<u8>,
}

impl Rings for TracefsRings {
    fn drain(&mut self, into: &mut Vec<Event>) -> io::Result<()> {
        for file in &self.files {
            loop {
                match rustix::io::read(file, &mut self.page[..]) {
                    Ok(0) | Err(rustix::io::Errno::AGAIN) => break,
                    Ok(length) => self.layout.events(&self.page[..length], &self.decoder, into),
                    Err(rustix::io::Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(())
    }

    fn lost_count(&mut self) -> Option<u64> {
        self.instance.lost_count()
    }
}

impl TracefsEvents {
    /// Sets up tracing of the requests of `device`.
    pub(crate) fn start(tracefs: Tracefs, device: u32) -> Result<TracefsEvents, Refused> {
        let decoder = Decoder::of(tracefs.path(), device)?;
        let text = at_once(&tracefs.path().join("events/header_page")).unwrap_or_default();
        let layout = PageLayout::of(&Format::parse(&text)).ok_or_else(|| {
            Refused::new(
                "the pages of tracefs have an unknown layout",
                "report the kernel version to the developers of dbdyno",
            )
        })?;
        let instance = Instance::create(tracefs, &decoder.filter()).map_err(|error| refused(&error))?;
        let files = instance.open_rings().map_err(|error| refused(&error))?;
        let instance = Arc::new(instance);
        let page = vec![0; layout.page_bytes()];
        let rings = TracefsRings { files, instance: Arc::clone(&instance), layout, decoder, page };
        let collector = Collector::start(rings).map_err(|error| refused(&error))?;
        Ok(TracefsEvents { instance, collector })
    }
}

/// The text of the file at `path`, by one system call: this file returns nothing to a second one.
fn at_once(path: &Path) -> io::Result<String> {
    let mut bytes = vec![0; 64 << 10];
    let length = rustix::io::read(File::open(path)?, &mut bytes[..])?;
    bytes.truncate(length);
    String::from_utf8(bytes).map_err(|_| io::ErrorKind::InvalidData.into())
}

fn refused(error: &io::Error) -> Refused {
    match error.kind() {
        io::ErrorKind::PermissionDenied => Refused::new("tracefs is writable for root only", "run as root"),
        _ => Refused::new(
            format!("cannot set up a tracefs instance: {error}"),
            "use a kernel built with CONFIG_FTRACE, and see the instances in /sys/kernel/tracing/instances",
        ),
    }
}

impl Counting for TracefsEvents {
    fn kind(&self) -> TracerKind {
        TracerKind::Tracefs
    }

    fn begin(&self) {
        self.collector.begin();
        self.instance.record(true);
    }

    fn end(&self) {
        self.collector.end();
        self.instance.record(false);
    }

    fn finish(self: Box<Self>) -> Result<Counted, Refused> {
        self.end();
        Ok(self.collector.finish().map_err(|error| refused(&error))?.counted())
    }
}
