//! An I/O engine below which single writes are lost, as by a device that acknowledges what it has not written: a test of
//! verification.

use std::io;

use record::Nanos;

use super::io_engine::{IoEngine, IoRequest, Operation};

/// Another engine; one of its writes is acknowledged and not carried out.
#[derive(Debug)]
pub(crate) struct Lossy<E> {
    engine: E,
    /// The number of the write that is lost, from 0.
    lost: u64,
    writes: u64,
    acknowledged: Option<(u32, i32)>,
}

impl<E> Lossy<E> {
    pub(crate) fn new(engine: E, lost: u64) -> Lossy<E> {
        Lossy { engine, lost, writes: 0, acknowledged: None }
    }
}

impl<E: IoEngine> IoEngine for Lossy<E> {
    fn queue(&mut self, slot: u32, request: &IoRequest) -> io::Result<()> {
        if matches!(request.operation, Operation::Write | Operation::Commit { .. }) {
            self.writes += 1;
            if self.writes == self.lost + 1 {
                self.acknowledged = Some((slot, request.length as i32));
                return Ok(());
            }
        }
        self.engine.queue(slot, request)
    }

    fn submit(&mut self, least: u32, until: Option<Nanos>) -> io::Result<()> {
        self.engine.submit(if self.acknowledged.is_some() { 0 } else { least }, until)
    }

    fn found(&self) -> u32 {
        self.engine.found() + u32::from(self.acknowledged.is_some())
    }

    fn reap(&mut self) -> Option<(u32, i32)> {
        self.acknowledged.take().or_else(|| self.engine.reap())
    }
}
