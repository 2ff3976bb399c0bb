//! The backends of files: the engine, or the file system.

use engine::{Canceller, ObjectAccess, ObjectSession, Result};
use record::Bytes;

/// A backend of files, as one stream uses it. A file is created or opened, written, read and closed between `begin` and
/// `commit`.
pub trait FileBackend: Send {
    /// Starts a transaction.
    ///
    /// # Errors
    /// Errors of the backend.
    fn begin(&mut self) -> Result<()>;

    /// Creates file `number`, which will have `size` bytes, and opens it for writing.
    ///
    /// # Errors
    /// Errors of the backend.
    fn create(&mut self, number: u32, size: Bytes) -> Result<()>;

    /// Opens file `number`.
    ///
    /// # Errors
    /// Errors of the backend.
    fn open(&mut self, number: u32, access: ObjectAccess) -> Result<()>;

    /// Writes `content` at offset `at`.
    ///
    /// # Errors
    /// Errors of the backend.
    fn write(&mut self, at: u64, content: &[u8]) -> Result<()>;

    /// Reads `into` at offset `at`.
    ///
    /// # Errors
    /// Errors of the backend, including a short read.
    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<()>;

    /// Closes the file and makes what was written durable.
    ///
    /// # Errors
    /// Errors of the backend.
    fn commit(&mut self) -> Result<()>;

    /// Closes the file and discards what was written since `begin`, as far as the backend can.
    ///
    /// # Errors
    /// Errors of the backend.
    fn abort(&mut self) -> Result<()>;

    /// Publishes what was done in the counters of the engine; the number of transactions that the engine counts for
    /// that.
    ///
    /// # Errors
    /// Errors of the backend.
    fn publish_counters(&mut self) -> Result<u64> {
        Ok(0)
    }

    /// The process of the session of this stream, if it has one on this host.
    fn server_process(&mut self) -> Option<u32> {
        None
    }

    /// Cancels the current statement from another thread.
    fn canceller(&mut self) -> Option<Box<dyn Canceller>> {
        None
    }
}

/// The engine, with a session.
pub struct EngineBackend {
    objects: Box<dyn ObjectSession>,
}

impl EngineBackend {
    /// With the session `objects`.
    pub fn new(objects: Box<dyn ObjectSession>) -> EngineBackend {
        EngineBackend { objects }
    }
}

impl FileBackend for EngineBackend {
    fn begin(&mut self) -> Result<()> {
        self.objects.session().begin()
    }

    fn create(&mut self, number: u32, size: Bytes) -> Result<()> {
        self.objects.create(number, size)
    }

    fn open(&mut self, number: u32, access: ObjectAccess) -> Result<()> {
        self.objects.open(number, access)
    }

    fn write(&mut self, at: u64, content: &[u8]) -> Result<()> {
        self.objects.write(at, content)
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<()> {
        self.objects.read(at, into)
    }

    fn commit(&mut self) -> Result<()> {
        self.objects.close()?;
        self.objects.session().commit()
    }

    fn abort(&mut self) -> Result<()> {
        // The rollback is done even if the file cannot be closed.
        let closed = self.objects.close();
        self.objects.session().rollback().and(closed)
    }

    fn publish_counters(&mut self) -> Result<u64> {
        self.objects.session().publish_counters()
    }

    fn server_process(&mut self) -> Option<u32> {
        self.objects.session().server_process()
    }

    fn canceller(&mut self) -> Option<Box<dyn Canceller>> {
        self.objects.session().canceller()
    }
}
