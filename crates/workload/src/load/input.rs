//! The sources of lines.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use flat::{BeginningError, Cards, Compression, FieldKind, Header, Layout, LineReader, Lines, Quote, Style};
use record::{Bytes, JOBS_PER_GENERATOR, LoadModel, LoadNoteKind, Nanos};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::stages::{Spent, Watch};

/// Number of first bytes of a file that determine its compression.
const BEGINNING_BYTES: usize = 4;
/// Poll interval of a pipe, after which the stop flag is checked.
const PIPE_POLL_NS: i64 = 100_000_000;

/// The source of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Card transactions, generated during the load.
    Generated {
        /// The seed.
        seed: u64,
        /// Number of rows.
        rows: u64,
    },
    /// Files.
    Files(Vec<InputFile>),
    /// The standard input.
    Pipe,
}

/// A file to be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    path: PathBuf,
    size: Bytes,
    changed_ns: u128,
}

impl InputFile {
    /// The file at `path`, if it can be read.
    ///
    /// # Errors
    /// Where it cannot.
    pub fn inspect(path: &Path) -> io::Result<InputFile> {
        // Checked before it is opened: opening a named pipe waits for its writer.
        let metadata = path.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a file"));
        }
        File::open(path)?;
        let changed = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let changed_ns = changed.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        // Independent of the spelling of the path.
        Ok(InputFile { path: path.canonicalize()?, size: Bytes(metadata.len()), changed_ns })
    }

    /// Its absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its file name.
    fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

impl Input {
    /// Its bytes, compressed where they are; none if unknown before the end.
    pub fn size(&self) -> Option<Bytes> {
        match self {
            Input::Generated { rows, .. } => Some(Cards::bytes_of(*rows, Style::Bars)),
            Input::Files(files) => Some(Bytes(files.iter().map(|file| file.size.0).sum())),
            Input::Pipe => None,
        }
    }

    /// Number of threads that read or generate for `jobs` sessions: each file is read by one.
    pub(super) fn threads(&self, jobs: u32) -> u32 {
        match self {
            Input::Generated { .. } => jobs.div_ceil(JOBS_PER_GENERATOR),
            Input::Files(files) => u32::try_from(files.len()).unwrap_or(u32::MAX).min(jobs),
            Input::Pipe => 1,
        }
        .max(1)
    }

    /// A short description.
    pub fn source(&self) -> String {
        match self {
            Input::Generated { seed, .. } => format!("generated, seed {seed}"),
            Input::Pipe => "pipe".to_owned(),
            Input::Files(files) if files.len() > 4 => {
                format!("{} and {} more files", files[0].name(), files.len() - 1)
            }
            Input::Files(files) => files.iter().map(InputFile::name).collect::<Vec<String>>().join(", "),
        }
    }

    /// The name of file `file`; its path if another file has the same name.
    pub(super) fn name(&self, file: u32) -> String {
        let Input::Files(files) = self else { return self.source() };
        let Some(file) = files.get(file as usize) else { return String::new() };
        let name = file.name();
        match files.iter().filter(|other| other.name() == name).count() {
            1 => name,
            _ => file.path.display().to_string(),
        }
    }

    /// The identity of the source, with everything that determines the boundaries of batches: a text for the batches,
    /// one for the layout, and one for each file.
    pub fn described(&self, layout: &Layout, batch: Bytes, model: LoadModel) -> Vec<String> {
        let mut described =
            vec![format!("batches of {} bytes into a {} table", batch.0, model.word()), of_layout(layout)];
        match self {
            Input::Generated { seed, rows } => described.push(format!("{rows} cards generated from seed {seed}")),
            Input::Pipe => described.push("a pipe".to_owned()),
            Input::Files(files) => described.extend(files.iter().map(|file| {
                format!("{}, {} bytes, changed {} ns after 1970", file.path.display(), file.size.0, file.changed_ns)
            })),
        }
        described
    }

    /// Checks that each file begins as one of `layout`, before anything is changed; `given` is the compression, if it is
    /// not to be detected. What cannot be read is an error of the load, and not of this check.
    ///
    /// # Errors
    /// An error message about the first file that does not.
    pub fn check(&self, layout: &Layout, given: Option<Compression>) -> Result<(), String> {
        let Input::Files(files) = self else { return Ok(()) };
        let over = Arc::default();
        for file in (0..).take(files.len()) {
            let opened = self.open(file, given, Bytes(1), layout, &over);
            if let Err(error) = opened.map_err(|error| self.refused(file, &error))
                && error.is_mistake
            {
                return Err(error.message);
            }
        }
        Ok(())
    }

