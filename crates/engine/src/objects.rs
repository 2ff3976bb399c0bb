//! Files kept in a database: objects that are written and read piece by piece.

use record::Bytes;

use crate::{Result, Session};

/// A form in which an engine keeps files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectForm {
    /// As it is written on the command line: lower case, with hyphens, the same word on every engine that has it.
    pub name: &'static str,
    /// What it is, and by which means it is written and read, as a clause.
    pub means: &'static str,
    /// The largest file that it takes.
    pub file_bytes_max: Bytes,
    /// Whether an object has its full length from its creation on, before anything is written into it.
    pub is_allocated: bool,
}

/// What an open object is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectAccess {
    /// It is only read.
    Read,
    /// It is written.
    Write,
}

/// What the engine itself says of all objects of a form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectExtent {
    /// How many there are.
    pub count: u64,
    /// How long they are together.
    pub size_bytes: Bytes,
}

/// A session that keeps files in one form, in the schema that was claimed. Objects are known by numbers of the caller's.
/// Creating, opening, writing, reading and closing one stands inside a transaction of [`ObjectSession::session`].
pub trait ObjectSession: Send {
    /// The session below: its transactions, its counters, whatever can break it off.
    fn session(&mut self) -> &mut dyn Session;

    /// The longest request that the server takes.
    fn request_bytes_max(&self) -> Bytes;

    /// Makes what the form needs, outside a transaction; the objects that are there stay.
    ///
    /// # Errors
    /// What the engine says.
    fn make(&mut self) -> Result<()>;

    /// Removes all objects and what the form needed, if they are there, outside a transaction.
    ///
    /// # Errors
    /// What the engine says.
    fn remove(&mut self) -> Result<()>;

    /// Creates object `number`, which is to become `size` long, and opens it to be written.
    ///
    /// # Errors
    /// What the engine says.
    fn create(&mut self, number: u32, size: Bytes) -> Result<()>;

    /// Opens object `number`.
    ///
    /// # Errors
    /// `Statement` where there is none, and what the engine says.
    fn open(&mut self, number: u32, access: ObjectAccess) -> Result<()>;

    /// Writes `content` from byte `at` of the open object on. Each byte of an object is written once.
    ///
    /// # Errors
    /// What the engine says.
    fn write(&mut self, at: u64, content: &[u8]) -> Result<()>;

    /// Fills `into` from byte `at` of the open object on: a piece that begins and ends where a write did.
    ///
    /// # Errors
    /// `Statement` where there are fewer bytes, and what the engine says.
    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<()>;

    /// Ends the use of the open object, if there is one; before the transaction ends.
    ///
    /// # Errors
    /// What the engine says.
    fn close(&mut self) -> Result<()>;

    /// How many objects there are and how long they are, outside a transaction.
    ///
    /// # Errors
    /// What the engine says.
    fn extent(&mut self) -> Result<ObjectExtent>;
}
