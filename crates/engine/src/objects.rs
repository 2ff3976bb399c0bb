//! Files stored in a database: objects that are written and read in chunks.

use record::Bytes;

use crate::{Result, Session};

/// A form in which an engine stores files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectForm {
    /// Name on the command line: lower case, with hyphens, the same on every engine that has it.
    pub name: &'static str,
    /// Description, and the API by which it is written and read, as a clause.
    pub means: &'static str,
    /// Maximum size of a file.
    pub file_bytes_max: Bytes,
    /// Whether an object has its full length once it is created, before anything is written into it.
    pub is_allocated: bool,
}

/// Access mode of an open object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectAccess {
    /// Read-only.
    Read,
    /// Write.
    Write,
}

/// Number and size of all objects of a form, as the engine reports them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectExtent {
    /// Number of objects.
    pub count: u64,
    /// Total size.
    pub size_bytes: Bytes,
}

/// A session that stores files in one form, in the claimed schema. Objects are identified by numbers that the caller
/// assigns. An object is created, opened, written, read and closed inside a transaction of [`ObjectSession::session`].
pub trait ObjectSession: Send {
    /// The underlying session: transactions, counters, cancellation.
    fn session(&mut self) -> &mut dyn Session;

    /// Maximum size of a request that the server accepts.
    fn request_bytes_max(&self) -> Bytes;

    /// Creates the tables that the form needs, outside a transaction; existing objects are kept.
    ///
    /// # Errors
    /// Errors of the engine.
    fn make(&mut self) -> Result<()>;

    /// Removes all objects and the tables of the form, if they exist, outside a transaction.
    ///
    /// # Errors
    /// Errors of the engine.
    fn remove(&mut self) -> Result<()>;

    /// Creates object `number` with the final size `size`, and opens it for writing.
    ///
    /// # Errors
    /// Errors of the engine.
    fn create(&mut self, number: u32, size: Bytes) -> Result<()>;

    /// Opens object `number`.
    ///
    /// # Errors
    /// `Statement` if it does not exist; errors of the engine.
    fn open(&mut self, number: u32, access: ObjectAccess) -> Result<()>;

    /// Writes `content` at byte offset `at` of the open object. Each byte of an object is written once.
    ///
    /// # Errors
    /// Errors of the engine.
    fn write(&mut self, at: u64, content: &[u8]) -> Result<()>;

    /// Fills `into` from byte offset `at` of the open object: a range that starts and ends where a write did.
    ///
    /// # Errors
    /// `Statement` if there are fewer bytes; errors of the engine.
    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<()>;

    /// Closes the open object, if there is one; before the transaction ends.
    ///
    /// # Errors
    /// Errors of the engine.
    fn close(&mut self) -> Result<()>;

    /// Number and total size of the objects, outside a transaction.
    ///
    /// # Errors
    /// Errors of the engine.
    fn extent(&mut self) -> Result<ObjectExtent>;
}