    /// Why file `file` cannot be read.
    pub(super) fn refused(&self, file: u32, error: &io::Error) -> SourceError {
        let is_mistake = error.get_ref().is_some_and(|error| error.is::<BeginningError>());
        let name = self.name(file);
        let message = if is_mistake { format!("{name}: {error}") } else { format!("{name} cannot be read: {error}") };
        SourceError { message, is_mistake }
    }

    /// Opens file `file` of `layout`; the compression is detected from its first bytes unless it is given. A pipe ends
    /// when `over` is set.
    pub(super) fn open(
        &self,
        file: u32,
        given: Option<Compression>,
        batch: Bytes,
        layout: &Layout,
        over: &Arc<AtomicBool>,
    ) -> io::Result<Reading> {
        let input: Box<dyn Read + Send> = match self {
            Input::Files(files) => Box::new(File::open(&files[file as usize].path)?),
            _ => Box::new(Pipe::open(Arc::clone(over))?),
        };
        let times = Arc::new(Times::default());
        let mut input = Timed { input, times: Arc::clone(&times) };
        let mut beginning = Vec::with_capacity(BEGINNING_BYTES);
        (&mut input).take(BEGINNING_BYTES as u64).read_to_end(&mut beginning)?;
        let compression = given.unwrap_or_else(|| Compression::of_magic_number(&beginning));
        let input = Box::new(Cursor::new(beginning).chain(input));
        let lines = LineReader::open(input, compression, batch.0 as usize, layout)?;
        let skips_header = layout.header == Header::Unread;
        Ok(Reading { lines, compression, skips_header, times })
    }
}

/// A layout, as one line.
fn of_layout(layout: &Layout) -> String {
    let kind = |kind| match kind {
        FieldKind::Int { digits_max } => format!("int {digits_max}"),
        FieldKind::Decimal { precision, scale } => format!("decimal {precision}.{scale}"),
        FieldKind::Date => "date".to_owned(),
        FieldKind::Text { size } => format!("text {size}"),
    };
    let fields: Vec<String> =
        layout.fields.iter().map(|field| format!("{} {}", field.name, kind(field.kind))).collect();
    let names = match layout.header {
        Header::Absent => "",
        Header::Names => ", names first",
        Header::Unread => ", first line unread",
    };
    let quote = match layout.quote {
        Quote::Refused => String::new(),
        Quote::Content => ", quotes are content".to_owned(),
        Quote::Read(quote) => format!(", quote {}", char::from(quote)),
    };
    let end = if layout.ends_with_separator { " at the end too" } else { "" };
    let separator = char::from(layout.separator);
    format!("layout {} ({}; separator {separator}{end}{names}{quote})", layout.name, fields.join(", "))
}

/// Why a source cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    /// The message, with a hint where there is one.
    pub message: String,
    /// Whether the source and its layout do not fit, so that reading it again changes nothing.
    pub is_mistake: bool,
}

/// A file during its load.
pub(super) struct Reading {
    lines: LineReader,
    pub compression: Compression,
    skips_header: bool,
    times: Arc<Times>,
}

impl Reading {
    /// The next lines, in `memory`, with the cost of reading and decompressing them.
    pub(super) fn next_in(&mut self, memory: Vec<u8>) -> io::Result<Option<(Lines, Spent, Spent)>> {
        let before = self.times.spent();
        let watch = Watch::start();
        let lines = self.lines.next_in(memory)?;
        let (all, read) = (watch.spent(), self.times.spent().without(before));
        let (read, decompress) = match self.compression {
            Compression::Plain => (all, Spent::default()),
            _ => (read, all.without(read)),
        };
        Ok(lines.map(|lines| (lines, read, decompress)))
    }

    /// Bytes that were read, compressed where they are.
    pub(super) fn input_bytes(&self) -> u64 {
        self.lines.input_bytes()
    }

    /// What was left out of the file, which was read to its end, with its bytes where they are known.
    pub(super) fn notes(&self) -> Vec<(LoadNoteKind, Option<Bytes>)> {
        let padding = Bytes(self.lines.padding_bytes());
        let notes = [
            self.lines.has_byte_order_mark().then_some((LoadNoteKind::ByteOrderMark, None)),
            self.skips_header.then_some((LoadNoteKind::UnreadHeader, None)),
            (padding.0 > 0).then_some((LoadNoteKind::ZeroPadding, Some(padding))),
        ];
        notes.into_iter().flatten().collect()
    }
}

