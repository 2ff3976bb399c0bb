//! Parallel parser of the lines of a record. Runs are reduced as soon as they are parsed, to limit memory.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use memchr::{memchr_iter, memrchr};
use record::{FORMAT, Head, Line, SCHEMA_VERSION};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::fold::{Folded, Numbered};
use crate::series::without_series;
use crate::validate::Validity;

/// Bytes per read.
const READ_BYTES: u64 = 1 << 20;

/// Approximate bytes per batch of lines for a worker.
const BATCH_BYTES: usize = 4 << 20;

/// Maximum length of a line: the plan of some million runs, or a run of some years.
const LINE_BYTES_MAX: usize = 1 << 30;

/// The field with the version of a record, also in a document.
pub(crate) const VERSION_FIELD: &[u8] = b"\"schema_version\"";

/// Which fields of runs are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fields {
    /// All.
    All,
    /// All but the time series, which are most of a run.
    NoSeries,
}

/// How a record is read: fields, number of workers, and a check of each run as soon as it is parsed.
pub(crate) struct Reading<'a, R> {
    pub(crate) fields: Fields,
    pub(crate) workers: usize,
    pub(crate) check: &'a (dyn Fn(&mut R) -> Validity + Sync),
}

/// The default number of workers.
pub(crate) fn all_processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Parses the file at `path` up to its last complete line; returns the length of this part. The rest is an incomplete
/// append.
pub(crate) fn parse_file<R>(path: &Path, file: &File, reading: &Reading<'_, R>) -> Result<(Folded<R>, u64)>
where
    R: Numbered + DeserializeOwned + Send,
{
    let mut source = Source { path, file, text: Vec::new(), offset: 0, line: 1 };
    let (head, rest) = source.head()?;
    let (sender, receiver) = sync_channel(reading.workers);
    let receiver = Mutex::new(receiver);
    let (sent, batches) = thread::scope(|scope| {
        let work = || parse_all(path, &receiver, reading);
        let workers: Vec<_> = (0..reading.workers).map(|_| scope.spawn(work)).collect();
        let sent = send_all(&mut source, rest, sender);
        let parsed =
            |worker: ScopedJoinHandle<'_, Vec<Parsed<R>>>| worker.join().unwrap_or_else(|why| resume_unwind(why));
        (sent, workers.into_iter().flat_map(parsed).collect::<Vec<Parsed<R>>>())
    });
    sent?;
    fold(path, head, batches, source.offset, source.line - 1)
}

/// The record from `head` and `batches`, whose last line has the number `last` and ends before byte `end`.
fn fold<R: Numbered>(
    path: &Path,
    head: Head,
    mut batches: Vec<Parsed<R>>,
    mut end: u64,
    last: usize,
) -> Result<(Folded<R>, u64)> {
    batches.sort_unstable_by_key(|batch| batch.line);
    let mut folded = Folded::new(head);
    for batch in batches {
        for ((span, line), number) in batch.lines.into_iter().zip(batch.line..) {
            if !folded.add(span, line) {
                return Err(damaged(path, number, "a head that is not the first line".to_owned(), 1));
            }
        }
        match batch.fault {
            // After a power failure, blocks that were not written read as zeros, which no line contains.
            Some(fault) if fault.line == last && fault.has_zeros => end = fault.start,
            Some(fault) => return Err(fault.error),
            None => {}
        }
    }
    Ok((folded, end))
}

pub(crate) fn damaged(path: &Path, line: usize, reason: String, column: usize) -> Error {
    Error::Damaged { path: path.to_owned(), reason, line, column }
}

/// Consecutive complete lines.
struct Batch {
    /// Offset in the file.
    offset: u64,
    /// The number of the first, counted from 1.
    line: usize,
    text: Vec<u8>,
}

/// Result of a batch.
struct Parsed<R> {
    /// The number of its first line.
    line: usize,
    /// Its lines up to the fault, with their byte ranges.
    lines: Vec<(Range<u64>, Line<R>)>,
    fault: Option<Fault>,
}

/// An invalid line.
struct Fault {
    line: usize,
    start: u64,
    has_zeros: bool,
    error: Error,
}

/// A file that is read in chunks.
struct Source<'a> {
    path: &'a Path,
    file: &'a File,
    /// Buffered text.
    text: Vec<u8>,
    /// Offset of the buffer in the file.
    offset: u64,
    /// Number of its first line.
    line: usize,
}

