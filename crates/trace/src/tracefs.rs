//! The file system in which the kernel describes its tracepoints, and the second rung: an instance of the kernel's own
//! tracer, whose rings are read as files. No programs and no types of the kernel are needed, and no system calls are seen.

mod instance;
mod left;
mod page;

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use record::Rung;
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};

use crate::collector::{Collector, Rings};
use crate::counting::{Counted, Counting};
use crate::event::{Decoder, Event};
use crate::format::Format;
use crate::refusal::Refused;
use crate::request;
use instance::Instance;

pub(crate) use left::remove_left;
pub(crate) use page::PageLayout;

/// Where it is mounted, if it is.
const PLACES: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// tracefs, as far as this process may read it.
#[derive(Debug)]
pub(crate) struct Tracefs {
    path: PathBuf,
    /// A mount that is nowhere in the file system: nobody else sees it, and it is gone with this process.
    _own: Option<OwnedFd>,
}

impl Tracefs {
    /// Where it is mounted; where it is not, as a mount of this process alone, which takes root.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub(crate) fn find() -> Result<Tracefs, Refused> {
        let mut last: Option<io::Error> = None;
        for place in PLACES.map(Path::new) {
            match fs::read_dir(place.join("events/block")) {
                Ok(_) => return Ok(Tracefs { path: place.to_owned(), _own: None }),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => last = Some(error),
            }
        }
        let own = Tracefs::mount().map_err(|error| refused(last.as_ref().unwrap_or(&error)))?;
        match own.path.join("events/block").is_dir() {
            true => Ok(own),
            false => Err(Refused::new(
                "the kernel has no tracepoints of the block layer (no events/block in tracefs)",
                "use a kernel that is built with CONFIG_EVENT_TRACING and CONFIG_BLOCK",
            )),
        }
    }

    fn mount() -> io::Result<Tracefs> {
        let context = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
        fsconfig_create(&context)?;
        let own = fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty())?;
        Ok(Tracefs { path: PathBuf::from(format!("/proc/self/fd/{}", own.as_raw_fd())), _own: Some(own) })
    }

    /// Its directory, as this process may name it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

fn refused(error: &io::Error) -> Refused {
    match error.kind() {
        io::ErrorKind::PermissionDenied => Refused::new(
            "tracepoints are described in tracefs, which this user may not read",
            "run as root, or let the user in: mount -o remount,mode=755 /sys/kernel/tracing",
        ),
        _ => Refused::new(
            format!("tracepoints are described in tracefs, which is not to be had: {error}"),
            "mount it: mount -t tracefs nodev /sys/kernel/tracing",
        ),
    }
}

/// An instance of the kernel's tracer whose events are of one device.
pub(crate) struct TracefsEvents {
    instance: Arc<Instance>,
    collector: Collector,
}

/// The rings of all processors.
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
    /// Has the kernel note the requests of `device`.
    ///
    /// # Errors
    /// Where the kernel does not permit it, or has no such events.
    pub(crate) fn start(tracefs: Tracefs, device: u32) -> Result<TracefsEvents, Refused> {
        let decoder = Decoder::of(tracefs.path(), device)?;
        let text = at_once(&tracefs.path().join("events/header_page")).unwrap_or_default();
        let layout = PageLayout::of(&Format::parse(&text)).ok_or_else(|| {
            Refused::new(
                "pages of the kernel's tracer are laid out in a way that dbdyno does not know",
                "tell the makers of dbdyno which kernel it is",
            )
        })?;
        let instance = Instance::make(tracefs, &decoder.filter()).map_err(|error| of_instance(&error))?;
        let files = instance.open_rings().map_err(|error| of_instance(&error))?;
        let instance = Arc::new(instance);
        let page = vec![0; layout.page_bytes()];
        let rings = TracefsRings { files, instance: Arc::clone(&instance), layout, decoder, page };
        let collector = Collector::start(rings).map_err(|error| of_instance(&error))?;
        Ok(TracefsEvents { instance, collector })
    }
}

/// The text of the file at `path`, read with one call: the kernel gives this one nothing for the second.
fn at_once(path: &Path) -> io::Result<String> {
    let mut bytes = vec![0; 64 << 10];
    let length = rustix::io::read(File::open(path)?, &mut bytes[..])?;
    bytes.truncate(length);
    String::from_utf8(bytes).map_err(|_| io::ErrorKind::InvalidData.into())
}

fn of_instance(error: &io::Error) -> Refused {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            Refused::new("the kernel's tracer takes instructions from root only", "run as root")
        }
        _ => Refused::new(
            format!("the kernel's tracer cannot be had: {error}"),
            "use a kernel that is built with CONFIG_FTRACE, and see what lies in instances of /sys/kernel/tracing",
        ),
    }
}

impl Counting for TracefsEvents {
    fn rung(&self) -> Rung {
        Rung::Tracefs
    }

    fn begin(&self) {
        self.collector.begin();
        self.instance.note(true);
    }

    fn end(&self) {
        self.collector.end();
        self.instance.note(false);
    }

    fn finish(self: Box<Self>) -> Result<Counted, Refused> {
        self.end();
        request::counted(self.collector.finish().map_err(|error| of_instance(&error))?)
    }
}