/// The cost of reading, shared with its observer, because decoders own their input.
#[derive(Default)]
struct Times {
    busy_ns: AtomicU64,
    cpu_ns: AtomicU64,
}

impl Times {
    fn spent(&self) -> Spent {
        Spent { busy: Nanos(self.busy_ns.load(Ordering::Relaxed)), cpu: Nanos(self.cpu_ns.load(Ordering::Relaxed)) }
    }
}

struct Timed {
    input: Box<dyn Read + Send>,
    times: Arc<Times>,
}

impl Read for Timed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let watch = Watch::start();
        let read = self.input.read(into);
        let Spent { busy, cpu } = watch.spent();
        self.times.busy_ns.fetch_add(busy.0, Ordering::Relaxed);
        self.times.cpu_ns.fetch_add(cpu.0, Ordering::Relaxed);
        read
    }
}

/// The standard input, which may block for a long time.
struct Pipe {
    stdin: File,
    over: Arc<AtomicBool>,
}

impl Pipe {
    fn open(over: Arc<AtomicBool>) -> io::Result<Pipe> {
        let stdin = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        Ok(Pipe { stdin, over })
    }
}

impl Read for Pipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let poll_interval = Timespec { tv_sec: 0, tv_nsec: PIPE_POLL_NS };
        loop {
            if self.over.load(Ordering::Relaxed) {
                return Err(io::Error::other("the load was stopped"));
            }
            let mut waited = [PollFd::new(&self.stdin, PollFlags::IN)];
            match poll(&mut waited, Some(&poll_interval)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return self.stdin.read(into),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(count: usize) -> Input {
        let file = |number: usize| InputFile {
            path: PathBuf::from(format!("/data/cards-{number}.tbl")),
            size: Bytes(100),
            changed_ns: 7,
        };
        Input::Files((1..=count).map(file).collect())
    }

    #[test]
    fn a_source_has_a_short_and_a_full_description() {
        assert_eq!(files(2).source(), "cards-1.tbl, cards-2.tbl");
        assert_eq!(files(9).source(), "cards-1.tbl and 8 more files");
        assert_eq!((files(9).size(), Input::Pipe.size()), (Some(Bytes(900)), None));
        let describe = |input: &Input, batch| input.described(&Layout::cards(), Bytes(batch), LoadModel::default());
        let described = describe(&files(2), 8);
        assert_eq!(described.len(), 4);
        assert_eq!(described[0], "batches of 8 bytes into a plain table");
        assert!(described[1].starts_with("layout cards (card_no int 16, card_type text 12, mcc int 4,"));
        assert!(described[1].ends_with("merchant_zip text 5; separator | at the end too)"), "{}", described[1]);
        assert_eq!(described[3], "/data/cards-2.tbl, 100 bytes, changed 7 ns after 1970");
        let unread = Layout { header: Header::Unread, quote: Quote::Read(b'"'), ..Layout::cards_csv() };
        let described_csv = files(1).described(&unread, Bytes(8), LoadModel::default());
        assert!(described_csv[1].ends_with("separator ,, first line unread, quote \")"), "{}", described_csv[1]);
        assert_ne!(described[0], describe(&files(2), 9)[0]);
        let cards = Input::Generated { seed: 42, rows: 10 };
        assert_eq!(describe(&cards, 8)[2], "10 cards generated from seed 42");
    }

    #[test]
    fn files_of_one_name_are_distinguished() {
        let Input::Files(mut some) = files(2) else { return };
        some.push(InputFile { path: PathBuf::from("/more/cards-1.tbl"), ..some[0].clone() });
        let input = Input::Files(some);
        assert_eq!([0, 1, 2].map(|file| input.name(file)), ["/data/cards-1.tbl", "cards-2.tbl", "/more/cards-1.tbl"]);
    }

    #[test]
    fn each_file_is_read_by_one_thread() {
        let threads = |input: &Input, jobs: &[u32]| jobs.iter().map(|jobs| input.threads(*jobs)).collect::<Vec<u32>>();
        assert_eq!(threads(&files(3), &[1, 2, 8]), [1, 2, 3]);
        assert_eq!(threads(&Input::Pipe, &[1, 8]), [1, 1]);
        assert_eq!(threads(&Input::Generated { seed: 1, rows: 1 }, &[1, 4, 5, 16]), [1, 1, 2, 4]);
    }

    #[test]
    fn unreadable_input_is_an_error() {
        assert!(InputFile::inspect(Path::new("/nowhere/cards.tbl")).is_err());
        assert!(InputFile::inspect(Path::new("/")).is_err());
    }
}