impl Source<'_> {
    /// Reads more; false at the end.
    fn read(&mut self) -> Result<bool> {
        let read = self.file.take(READ_BYTES).read_to_end(&mut self.text);
        read.map(|count| count > 0).map_err(|cause| Error::Read { path: self.path.to_owned(), cause })
    }

    /// The next complete lines, at least `bytes_min` bytes if available; none at the end.
    fn batch(&mut self, bytes_min: usize) -> Result<Option<Batch>> {
        let (mut scanned, mut complete) = (0, 0);
        loop {
            if let Some(at) = memrchr(b'\n', &self.text[scanned..]) {
                complete = scanned + at + 1;
            }
            scanned = self.text.len();
            if complete >= bytes_min.max(1) {
                break;
            }
            if scanned - complete > LINE_BYTES_MAX {
                let line = self.line + memchr_iter(b'\n', &self.text[..complete]).count();
                return Err(damaged(self.path, line, format!("it is longer than {LINE_BYTES_MAX} bytes"), 1));
            }
            if !self.read()? {
                break;
            }
        }
        if complete == 0 {
            return Ok(None);
        }
        let rest = self.text.split_off(complete);
        let batch = Batch { offset: self.offset, line: self.line, text: std::mem::replace(&mut self.text, rest) };
        self.offset += complete as u64;
        self.line += memchr_iter(b'\n', &batch.text).count();
        Ok(Some(batch))
    }

    /// The head, and the lines that were read with it.
    fn head(&mut self) -> Result<(Head, Batch)> {
        self.read()?;
        check_start(self.path, &self.text)?;
        let Some(mut batch) = self.batch(1)? else { return Err(Error::Truncated { path: self.path.to_owned() }) };
        let length = memchr::memchr(b'\n', &batch.text).map_or(batch.text.len(), |end| end + 1);
        let rest = batch.text.split_off(length);
        let head = head(self.path, &batch.text)?;
        Ok((head, Batch { offset: length as u64, line: 2, text: rest }))
    }
}

/// Checks the start of a file.
fn check_start(path: &Path, text: &[u8]) -> Result<()> {
    let path = path.to_owned();
    let start = text.trim_ascii_start();
    let inside = start.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    match inside {
        None if start.is_empty() => Err(Error::Truncated { path }),
        Some(inside) if inside.starts_with(b"\"head\"") => Ok(()),
        Some(inside) if b"\"head\"".starts_with(inside) => Err(Error::Truncated { path }),
        Some(inside) => match version_of_document(inside) {
            Some(version) => Err(Error::Document { path, version }),
            None => Err(Error::NotARecord { path, reason: NO_HEAD.to_owned() }),
        },
        None => Err(Error::NotARecord { path, reason: NO_HEAD.to_owned() }),
    }
}

/// The reason for a file that is not a record.
const NO_HEAD: &str = "its first line is not the head of one";

/// The version of a record that is one document.
fn version_of_document(text: &[u8]) -> Option<u64> {
    let at = memchr::memmem::find(text, VERSION_FIELD)?;
    let value = text[at + VERSION_FIELD.len()..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&value[..digits]).ok()?.parse().ok()
}

/// Fields of every version of the head.
#[derive(Deserialize)]
struct First {
    head: Version,
}

#[derive(Deserialize)]
struct Version {
    format: Option<String>,
    schema_version: Option<u64>,
}

