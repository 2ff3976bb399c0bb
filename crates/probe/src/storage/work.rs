//! A lane as [`Work`]: opened by the thread of its job, in its first step.

use std::sync::Arc;

use measure::{Broken, Done, NextOperation, Queue, Work};
use record::{IoKind, IoMode, Nanos};

use super::io_engine::IoEngine;
use super::lane::Lane;
use super::ledger::{Ledger, Page};
use super::lossy::Lossy;
use super::ring::Ring;
use super::setting::LaneSetting;
use super::synchronous::{Null, Synchronous};

/// The work of one clone.
pub fn work(setting: LaneSetting, ledger: Arc<Ledger>) -> Box<dyn Work> {
    lane_work(setting, ledger, open)
}

/// The same over storage that acknowledges write number `lost` of the clone, from 0, and does not carry it out: for tests
/// of verification.
#[doc(hidden)]
pub fn work_that_loses(lost: u64, setting: LaneSetting, ledger: Arc<Ledger>) -> Box<dyn Work> {
    lane_work(setting, ledger, move |setting| {
        let page = |mode: &str| Page { mode: format!("{mode}, losing a write"), ..Page::default() };
        Ok(match setting.job.mode {
            IoMode::Ring => Box::new(Lane::new(
                setting,
                |_: &Lossy<Ring>| page("io_uring"),
                |setting, memory| {
                    let ring = Ring::open(setting.engine_settings(memory), &setting.job.ring, setting.idle)?;
                    Ok(Lossy::new(ring, lost))
                },
            )?),
            IoMode::Synchronous | IoMode::Null => Box::new(Lane::new(
                setting,
                |_: &Lossy<Synchronous>| page("pread and pwrite"),
                |setting, memory| Ok(Lossy::new(Synchronous::open(setting.engine_settings(memory)), lost)),
            )?),
        })
    })
}

fn lane_work(
    setting: LaneSetting,
    ledger: Arc<Ledger>,
    open: impl Fn(Arc<LaneSetting>) -> std::io::Result<Box<dyn AnyLane>> + Send + 'static,
) -> Box<dyn Work> {
    let streams = setting.streams.iter().map(|(_, number)| *number).collect();
    Box::new(LaneWork { setting: Arc::new(setting), streams, lane: None, ledger, open: Box::new(open) })
}

/// A lane with any I/O engine.
trait AnyLane: Queue {
    fn report(&mut self, ledger: &Ledger);
    fn queue(&mut self) -> &mut dyn Queue;
}

impl<E: IoEngine> AnyLane for Lane<E> {
    fn report(&mut self, ledger: &Ledger) {
        Lane::report(self, ledger);
    }

    fn queue(&mut self) -> &mut dyn Queue {
        self
    }
}

/// Opens a lane on the thread that uses it.
fn open(setting: Arc<LaneSetting>) -> std::io::Result<Box<dyn AnyLane>> {
    let named = |mode: &str| Page { mode: mode.to_owned(), ..Page::default() };
    Ok(match setting.job.mode {
        IoMode::Ring => Box::new(Lane::new(
            setting,
            |ring: &Ring| Page::granted(ring.granted()),
            |setting, memory| Ring::open(setting.engine_settings(memory), &setting.job.ring, setting.idle),
        )?),
        IoMode::Synchronous => Box::new(Lane::new(
            setting,
            |_: &Synchronous| named("pread and pwrite"),
            |setting, memory| Ok(Synchronous::open(setting.engine_settings(memory))),
        )?),
        IoMode::Null => {
            let open = |setting: &LaneSetting, _| Ok(Null::open(setting.job.slots()));
            Box::new(Lane::new(setting, |_: &Null| named("null (no I/O)"), open)?)
        }
    })
}

struct LaneWork {
    setting: Arc<LaneSetting>,
    streams: Vec<usize>,
    lane: Option<LocalLane>,
    ledger: Arc<Ledger>,
    open: Box<OpenLane>,
}

/// Opens a lane.
type OpenLane = dyn Fn(Arc<LaneSetting>) -> std::io::Result<Box<dyn AnyLane>> + Send;

impl LaneWork {
    fn report(&mut self) {
        if let Some(LocalLane(lane)) = &mut self.lane {
            lane.report(&self.ledger);
        }
    }
}

/// A lane on its thread.
struct LocalLane(Box<dyn AnyLane>);

// SAFETY: a lane is opened by the thread of its job and used and dropped by it, or dropped after that thread has
// ended; its pointers refer to memory that it owns. Rings of a single issuer may be closed by any thread.
unsafe impl Send for LocalLane {}

impl Work for LaneWork {
    fn step(&mut self, _number: u64) -> Result<Done, Broken> {
        Err(Broken { message: "a lane is driven as a queue".to_owned() })
    }

    fn finish(&mut self) -> Result<(), Broken> {
        self.report();
        Ok(())
    }

    fn aborted(&mut self) {
        self.report();
    }

    fn queue(&mut self) -> Option<&mut dyn Queue> {
        let (setting, open) = (&self.setting, &self.open);
        let LocalLane(lane) = self.lane.get_or_insert_with(|| {
            LocalLane(open(Arc::clone(setting)).unwrap_or_else(|error| {
                let (engine, hint) = match setting.job.mode {
                    IoMode::Ring => ("io_uring", "; hint: use --engine sync, or request fewer features of io_uring"),
                    _ => ("memory", ""),
                };
                let message = format!("job {}: {engine} is not available: {error}{hint}", setting.job.name);
                Box::new(NotOpened { message })
            }))
        });
        Some(lane.queue())
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

/// A lane that could not be opened: its first step returns the reason.
struct NotOpened {
    message: String,
}

impl Queue for NotOpened {
    fn depth(&self) -> u32 {
        1
    }

    fn begin(&mut self, _slot: u32) -> Result<NextOperation, Broken> {
        Err(Broken { message: self.message.clone() })
    }

    fn submit(&mut self, _least: u32, _until: Option<Nanos>) -> Result<(), Broken> {
        Ok(())
    }

    fn reap(&mut self, _done: &mut Done) -> Result<Option<u32>, Broken> {
        Ok(None)
    }
}

impl AnyLane for NotOpened {
    fn report(&mut self, _ledger: &Ledger) {}

    fn queue(&mut self) -> &mut dyn Queue {
        self
    }
}
