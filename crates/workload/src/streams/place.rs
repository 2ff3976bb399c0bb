//! Where a stream keeps its file: in the engine, or on the file system.

use engine::{Canceller, ObjectAccess, ObjectSession, Result};
use record::Bytes;

/// A place that keeps files, as one stream sees it. Creating, opening, writing, reading and closing a file stands between
/// a beginning and a commit.
pub trait Place: Send {
    /// Begins what is committed as a whole.
    ///
    /// # Errors
    /// What the place says.
    fn begin(&mut self) -> Result<()>;

    /// Creates file `number`, which is to become `size` long, and opens it to be written.
    ///
    /// # Errors
    /// What the place says.
    fn create(&mut self, number: u32, size: Bytes) -> Result<()>;

    /// Opens file `number`.
    ///
    /// # Errors
    /// What the place says.
    fn open(&mut self, number: u32, access: ObjectAccess) -> Result<()>;

    /// Writes `content` from byte `at` on.
    ///
    /// # Errors
    /// What the place says.
    fn write(&mut self, at: u64, content: &[u8]) -> Result<()>;

    /// Fills `into` from byte `at` on.
    ///
    /// # Errors
    /// What the place says; fewer bytes are one.
    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<()>;

    /// Closes the file and makes sure of what was written.
    ///
    /// # Errors
    /// What the place says.
    fn commit(&mut self) -> Result<()>;

    /// Closes the file and gives up what was written since the beginning, as far as the place can.
    ///
    /// # Errors
    /// What the place says.
    fn give_up(&mut self) -> Result<()>;

    /// Makes what was done visible in the engine's counters; how many transactions the engine counts for that.
    ///
    /// # Errors
    /// What the place says.
    fn publish_counters(&mut self) -> Result<u64> {
        Ok(0)
    }

    /// The process that serves this stream, where it is one of its own on this host.
    fn server_process(&mut self) -> Option<u32> {
        None
    }

    /// Something that can break off what is going on from another thread.
    fn canceller(&mut self) -> Option<Box<dyn Canceller>> {
        None
    }
}

/// The engine, through a session of its own.
pub struct EnginePlace {
    objects: Box<dyn ObjectSession>,
}

impl EnginePlace {
    /// Through `objects`.
    pub fn new(objects: Box<dyn ObjectSession>) -> EnginePlace {
        EnginePlace { objects }
    }
}

impl Place for EnginePlace {
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

    fn give_up(&mut self) -> Result<()> {
        // What cannot be closed is rolled back all the same.
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
