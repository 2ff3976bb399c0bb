//! What a lane is made from, and the work that it is to the workers.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use measure::{Begun, Broken, Done, Queue, Work};
use record::{Bytes, IoJob, IoKind, IoMode, Nanos, OpenSync};

use super::address::Region;
use super::lane::Lane;
use super::ledger::{Ledger, Page};
use super::permutation::mix;
use super::port::PortSetting;
use super::ring::Ring;
use super::synchronous::{Null, Synchronous};

/// What one clone of a job works with.
#[derive(Clone, Debug)]
pub struct LaneSetting {
    /// The job that the lane carries out.
    pub job: Arc<IoJob>,
    /// The number of the lane in its run, from 0.
    pub lane: u32,
    /// The files, open as the job asks.
    pub files: Vec<Arc<File>>,
    /// The part of each file that the clone works on; none smaller than the largest block.
    pub regions: Vec<Region>,
    /// What the files are cut into, if their content can be recognised: see [`unit_bytes`](super::unit_bytes).
    pub unit: Option<Bytes>,
    /// Identifies this invocation in what is written.
    pub writer: u64,
    /// What addresses and data are drawn from.
    pub seed: u64,
    /// The kinds of I/O that the job does, each with the number of the stream that it is counted in.
    pub streams: Vec<(IoKind, usize)>,
    /// Bytes after which the clone is done; absent where only time or the count of I/Os ends it.
    pub bytes_max: Option<Bytes>,
    /// I/Os that the raw log has room for; 0 for no log.
    pub log_room: usize,
    /// Each I/O is a no-operation of the ring: measures the generator.
    pub idle: bool,
}

impl LaneSetting {
    /// What the addresses of this clone alone are drawn from.
    pub(crate) fn address_seed(&self) -> u64 {
        mix(self.seed ^ mix(u64::from(self.lane)))
    }

    /// I/Os after which the clone is done.
    pub(crate) fn ios_max(&self) -> u64 {
        self.job.io_count.unwrap_or(u64::MAX)
    }

    fn port(&self, memory: (*mut u8, usize)) -> PortSetting {
        PortSetting {
            depth: self.job.slots(),
            entries: self.job.slots().saturating_mul(if self.job.commit { 2 } else { 1 }),
            files: self.files.iter().map(|file| file.as_raw_fd()).collect(),
            memory,
            write_dsync: self.job.open_sync == OpenSync::WriteDsync,
        }
    }

    /// Opens the lane on the thread that it will work on.
    fn open(self: Arc<Self>) -> std::io::Result<Box<dyn Opened>> {
        let named = |mode: &str| Page { mode: mode.to_owned(), ..Page::default() };
        Ok(match self.job.mode {
            IoMode::Ring => Box::new(Lane::new(
                self,
                |ring: &Ring| Page::granted(ring.granted()),
                |setting, memory| Ring::open(setting.port(memory), &setting.job.ring, setting.idle),
            )?),
            IoMode::Synchronous => Box::new(Lane::new(
                self,
                |_: &Synchronous| named("pread and pwrite"),
                |setting, memory| Ok(Synchronous::open(setting.port(memory))),
            )?),
            IoMode::Null => {
                let open = |setting: &LaneSetting, _| Ok(Null::open(setting.job.slots()));
                Box::new(Lane::new(self, |_: &Null| named("null (no I/O)"), open)?)
            }
        })
    }
}

/// The kinds of I/O that `job` does, one stream each.
pub fn kinds(job: &IoJob) -> Vec<IoKind> {
    let mut kinds = Vec::new();
    if job.mix.read.0 > 0.0 {
        kinds.push(IoKind::Read);
    }
    if job.mix.write.0 > 0.0 {
        kinds.push(if job.commit { IoKind::Commit } else { IoKind::Write });
    }
    if job.mix.trim.0 > 0.0 {
        kinds.push(IoKind::Trim);
    }
    if (job.sync_every.is_some() && !job.commit && job.mix.write.0 > 0.0) || job.end_sync {
        kinds.push(IoKind::Sync);
    }
    kinds
}

