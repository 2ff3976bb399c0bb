//! Reads the lines of a record on several processors, so that what is taken out of a run is never in memory for all runs.

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
use crate::possible::Possible;
use crate::series::without_series;

/// Bytes that are read at once.
const PIECE_BYTES: u64 = 1 << 20;

/// Bytes of lines that a worker is given at once, about.
const BATCH_BYTES: usize = 4 << 20;

/// Bytes of the longest line: the plan of some million runs, or what was kept of a run of some years.
const LINE_BYTES_MAX: usize = 1 << 30;

/// The field that says which version a record has, also where it is one document.
pub(crate) const VERSION_FIELD: &[u8] = b"\"schema_version\"";

/// Which fields of the runs are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fields {
    /// All.
    All,
    /// All but what was kept over time, which is most of a run.
    NoSeries,
}

/// How a record is read: which fields, by how many workers, and what is done with each run as soon as it is parsed.
pub(crate) struct Reading<'a, R> {
    pub(crate) fields: Fields,
    pub(crate) workers: usize,
    pub(crate) look: &'a (dyn Fn(&mut R) -> Possible + Sync),
}

/// The number of workers of a reader who has the machine for itself.
pub(crate) fn all_processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// What the file at `path` holds up to its last complete line, and how many bytes that are. What follows, an append that
/// did not come to its end has left.
pub(crate) fn gather<R>(path: &Path, file: &File, reading: &Reading<'_, R>) -> Result<(Folded<R>, u64)>
where
    R: Numbered + DeserializeOwned + Send,
{
    let mut source = Source { path, file, text: Vec::new(), begin: 0, line: 1 };
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
    fold(path, head, batches, source.begin, source.line - 1)
}

/// The record that begins with `head` and goes on with `batches`, the last of whose lines has the number `last` and ends
/// before byte `end`.
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
        for ((place, line), number) in batch.lines.into_iter().zip(batch.line..) {
            if !folded.add(place, line) {
                return Err(damaged(path, number, "the head of a record in the middle of it".to_owned(), 1));
            }
        }
        match batch.fault {
            // Blocks that the device had not taken yet when the power failed read as zeros, which no line has.
            Some(fault) if fault.line == last && fault.has_zeros => end = fault.begin,
            Some(fault) => return Err(fault.error),
            None => {}
        }
    }
    Ok((folded, end))
}

pub(crate) fn damaged(path: &Path, line: usize, reason: String, column: usize) -> Error {
    Error::Damaged { path: path.to_owned(), reason, line, column }
}

/// Complete lines that follow each other.
struct Batch {
    /// Where they begin in the file.
    begin: u64,
    /// The number of the first, counted from 1.
    line: usize,
    text: Vec<u8>,
}

/// What became of a batch.
struct Parsed<R> {
    /// The number of its first line.
    line: usize,
    /// Its lines up to the fault, and where they lie in the file.
    lines: Vec<(Range<u64>, Line<R>)>,
    fault: Option<Fault>,
}

/// A line that is none.
struct Fault {
    line: usize,
    begin: u64,
    has_zeros: bool,
    error: Error,
}

/// A file that is read piece by piece.
struct Source<'a> {
    path: &'a Path,
    file: &'a File,
    /// What is read and not handed out.
    text: Vec<u8>,
    /// Where that begins in the file.
    begin: u64,
    /// The number of the line that it begins with.
    line: usize,
}

impl Source<'_> {
    /// Reads on; whether there was something.
    fn read(&mut self) -> Result<bool> {
        let read = self.file.take(PIECE_BYTES).read_to_end(&mut self.text);
        read.map(|count| count > 0).map_err(|cause| Error::Read { path: self.path.to_owned(), cause })
    }

    /// The next complete lines, `bytes_min` of them where there are as many; none at the end.
    fn batch(&mut self, bytes_min: usize) -> Result<Option<Batch>> {
        let (mut looked, mut whole) = (0, 0);
        loop {
            if let Some(at) = memrchr(b'\n', &self.text[looked..]) {
                whole = looked + at + 1;
            }
            looked = self.text.len();
            if whole >= bytes_min.max(1) {
                break;
            }
            if looked - whole > LINE_BYTES_MAX {
                let line = self.line + memchr_iter(b'\n', &self.text[..whole]).count();
                return Err(damaged(self.path, line, format!("it is longer than {LINE_BYTES_MAX} bytes"), 1));
            }
            if !self.read()? {
                break;
            }
        }
        if whole == 0 {
            return Ok(None);
        }
        let rest = self.text.split_off(whole);
        let batch = Batch { begin: self.begin, line: self.line, text: std::mem::replace(&mut self.text, rest) };
        self.begin += whole as u64;
        self.line += memchr_iter(b'\n', &batch.text).count();
        Ok(Some(batch))
    }

    /// The first line, and those that were read with it.
    fn head(&mut self) -> Result<(Head, Batch)> {
        self.read()?;
        begins_as_record(self.path, &self.text)?;
        let Some(mut batch) = self.batch(1)? else { return Err(Error::Truncated { path: self.path.to_owned() }) };
        let length = memchr::memchr(b'\n', &batch.text).map_or(batch.text.len(), |end| end + 1);
        let rest = batch.text.split_off(length);
        let head = head(self.path, &batch.text)?;
        Ok((head, Batch { begin: length as u64, line: 2, text: rest }))
    }
}