/// The head in the first line `text`: first its version, then, if that is supported, the rest.
fn head(path: &Path, text: &[u8]) -> Result<Head> {
    let unread = |cause: serde_json::Error| {
        let (reason, column) = position(&cause);
        damaged(path, 1, reason, column)
    };
    let foreign = |reason: String| Error::NotARecord { path: path.to_owned(), reason };
    let First { head } = serde_json::from_slice(text).map_err(unread)?;
    let supported = u64::from(SCHEMA_VERSION);
    if head.format.as_deref() != Some(FORMAT) {
        return Err(foreign(format!("its format is not {FORMAT:?}")));
    }
    match head.schema_version {
        Some(version) if version == supported => {}
        Some(found) if found > supported => return Err(Error::Newer { path: path.to_owned(), found, supported }),
        Some(found) => return Err(foreign(format!("its schema_version is {found}"))),
        None => return Err(foreign("it has no schema_version".to_owned())),
    }
    match serde_json::from_slice::<Line>(text).map_err(unread)? {
        Line::Head(head) => Ok(*head),
        _ => Err(foreign(NO_HEAD.to_owned())),
    }
}

/// Sends `rest`, and then all of `source`, in batches.
fn send_all(source: &mut Source<'_>, rest: Batch, sender: SyncSender<Batch>) -> Result<()> {
    let mut next = Some(rest);
    while let Some(batch) = next {
        if sender.send(batch).is_err() {
            let cause = io::Error::other("all parser threads have ended");
            return Err(Error::Read { path: source.path.to_owned(), cause });
        }
        next = source.batch(BATCH_BYTES)?;
    }
    Ok(())
}

/// The loop of a worker.
fn parse_all<R: Numbered + DeserializeOwned>(
    path: &Path,
    receiver: &Mutex<Receiver<Batch>>,
    reading: &Reading<'_, R>,
) -> Vec<Parsed<R>> {
    let next = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
    let mut parsed: Vec<Parsed<R>> = Vec::new();
    while let Ok(batch) = next() {
        // Batches are still parsed after a fault: the sender must not block, and another worker may find an earlier
        // fault.
        parsed.push(parse_batch(path, &batch, reading));
    }
    parsed
}

fn parse_batch<R: Numbered + DeserializeOwned>(path: &Path, batch: &Batch, reading: &Reading<'_, R>) -> Parsed<R> {
    let mut parsed = Parsed { line: batch.line, lines: Vec::new(), fault: None };
    let mut start = batch.offset;
    for (text, number) in batch.text.split_inclusive(|byte| *byte == b'\n').zip(batch.line..) {
        let end = start + text.len() as u64;
        match parse(path, number, text, reading) {
            Ok(line) => parsed.lines.push((start..end, line)),
            Err(error) => {
                parsed.fault = Some(Fault { line: number, start, has_zeros: text.contains(&0), error });
                break;
            }
        }
        start = end;
    }
    parsed
}

fn parse<R>(path: &Path, number: usize, text: &[u8], reading: &Reading<'_, R>) -> Result<Line<R>>
where
    R: Numbered + DeserializeOwned,
{
    if let Some(run) = R::peek(text) {
        return Ok(Line::Run(run));
    }
    let short = if reading.fields == Fields::NoSeries { without_series(text) } else { None };
    let parsed = short.and_then(|short| serde_json::from_slice(&short).ok());
    let parsed = parsed.map_or_else(|| serde_json::from_slice(text), Ok);
    let mut line: Line<R> = parsed.map_err(|cause| {
        let (reason, column) = position(&cause);
        damaged(path, number, reason, column)
    })?;
    if let Line::Run(run) = &mut line {
        (reading.check)(run).map_err(|reason| Error::Impossible { path: path.to_owned(), reason })?;
    }
    Ok(line)
}

/// The message without the position that the parser appends to it, and the column.
fn position(cause: &serde_json::Error) -> (String, usize) {
    let (line, column) = (cause.line(), cause.column());
    let message = cause.to_string();
    let reason = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
    (reason.to_owned(), column)
}