/// The work of one clone. Its port is opened by its own thread, in its first step.
pub fn work(setting: LaneSetting, ledger: Arc<Ledger>) -> Box<dyn Work> {
    let streams = setting.streams.iter().map(|(_, number)| *number).collect();
    Box::new(LaneWork { setting: Arc::new(setting), streams, lane: None, ledger })
}

/// A lane, whatever its port.
trait Opened: Queue {
    fn tell(&mut self, ledger: &Ledger);
    fn queue(&mut self) -> &mut dyn Queue;
}

impl<P: super::port::Port> Opened for Lane<P> {
    fn tell(&mut self, ledger: &Ledger) {
        Lane::tell(self, ledger);
    }

    fn queue(&mut self) -> &mut dyn Queue {
        self
    }
}

struct LaneWork {
    setting: Arc<LaneSetting>,
    streams: Vec<usize>,
    lane: Option<Local>,
    ledger: Arc<Ledger>,
}

impl LaneWork {
    fn tell(&mut self) {
        if let Some(Local(lane)) = &mut self.lane {
            lane.tell(&self.ledger);
        }
    }
}

/// A lane on its thread.
struct Local(Box<dyn Opened>);

// SAFETY: a lane is opened by the thread of its job and used and dropped by it, or dropped after that thread has
// ended; its pointers lead to memory that it owns. Rings of a single issuer may be closed by any thread.
unsafe impl Send for Local {}

impl Work for LaneWork {
    fn step(&mut self, _number: u64) -> Result<Done, Broken> {
        Err(Broken { message: "a lane is driven as a queue".to_owned() })
    }

    fn finish(&mut self) -> Result<(), Broken> {
        self.tell();
        Ok(())
    }

    fn aborted(&mut self) {
        self.tell();
    }

    fn queue(&mut self) -> Option<&mut dyn Queue> {
        if self.lane.is_none() {
            let lane = Arc::clone(&self.setting).open();
            let name = &self.setting.job.name;
            self.lane = Some(Local(lane.unwrap_or_else(|error| {
                let engine = if self.setting.job.mode == IoMode::Ring { "an io_uring" } else { "memory" };
                let hint = match self.setting.job.mode {
                    IoMode::Ring => "; hint: use --engine sync, or ask for fewer features of it",
                    _ => "",
                };
                Box::new(Refused { message: format!("job {name}: {engine} is not to be had: {error}{hint}") })
            })));
        }
        self.lane.as_mut().map(|Local(lane)| lane.queue())
    }

    fn streams(&self) -> Vec<usize> {
        self.streams.clone()
    }

    fn stream_of_unfinished(&self, number: u64) -> usize {
        // In the shares of the mix, spread over the numbers by the golden ratio.
        let draw = (number as f64 * 0.618_033_988_749_895).fract();
        let mix = &self.setting.job.mix;
        let kind = match () {
            () if draw < mix.read.0 => IoKind::Read,
            () if draw < mix.read.0 + mix.write.0 && self.setting.job.commit => IoKind::Commit,
            () if draw < mix.read.0 + mix.write.0 => IoKind::Write,
            () => IoKind::Trim,
        };
        self.setting.streams.iter().position(|(other, _)| *other == kind).unwrap_or(0)
    }
}

/// A lane that could not be opened: its first step says why.
struct Refused {
    message: String,
}

impl Queue for Refused {
    fn depth(&self) -> u32 {
        1
    }

    fn begin(&mut self, _slot: u32) -> Result<Begun, Broken> {
        Err(Broken { message: self.message.clone() })
    }

    fn submit(&mut self, _least: u32, _until: Option<Nanos>) -> Result<(), Broken> {
        Ok(())
    }

    fn reap(&mut self) -> Result<Option<(u32, Done)>, Broken> {
        Ok(None)
    }
}

impl Opened for Refused {
    fn tell(&mut self, _ledger: &Ledger) {}

    fn queue(&mut self) -> &mut dyn Queue {
        self
    }
}