/// Whether a file of which this is the beginning can be a record.
fn begins_as_record(path: &Path, text: &[u8]) -> Result<()> {
    let path = path.to_owned();
    let begin = text.trim_ascii_start();
    let inside = begin.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    match inside {
        None if begin.is_empty() => Err(Error::Truncated { path }),
        Some(inside) if inside.starts_with(b"\"head\"") => Ok(()),
        Some(inside) if b"\"head\"".starts_with(inside) => Err(Error::Truncated { path }),
        Some(inside) => match version_of_document(inside) {
            Some(version) => Err(Error::Document { path, version }),
            None => Err(Error::NotARecord { path, reason: NO_HEAD.to_owned() }),
        },
        None => Err(Error::NotARecord { path, reason: NO_HEAD.to_owned() }),
    }
}

/// What is missing in a file of somebody else.
const NO_HEAD: &str = "its first line is not the head of one";

/// The version that stands in a record that is one document.
fn version_of_document(text: &[u8]) -> Option<u64> {
    let at = memchr::memmem::find(text, VERSION_FIELD)?;
    let value = text[at + VERSION_FIELD.len()..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&value[..digits]).ok()?.parse().ok()
}

/// What every version of the head has.
#[derive(Deserialize)]
struct First {
    head: Version,
}

#[derive(Deserialize)]
struct Version {
    format: Option<String>,
    schema_version: Option<u64>,
}

/// The head in `text`, the first line: the version first, the rest only where the version is known.
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

/// Hands out `rest` and then all that `source` has, in batches.
fn send_all(source: &mut Source<'_>, rest: Batch, sender: SyncSender<Batch>) -> Result<()> {
    let mut next = Some(rest);
    while let Some(batch) = next {
        if sender.send(batch).is_err() {
            let cause = io::Error::other("nobody is left to parse it");
            return Err(Error::Read { path: source.path.to_owned(), cause });
        }
        next = source.batch(BATCH_BYTES)?;
    }
    Ok(())
}

/// What a worker does until there are no more batches.
fn parse_all<R: Numbered + DeserializeOwned>(
    path: &Path,
    receiver: &Mutex<Receiver<Batch>>,
    reading: &Reading<'_, R>,
) -> Vec<Parsed<R>> {
    let next = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
    let mut parsed: Vec<Parsed<R>> = Vec::new();
    while let Ok(batch) = next() {
        // After a fault batches are still taken, so that nobody waits for room, and parsed: the first fault is the one to
        // tell, and it may be another worker's.
        parsed.push(parse_batch(path, &batch, reading));
    }
    parsed
}

fn parse_batch<R: Numbered + DeserializeOwned>(path: &Path, batch: &Batch, reading: &Reading<'_, R>) -> Parsed<R> {
    let mut parsed = Parsed { line: batch.line, lines: Vec::new(), fault: None };
    let mut begin = batch.begin;
    for (text, number) in batch.text.split_inclusive(|byte| *byte == b'\n').zip(batch.line..) {
        let end = begin + text.len() as u64;
        match parse(path, number, text, reading) {
            Ok(line) => parsed.lines.push((begin..end, line)),
            Err(error) => {
                parsed.fault = Some(Fault { line: number, begin, has_zeros: text.contains(&0), error });
                break;
            }
        }
        begin = end;
    }
    parsed
}

fn parse<R>(path: &Path, number: usize, text: &[u8], reading: &Reading<'_, R>) -> Result<Line<R>>
where
    R: Numbered + DeserializeOwned,
{
    if let Some(run) = R::glimpse(text) {
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
        (reading.look)(run).map_err(|reason| Error::Impossible { path: path.to_owned(), reason })?;
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
